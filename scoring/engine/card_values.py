"""Step 4a: what a pile is worth, card by card.

Pure. See docs/algorithms/card-values.md.
"""

from collections.abc import Iterable

from scoring.numbers import Score
from scoring.rules.compiled_rules import ValueClass


def pile_sum(pile: int, classes: Iterable[ValueClass], zero: Score) -> Score:
    """The sum of a pile under some card values.

    Args:
        pile: captured cards, as a mask.
        classes: cards of one value each, disjoint.
        zero: the nothing of these rules' numbers.

    See docs/algorithms/card-values.md.

    >>> pile_sum(0b1011, [(0b0111, 1), (0b1000, 13)], 0)
    15
    """
    total = zero
    for mask, value in classes:
        number = (pile & mask).bit_count()
        if number:
            total = total + value * number
    return total
