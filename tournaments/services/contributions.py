"""What one game adds to its event for each entrant, and moving the sums by the difference.

`game_values` is pure; `move_sums` is the only writer of contributions and aggregates for one
game. A correction costs the rows of that table only (algorithms.md 5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from fractions import Fraction

from scoring.numbers import Complex
from scoring.rules import Rules
from scoring.standings.aggregate import finishes
from tournaments.models.hands import Game
from tournaments.models.numbers import units_of
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.replays import Replay
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
        """Whether hand `number` was played by this chair's entrant."""
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
    place: int


ADDED = tuple(field.name for field in fields(Values) if field.name != "place")


def game_values(rules: Rules, game: Replay, chairs: Sequence[Chair]) -> dict[int, Values]:
    """Return what the game adds for each entrant that sat for at least one scored hand.

    A chair's finish is that of the seat's final total; who sat in it for a part of the hands
    gets the points of those hands and the chair's place (docs/scoring/standings.md).
    """
    if not game.hands:
        return {}
    totals, low = _strengths(rules, game)
    ends = finishes(totals, low_wins=low)
    found: dict[int, Values] = {}
    for chair in sorted(chairs, key=lambda c: (c.first, c.seat)):
        mine = [hand for hand in game.hands if chair.has(hand.number)]
        if not mine:
            continue
        end = ends[chair.seat]
        own = [hand.score.seat_scores[chair.seat] for hand in mine]
        moons = [hand.score.moon for hand in mine if hand.score.moon is not None]
        shot = sum(1 for moon in moons if chair.seat in moon.by)
        before = found.get(chair.entrant_id)
        found[chair.entrant_id] = Values(
            games=1,
            hands=len(mine) + (before.hands if before else 0),
            points=sum(units_of(score) for score in own if not isinstance(score, Complex))
            + (before.points if before else 0),
            shared_wins=int(end.place == 1 and end.shared > 1),
            win_share=units_of(end.win_share),
            beaten_halves=units_of(2 * end.beaten),
            moons=shot + (before.moons if before else 0),
            moons_against=len(moons) - shot + (before.moons_against if before else 0),
            place=end.place,
        )
    return found


def _strengths(rules: Rules, game: Replay) -> tuple[list[int | Fraction], bool]:
    totals = [total.norm if isinstance(total, Complex) else total for total in game.totals]
    return totals, low_wins(rules)


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
