"""What one game is worth to each chair: places and the shares that are simply additive.

Pure. Input is one game's finishing strengths, output goes into contributions and their sums.
See docs/algorithms/standings.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Finish:
    """Where one chair finished: `place` from 1, `shared` by how many chairs (1 = alone).

    `win_share` is 1 split among those first, `beaten` the share of the others beaten, ties half.
    """

    place: int
    shared: int
    win_share: Fraction
    beaten: Fraction


def finishes(totals: Sequence[Any], *, low_wins: bool = True) -> tuple[Finish, ...]:
    """Return each chair's finish at one table.

    Args:
        totals: final totals, or what else ranks the chairs, clockwise from seat 1.
        low_wins: False where the largest total wins.

    Returns:
        One finish a chair, in seat order; `win_share` sums to 1, `beaten` to half the chairs.

    Standard competition ranking; win share and beaten share: docs/algorithms/standings.md.

    >>> [(f.place, f.shared, str(f.beaten)) for f in finishes([20, 33, 33, 44])]
    [(1, 1, '1'), (2, 2, '1/2'), (2, 2, '1/2'), (4, 1, '0')]
    """
    count = len(totals)
    found = []
    for own in totals:
        better = sum(1 for other in totals if (other < own) == low_wins and other != own)
        level = sum(1 for other in totals if other == own)
        found.append(finish(better + 1, level, count))
    return tuple(found)


@cache
def finish(place: int, shared: int, chairs: int) -> Finish:
    """Return what it is worth to finish at `place` (from 1) with `shared` chairs, of so many.

    >>> finish(2, 2, 4).beaten
    Fraction(1, 2)
    """
    worse = chairs - (place - 1) - shared
    beaten = Fraction(2 * worse + shared - 1, 2 * (chairs - 1)) if chairs > 1 else Fraction(0)
    return Finish(place, shared, Fraction(1, shared) if place == 1 else Fraction(0), beaten)
