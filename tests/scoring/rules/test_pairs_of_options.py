"""Pairs of options and options for the play: both count, or both are named in the refusal."""

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple

import pytest

from scoring.engine.progress import GameState, advance
from scoring.errors import Problem, Refused
from scoring.game.game import new_game
from scoring.option_labels import choice_key, option_label
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.dealing import pass_of, passing_ring
from scoring.rules.options import option_table, options_of, scoring_options
from scoring.rules.rules import Rules, score_alike
from scoring.rules.schema import WAYS
from scoring.rules_card.options import is_present
from scoring.rules_card.playing import pass_text, play
from tests.support.answers import Json
from tests.support.lengths import only_long, short_or_long
from tests.support.scoring.option_choices import CHOICES, choices_for
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
PLAYED = [name for name in option_table() if not scoring_options({name: None})]
NO_PASS, SCATTER = {"*": ["hold"]}, {"*": ["scatter"]}
CYCLES: list[object] = [
    NO_PASS, SCATTER, {"4": ["right", "hold"]}, {"3": ["split"], "4": ["mix"], "5": ["left"]},
]  # fmt: skip
CONTRADICTIONS = [
    ("passing", NO_PASS, "pass_count", None), ("passing", NO_PASS, "second_pass", None),
    ("passing", NO_PASS, "optional_pass", None), ("passing", NO_PASS, "not_passed", None),
    ("queen_breaks", "waits", "queen_first", None), ("passing", SCATTER, "pass_count", None),
    ("hearts", "any time", "queen_breaks", None), ("hearts", "from trick 3", "queen_breaks", None),
]  # fmt: skip


class Chosen(NamedTuple):
    name: str
    value: Any


def choices(variant: str) -> Iterator[Chosen]:
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
        ("hearts", {"vacated_seat": "left of shooter", "moon": "none"}),
        ("joker-hearts", {"jokers_with_hearts": 1, "moon_needs": "*H,QS,*X"}),
        ("joker-hearts", {"jokers_with_hearts": 1, "custom_values": [["*X", 2]]}),
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


def values(name: str) -> list[Any]:
    return CYCLES if name == "passing" else CHOICES[name]


def card(rules: Rules) -> list[tuple[str, ...]]:
    return [
        tuple(str(text) for row in play(prepare(rules, seats)).rows for text in row.sentences)
        for seats in rules.table_sizes
    ]


def refusal(variant: str, options: dict[str, Any]) -> Problem | None:
    try:
        catalogue().rules(variant, options)
    except Refused as refused:
        (problem,) = refused.problems
        return problem
    return None


def pairs() -> Iterator[tuple[dict[str, Any], bool]]:
    for one, other in combinations(PLAYED, 2):
        for first, second in product(values(one), values(other)):
            clash = any((one, first, other, None) == known for known in CONTRADICTIONS)
            yield {one: first, other: second}, clash


def test_every_pair_of_play_options_changes_the_card_or_is_refused_by_both_names() -> None:
    tried = {True: 0, False: 0}
    for options, clash in pairs():
        problem = refusal("hearts", options)
        tried[problem is not None] += 1
        assert (problem is not None) == clash, options
        if problem is not None:
            assert all(option_label(name) in problem.message for name in options), problem.message
            continue
        both = catalogue().rules("hearts", options)
        for name, value in options.items():
            rest = catalogue().rules("hearts", {k: v for k, v in options.items() if k != name})
            assert is_present(name, value, rest) == (card(both) == card(rest)), (name, options)
    assert tried == {True: 24, False: 435}


@pytest.mark.parametrize("variant", catalogue().ids)
def test_play_option_on_every_variant_changes_the_card_and_no_score(variant: str) -> None:
    plain = catalogue().rules(variant)
    offered = {one.name: one.choices for one in options_of(catalogue().resolved(variant))}
    for name in PLAYED:
        own = choices_for(variant, name) if name in ("passing", "not_passed") else CHOICES[name]
        for value in own:
            problem = refusal(variant, {name: value})
            fits = name in offered and (not offered[name] or choice_key(value) in offered[name])
            assert (problem is None) == fits, (name, problem)
            if problem is None:
                rules = catalogue().rules(variant, {name: value})
                assert is_present(name, value, plain) == (card(rules) == card(plain)), (name, value)
                assert score_alike(rules, plain)


def test_options_that_touch_scores_are_told_by_their_patches() -> None:
    assert PLAYED == [
        "passing", "pass_count", "second_pass", "optional_pass", "not_passed", "lead", "hearts",
        "queen_breaks", "first_trick_points", "queen_first", "vacated_seat",
    ]  # fmt: skip
    assert not score_alike(catalogue().rules("hearts", {"target": 50}), catalogue().rules("hearts"))


def test_queen_that_is_taken_out_need_not_be_thrown() -> None:
    problem = refusal(
        "hearts", {"removed_cards": {"*": ["QS", "2C", "2D", "3D"]}, "queen_first": True}
    )
    assert problem is not None
    assert "Cards taken out" in problem.message


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({}, "Name at least one number of players."),
        ({"9": ["left"]}, "These rules are for 3 to 6 players."),
        ({"3": ["across"]}, "With 3 players no cards can be passed in these ways."),
        ({"4": []}, "A cycle has 1 to 12 hands"),
        ({"4": ["up"]}, "up is none of left, right, across"),
        (["left"], "is not a table by number of seats"),
    ],
)
def test_cycle_that_cannot_be_played_is_refused(value: object, why: str) -> None:
    problem = refusal("hearts", {"passing": value})
    assert problem is not None
    assert (problem.code, problem.at) == ("bad_option", ("options", "passing"))
    assert why in problem.message


def test_cycle_is_that_of_the_number_of_players() -> None:
    cycles = {"4": ["left", "scatter"], "5": ["second left", "hold"]}
    words = catalogue().rules("hearts", {"passing": cycles}).keys.play
    assert [pass_of(words, 4, hand) for hand in (1, 2, 3)] == ["left", "scatter", "left"]
    assert [passing_ring(words, seats) for seats in (3, 5, 6)] == [
        ("left", "right", "hold"), ("second left", "hold"), ("left", "right", "across", "hold"),
    ]  # fmt: skip


def test_sheet_says_the_pass_with_its_number_its_second_pass_and_whether_one_may_decline() -> None:
    options = {"pass_count": 4, "second_pass": True, "optional_pass": True}
    words = catalogue().rules("hearts", options).keys.play
    said = [str(pass_text(words, seats, way)) for seats, way in [(4, "left"), (5, "left")]]
    assert said == ["4 left + across (optional)", "4 left (optional)"]
    assert str(pass_text(words, 4, "scatter")) == "scatter + across (optional)"
    assert str(pass_text(words, 4, "hold")) == "hold"
    plain = catalogue().rules("hearts").keys.play
    assert [str(pass_text(plain, 4, way)) for way in WAYS] == list(WAYS)
