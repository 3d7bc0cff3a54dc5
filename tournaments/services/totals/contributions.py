"""Compute a game's contributions by entrant, and update the sums by the difference.

`game_values` is pure; `store_worth` is the only writer of contributions. A correction costs the
rows of that table only (docs/decisions/0010-totals-change-with-each-hand.md).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain
from math import gcd
from operator import attrgetter
from typing import Final, TypeAlias

from scoring.engine.deciding import rank_keys
from scoring.game.game import MoonMade
from scoring.numbers import Complex, Real
from scoring.rules.rules import Rules
from scoring.standings.rows import finish, finishes, nominal_penalty, share_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay
from tournaments.domain.seating_runs import SeatRun
from tournaments.models.columns import UNIT, units_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Contribution
from tournaments.selectors.hands.game_for_update import ADDED as STORED_COLUMNS
from tournaments.selectors.rules.rule_sets import low_wins
from tournaments.services.db.bulk import add_to_aggregates, in_parts, insert_few, write_rows
from tournaments.services.totals.counted_games import recompute_counted

AT_ONCE: Final = 500
"""Rows that one statement names."""


@dataclass(frozen=True, slots=True)
class GameValues:
    """The contribution of one game to one entrant, as `Contribution` stores it."""

    games: int
    hands: int
    points: int
    shared_wins: int
    win_share: int
    beaten_halves: int
    moons: int
    moons_against: int
    difference: int
    uncounted: int
    place: int
    place_points: int = 0
    shared: int = 1
    index_num: int = 0
    index_den: int = 0
    of_hands: int = 0


_NOTHING: Final = GameValues(
    games=0,
    hands=0,
    points=0,
    shared_wins=0,
    win_share=0,
    beaten_halves=0,
    moons=0,
    moons_against=0,
    difference=0,
    uncounted=0,
    place=0,
)

OWN = ("place", "shared", "index_num", "index_den", "of_hands")
"""Fields of one game that are not totalled."""

NAMES: Final = tuple(field.name for field in fields(GameValues))
"""The columns of a contribution that hold `GameValues`, in order."""

as_row = attrgetter(*NAMES)
"""Returns `GameValues` as a tuple in the order of `NAMES`; a tenth of what `astuple` takes."""

ADDED = tuple(field.name for field in fields(GameValues) if field.name not in OWN)
"""Fields that are totalled."""

_COLUMNS: Final = ("club_id", "event_id", "game_id", "entrant_id", *NAMES)

_REPLACE: Final = "ON CONFLICT (game_id, entrant_id) DO UPDATE SET " + ", ".join(
    f"{name} = EXCLUDED.{name}" for name in NAMES
)

Worth: TypeAlias = Mapping[int, GameValues]
"""Values that a game adds, by entrant."""

RunOfRegular: TypeAlias = tuple[SeatRun, SeatRun]
"""A run in a seat, and that of the regular player for whom it was played: itself, if for nobody."""


class _Table:
    """The opponents at one table, their scores of each hand, and their finishing places."""

    def __init__(
        self,
        rules: Rules,
        game: Replay,
        n_hands: int | None,
        placement: Mapping[str, Sequence[int]],
    ) -> None:
        self.counts_hands = game.hands[0].number != TOTALS
        self.n_hands = n_hands
        self.low_wins = low_wins(rules)
        teams = rules.keys.teams.mode
        self.has_sides = teams != "none"
        self.is_pooled = teams == "pooled"
        self.sides: Sequence[Sequence[int]]
        if self.has_sides:
            self.sides = game.state.teams
        else:
            self.sides = [(seat,) for seat in range(len(game.totals))]
        self.side_of = {seat: side for side, seats in enumerate(self.sides) for seat in seats}
        self.finishes = finishes(rank_keys(rules, game.state))
        self._game_hands = game.hands
        self._points_of_game = self._points_of_sides(game.hands)
        self.scheme = tuple(placement.get(str(len(self.finishes)), ()))
        self.penalty = _penalty(rules, len(game.totals))

    def points(self, seat: int, hands: Sequence[PlayedHand]) -> tuple[int, int]:
        """Return the points of the seat's side, and those of the others, in units."""
        if hands is self._game_hands:
            points_of_sides = self._points_of_game
        else:
            points_of_sides = self._points_of_sides(hands)
        points = points_of_sides[self.side_of[seat]]
        return points, sum(points_of_sides) - points

    def index(
        self, points: int, opponents: int, *, n_hands: int, before: GameValues
    ) -> tuple[int, int]:
        """Return the index against par over some hands, and those `before`, as num/den.

        `den` is 0 where it is not defined: complex scores, no penalty cards, unknown hands.
        """
        if not n_hands:
            return before.index_num, before.index_den
        if not self.penalty:
            return 0, 0
        n_chairs = len(self.finishes)
        # n_chairs x (mean - own), in units: the others' points less (n_chairs - 1) x the own.
        ahead = opponents - (n_chairs - 1) * points
        if not self.low_wins:
            ahead = -ahead
        num = ahead * self.penalty.denominator
        den = n_chairs * UNIT * self.penalty.numerator * n_hands
        if before.hands:
            # The player sat in two chairs of the game: each hand weighs the same.
            all_hands = before.hands + n_hands
            earlier = Fraction(before.index_num * before.hands, before.index_den * all_hands)
            return (earlier + Fraction(num * n_hands, den * all_hands)).as_integer_ratio()
        common = gcd(num, den)
        return num // common, den // common

    def _points_of_sides(self, hands: Sequence[PlayedHand]) -> list[int]:
        """Return the points of each side over some hands, in units; complex scores add nothing."""
        points_of_sides = []
        for seats in self.sides:
            # A pooled side's score is repeated on each of its seats, and counts once.
            scored_seats = seats[:1] if self.is_pooled else seats
            points: Real = 0
            for hand in hands:
                for seat in scored_seats:
                    score = hand.score.seat_scores[seat]
                    if not isinstance(score, Complex):
                        points += score
            points_of_sides.append(units_of(points))
        return points_of_sides


def game_values(
    rules: Rules,
    game: Replay,
    chairs: Sequence[SeatRun],
    *,
    placement: Mapping[str, Sequence[int]],
    hands: int | None = None,
    owners: str = "all",
) -> dict[int, GameValues]:
    """Return what the game adds for each entrant that sat for at least one scored hand.

    A player who sat for some hands gets their points, the index over them, and the chair's
    place. Under rules with sides the chair is the side: its score counts once for an entrant,
    however many of its seats the entrant has (docs/algorithms/standings.md). A side that two
    pairs or teams share counts for neither of them.

    Args:
        placement: the event's place points, a list for each number of chairs (or sides); without a
            list there are no points.
        hands: the number of hands of a sheet with totals only, if known.
        owners: who gets the place of a chair in which a substitute took over
            (`Settings.table_owners`): `all`, the `regular` player, or both `by_hands`.
    """
    if not game.hands:
        return {}
    table = _Table(rules, game, n_hands=hands, placement=placement)
    regulars: Sequence[RunOfRegular] = ()
    if owners != "all":
        regulars = _find_regulars(game.hands, chairs)
    if owners == "regular":
        chairs = _chairs_of_regulars(regulars, is_totals=not table.counts_hands)
    mixed = _mixed_hands(table, game.hands, chairs)
    values: dict[int, GameValues] = {}
    counted: set[tuple[int, int, int]] = set()
    for chair in sorted(chairs, key=attrgetter("first", "seat")):
        entrant = chair.entrant
        if entrant is None:
            continue
        played: Sequence[PlayedHand] = game.hands
        if chair.first > 1 or chair.last is not None:
            played = [hand for hand in played if chair.has(hand.number)]
        if chair.is_group and mixed:
            played = [hand for hand in played if (entrant, hand.number) not in mixed]
        if not played:
            continue

        seat = chair.seat - 1
        counting = played
        if table.has_sides:
            side = table.side_of[seat]
            counting = [hand for hand in played if (entrant, side, hand.number) not in counted]
            counted.update((entrant, side, hand.number) for hand in counting)
        # A pooled side has its moons once; otherwise each seat has its own.
        hands_with_moons = counting if table.is_pooled else played
        moons = [hand.score.moon for hand in hands_with_moons if hand.score.moon is not None]
        before = values.get(entrant, _NOTHING)
        values[entrant] = _with_chair(before, table, seat, hands=counting, moons=moons)
    if owners == "by_hands" and table.counts_hands:
        return _shared_by_hands(values, regulars)
    return values


def _find_regulars(
    hands: Sequence[PlayedHand], chairs: Sequence[SeatRun]
) -> Sequence[RunOfRegular]:
    """Return each run with a hand, and the first run of the regular player for whom it was played.

    The regular player had the chair first and competes alone. Somebody without a hand at the table
    is none there: who substitutes for a whole game plays it for themselves. Totals belong to all
    who sat there.
    """
    is_totals = hands[0].number == TOTALS
    regulars: list[RunOfRegular] = []
    latest: dict[int, SeatRun] = {}
    for run in sorted(chairs, key=attrgetter("first", "seat")):
        if not is_totals and not any(run.has(hand.number) for hand in hands):
            continue
        regular = run
        if run.substitute_for in latest and not run.is_group:
            regular = latest[run.substitute_for]
        if regular.is_group:
            regular = run
        latest[run.player] = regular
        regulars.append((run, regular))
    return regulars


def _chairs_of_regulars(regulars: Sequence[RunOfRegular], *, is_totals: bool) -> list[SeatRun]:
    """Return the runs without those of substitutes; totals are those of the regular player."""
    if is_totals:
        return [
            replace(run, player=regular.player, entrant=regular.entrant)
            for run, regular in regulars
        ]
    return [run for run, regular in regulars if run.player == regular.player]


def _shared_by_hands(
    values: Mapping[int, GameValues], regulars: Sequence[RunOfRegular]
) -> dict[int, GameValues]:
    """Return the values of a game with the hands of which each has a part, where they share."""
    sharing: dict[int, set[int]] = {}
    for run, regular in regulars:
        if run.entrant is not None and run.entrant in values:
            sharing.setdefault(regular.player, set()).add(run.entrant)
    shared = dict(values)
    for entrants in sharing.values():
        n_hands = sum(values[entrant].hands for entrant in entrants)
        for entrant in entrants:
            if len(entrants) > 1:
                shared[entrant] = replace(values[entrant], of_hands=n_hands)
    return shared


def _mixed_hands(
    table: _Table, hands: Sequence[PlayedHand], chairs: Sequence[SeatRun]
) -> set[tuple[int, int]]:
    """Return (entrant, hand) of the pairs and teams that no side of the hand belongs to.

    They share their side with another pair or team, or sit on more than one side.
    """
    groups = [(chair, chair.entrant) for chair in chairs if chair.is_group and chair.entrant]
    if not table.has_sides or not groups:
        return set()
    mixed: set[tuple[int, int]] = set()
    for hand in hands:
        groups_by_side: dict[int, set[int]] = {}
        for chair, entrant in groups:
            if chair.has(hand.number):
                groups_by_side.setdefault(table.side_of[chair.seat - 1], set()).add(entrant)
        n_sides = Counter(chain(*groups_by_side.values()))
        for groups_of_side in groups_by_side.values():
            for entrant in groups_of_side:
                if len(groups_of_side) > 1 or n_sides[entrant] > 1:
                    mixed.add((entrant, hand.number))
    return mixed


def _with_chair(
    before: GameValues,
    table: _Table,
    seat: int,
    *,
    hands: Sequence[PlayedHand],
    moons: Sequence[MoonMade],
) -> GameValues:
    """Return an entrant's values `before` with some hands and moons of one more chair."""
    if table.counts_hands or not hands:
        n_hands = len(hands)
    else:
        n_hands = table.n_hands or 0
    points, opponents = table.points(seat, hands)
    index_num, index_den = table.index(points, opponents, n_hands=n_hands, before=before)
    difference = before.difference
    if table.has_sides:
        difference += points - opponents

    n_shot = sum(1 for moon in moons if seat in moon.by)
    n_moons = sum(1 for hand in hands if hand.score.moon is not None)

    result = table.finishes[table.side_of[seat]]
    win_share, beaten_halves = _shares(result.place, result.shared, len(table.finishes))
    place_points = 0
    if table.scheme:
        place_points = _place_points(result.place, result.shared, table.scheme)

    return GameValues(
        games=1,
        hands=n_hands + before.hands,
        points=points + before.points,
        shared_wins=int(result.place == 1 and result.shared > 1),
        win_share=win_share,
        beaten_halves=beaten_halves,
        moons=n_shot + before.moons,
        moons_against=n_moons - n_shot + before.moons_against,
        difference=difference,
        uncounted=int(not table.counts_hands and table.n_hands is None),
        place=result.place,
        place_points=place_points,
        shared=result.shared,
        index_num=index_num,
        index_den=index_den,
    )


@cache
def _place_points(place: int, shared: int, scheme: tuple[int, ...]) -> int:
    return units_of(share_of(place, shared, scheme))


@lru_cache(maxsize=512)
def _penalty(rules: Rules, seats: int) -> Fraction | None:
    """Return the penalty points of a deal; None where there is no par.

    See docs/algorithms/standings.md, "Par and index".
    """
    penalty = nominal_penalty(rules, seats)
    if penalty is None:
        return None
    return Fraction(penalty)


@cache
def _shares(place: int, shared: int, chairs: int) -> tuple[int, int]:
    end = finish(place, shared, chairs)
    return units_of(end.win_share), units_of(2 * end.beaten)


def apply_contributions(
    *, game: Game, values: Mapping[int, GameValues], before: Mapping[int, GameValues]
) -> None:
    """Store `values` as the game's contributions and move the event's sums by the difference.

    Non-additive values, if the event has any, are recomputed for the changed entrants. Their sums
    are written first, which locks them, so that two tables of one entrant never miss each other's
    game.

    Args:
        values: the new contributions of the game, by entrant.
        before: its stored contributions.
    """
    changed = differing_entrants(before, values)
    if not changed:
        return
    store_worth(game.event, {game.pk: (before, values)})
    if settings_of(game.event).keeps:
        recompute_counted(event=game.event, entrants=changed)


def values_of(added: Mapping[int, Sequence[int]]) -> dict[int, GameValues]:
    """Return what a game adds, from columns in the order of `game_for_update.ADDED`."""
    values = {}
    for entrant, columns in added.items():
        values[entrant] = GameValues(**dict(zip(STORED_COLUMNS, columns, strict=True)))
    return values


def contribution_difference(old: GameValues | None, new: GameValues | None) -> dict[str, int]:
    """Return the changes of an aggregate's columns between two contributions, zeros left out.

    Where no sum changes (an index may, alone) it is a change of `games` by 0.
    """
    delta: dict[str, int] = {}
    for sign, values in ((-1, old), (1, new)):
        if values is None:
            continue
        for name in ADDED:
            delta[name] = delta.get(name, 0) + sign * getattr(values, name)
        column = f"place_{values.place}"
        delta[column] = delta.get(column, 0) + sign
    changes = {name: change for name, change in delta.items() if change}
    if not changes:
        return {"games": 0}
    return changes


def store_worth(event: Event, changed: Mapping[int, tuple[Worth, Worth]]) -> None:
    """Store what games added and add, by game, and move the sums.

    The sums are written first, which locks them, unless the caller has locked them. Many new rows
    go in bulk: whoever writes so many has locked their games.
    """
    deltas: dict[int, dict[str, int]] = {}
    new_rows: list[tuple[int, ...]] = []
    changed_rows: list[tuple[int, ...]] = []
    for game_id, (before, after) in changed.items():
        for entrant in differing_entrants(before, after):
            changes = contribution_difference(before.get(entrant), after.get(entrant))
            delta = deltas.setdefault(entrant, {})
            for name, change in changes.items():
                delta[name] = delta.get(name, 0) + change
            if entrant not in after:
                continue
            row = (event.club_id, event.pk, game_id, entrant, *as_row(after[entrant]))
            if entrant in before:
                changed_rows.append(row)
            else:
                new_rows.append(row)

    if deltas:
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    if len(new_rows) > AT_ONCE:
        write_rows(Contribution, _COLUMNS, new_rows)
        rows = changed_rows
    else:
        rows = [*changed_rows, *new_rows]
    for part in in_parts(rows, AT_ONCE):
        insert_few(Contribution._meta.db_table, _COLUMNS, part, otherwise=_REPLACE)
    for game_id, (before, after) in changed.items():
        removed = set(before) - set(after)
        if removed:
            Contribution.objects.filter(game=game_id, entrant_id__in=removed).delete()


def differing_entrants(worth: Worth, new_worth: Worth) -> list[int]:
    entrants = sorted(set(worth) | set(new_worth))
    return [entrant for entrant in entrants if worth.get(entrant) != new_worth.get(entrant)]
