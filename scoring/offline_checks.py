"""The checks of a hand that a page can make without the scorer, as plain data.

Pure. Computed from the prepared rules that the engine uses. A client needs only sums, a
search for duplicates and "one unit holds all of these"; all other verdicts are left to the
server. See docs/rules-engine.md, "Checks without a server".
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from scoring.engine.moon import Shot, payment
from scoring.entry.codec import KEYS, SEATS, TELLING, WAYS
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import boxes
from scoring.entry.typed_hand import CapturedHand, Sides
from scoring.json_types import JsonDict
from scoring.numbers import score_json
from scoring.rules.compiled_rules import Prepared, ReadySlam, prepare
from scoring.rules.rules import Rules

CHOICES = ("self", "others")


def offline_checks(
    rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None = None
) -> JsonDict:
    """The checks of one hand of these rules, as JSON.

    `ways`: way of writing → the kinds of boxes that it fills; `seats`: kind → the field that names
    a seat; `telling`: the kinds that tell one hand from another (all three from the codec).
    `units`: the seats of each unit, from 0. `cards`: each card that must be accounted for → its
    copies, `deck`: every card in play → its copies, `hearts`: the cards that a number of hearts
    covers. `tricks`, `slams` and `points` are further facts; `plain` has the values of cards and
    settlements if a hand is the sum of its cards, or None; `melds` the values of melds and tricks
    under rules with melds.

    >>> from scoring.rules.catalogue import catalogue
    >>> checks = offline_checks(catalogue().rules("hearts"), 4)
    >>> len(checks["hearts"]), checks["cards"]["QS"], checks["slams"][0]["choices"]
    (13, 1, ['self', 'others'])
    """
    ready = prepare(rules, seats)
    sides = unit_sides(rules, seats, teams)
    sheet_boxes = boxes(rules, seats)
    return {
        "ways": {
            way: list(dict.fromkeys(box.kind for box in sheet_boxes if box.kind in kinds))
            for way, kinds in WAYS.items()
        },
        "seats": {kind: KEYS[kind] for kind in SEATS},
        "telling": list(TELLING),
        "units": [list(side) for side in sides],
        "cards": _copies(ready, ready.counting),
        "deck": _copies(ready, ready.deck.full),
        "hearts": list(ready.deck.names(ready.hearts)) if ready.short_form else [],
        "unclaimed": bool(ready.may_be_unclaimed),
        "tricks": _tricks(ready),
        "slams": [_slam(ready, slam) for slam in ready.slams],
        "points": _points(ready, sides),
        "plain": _plain(ready),
        "melds": _melds(ready),
    }


def _melds(ready: Prepared) -> JsonDict | None:
    """Under rules with melds: their points and how often each may be shown, and the tricks' points.

    `tricks` is what all tricks total; they are rounded to a multiple of `to`, up from `up_from`.
    """
    keys = ready.keys
    if not keys.melds:
        return None
    rounding = keys.rounding
    return {
        "points": {meld.id: meld.points for meld in keys.melds},
        "most": {meld.id: meld.most for meld in keys.melds},
        "names": {meld.id: meld.name for meld in keys.melds},
        "tricks": ready.trick_total,
        "to": rounding.to if rounding else 1,
        "up_from": rounding.up_from if rounding else 1,
        "declare": any(test.declare for test in keys.finish),
    }


def _copies(ready: Prepared, pile: int) -> dict[str, int]:
    return dict(Counter(ready.deck.names(pile)))


def _tricks(ready: Prepared) -> JsonDict:
    """Whether every hand needs its tricks, how many there are, and whether each pile needs one."""
    is_equal = ready.keys.tricks == "equal"
    return {
        "always": ready.looks_at_tricks,
        "total": ready.hand_size if is_equal else None,
        "at_most": ready.keys.same_card.rule == "cancel",
        "behind_cards": ready.keys.tricks != "variable",
    }


def _slam(ready: Prepared, slam: ReadySlam) -> JsonDict:
    pay = slam.pay
    bar = pay.self_from
    return {
        "id": slam.slam.id,
        "needs": _copies(ready, slam.needs),
        "tricks": slam.slam.all_tricks,
        "choices": list(CHOICES) if pay.mode == "choose" else [],
        "from": {"who": bar.who, "score": score_json(bar.score)} if bar else None,
        "self": score_json(slam.self_amount),
        "others": score_json(slam.others_amount),
    }


def _is_whole(ready: Prepared) -> bool:
    numbers = (*(value for _mask, value in ready.worth), ready.deal_total)
    return ready.plain and all(type(number) is int for number in numbers)


def _points(ready: Prepared, sides: Sides) -> JsonDict | None:
    """The sums that the points of all units may have, where that is a short list."""
    if not _is_whole(ready) or ready.may_be_unclaimed:
        return None
    sums = {score_json(ready.deal_total)}
    for slam in ready.slams:
        if slam.pay.mode != "face":
            sums |= set(_sums(ready, slam, sides))
    whole = sorted(number for number in sums if isinstance(number, int))
    return {"total": score_json(ready.deal_total), "sums": whole}


def _sums(ready: Prepared, slam: ReadySlam, sides: Sides) -> Iterator[Any]:
    outside = ready.worth_of(ready.counting & ~slam.needs) if slam.pay.outside else 0
    others = range(1, len(sides))
    for way in {*CHOICES, slam.pay.mode}:
        for passer in (None, *others):
            for spared in (frozenset[int](), *(frozenset({unit}) for unit in others)):
                captured = CapturedHand(tuple(0 for _ in sides), sides, passer=passer)
                paid = payment(ready, Shot(slam, 0), way, captured, spared)
                yield score_json(sum(paid, ready.zero) + outside)


def _plain(ready: Prepared) -> JsonDict | None:
    if not _is_whole(ready):
        return None
    keys = ready.keys
    return {
        "worth": {card: ready.worth_of(bits[0]) for card, bits in ready.deck.copies.items()},
        "slams": [_pays(slam) for slam in ready.slams],
        "adds_up": not (keys.running.resets or keys.running.floor is not None or keys.lives)
        and all(slam.pay.mode in ("choose", "self", "others", "face") for slam in ready.slams),
    }


def _pays(slam: ReadySlam) -> JsonDict | None:
    pay = slam.pay
    if pay.spare_partner or pay.mode not in ("choose", "self", "others", "face"):
        return None
    off, each = slam.self_amount, slam.others_amount
    if type(off) is not int or type(each) is not int:
        return None
    ways = {"self": {"shooter": -off, "each": 0}, "others": {"shooter": 0, "each": each}}
    is_open = pay.mode == "choose" or pay.self_from is not None
    return {"ways": ways, "default": None if is_open else pay.mode, "outside": pay.outside}
