"""Step 4b: what changes values and sums: doublers, charged cards, queens that cancel, floors.

Pure. Card modifiers run before the sum, sum modifiers after it, each in the order of the rules. See
docs/algorithms/modifiers.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.numbers import Score, real
from scoring.rules.compiled_rules import ReadyModifier, ReadyWhen, ValueClass


@dataclass(frozen=True, slots=True)
class Hand:
    """What conditions look at in one unit's hand; `tricks` is None where nobody counted them."""

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
