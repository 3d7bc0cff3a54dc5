"""What one game adds to its event for each entrant, and moving the sums by the difference.

`game_values` is pure; `move_sums` is the only writer of contributions and aggregates for one
game. A correction costs the rows of that table only (algorithms.md 5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from fractions import Fraction

from django.db.models import F

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
    """Store `values` as the game's contributions and move the event's sums by the difference.

    Entrants are taken in ascending id, so that two tables never wait for each other in a ring.
    """
    stored = {row.entrant_id: row for row in Contribution.objects.filter(game=game)}
    for entrant_id in sorted(set(stored) | set(values)):
        old, new = stored.get(entrant_id), values.get(entrant_id)
        delta = difference(_values_of(old), new)
        if delta:
            add_to_sums(game=game, entrant_id=entrant_id, delta=delta)
        if new is None:
            Contribution.objects.filter(game=game, entrant_id=entrant_id).delete()
        elif old is None:
            Contribution.objects.create(
                club_id=game.club_id,
                event_id=game.event_id,
                game=game,
                entrant_id=entrant_id,
                **_columns(new),
            )
        elif delta:
            Contribution.objects.filter(pk=old.pk).update(**_columns(new))


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


def add_to_sums(*, game: Game, entrant_id: int, delta: Mapping[str, int]) -> None:
    """Add `delta` to the entrant's sums, making the row at the first game."""
    changed = Aggregate.objects.filter(event_id=game.event_id, entrant_id=entrant_id).update(
        **{name: F(name) + change for name, change in delta.items()}
    )
    if not changed:
        Aggregate.objects.create(
            club_id=game.club_id, event_id=game.event_id, entrant_id=entrant_id, **delta
        )


def _values_of(row: Contribution | None) -> Values | None:
    if row is None:
        return None
    return Values(*(getattr(row, field.name) for field in fields(Values)))


def _columns(values: Values) -> dict[str, int]:
    return dict(zip((field.name for field in fields(values)), astuple(values), strict=True))
