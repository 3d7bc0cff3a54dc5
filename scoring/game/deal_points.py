"""The deal points of each unit: its cards and tricks or the slam's payment, modifiers, bonuses.

Pure. Steps 3 and 4 of `score_hand`, which knows the order.
"""

from collections.abc import Sequence

from scoring.engine.adjust import bonus_sum
from scoring.engine.card_values import pile_sum
from scoring.engine.modifiers import Hand, changed_sum, changed_values, is_met
from scoring.engine.moon import Shot, payment
from scoring.engine.progress import GameState
from scoring.entry.typed_hand import CapturedHand
from scoring.numbers import Score
from scoring.rules.compiled_rules import Prepared, ReadySlam


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
