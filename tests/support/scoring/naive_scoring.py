"""The arithmetic of a hand once more, card by card from the rules' JSON: what the engine must give.

No masks, no preparation, nothing of the engine's: lists of card codes and the text of the rules.
Complex scores are Python's own (all parts are small whole numbers here), others fractions.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scoring.numbers import Complex, Score
from tests.support.answers import Json

RANKS = [*map(str, range(15)), "J", "Q", "K", "A"]


def number(value: Any) -> Any:
    if isinstance(value, Complex):
        return complex(float(value.re), float(value.im))
    if isinstance(value, list):
        return complex(*value)
    return Fraction(value)


def numbers(scores: Sequence[Score]) -> list[Any]:
    return [number(score) for score in scores]


def picks(selector: str, card: str) -> bool:
    """Whether a selector names the card (docs/rules-engine.md)."""
    for term in selector.split(","):
        if term in ("*", card):
            return True
        ranks, suit = term[:-1], term[-1]
        if suit not in ("*", card[-1]):
            continue
        low, _, high = ranks.partition("-")
        at = RANKS.index(card[:-1])
        if ranks == "*" or RANKS.index(low) <= at <= RANKS.index(high or low):
            return True
    return False


def face(rules: Json, card: str) -> Any:
    """What a card is worth before anything changes it: the last entry that names it."""
    found = [item["value"] for item in rules["values"] if picks(item["cards"], card)]
    return number(found[-1]) if found else Fraction(0)


def _holds(
    when: Mapping[str, object], pile: Sequence[str], counting: Sequence[str], facts: Json
) -> bool:
    mine = [card for card in pile if card in counting]
    tests: dict[str, Callable[[Any], bool]] = {
        "declared": lambda card: card in facts["declared"],
        "has": lambda card: card in pile,
        "has_all": lambda cards: (
            sorted(c for c in counting if picks(cards, c))
            == sorted(c for c in pile if picks(cards, c))
        ),
        "only": lambda cards: all(picks(cards, card) for card in mine),
        "not_only": lambda cards: any(not picks(cards, card) for card in mine),
        "slam": lambda shot: shot == facts["shot"],
        "tricks": lambda tricks: tricks == facts["tricks"],
    }
    return all(tests[key](value) for key, value in when.items())


def _apply(op: str, score: Any, by: Any) -> Any:
    if op == "mul":
        return score * by
    if op == "add":
        return score + by
    return max(score, by) if op == "floor" else by


def unit_points(
    rules: Json,
    counting: Sequence[str],
    pile: Sequence[str],
    facts: Json,
    paid: Any = None,
    slam: Json | None = None,
) -> object:
    """A unit's points: cards, card modifiers, sum, sum modifiers, bonuses; or a slam's payment.

    Args:
        counting: every counting card in play, each copy.
        facts: `declared`, `shot`, `tricks`, `pledges` of the unit.
        paid: what the slam pays to the unit; None where the cards count at face.
    """
    values = [(card, face(rules, card)) for card in pile]
    totals = []
    for modifier in rules["modifiers"]:
        if not _holds(modifier.get("when", {}), pile, counting, facts):
            continue
        by = number(modifier["by"])
        if modifier["on"] == "sum":
            totals.append((modifier["op"], by))
        else:
            values = [
                (card, _apply(modifier["op"], value, by) if picks(modifier["on"], card) else value)
                for card, value in values
            ]
    points, changed = sum((value for _, value in values), Fraction(0)), True
    points += rules.get("trick_value", 0) * (facts["tricks"] or 0)
    if paid is not None and slam is not None:
        outside = slam["pay"].get("outside") == "score"
        beside = [value for card, value in values if not picks(slam["needs"], card)]
        points = paid + (sum(beside, Fraction(0)) if outside else 0)
        changed = slam["pay"].get("modifiers", False)
    for op, by in totals if changed else ():
        points = _apply(op, points, by)
    for bonus in rules["hand_bonus"]:
        if "pledge" not in bonus:
            met = _holds(bonus.get("when", {}), pile, counting, facts)
            points += number(bonus["add"]) if met else 0
            continue
        broken = any(picks(bonus["none_of"], card) for card in pile)
        times = list(facts["pledges"]).count(bonus["pledge"])
        points += times * number(bonus["broken" if broken else "kept"])
    return points


def payment(rules: Json, slam: Json, way: str, dealt: Any, places: Sequence[str]) -> list[Any]:
    """What a slam pays to each unit; `places` says shooter, passer, partner or other."""
    pay, zero = slam["pay"], Fraction(0)

    def amount(key: str) -> Any:
        stated = pay.get(key, "slam" if key in ("self", "others") else 0)
        return (dealt if stated == "slam" else number(stated)) * pay.get("factor", 1)

    table = {
        "self": {"shooter": -amount("self")},
        "self_plus": {"shooter": amount("self")},
        "others": dict.fromkeys(("passer", "partner", "other"), amount("others")),
        "punish": {
            "passer": amount("passer"), "partner": amount("others"), "other": amount("others"),
        },
    }.get(way, {})  # fmt: skip
    if pay.get("spare_partner"):
        table["partner"] = zero
    return [table.get(place, zero) for place in places]
