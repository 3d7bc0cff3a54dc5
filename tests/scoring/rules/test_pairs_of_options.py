"""Pairs of options: each that is taken counts beside the other, or both are named in the refusal.

An option that changes no score and no total of a thousand random hands is without effect.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import pytest

from scoring.engine.progress import GameState, advance
from scoring.errors import Refused
from scoring.game.game import new_game
from scoring.option_labels import option_label
from scoring.rules.catalogue import catalogue
from scoring.rules.options import options_of, scoring_options
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.lengths import only_long, short_or_long
from tests.support.scoring.random_hands import VALUES, Dealt, dealt_at, settled

HANDS = short_or_long(400, 1000)
TOTALS = (0, 10, 39, 45, 96)
MORE: Mapping[str, Any] = {
    "custom_values": [[["QS", 7]], [["JD", -9]], [["*H", 2]]],
    "moon_needs": ["*H"],
    "moon_amount": [29],
    "bonus_value": [-12],
    "jack_of_diamonds": [-11],
}
SHORT = ("omnibus-hearts", "partnership-hearts-individual")
RARELY: Mapping[tuple[str, str], str] = {
    ("bonus_floor", "moon"): "where no moon takes points off, no hand is below 0",
    ("bonus_floor", "custom_values"): "the same, where no card takes points off",
    ("bonus_floor", "new_moon_from"): "who has 40 points is far above 0",
    ("moon_self_amount", "bonus_floor"): "a hand that is 0 at least takes nothing off",
    ("moon_amount", "bonus_floor"): "the same",
    ("moon", "bonus_floor"): "a moon that takes points off is 0, as one that pays nobody",
}
"""Pairs of which one seldom counts, and why that is no contradiction.

Nor is a moon that goes to the others unless somebody wins or loses by it, nor are resets: few
random totals are exactly 50 or 100.
"""


class Chosen(NamedTuple):
    name: str
    value: Any


def choices(variant: str) -> Iterator[Chosen]:
    """Every value of every option of the variant that touches scores."""
    offered = {one.name: one for one in options_of(catalogue().resolved(variant))}
    for option in scoring_options(offered).values():
        for value in MORE.get(option.name) or VALUES.get(option.name) or option.choices:
            yield Chosen(option.name, value)


def rules_with(variant: str, *chosen: Chosen) -> Rules | None:
    try:
        return catalogue().rules(variant, dict(chosen))
    except Refused:
        return None


def played(rules: Rules, dealt: Dealt, entry: Json, state: GameState, which: int) -> object:
    """What a hand gives under rules for which it may not have been dealt."""
    try:
        hand = settled(dealt, entry, state, which)
    except (AssertionError, ValueError, Refused):
        return "refused"
    return hand.scores, advance(rules, state, hand.scores, hand.effects).totals


def count_differently(rules: Rules, other: Rules) -> bool:
    """Whether some hand that is dealt under the rules gives something else under the others."""
    chance = Random(1)  # noqa: S311 - the same hands in every run
    seats = min(max(4, rules.keys.players[0]), rules.keys.players[1])
    start = new_game(rules, seats)
    for _ in range(HANDS):
        dealt = dealt_at(chance, rules, seats)
        state = start._replace(totals=tuple(chance.choice(TOTALS) for _ in start.totals))
        which = chance.randrange(2)
        beside = Dealt(other, dealt.ready, dealt.piles, dealt.beside)
        if played(rules, dealt, dealt.entry, state, which) != played(
            other, beside, dealt.entry, state, which
        ):
            return True
    return False


@pytest.mark.parametrize(
    "variant", [one if one in SHORT else only_long(one) for one in catalogue().ids]
)
def test_each_option_of_a_pair_counts(variant: str) -> None:
    base, alone = catalogue().rules(variant), {}
    for one in choices(variant):
        rules = rules_with(variant, one)
        if rules is not None and count_differently(rules, base):
            alone[str(one)] = one, rules
    idle = []
    for (one, by_one), (other, by_other) in combinations(alone.values(), 2):
        both = rules_with(variant, one, other) if one.name != other.name else None
        for silent, loud, rules in ((one, other, by_other), (other, one, by_one)):
            rare = (silent.name, loud.name) in RARELY or "unless" in str((silent, loud))
            rare = rare or silent.name == "resets"
            if both is not None and not rare and not count_differently(both, rules):
                idle.append((silent, loud))
    assert idle == []


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("omnibus-hearts", {"bonus_value": -12, "jack_of_diamonds": -11}),
        ("hearts", {"moon_others_amount": 30, "moon": "self"}),
        ("hearts", {"moon_self_amount": 30, "moon": "others"}),
        ("hearts", {"moon_self_amount": 30, "moon": "others-then-continue"}),
        ("hearts-online", {"moon_amount": 20, "moon_others_amount": 30}),
        ("hearts", {"queen_of_spades": 20, "custom_values": [["QS", 5]]}),
        ("hearts", {"jack_of_diamonds": -10, "custom_values": [["JD", 5]]}),
        ("omnibus-hearts", {"bonus_value": -12, "custom_values": [["JD", 5]]}),
        ("partnership-hearts-individual", {"spare_partner": True, "moon": "self"}),
        ("hearts", {"moon_needs": "*H", "moon": "face"}),
        ("hearts", {"moon_outside": "drop", "moon": "face"}),
        ("hearts", {"moon_needs_all_tricks": True, "moon": "face"}),
    ],
)  # fmt: skip
def test_contradiction_is_refused_with_both_names(variant: str, options: Json) -> None:
    with pytest.raises(Refused) as refused:
        catalogue().rules(variant, options)
    silent, loud = options
    (problem,) = refused.value.problems
    assert (problem.code, problem.at) == ("bad_option", ("options", silent))
    assert f'"{option_label(silent)}"' in problem.message
    assert f'"{option_label(loud)}' in problem.message


@pytest.mark.parametrize(
    "options",
    [
        {"moon": "self", "moon_others_amount": 30, "new_moon_from": {"score": 50, "who": "self"}},
        {"bonus_card": "10D", "bonus_value": -12, "jack_of_diamonds": -11},
    ],
)
def test_pair_that_a_third_option_makes_count_is_taken(options: Json) -> None:
    assert catalogue().rules("omnibus-hearts", options).options == options
