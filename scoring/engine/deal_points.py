"""Step 4 to 6: the points of one deal: card values, modifiers, bonuses, and settlements.

Pure. Card modifiers run before the sum, sum modifiers after it, each in the order of the rules. See
docs/algorithms/card-values.md, modifiers.md, bonuses-and-resets.md and settlements.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.engine.moon import Shot, payment
from scoring.engine.progress import GameState
from scoring.entry.typed_hand import CapturedHand
from scoring.numbers import Real, Score, real, tidy
from scoring.rules.compiled_rules import (
    Prepared,
    ReadyBonus,
    ReadyModifier,
    ReadySlam,
    ReadyWhen,
    ValueClass,
)
from scoring.rules.types import Settle


def pile_sum(pile: int, classes: Iterable[ValueClass], zero: Score) -> Score:
    """The sum of a pile under some card values.

    Args:
        pile: captured cards, as a mask.
        classes: cards of one value each, disjoint.
        zero: the nothing of these rules' numbers.

    >>> pile_sum(0b1011, [(0b0111, 1), (0b1000, 13)], 0)
    15
    """
    total = zero
    for mask, value in classes:
        number = (pile & mask).bit_count()
        if number:
            total = total + value * number
    return total


@dataclass(frozen=True, slots=True)
class Hand:
    """The facts of one unit's hand that conditions read; `tricks` is None without a count."""

    pile: int
    counting: int
    declared: frozenset[str]
    shot: bool
    tricks: int | None


def is_met(when: ReadyWhen, hand: Hand) -> bool:
    """Whether every part of the condition is met; an empty condition always is."""
    return (
        (when.declared is None or when.declared in hand.declared)
        and (when.has is None or bool(hand.pile & when.has))
        and (when.has_all is None or (bool(when.has_all) and not when.has_all & ~hand.pile))
        and (when.only is None or not hand.pile & hand.counting & ~when.only)
        and (when.not_only is None or bool(hand.pile & hand.counting & ~when.not_only))
        and (when.slam is None or when.slam == hand.shot)
        and (when.tricks is None or when.tricks == hand.tricks)
    )


def apply(op: str, score: Score, by: Score) -> Score:
    """The score after one operation.

    >>> apply("mul", 13, 2), apply("set", 13, 0), apply("add", 13, -5), apply("floor", -4, 0)
    (26, 0, 8, 0)
    """
    if op == "mul":
        return score * by
    if op == "add":
        return score + by
    if op == "floor":
        return max(real(score), real(by))
    return by


def changed_values(
    classes: Sequence[ValueClass], modifiers: Iterable[ReadyModifier], hand: Hand
) -> Sequence[ValueClass]:
    """The card values of one unit after the card modifiers that it meets."""
    for modifier in modifiers:
        if modifier.on is not None and is_met(modifier.when, hand):
            classes = list(_changed(classes, modifier, modifier.on))
    return classes


def _changed(
    classes: Iterable[ValueClass], modifier: ReadyModifier, on: int
) -> Iterator[ValueClass]:
    for mask, value in classes:
        if mask & on:
            yield mask & on, apply(modifier.op, value, modifier.by)
        if mask & ~on:
            yield mask & ~on, value


def changed_sum(score: Score, modifiers: Iterable[ReadyModifier], hand: Hand) -> Score:
    """One unit's sum after the sum modifiers that it meets."""
    for modifier in modifiers:
        if is_met(modifier.when, hand):
            score = apply(modifier.op, score, modifier.by)
    return score


def bonus_sum(
    pile: int,
    pledges: Sequence[str],
    bonuses: Iterable[ReadyBonus],
    meets: Callable[[ReadyWhen], bool],
    zero: Score,
) -> Score:
    """The points that the hand bonuses add for one unit; they apply on slam hands too.

    Args:
        pile: captured cards, as a mask.
        pledges: what the unit pledged before the hand.
        bonuses: those of the rules.
        meets: whether the unit's hand meets a condition.
        zero: the nothing of these rules' numbers.
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


def unit_points(
    ready: Prepared,
    hand: Hand,
    pledges: Sequence[str],
    slam: ReadySlam | None,
    paid: Score | None,
) -> Score:
    """The deal points of one unit: its cards and tricks, or a slam's payment; modifiers, bonuses.

    Args:
        ready: the rules at this table.
        hand: the unit's hand.
        pledges: what the unit pledged.
        slam: the slam that is paid in this deal, if any.
        paid: what it pays to this unit; None where cards count at face.
    """
    classes = ready.worth
    if ready.card_modifiers:
        classes = tuple(changed_values(ready.classes, ready.card_modifiers, hand))
    if slam is None or paid is None:
        total = pile_sum(hand.pile, classes, ready.zero)
        total = total + ready.keys.trick_value * (hand.tricks or 0)
        total = changed_sum(total, ready.sum_modifiers, hand)
    else:
        total = paid
        if slam.pay.outside:
            total = total + pile_sum(hand.pile & ~slam.needs, classes, ready.zero)
        if slam.pay.modifiers:
            total = changed_sum(total, ready.sum_modifiers, hand)
    if not ready.bonuses:
        return total
    extra = bonus_sum(
        hand.pile, pledges, ready.bonuses, lambda when: is_met(when, hand), ready.zero
    )
    return total + extra


def deal_points(
    ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot | None, way: str | None
) -> list[Score]:
    """The deal points of every unit."""
    paid: list[Score] | None = None
    if shot is not None and way is not None and way != "face":
        paid = payment(ready, shot, way, captured, partners_of(state, shot.unit))
    return [
        unit_points(
            ready,
            hand_of(ready, captured, unit, shot),
            captured.pledges[unit] if captured.pledges else (),
            shot.ready if shot else None,
            paid[unit] if paid is not None else None,
        )
        for unit in range(len(captured.piles))
    ]


def hand_of(ready: Prepared, captured: CapturedHand, unit: int, shot: Shot | None) -> Hand:
    """One unit's hand, as conditions look at it."""
    return Hand(
        captured.piles[unit],
        ready.counting,
        captured.declared,
        shot is not None and shot.unit == unit,
        captured.tricks[unit] if captured.tricks is not None else None,
    )


def partners_of(state: GameState, unit: int) -> frozenset[int]:
    """The seats on the shooter's side, where units are seats."""
    sides = [side for side in state.teams if unit in side]
    return frozenset(sides[0]) if sides and len(state.totals) == state.seats else frozenset()


def settle_deal(
    rule: Settle, points: Sequence[Score], clean: Sequence[bool], pool: Score
) -> tuple[tuple[Score, ...], Score]:
    """The payment of each unit for the deal, and what stays in the pool.

    Args:
        rule: the settlement of the rules.
        points: deal points per unit.
        clean: per unit, whether it took none of the cards that the rule names.
        pool: what earlier deals left in the pool.

    Returns:
        Paid per unit, and the new pool. Where there is a pool, what comes in goes out or stays.

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
    share, rest = _share(pot, len(winners), rule)
    paid = [share - ante if unit in winners else -ante for unit in range(len(numbers))]
    return tuple(map(tidy, paid)), tidy(rest)


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
