"""Ordering an event's entrants by the event's primary value, with real ties kept as ties.

Pure: rows in, ordered rows out; the order of the input never matters. Tie-break criteria join
the registry as they come. See docs/scoring/standings.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final


@dataclass(frozen=True, slots=True)
class Sums:
    """One entrant's sums over an event, exact. `code` is the public id of the entrant.

    `places` counts the finishes in place 1, 2, …, shared ones included.
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


@dataclass(frozen=True, slots=True)
class Primary:
    """A primary value: its key, its direction, how a row has it, and how a reason says it."""

    key: str
    ascending: bool
    value: Callable[[Sums], Fraction]


@dataclass(frozen=True, slots=True)
class Standing:
    """One placed row. `rank` is None below the minimum of games; `decided_by` names what put
    the row below the one above it (None for the first row and within a real tie)."""

    sums: Sums
    rank: int | None
    tied: bool
    value: Fraction
    decided_by: str | None


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
        Primary("raw_per_hand", True, _raw_per_hand),
        Primary("raw_total", True, _raw_total),
        Primary("beaten_mean", False, _beaten_mean),
        Primary("wins", False, _wins),
    )
}  # an event stores one of these keys (design.md 8.2); where high totals win, raw ones turn


def standings(
    rows: Sequence[Sums], *, primary: str, ascending: bool | None = None, min_games: int = 0
) -> tuple[Standing, ...]:
    """Return `rows` in order: qualified ones ranked 1, 2, 2, 4, then the others unranked.

    Args:
        rows: one an entrant that has played at least one game.
        primary: a key of `PRIMARIES`.
        ascending: overrides the primary's direction (variants won by the highest total).
        min_games: entrants with fewer games come last and have no rank.

    Returns:
        Every row once; equal rows share the rank and are listed by `code`.

    Raises:
        KeyError: unknown primary (a caller's bug: settings are checked when they are saved).

    Source: algorithms.md 2.2 and 2.3, standard competition ranking.

    >>> row = lambda code, points: Sums(code, 1, 4, points, (0,), 0, Fraction(0), Fraction(0), 0, 0)
    >>> table = standings([row("b", 8), row("c", 5), row("a", 8)], primary="raw_per_hand")
    >>> [(s.rank, s.sums.code, s.tied, str(s.value)) for s in table]
    [(1, 'c', False, '5/4'), (2, 'a', True, '2'), (2, 'b', True, '2')]
    """
    scheme = PRIMARIES[primary]
    up = scheme.ascending if ascending is None else ascending
    qualified = [row for row in rows if row.games >= min_games]
    others = [row for row in rows if row.games < min_games]
    return (
        *_placed(qualified, scheme, up, ranked=True),
        *_placed(others, scheme, up, ranked=False),
    )


def _placed(
    rows: Sequence[Sums], scheme: Primary, up: bool, *, ranked: bool
) -> tuple[Standing, ...]:
    valued = [(scheme.value(row), row) for row in rows]
    valued.sort(key=lambda pair: (pair[0] if up else -pair[0], pair[1].code))
    placed: list[Standing] = []
    for position, (value, row) in enumerate(valued):
        level_above = position > 0 and valued[position - 1][0] == value
        level_below = position + 1 < len(valued) and valued[position + 1][0] == value
        rank = placed[-1].rank if level_above else position + 1
        decided = scheme.key if position and not level_above else None
        tied = ranked and (level_above or level_below)
        placed.append(Standing(row, rank if ranked else None, tied, value, decided))
    return tuple(placed)
