"""Step 5 and 7: bonuses of a hand, and what happens to running totals that stand at a number.

Pure. See docs/algorithms/bonuses-and-resets.md.
"""

from collections.abc import Callable, Iterable, Sequence

from scoring.numbers import Score, real
from scoring.rules.compiled_rules import ReadyBonus, ReadyWhen
from scoring.rules.types import Reset, Running


def bonus_sum(
    pile: int,
    pledges: Sequence[str],
    bonuses: Iterable[ReadyBonus],
    meets: Callable[[ReadyWhen], bool],
    zero: Score,
) -> Score:
    """What the hand bonuses add for one unit; they apply on slam hands too.

    Args:
        pile: captured cards, as a mask.
        pledges: what the unit pledged before the hand.
        bonuses: those of the rules.
        meets: whether the unit's hand meets a condition.
        zero: the nothing of these rules' numbers.

    See docs/algorithms/bonuses-and-resets.md.
    """
    total = zero
    for ready in bonuses:
        bonus = ready.bonus
        if bonus.pledge is None:
            if meets(ready.when):
                total = total + bonus.add
            continue
        for pledge in pledges:
            if pledge == bonus.pledge:
                total = total + (bonus.broken if pile & ready.none_of else bonus.kept)
    return total


def running_total(before: Score, after: Score, running: Running) -> Score:
    """A running total after floor and resets.

    Resets look at the exact total, the first that fits counts, and only where this hand changed the
    total.

    See docs/algorithms/bonuses-and-resets.md.

    >>> fifty = Running(resets=(Reset(at=50, set=0), Reset(at=100, set=50)))
    >>> running_total(87, 100, fifty), running_total(50, 50, fifty)
    (50, 50)
    """
    if running.floor is not None:
        after = max(real(after), real(running.floor))
    if after == before:
        return after
    for reset in running.resets:
        if after == reset.at:
            return _reset(after, reset)
    return after


def _reset(total: Score, reset: Reset) -> Score:
    if reset.set is not None:
        return reset.set
    return total + (reset.add or 0)
