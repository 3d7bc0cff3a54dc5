"""Ordering an event's entrants by the event's primary value, with real ties kept as ties.

Pure: rows in, ordered rows out; the order of the input never matters. Tie-break criteria join
the registry as they come. See docs/scoring/standings.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True)
class Sums:
    """One entrant's sums over an event, exact. `code` is the public id of the entrant.

    `difference` is the points of the entrant's sides less those of their opponents. `places`
    counts the finishes in place 1, 2, …, shared ones included. `uncounted` counts games of which
    nobody knows how many hands were played.
    """

    code: str
    games: int
    hands: int
    points: int | Fraction
    places: tuple[int, ...]
    shared_wins: int
    win_share: Fraction
    beaten: Fraction
    moons: int
    moons_against: int
    difference: int | Fraction = 0
    uncounted: int = 0


@dataclass(frozen=True, slots=True)
class Primary:
    """A primary value: its key, its direction, how a row has it, and how a reason says it."""

    key: str
    ascending: bool
    value: Callable[[Sums], Fraction]
    needs_hands: bool = False
    """Whether it is undefined for who played a game of unknown length."""
    is_raw: bool = False
    """Whether it is made of card points, which compare within one variant and table size only."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A criterion that orders rows which are level so far: its key, its direction where low totals
    win, and how a row has it."""

    key: str
    ascending: bool
    value: Callable[[Sums], Fraction]
    turns: bool = False
    """Whether the direction turns where the highest total wins."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One placed row. `rank` is None below the minimum of games; `decided_by` names what put
    the row below the one above it (None for the first row and within a real tie).

    `value` is the primary value; `values` has it and those of the criteria, by key, in order.
    """

    sums: Sums
    rank: int | None
    tied: bool
    value: Fraction
    decided_by: str | None
    values: Mapping[str, Fraction] = field(default_factory=dict)


def _raw_per_hand(row: Sums) -> Fraction:
    return Fraction(row.points) / row.hands if row.hands else Fraction(0)


def _raw_total(row: Sums) -> Fraction:
    return Fraction(row.points)


def _beaten_mean(row: Sums) -> Fraction:
    return row.beaten / row.games if row.games else Fraction(0)


def _wins(row: Sums) -> Fraction:
    return row.win_share


PRIMARIES: Final[Mapping[str, Primary]] = {
    primary.key: primary
    for primary in (
        Primary("raw_per_hand", True, _raw_per_hand, needs_hands=True, is_raw=True),
        Primary("raw_total", True, _raw_total, is_raw=True),
        Primary("beaten_mean", False, _beaten_mean),
        Primary("wins", False, _wins),
    )
}  # an event stores one of these keys (design.md 8.2); where high totals win, raw ones turn


def _difference(row: Sums) -> Fraction:
    return Fraction(row.difference)


TIE_BREAKS: Final[Mapping[str, TieBreak]] = {
    criterion.key: criterion
    for criterion in (TieBreak("difference", True, _difference, turns=True),)
}  # an event stores a list of these keys: the order is data, the meaning is code


def standings(
    rows: Sequence[Sums],
    *,
    primary: str,
    ascending: bool | None = None,
    min_games: int = 0,
    tie_breaks: Sequence[str] = (),
    low_wins: bool = True,
) -> tuple[Standing, ...]:
    """Return `rows` in order: qualified ones ranked 1, 2, 2, 4, then the others unranked.

    Args:
        rows: one an entrant that has played at least one game.
        primary: a key of `PRIMARIES`.
        ascending: overrides the primary's direction (variants won by the highest total).
        min_games: entrants with fewer games come last and have no rank, and so do those with a
            game of unknown length where the primary value is one a hand.
        tie_breaks: keys of `TIE_BREAKS`, asked one after the other of rows that are level.
        low_wins: False where the largest total wins; criteria of points turn.

    Returns:
        Every row once; rows level in everything share the rank and are listed by `code`.

    Raises:
        KeyError: unknown primary or criterion (a caller's bug: settings are checked when saved).

    Source: algorithms.md 2.2 and 2.3, standard competition ranking.

    >>> row = lambda code, points: Sums(code, 1, 4, points, (0,), 0, Fraction(0), Fraction(0), 0, 0)
    >>> table = standings([row("b", 8), row("c", 5), row("a", 8)], primary="raw_per_hand")
    >>> [(s.rank, s.sums.code, s.tied, str(s.value)) for s in table]
    [(1, 'c', False, '5/4'), (2, 'a', True, '2'), (2, 'b', True, '2')]
    """
    scheme = PRIMARIES[primary]
    criteria = (
        Criterion(primary, scheme.ascending if ascending is None else ascending, scheme.value),
        *(_criterion(TIE_BREAKS[key], low_wins=low_wins) for key in tie_breaks),
    )
    fit = [row.games >= min_games and not (scheme.needs_hands and row.uncounted) for row in rows]
    return (
        *_placed([row for row, is_fit in zip(rows, fit, strict=True) if is_fit], criteria, True),
        *_placed(
            [row for row, is_fit in zip(rows, fit, strict=True) if not is_fit], criteria, False
        ),
    )


class Criterion(NamedTuple):
    """What rows are ordered by, with its direction in this table."""

    key: str
    ascending: bool
    value: Callable[[Sums], Fraction]


def _criterion(criterion: TieBreak, *, low_wins: bool) -> Criterion:
    ascending = criterion.ascending == (low_wins or not criterion.turns)
    return Criterion(criterion.key, ascending, criterion.value)


def _placed(
    rows: Sequence[Sums], criteria: Sequence[Criterion], ranked: bool
) -> tuple[Standing, ...]:
    valued = [({one.key: one.value(row) for one in criteria}, row) for row in rows]
    valued.sort(key=lambda pair: (_order(pair[0], criteria), pair[1].code))
    placed: list[Standing] = []
    for position, (values, row) in enumerate(valued):
        level_above = position > 0 and valued[position - 1][0] == values
        level_below = position + 1 < len(valued) and valued[position + 1][0] == values
        rank = placed[-1].rank if level_above else position + 1
        decided = _separating(values, valued[position - 1][0]) if position else None
        tied = ranked and (level_above or level_below)
        value = values[criteria[0].key]
        placed.append(Standing(row, rank if ranked else None, tied, value, decided, values))
    return tuple(placed)


def _order(values: Mapping[str, Fraction], criteria: Sequence[Criterion]) -> tuple[Fraction, ...]:
    return tuple(values[one.key] if one.ascending else -values[one.key] for one in criteria)


def _separating(values: Mapping[str, Fraction], above: Mapping[str, Fraction]) -> str | None:
    """Return the first criterion in which two rows differ."""
    return next((key for key, value in values.items() if above[key] != value), None)
