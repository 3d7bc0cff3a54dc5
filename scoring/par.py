"""Par: how far a seat is from the mean of its table, on one scale for all variants.

Pure. Input is one finished game's totals; output goes into aggregates. See docs/algorithms/par.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from scoring.numbers import Complex, Real
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules


def nominal_penalty(rules: Rules, seats: int) -> Real | None:
    """Return the penalty points of one deal: all card values that count against who takes them.

    Bonus cards are left out, and so is what doubles or multiplies. None where scores are complex,
    or where no card counts against anybody: then there is no par.
    Under rules with melds they are the points of all tricks.

    See docs/algorithms/par.md.

    >>> nominal_penalty.__name__
    'nominal_penalty'
    """
    if isinstance(rules.zero, Complex):
        return None
    ready = prepare(rules, seats)
    if ready.trick_total:
        return ready.trick_total
    # Where cards are settled in chips, the largest total wins and penalty points still cost.
    is_high = rules.keys.result.order == "high" and rules.keys.settle is None
    found: Real = 0
    for mask, value in ready.worth:
        against = _real(value) * (-1 if is_high else 1)
        if against > 0:
            found += against * (mask & ready.counting).bit_count()
    return found or None


def _real(value: Real | Complex) -> Real:
    return 0 if isinstance(value, Complex) else value


def index(
    totals: Sequence[int | Fraction],
    hands: int | None,
    penalty: Real | None,
    *,
    low_wins: bool = True,
) -> tuple[Fraction | None, ...]:
    """Return 100 × (mean of the table − own total) ÷ (hands × penalty) for each seat.

    Args:
        totals: final totals, one a seat, clockwise from seat 1; of sides, one a side.
        hands: how many were played; None where nobody knows.
        penalty: `nominal_penalty` of the rules at this table; None where there is none.
        low_wins: False where the largest total wins.

    Returns:
        One exact value a seat, in seat order, more is better; they sum to 0. None for every seat
        where hands or penalty are not known.

    See docs/algorithms/par.md.

    >>> [round(float(found), 3) for found in index([20, 30, 35, 45], 5, 26)]
    [9.615, 1.923, -1.923, -9.615]
    """
    if not hands or not penalty:
        return (None,) * len(totals)
    mean = Fraction(sum(totals)) / len(totals)
    unit = Fraction(100 if low_wins else -100) / (hands * penalty)
    return tuple((mean - own) * unit for own in totals)
