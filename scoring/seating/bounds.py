"""The least cost that any plan can have, by counting pairs.

Pure. See docs/algorithms/seating.md, "Lower bounds".
"""

from collections.abc import Iterable


def least_pair_cost(players: int, tables: Iterable[int]) -> int:
    """The least sum over pairs of m * (m - 1) / 2, for m meetings.

    Args:
        players: how many share the rounds.
        tables: the size of every table of every round.

    Returns:
        0 where the meetings do not exceed the pairs.

    Source: convexity; the meetings are spread as evenly as whole numbers allow.

    >>> least_pair_cost(16, [4] * 4 * 8), least_pair_cost(12, [4] * 3 * 8)
    (72, 90)
    """
    meetings = sum(size * (size - 1) // 2 for size in tables)
    return least_when_spread(meetings, players * (players - 1) // 2)


def least_when_spread(meetings: int, pairs: int) -> int:
    """The pair cost of meetings that are spread over pairs as evenly as can be.

    >>> least_when_spread(7, 5), least_when_spread(3, 0)
    (2, 0)
    """
    if pairs <= 0:
        return 0
    whole, rest = divmod(meetings, pairs)
    return rest * (whole + 1) * whole // 2 + (pairs - rest) * whole * (whole - 1) // 2


def least_repeats(players: int, tables: Iterable[int]) -> int:
    """The fewest repeats by counting: meetings less pairs.

    >>> least_repeats(10, [4, 3, 3] * 4), least_repeats(16, [4] * 4 * 5)
    (3, 0)
    """
    meetings = sum(size * (size - 1) // 2 for size in tables)
    return max(0, meetings - players * (players - 1) // 2)
