"""Options for the play: every pair, every variant; what contradicts is refused by both names."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest

from scoring.errors import Problem, Refused
from scoring.option_labels import option_label
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.dealing import pass_of, passing_ring
from scoring.rules.options import option_table, options_of, scoring_options
from scoring.rules.rules import Rules, score_alike
from scoring.rules.schema import WAYS
from scoring.rules_card.options import is_present
from scoring.rules_card.playing import pass_text, play
from tests.support.scoring.option_choices import CHOICES

PLAYED = [name for name in option_table() if not scoring_options({name: None})]
NO_PASS, SCATTER = {"*": ["hold"]}, {"*": ["scatter"]}
CYCLES: list[object] = [
    NO_PASS, SCATTER, {"4": ["right", "hold"]}, {"3": ["split"], "4": ["mix"], "5": ["left"]},
]  # fmt: skip
CONTRADICTIONS = [
    ("passing", NO_PASS, "pass_count", None), ("passing", NO_PASS, "second_pass", None),
    ("passing", NO_PASS, "optional_pass", None), ("passing", SCATTER, "pass_count", None),
    ("hearts", "any time", "queen_breaks", None), ("hearts", "from trick 3", "queen_breaks", None),
]  # fmt: skip
"""Option and value, and the option that says nothing beside it, whatever its value."""


def values(name: str) -> list[Any]:
    return CYCLES if name == "passing" else CHOICES[name]


def card(rules: Rules) -> list[tuple[str, ...]]:
    """What the rules say of the play, at every table."""
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
    assert tried == {True: 18, False: 255}


@pytest.mark.parametrize("variant", catalogue().ids)
def test_play_option_on_every_variant_changes_the_card_and_no_score(variant: str) -> None:
    plain = catalogue().rules(variant)
    offered = {option.name for option in options_of(catalogue().resolved(variant))}
    for name in PLAYED:
        cycle = {str(plain.keys.players[1]): ["mix", "left"]}
        for value in [cycle] if name == "passing" else values(name):
            problem = refusal(variant, {name: value})
            assert (problem is None) == (name in offered), (name, problem)
            if problem is None:
                rules = catalogue().rules(variant, {name: value})
                assert is_present(name, value, plain) == (card(rules) == card(plain)), (name, value)
                assert score_alike(rules, plain)


def test_options_that_touch_scores_are_told_by_their_patches() -> None:
    assert PLAYED == [
        "passing", "pass_count", "second_pass", "optional_pass", "lead", "hearts", "queen_breaks",
        "first_trick_points", "queen_first",
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
