"""Mistakes on paper: each as a way to undo it, so that the rest can be tried.

Pure. Every function is one mistake; it yields the hand as it would have been written without it, at
every place where it may have been made. `PRECISE` and `VAGUE` are their order, likeliest first. See
docs/algorithms/likely-causes.md.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from scoring.cards import card_name, prefixes
from scoring.diagnosis.shooter_hypotheses import Trial, kinds_of, piles_of
from scoring.errors import Facts
from scoring.numbers import Complex, Score, score_json, tidy

MOST_WORK = 40_000
"""Piles to look at, up to which one card after another is taken out of the pack on trial."""
LESS_WORK = 15_000
"""The same for mistakes that are rarer."""
MOST_HEARTS = 6
MOST_LOST = 13


class Guess(NamedTuple):
    """One mistake at one place: the hand as it would have been written without it.

    `unit` is the unit whose points were wrong, None if the mistake belongs to none.
    """

    code: str
    facts: Facts
    unit: int | None
    right: Trial


def _with(trial: Trial, unit: int, point: Score) -> Trial:
    point = point if isinstance(point, Complex) else tidy(point)
    points = (*trial.points[:unit], point, *trial.points[unit + 1 :])
    return trial._replace(points=points)


def _without(trial: Trial, cards: int) -> Trial:
    captured = trial.captured
    lost = captured._replace(unclaimed=captured.unclaimed | cards)
    return trial._replace(captured=lost)


def _changed(trial: Trial, code: str, facts: Facts, by: Score) -> Iterator[Guess]:
    for unit, point in enumerate(trial.points):
        yield Guess(code, facts, unit, _with(trial, unit, point + by))


def _short(trial: Trial) -> Score:
    ready = trial.ready
    total = ready.worth_of(ready.counting & ~trial.captured.unclaimed)
    return total - sum(trial.points, ready.zero)


def _fits(trial: Trial, by: Score) -> bool:
    """Whether the sum would be right with the amount added; unknown under rules that do not add."""
    return not trial.ready.plain or by == _short(trial)


def _cards(trial: Trial) -> Iterator[tuple[str, Score, int]]:
    """The cards as a sheet names them: a word, the value of one, the bit of one."""
    ready = trial.ready
    for kind in sorted(kinds_of(trial, 0), key=int.bit_count):
        hearts = kind & ready.hearts if ready.short_form else 0
        if hearts:
            yield "heart", ready.worth_of(hearts & -hearts), hearts & -hearts
        names = list(dict.fromkeys(ready.deck.names(kind & ~hearts)))
        if names:
            like = " or one like it" if len(names) > 1 else ""
            bit = ready.deck.first[names[0]]
            yield card_name(names[0]) + like, ready.worth_of(bit), bit


def _factors(trial: Trial) -> list[Score]:
    factors: list[Score] = [1]
    for modifier in (*trial.ready.card_modifiers, *trial.ready.sum_modifiers):
        if modifier.op == "mul":
            factors += [factor * modifier.by for factor in factors]
    return list(dict.fromkeys(factors))[:4]


def _work(trial: Trial, times: int) -> int:
    return piles_of(kinds_of(trial, 0)) * times


def wrong_sign(trial: Trial) -> Iterator[Guess]:
    """A minus that was forgotten, or one too many: the seat's points change by twice themselves."""
    for unit, point in enumerate(trial.points):
        if point != trial.ready.zero and _fits(trial, -point - point):
            facts = {"points": score_json(-point), "found": score_json(point)}
            yield Guess("wrong_sign", facts, unit, _with(trial, unit, -point))


def other_way(trial: Trial) -> Iterator[Guess]:
    """A card that goes the other way than the rest was counted with them: off by twice its value.

    An example is a bonus card that subtracts points.
    """
    total = trial.ready.deal_total
    for card, value, _ in _cards(trial):
        if isinstance(value, Complex) or isinstance(total, Complex) or value * total >= 0:
            continue
        if _fits(trial, value + value):
            facts = {"card": card, "points": score_json(value)}
            yield from _changed(trial, "other_way", facts, value + value)


def card_missing(trial: Trial) -> Iterator[Guess]:
    """A card that was not counted: too little by its value."""
    for card, value, bit in _cards(trial):
        deck = trial.ready.deck
        alike = len(deck.copies[deck.names(bit)[0]]) > 1
        code = "one_missing" if card == "heart" or alike else "with_nobody"
        facts = {"card": card, "number": 1}
        if trial.ready.plain:
            if value != trial.ready.zero and _fits(trial, value):
                yield from _changed(trial, code, facts, value)
        elif _work(trial, len(trial.ready.kinds)) <= MOST_WORK:
            yield Guess(code, facts, None, _without(trial, bit))
        elif value != trial.ready.zero:
            for factor in _factors(trial):
                yield from _changed(trial, code, facts, value * factor)


def card_twice(trial: Trial) -> Iterator[Guess]:
    """A card that was counted twice: too much by its value, or by what doubling makes of it."""
    for card, value, _ in _cards(trial):
        code = "one_too_many" if card == "heart" else "counted_twice"
        for factor in _factors(trial):
            if value != trial.ready.zero and _fits(trial, -(value * factor)):
                yield from _changed(trial, code, {"card": card, "number": 1}, -(value * factor))


def charges(trial: Trial) -> Iterator[Guess]:
    """A card counted as charged that the sheet does not mark, or marked and not counted so."""
    declared = trial.captured.declared
    chargeable = trial.ready.keys.chargeable
    for card in chargeable if _work(trial, len(chargeable)) <= LESS_WORK else ():
        code = "charged_not_counted" if card in declared else "charged_not_marked"
        other = trial.captured._replace(declared=declared ^ {card})
        yield Guess(code, {"card": card_name(card)}, None, trial._replace(captured=other))


def doubling(trial: Trial) -> Iterator[Guess]:
    """A hand that was doubled twice, or not doubled: the seat's points times or by the factor."""
    for modifier in trial.ready.sum_modifiers:
        if modifier.op != "mul" or isinstance(modifier.by, Complex) or modifier.by in (0, 1):
            continue
        facts = {"times": score_json(modifier.by)}
        for unit, point in enumerate(trial.points):
            if not isinstance(point, Complex) and point:
                yield Guess("not_doubled", facts, unit, _with(trial, unit, point * modifier.by))
                half = _with(trial, unit, Fraction(point) / Fraction(modifier.by))
                yield Guess("doubled_twice", facts, unit, half)


def kitty_missing(trial: Trial) -> Iterator[Guess]:
    """The cards of the kitty not counted: too little by the values of up to that many cards."""
    ready = trial.ready
    kitty = len(ready.deck.cards) - ready.hand_size * ready.seats
    if ready.keys.deck.kitty and 0 < kitty <= MOST_LOST:
        yield from _lost(trial, "kitty_with_nobody", kitty)


def last_trick_missing(trial: Trial) -> Iterator[Guess]:
    """The cards of a cancelled last trick not counted: too little by up to a card a seat."""
    if trial.ready.keys.same_card.rule == "cancel" and not trial.captured.unclaimed:
        yield from _lost(trial, "last_trick_with_nobody", min(trial.ready.seats, MOST_LOST))


def _lost(trial: Trial, code: str, most: int) -> Iterator[Guess]:
    """At most a number of cards, whose values are the missing points, taken out of the hand."""
    if trial.ready.plain:
        mask = _worth(trial, _short(trial), most)
        masks = [mask] if mask else []
    else:
        few = _work(trial, len(trial.ready.kinds)) <= LESS_WORK
        masks = [bit for _, _, bit in _cards(trial)] if few else []
    for mask in masks:
        yield Guess(code, {}, None, _without(trial, mask))


def _worth(trial: Trial, short: Score, most: int) -> int:
    """The fewest cards that are worth the amount together, as a mask; 0 if there are none."""
    reached = {trial.ready.zero: 0}
    for kind in kinds_of(trial, 0):
        value = trial.ready.worth_of(kind & -kind)
        for score, mask in list(reached.items()):
            for number, run in enumerate(prefixes(kind)[: most + 1 - mask.bit_count()]):
                more = mask | run
                after = score + value * number
                if after not in reached or more.bit_count() < reached[after].bit_count():
                    reached[after] = more
    return reached.get(short, 0)


def hearts_off(trial: Trial) -> Iterator[Guess]:
    """Several hearts too few or too many at one seat: a multiple of the value of a heart."""
    ready = trial.ready
    if not (ready.short_form and ready.plain):
        return
    for number in range(2, MOST_HEARTS + 1):
        for sign, code in ((1, "some_missing"), (-1, "some_too_many")):
            by = ready.heart_value * (number * sign)
            if by != ready.zero and _fits(trial, by):
                yield from _changed(trial, code, {"card": "heart", "number": number}, by)


def written_twice(trial: Trial) -> Iterator[Guess]:
    """One seat's points written for a second seat as well: too much by these points."""
    for unit, point in enumerate(trial.points):
        again = trial.points.count(point) > 1 and point != trial.ready.zero
        if again and _fits(trial, -point):
            facts = {"points": score_json(point)}
            yield Guess("written_twice", facts, None, _with(trial, unit, trial.ready.zero))


def digits_swapped(trial: Trial) -> Iterator[Guess]:
    """The digits of a number the wrong way round: 21 for 12."""
    for unit, point in enumerate(trial.points):
        if isinstance(point, int) and 10 <= abs(point) <= 999:
            turned = int(str(abs(point))[::-1]) * (1 if point > 0 else -1)
            if turned != point and _fits(trial, turned - point):
                facts = {"points": turned, "found": point}
                yield Guess("seat_should_be", facts, unit, _with(trial, unit, turned))


def one_seat(trial: Trial) -> Iterator[Guess]:
    """One seat's points wrong in any way, where it can be only that seat."""
    if not (trial.ready.plain or trial.ready.keys.settle):
        return
    if trial.ready.plain:
        by = _short(trial)
    else:
        by = -sum(trial.points, trial.ready.zero)
    for unit, point in enumerate(trial.points):
        right = _with(trial, unit, point + by)
        facts = {"points": score_json(right.points[unit]), "found": score_json(point)}
        yield Guess("seat_should_be", facts, unit, right)


PRECISE: tuple[Callable[[Trial], Iterator[Guess]], ...] = (
    wrong_sign,
    other_way,
    charges,
    card_missing,
    card_twice,
    kitty_missing,
    last_trick_missing,
    doubling,
)
"""Mistakes that leave a mark of their own, likeliest first."""
VAGUE: tuple[Callable[[Trial], Iterator[Guess]], ...] = (
    hearts_off,
    digits_swapped,
    written_twice,
    one_seat,
)
"""Mistakes that could be many things."""
