"""Compute a game's contributions by entrant, and update the sums by the difference.

`game_values` is pure; `store_worth` is the only writer of contributions. A correction costs the
rows of that table only (docs/decisions/0010-totals-change-with-each-hand.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, lru_cache
from math import gcd
from operator import attrgetter
from typing import Final, TypeAlias

from scoring.engine.deciding import rank_keys
from scoring.game.game import MoonMade
from scoring.numbers import Complex
from scoring.rules.rules import Rules
from scoring.standings.rows import finish, finishes, nominal_penalty, share_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay
from tournaments.domain.seating_runs import SeatRun
from tournaments.models.columns import UNIT, units_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Contribution
from tournaments.selectors.hands.game_for_update import ADDED as COLUMNS
from tournaments.selectors.rules.rule_sets import low_wins
from tournaments.services.db.bulk import add_to_aggregates, in_parts, insert_few, write_rows
from tournaments.services.totals.counted_games import recompute_counted


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


_NOTHING: Final = GameValues(*[0] * 11)

OWN = ("place", "shared", "index_num", "index_den")
"""Fields of one game that are not totalled."""

NAMES: Final = tuple(field.name for field in fields(GameValues))
"""The columns of a contribution that hold `GameValues`, in order."""

as_row = attrgetter(*NAMES)
"""Returns `GameValues` as a tuple in the order of `NAMES`; a tenth of what `astuple` takes."""

ADDED = tuple(field.name for field in fields(GameValues) if field.name not in OWN)

_REPLACE: Final = "ON CONFLICT (game_id, entrant_id) DO UPDATE SET " + ", ".join(
    f"{name} = EXCLUDED.{name}" for name in NAMES
)

Worth: TypeAlias = Mapping[int, GameValues]
"""Values that a game adds, by entrant."""


def game_values(
    rules: Rules,
    game: Replay,
    chairs: Sequence[SeatRun],
    *,
    placement: Mapping[str, Sequence[int]],
    hands: int | None = None,
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
    """
    if not game.hands:
        return {}
    table = _Table(rules, game, hands, placement)
    values: dict[int, GameValues] = {}
    counted: set[tuple[int, int, int]] = set()
    mixed = _mixed_hands(table, game.hands, chairs)
    for chair in sorted(chairs, key=lambda c: (c.first, c.seat)):
        entrant = chair.entrant
        seat = chair.seat - 1
        if entrant is None:
            continue
        mine: Sequence[PlayedHand] = game.hands
        if chair.first > 1 or chair.last is not None:
            mine = [hand for hand in game.hands if chair.has(hand.number)]
        if chair.is_group and mixed:
            mine = [hand for hand in mine if (entrant, hand.number) not in mixed]
        if not mine:
            continue
        side = table.side_of[seat]
        fresh = mine
        if table.has_sides:
            fresh = [hand for hand in mine if (entrant, side, hand.number) not in counted]
            counted.update((entrant, side, hand.number) for hand in fresh)
        # The moons that may be the chair's own: those of a pooled side count for it once.
        scores = [hand.score for hand in (fresh if table.is_pooled else mine)]
        moons = [score.moon for score in scores if score.moon is not None]
        values[entrant] = _with_chair(values.get(entrant, _NOTHING), table, seat, fresh, moons)
    return values


def _mixed_hands(
    table: "_Table", hands: Sequence[PlayedHand], chairs: Sequence[SeatRun]
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
        on_sides = [entrant for side in groups_by_side.values() for entrant in side]
        shared = {entrant for side in groups_by_side.values() if len(side) > 1 for entrant in side}
        twice = {entrant for entrant in on_sides if on_sides.count(entrant) > 1}
        mixed.update((entrant, hand.number) for entrant in shared | twice)
    return mixed


def _with_chair(
    before: GameValues,
    table: "_Table",
    seat: int,
    hands: Sequence[PlayedHand],
    moons: Sequence[MoonMade],
) -> GameValues:
    end = table.ends[table.side_of[seat]]
    shot = sum(1 for moon in moons if seat in moon.by)
    all_moons = sum(1 for hand in hands if hand.score.moon is not None)
    points, opponents = table.points(seat, hands)
    win_share, beaten_halves = _shares(end.place, end.shared, len(table.ends))
    if table.counts_hands or not hands:
        played = len(hands)
    else:
        played = table.hands or 0
    index_num, index_den = table.index(points, opponents, played, before)
    return GameValues(
        games=1,
        hands=played + before.hands,
        points=points + before.points,
        shared_wins=int(end.place == 1 and end.shared > 1),
        win_share=win_share,
        beaten_halves=beaten_halves,
        moons=shot + before.moons,
        moons_against=all_moons - shot + before.moons_against,
        difference=(points - opponents if table.has_sides else 0) + before.difference,
        uncounted=int(not table.counts_hands and table.hands is None),
        place=end.place,
        place_points=_place_points(end.place, end.shared, table.scheme) if table.scheme else 0,
        shared=end.shared,
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
    return None if penalty is None else Fraction(penalty)


@cache
def _shares(place: int, shared: int, chairs: int) -> tuple[int, int]:
    end = finish(place, shared, chairs)
    return units_of(end.win_share), units_of(2 * end.beaten)


class _Table:
    """The opponents at one table, their scores of each hand, and their finishing places."""

    def __init__(
        self, rules: Rules, game: Replay, hands: int | None, placement: Mapping[str, Sequence[int]]
    ) -> None:
        self.counts_hands = game.hands[0].number != TOTALS
        self.hands = hands
        self.low_wins = low_wins(rules)
        teams = rules.keys.teams.mode
        self.has_sides = teams != "none"
        self.is_pooled = teams == "pooled"
        self.sides: Sequence[Sequence[int]] = (
            game.state.teams if self.has_sides else [(seat,) for seat in range(len(game.totals))]
        )
        self.side_of = {seat: side for side, seats in enumerate(self.sides) for seat in seats}
        # A pooled side's score is repeated on each of its seats, and counts once.
        self.scored = [side[:1] if self.is_pooled else side for side in self.sides]
        self.ends = finishes(rank_keys(rules, game.state))
        self._game_hands = game.hands
        self._all_hands = self._sums(game.hands)
        self.scheme = tuple(placement.get(str(len(self.ends)), ()))
        self.penalty = _penalty(rules, len(game.totals))

    def points(self, seat: int, hands: Sequence[PlayedHand]) -> tuple[int, int]:
        """Return the points of the seat's side, and those of the others, in units."""
        sums = self._all_hands if hands is self._game_hands else self._sums(hands)
        points = sums[self.side_of[seat]]
        return points, sum(sums) - points

    def index(
        self, points: int, opponents: int, played: int, before: GameValues
    ) -> tuple[int, int]:
        """Return the index against par over some hands, and those `before`, as num/den.

        `den` is 0 where it is not defined: complex scores, no penalty cards, unknown hands.
        """
        if not played:
            return before.index_num, before.index_den
        if not self.penalty:
            return 0, 0
        chairs = len(self.ends)
        # (mean - own) x chairs, in units, is what the others have less (chairs - 1) x the own.
        ahead = opponents - (chairs - 1) * points
        num = (ahead if self.low_wins else -ahead) * self.penalty.denominator
        den = chairs * UNIT * self.penalty.numerator * played
        if before.hands:  # who changed seats: each hand weighs the same
            all_hands = before.hands + played
            earlier = Fraction(before.index_num * before.hands, before.index_den * all_hands)
            return (earlier + Fraction(num * played, den * all_hands)).as_integer_ratio()
        common = gcd(num, den)
        return num // common, den // common

    def _sums(self, hands: Sequence[PlayedHand]) -> list[int]:
        return [
            units_of(
                sum(
                    [
                        score
                        for hand in hands
                        for seat in seats
                        if not isinstance(score := hand.score.seat_scores[seat], Complex)
                    ]
                )
            )
            for seats in self.scored
        ]


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
    return {key: GameValues(**dict(zip(COLUMNS, row, strict=True))) for key, row in added.items()}


_COLUMNS: Final = ("club_id", "event_id", "game_id", "entrant_id", *NAMES)


def contribution_difference(old: GameValues | None, new: GameValues | None) -> dict[str, int]:
    """Return the changes of an aggregate's columns between two contributions, zeros left out.

    Where no sum changes (an index may, alone) it is a change of `games` by 0.
    """
    delta: dict[str, int] = {}
    for sign, values in ((-1, old), (1, new)):
        if values is not None:
            for name in ADDED:
                delta[name] = delta.get(name, 0) + sign * getattr(values, name)
            column = f"place_{values.place}"
            delta[column] = delta.get(column, 0) + sign
    return {name: change for name, change in delta.items() if change} or {"games": 0}


AT_ONCE: Final = 500
"""Rows that one statement names."""


def store_worth(event: Event, changed: Mapping[int, tuple[Worth, Worth]]) -> None:
    """Store what games added and add, by game, and move the sums.

    The sums are written first, which locks them, unless the caller has locked them. Many new rows
    go in bulk: whoever writes so many has locked their games.
    """
    deltas: dict[int, dict[str, int]] = {}
    rows: list[tuple[int, ...]] = []
    new: list[tuple[int, ...]] = []
    for game_id, (before, after) in changed.items():
        for entrant in differing_entrants(before, after):
            delta = deltas.setdefault(entrant, {})
            for name, change in contribution_difference(
                before.get(entrant), after.get(entrant)
            ).items():
                delta[name] = delta.get(name, 0) + change
            if entrant in after:
                row = (event.club_id, event.pk, game_id, entrant, *as_row(after[entrant]))
                (rows if entrant in before else new).append(row)
    if deltas:
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    if len(new) > AT_ONCE:
        write_rows(Contribution, _COLUMNS, new)
    else:
        rows += new
    for some in in_parts(rows, AT_ONCE):
        insert_few(Contribution._meta.db_table, _COLUMNS, some, otherwise=_REPLACE)
    for game_id, (before, after) in changed.items():
        if removed := set(before) - set(after):
            Contribution.objects.filter(game=game_id, entrant_id__in=removed).delete()


def differing_entrants(worth: Worth, new_worth: Worth) -> list[int]:
    entrants = sorted(set(worth) | set(new_worth))
    return [entrant for entrant in entrants if worth.get(entrant) != new_worth.get(entrant)]
