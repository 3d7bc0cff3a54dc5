"""Place points: what finishing at a table is worth in an event.

Pure. Input is one finished game's totals; output goes into aggregates. See
docs/algorithms/place-points.md.
"""

from collections.abc import Sequence
from fractions import Fraction


def place_points(
    totals: Sequence[int | Fraction], scheme: Sequence[int], *, low_wins: bool = True
) -> tuple[Fraction, ...]:
    """Share out `scheme` by finishing order; seats that tie share the places they cover.

    Args:
        totals: penalty points, one a seat, clockwise from seat 1; of sides, one a side.
        scheme: points for 1st, 2nd, …; exactly one for each seat.
        low_wins: False for settlements where the largest total wins.

    Returns:
        One exact value a seat, in seat order; it sums to `sum(scheme)`.

    Raises:
        ValueError: the two lengths differ (a caller's bug, not a user's mistake).

    See docs/algorithms/place-points.md (the matchpoint practice of duplicate bridge).

    >>> [str(p) for p in place_points([12, 5, 5, 30], [4, 3, 2, 0])]
    ['2', '7/2', '7/2', '0']
    """
    if len(totals) != len(scheme):
        raise ValueError(f"{len(totals)} totals for {len(scheme)} places")
    order = sorted(totals, reverse=not low_wins)
    return tuple(share_of(order.index(own) + 1, order.count(own), scheme) for own in totals)


def share_of(place: int, shared: int, scheme: Sequence[int]) -> Fraction:
    """Return what it is worth to finish at `place` (from 1) with `shared` seats (1 = alone).

    Games that name only a loser have two such tiers: everybody else shares the places above.

    >>> share_of(1, 3, [5, 3, 2, 1]), share_of(4, 1, [5, 3, 2, 1])
    (Fraction(10, 3), Fraction(1, 1))
    """
    return Fraction(sum(scheme[place - 1 : place - 1 + shared]), shared)
