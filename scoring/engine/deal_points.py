"""Step 4 to 6: the points of one deal: card values, modifiers, bonuses, and settlements.

Pure. Card modifiers run before the sum, sum modifiers after it, each in the order of the rules. See
docs/algorithms/scoring.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.engine.moon import Shot, payment
from scoring.engine.progress import GameState
from scoring.entry.typed_hand import CapturedHand
from scoring.numbers import Real, Score, real, tidy
from scoring.rules.compiled_rules import Prepared, ReadyModifier, ReadySlam, ReadyWhen, ValueClass
from scoring.rules.types import Settle


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


def bonus_sum(ready: Prepared, hand: Hand, pledges: Sequence[str]) -> Score:
    """The points that the hand bonuses add for one unit; they apply on slam hands too."""
    total = ready.zero
    for when, bonus, none_of in ready.bonuses:
        if bonus.pledge is None:
            times = int(is_met(when, hand))
            points = bonus.add
        else:
            times = pledges.count(bonus.pledge)
            points = bonus.broken if hand.pile & none_of else bonus.kept
        if times:
            total = total + points * times
    return total


def unit_points(
    ready: Prepared, hand: Hand, pledges: Sequence[str], slam: ReadySlam | None, paid: Score | None
) -> Score:
    """The deal points of one unit: its cards and tricks, or a slam's payment; modifiers, bonuses.

    `slam` is the one that is paid in this deal, `paid` its payment to this unit; None where cards
    count at face.
    """
    classes = ready.worth
    if ready.card_modifiers:
        classes = tuple(changed_values(ready.classes, ready.card_modifiers, hand))
    if slam is None or paid is None:
        total = ready.worth_of(hand.pile, classes) + ready.keys.trick_value * (hand.tricks or 0)
    else:
        total = paid
        if slam.pay.outside:
            total = total + ready.worth_of(hand.pile & ~slam.needs, classes)
    if slam is None or paid is None or slam.pay.modifiers:
        for modifier in ready.sum_modifiers:
            if is_met(modifier.when, hand):
                total = apply(modifier.op, total, modifier.by)
    if not ready.bonuses:
        return total
    return total + bonus_sum(ready, hand, pledges)


def deal_points(
    ready: Prepared, captured: CapturedHand, state: GameState, shot: Shot | None, way: str | None
) -> list[Score]:
    """The deal points of every unit."""
    paid: list[Score] | None = None
    if shot is not None and way is not None and way != "face":
        paid = payment(ready, shot, way, captured, partners_of(state, shot.unit))
    slam = shot.ready if shot else None
    return [
        unit_points(
            ready,
            hand_of(ready, captured, unit, shot),
            captured.pledges[unit] if captured.pledges else (),
            slam,
            paid[unit] if paid else None,
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
    if sides and len(state.totals) == state.seats:
        return frozenset(sides[0])
    return frozenset()


def settle_deal(
    rule: Settle, points: Sequence[Score], clean: Sequence[bool], pool: Score
) -> tuple[tuple[Score, ...], Score]:
    """The payment of each unit for the deal, and what stays in the pool.

    `clean` says of each unit whether it took none of the cards that the rule names. Payments into
    a pool are paid out or stay in it.

    >>> low = Settle(stake="deal_points", winners="lowest", pays="pot")
    >>> [str(paid) for paid in settle_deal(low, [0, 26, 0, 0], [False] * 4, 0)[0]]
    ['26/3', '0', '26/3', '26/3']
    """
    numbers = [real(point) for point in points]
    winners = _winners(rule, numbers, clean)
    if rule.pays == "difference":
        return _difference(numbers, winners, rule), pool
    ante = rule.ante if rule.stake == "ante" else 0
    if rule.stake == "deal_points":
        stake = sum(numbers)
    else:
        stake = ante * len(numbers)
    pot = real(pool) + stake
    if not winners:
        return tuple(-ante for _ in numbers), tidy(pot)
    share: Real = Fraction(pot) / len(winners)
    rest: Real = 0
    if rule.remainder == "stay":
        share = pot // len(winners)
        rest = pot % len(winners)
    paid = [share - ante if unit in winners else -ante for unit in range(len(numbers))]
    return tuple(map(tidy, paid)), tidy(rest)


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
    """Each loser who takes part pays the difference; winners that tie share."""
    if not winners:
        return tuple(0 for _ in points)
    best = points[min(winners)]
    stand_aside = rule.winners == "lowest_positive"
    owed = [
        0 if unit in winners or (stand_aside and not point) else point - best
        for unit, point in enumerate(points)
    ]
    gain = Fraction(sum(owed)) / len(winners)
    return tuple(tidy(gain if unit in winners else -owed[unit]) for unit in range(len(points)))
