"""The settings of a ladder: defaults, what a club may write, every mistake at once."""

import pytest

from scoring.errors import Refused
from scoring.ladders.rules import LadderRules, ladder_rules


def test_what_is_not_written_stays_at_its_default() -> None:
    rules = ladder_rules({"rule": "swap", "max_span": 6})
    assert (rules.rule, rules.max_span, rules.reach, rules.rating) == ("swap", 6, 3, "elo")
    assert ladder_rules({}) == LadderRules()


def test_rules_as_stored_are_read_again() -> None:
    rules = LadderRules(rule="halfway", reach_top=2, rating="plackett_luce", free_challenge=True)
    assert ladder_rules(rules.as_json()) == rules


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("rule", "jump", "one of take_place, swap, halfway, one_up"),
        ("rule", ["swap"], "one of take_place, swap, halfway, one_up"),
        ("reach", 0, "a whole number from 1 to 1000"),
        ("reach", True, "a whole number from 1 to 1000"),
        ("reach", 2.0, "a whole number from 1 to 1000"),
        ("k", None, "a whole number from 1 to 400"),
        ("max_span", 1, "a whole number from 2 to 1000 or null"),
        ("free_challenge", 1, "true or false"),
    ],
)
def test_value_that_cannot_be_is_refused_with_what_it_may_be(
    key: str, value: object, expected: str
) -> None:
    with pytest.raises(Refused) as refused:
        ladder_rules({key: value})
    [problem] = refused.value.problems
    assert (problem.code, problem.at) == ("bad_ladder_rule", (key,))
    assert problem.facts["expected"] == expected
    assert problem.message.endswith(f"It is {expected}.")


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(Refused) as refused:
        ladder_rules({"reach": 0, "colour": "red", "unplayed": "draw"})
    assert sorted((problem.code, problem.at[0]) for problem in refused.value.problems) == [
        ("bad_ladder_rule", "reach"), ("bad_ladder_rule", "unplayed"),
        ("unknown_ladder_rule", "colour"),
    ]  # fmt: skip
