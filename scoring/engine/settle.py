"""Step 6: settlements, which turn the points of a deal into what is paid.

Pure. See docs/algorithms/settlements.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from scoring.numbers import Real, Score, real, tidy
from scoring.rules.types import Settle


def settle_deal(
    rule: Settle, points: Sequence[Score], clean: Sequence[bool], pool: Score
) -> tuple[tuple[Score, ...], Score]:
    """What each unit is paid for the deal, and what stays in the pool.

    Args:
        rule: the settlement of the rules.
        points: deal points per unit.
        clean: per unit, whether it took none of the cards that the rule names.
        pool: what earlier deals left in the pool.

    Returns:
        Paid per unit, and the new pool. Where there is a pool, what comes in goes out or stays.

    See docs/algorithms/settlements.md.

    >>> low = Settle(stake="deal_points", winners="lowest", pays="pot")
    >>> [str(paid) for paid in settle_deal(low, [0, 26, 0, 0], [False] * 4, 0)[0]]
    ['26/3', '0', '26/3', '26/3']
    """
    numbers = [real(point) for point in points]
    if rule.pays == "difference":
        return _difference(numbers, _winners(rule, numbers, clean), rule), pool
    ante = rule.ante if rule.stake == "ante" else 0
    stake = sum(numbers) if rule.stake == "deal_points" else ante * len(numbers)
    pot = real(pool) + stake
    winners = _winners(rule, numbers, clean)
    if not winners:
        return tuple(-ante for _ in numbers), tidy(pot)
    share, left = _share(pot, len(winners), rule)
    paid = [share - ante if unit in winners else -ante for unit in range(len(numbers))]
    return tuple(map(tidy, paid)), tidy(left)


def _share(pot: Real, winners: int, rule: Settle) -> tuple[Real, Real]:
    if rule.remainder == "stay":
        return pot // winners, pot % winners
    return Fraction(pot) / winners, 0


def _winners(rule: Settle, points: Sequence[Real], clean: Sequence[bool]) -> set[int]:
    if rule.winners == "clean":
        winners = {unit for unit, is_clean in enumerate(clean) if is_clean}
        all_to_one = len(winners) == len(points) - 1
        return set() if all_to_one and rule.all_to_one == "carry" else winners
    open_to = [point for point in points if rule.winners != "lowest_positive" or point > 0]
    if not open_to or (rule.winners == "lowest_nonpositive" and min(open_to) > 0):
        return set()
    return {unit for unit, point in enumerate(points) if point == min(open_to)}


def _difference(points: Sequence[Real], winners: set[int], rule: Settle) -> tuple[Score, ...]:
    """Each loser who does not stand aside pays the difference; winners that tie share."""
    if not winners:
        return tuple(0 for _ in points)
    best = points[min(winners)]
    aside = {
        unit for unit, point in enumerate(points) if rule.winners == "lowest_positive" and not point
    }
    owed = [
        0 if unit in winners or unit in aside else point - best for unit, point in enumerate(points)
    ]
    gain = Fraction(sum(owed)) / len(winners)
    return tuple(tidy(gain if unit in winners else -owed[unit]) for unit in range(len(points)))
