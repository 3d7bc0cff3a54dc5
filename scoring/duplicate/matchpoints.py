"""Matchpoints and datum: scores of one board compared with the same line at the other tables.

Pure and exact. A line is a seat (or a side) of a board.
See docs/algorithms/duplicate.md, "Scoring".
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar

Player = TypeVar("Player", bound=Hashable)
LineResults: TypeAlias = Sequence[tuple[Player, int]]
"""The results of one line of one board: who played it, and the score, one a table."""

PERCENT: Final = 100


LineScore: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""The value of one result: matchpoints, percentage, datum.

The matchpoints are 1 for each table that did worse on the line, half for equal, from 0 to T - 1;
the percentage is of the maximum, from 0 to 100; the datum is the mean of the other tables less the
own score, positive is better.
"""


@dataclass(frozen=True, slots=True)
class FieldScore:
    """The sums of a player over all lines: how many, the mean percentage, the mean datum."""

    boards: int
    percentage: Fraction
    datum: Fraction


def line_scores(scores: Sequence[int], tables: int, *, low_wins: bool = True) -> list[LineScore]:
    """The value of each score of one line of one board.

    Args:
        scores: one a table that has played the line, in any order.
        tables: T, how many tables play the board; at least `len(scores)`.
        low_wins: False where the larger score is better.

    The datum sums to 0, and with all T results the matchpoints to T(T - 1)/2. With fewer results,
    t < T, they are multiplied by (T - 1)/(t - 1); one result alone is average.

    >>> [(str(matchpoints), str(datum)) for matchpoints, _, datum in line_scores([0, 2, 26, 2], 4)]
    [('3', '10'), ('3/2', '22/3'), ('0', '-74/3'), ('3/2', '22/3')]
    """
    n = len(scores)
    if n > tables:
        raise ValueError(f"{n} scores at {tables} tables")
    most = Fraction(tables - 1)
    if n == 1:
        return [(most / 2, Fraction(PERCENT, 2), Fraction(0))]
    lines = []
    for doubled, ahead in _compared(scores, low_wins=low_wins):
        share = Fraction(doubled, 2 * (n - 1))
        datum = Fraction(ahead, n - 1)
        lines.append((share * most, share * PERCENT, datum))
    return lines


def _compared(scores: Sequence[int], *, low_wins: bool) -> list[tuple[int, int]]:
    """Return for each score twice its matchpoints, and its datum times the number of others."""
    n = len(scores)
    total = sum(scores)
    in_order = sorted(scores)
    sign = 1 if low_wins else -1
    compared = {}
    for score in in_order:
        if score not in compared:
            below = bisect_left(in_order, score)
            until = bisect_right(in_order, score)
            if low_wins:
                doubled = 2 * n - below - until - 1
            else:
                doubled = below + until - 1
            compared[score] = doubled, sign * (total - n * score)
    return [compared[score] for score in scores]


def field_scores(
    lines: Iterable[LineResults[Player]], *, low_wins: bool = True
) -> dict[Player, FieldScore]:
    """Return the mean percentage and the mean datum of everybody over the lines they played.

    Each line of each board comes once. The number of tables has no effect on either mean.

    >>> lines = [[("a", 0), ("b", 13)], [("c", 7), ("d", 7)], [("a", 5)]]
    >>> means = field_scores(lines)
    >>> [(player, str(mean.percentage), str(mean.datum)) for player, mean in sorted(means.items())]
    [('a', '75', '13/2'), ('b', '0', '-13'), ('c', '50', '0'), ('d', '50', '0')]
    """
    # For each number of results: how many lines, and the whole numbers over them.
    totals: dict[Player, dict[int, list[int]]] = defaultdict(dict)
    for line in lines:
        compared = _compared([score for _, score in line], low_wins=low_wins)
        for (player, _), (doubled, ahead) in zip(line, compared, strict=True):
            total = totals[player].setdefault(len(line), [0, 0, 0])
            total[0] += 1
            total[1] += doubled
            total[2] += ahead
    return {player: _mean(by_size) for player, by_size in totals.items()}


def _mean(by_size: dict[int, list[int]]) -> FieldScore:
    boards = 0
    share = Fraction(0)
    datum = Fraction(0)
    for n, (lines, doubled, ahead) in by_size.items():
        boards += lines
        if n == 1:
            share += Fraction(lines, 2)
            continue
        share += Fraction(doubled, 2 * (n - 1))
        datum += Fraction(ahead, n - 1)
    return FieldScore(boards, share * PERCENT / boards, datum / boards)
