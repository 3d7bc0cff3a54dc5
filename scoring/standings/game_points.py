"""What one finished game is worth to each seat: place, place points, par and index, match points.

Pure. See docs/algorithms/place-points.md, par.md and standings.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from scoring.numbers import Complex, Real
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules


def place_points(
    totals: Sequence[int | Fraction], scheme: Sequence[int], *, low_wins: bool = True
) -> tuple[Fraction, ...]:
    """Share out `scheme` by finishing order; seats that tie share the places they cover.

    Args:
        totals: penalty points, one a seat, clockwise from seat 1; of sides, one a side.
        scheme: points for 1st, 2nd, …; exactly one for each seat.
        low_wins: False for settlements where the largest total wins.

    One exact value a seat, in seat order; it sums to `sum(scheme)`.

    >>> [str(p) for p in place_points([12, 5, 5, 30], [4, 3, 2, 0])]
    ['2', '7/2', '7/2', '0']
    """
    if len(totals) != len(scheme):
        raise ValueError(f"{len(totals)} totals for {len(scheme)} places")
    order = sorted(totals, reverse=not low_wins)
    return tuple(share_of(order.index(total) + 1, order.count(total), scheme) for total in totals)


def share_of(place: int, shared: int, scheme: Sequence[int]) -> Fraction:
    """The value of finishing at `place` (from 1) with `shared` seats (1 = alone).

    Games that name only a loser have two such tiers: everybody else shares the places above.

    >>> share_of(1, 3, [5, 3, 2, 1]), share_of(4, 1, [5, 3, 2, 1])
    (Fraction(10, 3), Fraction(1, 1))
    """
    return Fraction(sum(scheme[place - 1 : place - 1 + shared]), shared)


def nominal_penalty(rules: Rules, seats: int) -> Real | None:
    """The penalty points of one deal: all card values that count against the seat that takes them.

    Bonus cards, doublers and multipliers are left out. None where scores are complex, or where no
    card counts against anybody: then there is no par. Under rules with melds they are the points of
    all tricks.
    """
    if isinstance(rules.zero, Complex):
        return None
    ready = prepare(rules, seats)
    if ready.trick_total:
        return ready.trick_total
    # Where cards are settled in chips, the largest total wins and penalty points still cost.
    is_high = rules.keys.result.order == "high" and rules.keys.settle is None
    penalty: Real = 0
    for mask, value in ready.worth:
        against = _real(value) * (-1 if is_high else 1)
        if against > 0:
            penalty += against * (mask & ready.counting).bit_count()
    return penalty or None


def _real(value: Real | Complex) -> Real:
    return 0 if isinstance(value, Complex) else value


@dataclass(frozen=True, slots=True)
class Finish:
    """The place of one chair: `place` from 1, `shared` by how many chairs (1 = alone).

    `win_share` is 1 split among those first, `beaten` the share of the others beaten, ties half.
    """

    place: int
    shared: int
    win_share: Fraction
    beaten: Fraction


def finishes(totals: Sequence[Any], *, low_wins: bool = True) -> tuple[Finish, ...]:
    """Return each chair's finish at one table.

    `totals`: final totals, or what else ranks the chairs, clockwise from seat 1.

    One finish a chair, in seat order; `win_share` sums to 1, `beaten` to half the chairs.

    Standard competition ranking; win share and beaten share: docs/algorithms/standings.md.

    >>> [(f.place, f.shared, str(f.beaten)) for f in finishes([20, 33, 33, 44])]
    [(1, 1, '1'), (2, 2, '1/2'), (2, 2, '1/2'), (4, 1, '0')]
    """
    count = len(totals)
    ends = []
    for total in totals:
        better = sum(1 for other in totals if (other < total) == low_wins and other != total)
        level = sum(1 for other in totals if other == total)
        ends.append(finish(better + 1, level, count))
    return tuple(ends)


@cache
def finish(place: int, shared: int, chairs: int) -> Finish:
    """The value of finishing at `place` (from 1) with `shared` chairs, of so many.

    >>> finish(2, 2, 4).beaten
    Fraction(1, 2)
    """
    worse = chairs - (place - 1) - shared
    beaten = Fraction(2 * worse + shared - 1, 2 * (chairs - 1)) if chairs > 1 else Fraction(0)
    return Finish(place, shared, Fraction(1, shared) if place == 1 else Fraction(0), beaten)


SIDES: Final = (2, 0)
"""The place points of the two sides of a table, where the event has no list for two."""


def team_place_points(
    finishes: Sequence[tuple[int, int]], scheme: Sequence[int] = SIDES
) -> Fraction:
    """The place points of a team over the tables of a match, both members of each side together.

    `finishes`: place of its side, and how many share it, one a table.

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
