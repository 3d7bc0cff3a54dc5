"""The result of a match of two teams: place points over its tables, and match points.

Pure. See docs/algorithms/standings.md, "Matches of teams".
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from scoring.place_points import share_of

SIDES: Final = (2, 0)
"""The place points of the two sides of a table, where the event has no list for two."""


def team_place_points(
    finishes: Sequence[tuple[int, int]], scheme: Sequence[int] = SIDES
) -> Fraction:
    """The place points of a team over the tables of a match, both members of each side together.

    Args:
        finishes: place of its side, and how many share it, one a table.

    >>> str(team_place_points([(1, 1), (1, 2)]))
    '6'
    """
    return sum((2 * share_of(place, shared, scheme) for place, shared in finishes), Fraction(0))


def match_points(first: Fraction, second: Fraction) -> tuple[int, int]:
    """The match points of two teams: more place points win 2-0, as many make 1-1.

    >>> match_points(Fraction(6), Fraction(2)), match_points(Fraction(4), Fraction(4))
    ((2, 0), (1, 1))
    """
    if first == second:
        return 1, 1
    return (2, 0) if first > second else (0, 2)
