"""What one game adds to its event for each entrant, and moving the sums by the difference.

`game_values` is pure; `move_sums` is the only writer of contributions and aggregates for one
game. A correction costs the rows of that table only (algorithms.md 5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields

from scoring.game import MoonMade
from scoring.numbers import Complex
from scoring.rules import Rules
from scoring.standings.aggregate import finishes
from tournaments.models.hands import Game
from tournaments.models.numbers import units_of
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.replays import TOTALS, PlayedHand, Replay
from tournaments.services.rule_sets import low_wins


@dataclass(frozen=True, slots=True)
class Chair:
    """One stretch of sitting: `entrant_id` had seat `seat` (index from 0) for hands `first` to
    `last` (None = to the end)."""

    seat: int
    entrant_id: int
    first: int = 1
    last: int | None = None

    def has(self, number: int) -> bool:
        """Whether hand `number` was played by this chair's entrant; a sheet with totals only
        counts for whoever sat there at the end."""
        if number == TOTALS:
            return self.last is None
        return self.first <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True)
class Values:
    """The additive values of one entrant in one game, as `Contribution` stores them."""

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


ADDED = tuple(field.name for field in fields(Values) if field.name != "place")


def game_values(
    rules: Rules, game: Replay, chairs: Sequence[Chair], *, hands: int | None = None
) -> dict[int, Values]:
    """Return what the game adds for each entrant that sat for at least one scored hand.

    Who sat in a chair for a part of the hands gets the points of those hands and the chair's
    place. Under rules with sides the chair is the side: its score counts once for an entrant,
    however many of its seats the entrant has (docs/scoring/standings.md).

    Args:
        hands: how many hands a sheet with totals only stands for, where that is known.
    """
    if not game.hands:
        return {}
    table = _Table(rules, game, hands)
    found: dict[int, Values] = {}
    counted: set[tuple[int, int, int]] = set()
    for chair in sorted(chairs, key=lambda c: (c.first, c.seat)):
        mine = [hand for hand in game.hands if chair.has(hand.number)]
        if not mine:
            continue
        side, fresh = table.side_of[chair.seat], mine
        if table.has_sides:
            fresh = [hand for hand in mine if (chair.entrant_id, side, hand.number) not in counted]
            counted.update((chair.entrant_id, side, hand.number) for hand in fresh)
        found[chair.entrant_id] = _with_chair(
            found.get(chair.entrant_id), table, chair.seat, fresh, table.own_moons(mine, fresh)
        )
    return found


def _with_chair(
    before: Values | None,
    table: "_Table",
    seat: int,
    hands: Sequence[PlayedHand],
    moons: Sequence[MoonMade],
) -> Values:
    """Return an entrant's values with those of one more chair."""
    end = table.ends[table.side_of[seat]]
    shot = sum(1 for moon in moons if seat in moon.by)
    all_moons = sum(1 for hand in hands if hand.score.moon is not None)
    points, opponents = table.points(seat, hands)
    return Values(
        games=1,
        hands=(len(hands) if table.counts_hands else table.hands or 0)
        + (before.hands if before else 0),
        points=points + (before.points if before else 0),
        shared_wins=int(end.place == 1 and end.shared > 1),
        win_share=units_of(end.win_share),
        beaten_halves=units_of(2 * end.beaten),
        moons=shot + (before.moons if before else 0),
        moons_against=all_moons - shot + (before.moons_against if before else 0),
        difference=(points - opponents if table.has_sides else 0)
        + (before.difference if before else 0),
        uncounted=int(not table.counts_hands and table.hands is None),
        place=end.place,
    )


class _Table:
    """Who plays against whom at one table, what each hand was worth to them, how they finished."""

    def __init__(self, rules: Rules, game: Replay, hands: int | None) -> None:
        self.counts_hands = game.hands[0].number != TOTALS
        self.hands = hands
        teams = rules.keys.teams.mode
        self.has_sides = teams != "none"
        self.is_pooled = teams == "pooled"
        self.sides: Sequence[Sequence[int]] = (
            game.state.teams if self.has_sides else [(seat,) for seat in range(len(game.totals))]
        )
        self.side_of = {seat: side for side, seats in enumerate(self.sides) for seat in seats}
        totals = [total.norm if isinstance(total, Complex) else total for total in game.totals]
        # A pooled side's score stands on each of its seats, and counts once.
        self.scored = [side[:1] if self.is_pooled else side for side in self.sides]
        strengths = [sum(totals[seat] for seat in seats) for seats in self.scored]
        self.ends = finishes(strengths, low_wins=low_wins(rules))

    def own_moons(self, mine: Sequence[PlayedHand], fresh: Sequence[PlayedHand]) -> list[MoonMade]:
        """The moons that may be the chair's own; those of a pooled side count for it once."""
        hands = fresh if self.is_pooled else mine
        return [hand.score.moon for hand in hands if hand.score.moon is not None]

    def points(self, seat: int, hands: Sequence[PlayedHand]) -> tuple[int, int]:
        """Return the points of the seat's side, and those of the others, in units."""
        own = self.side_of[seat]
        points = self._sum(own, hands)
        if not self.has_sides:
            return points, 0
        others = (side for side in range(len(self.sides)) if side != own)
        return points, sum(self._sum(side, hands) for side in others)

    def _sum(self, side: int, hands: Sequence[PlayedHand]) -> int:
        scores = [hand.score.seat_scores[seat] for seat in self.scored[side] for hand in hands]
        return sum([units_of(score) for score in scores if not isinstance(score, Complex)])


def move_sums(*, game: Game, values: Mapping[int, Values]) -> None:
    """Store `values` as the game's contributions and move the event's sums by the difference."""
    stored = {row.entrant_id: row for row in Contribution.objects.filter(game=game)}
    deltas = {
        entrant_id: delta
        for entrant_id in sorted(set(stored) | set(values))
        if (delta := difference(_values_of(stored.get(entrant_id)), values.get(entrant_id)))
    }
    if deltas:
        _add_to_sums(game, deltas)
        _store_contributions(game, {key: values[key] for key in deltas if key in values})
    if gone := set(stored) - set(values):
        Contribution.objects.filter(game=game, entrant_id__in=gone).delete()


def _store_contributions(game: Game, changed: Mapping[int, Values]) -> None:
    rows = [
        Contribution(
            club_id=game.club_id,
            event_id=game.event_id,
            game=game,
            entrant_id=entrant_id,
            **_columns(values),
        )
        for entrant_id, values in changed.items()
    ]
    Contribution.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["game", "entrant"],
        update_fields=[field.name for field in fields(Values)],
    )


def _add_to_sums(game: Game, deltas: Mapping[int, Mapping[str, int]]) -> None:
    """Add each entrant's changes, with two statements for all of them.

    Rows are locked in ascending id of the entrant, so that two tables never wait for each other
    in a ring; entrants without a row (their first game) get an empty one first, which another
    transaction may have made meanwhile.
    """
    sums = Aggregate.objects.filter(event_id=game.event_id, entrant_id__in=list(deltas))
    locked = sums.select_for_update().order_by("entrant_id")
    rows = list(locked)
    if missing := sorted(set(deltas) - {row.entrant_id for row in rows}):
        empty = [
            Aggregate(club_id=game.club_id, event_id=game.event_id, entrant_id=key)
            for key in missing
        ]
        Aggregate.objects.bulk_create(empty, ignore_conflicts=True)
        rows = list(locked.all())
    for row in rows:
        for column, change in deltas[row.entrant_id].items():
            setattr(row, column, getattr(row, column) + change)
    touched = sorted({column for row in rows for column in deltas[row.entrant_id]})
    if touched:
        Aggregate.objects.bulk_update(rows, touched)


def difference(old: Values | None, new: Values | None) -> dict[str, int]:
    """Return the non-zero changes of an aggregate's columns between two contributions."""
    delta: dict[str, int] = {}
    for sign, values in ((-1, old), (1, new)):
        if values is not None:
            for name in ADDED:
                delta[name] = delta.get(name, 0) + sign * getattr(values, name)
            column = f"place_{values.place}"
            delta[column] = delta.get(column, 0) + sign
    return {name: change for name, change in delta.items() if change}


def _values_of(row: Contribution | None) -> Values | None:
    if row is None:
        return None
    return Values(*(getattr(row, field.name) for field in fields(Values)))


def _columns(values: Values) -> dict[str, int]:
    return dict(zip((field.name for field in fields(values)), astuple(values), strict=True))
