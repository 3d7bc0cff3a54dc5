"""The oracle of worked hands, and a budget that bounds what cases may cost."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.budget import Budget, OutOfBudget
from scoring.cases import answer
from scoring.rules.catalogue import catalogue
from scoring.rules.options import option_table
from tests.support.answers import Json
from tests.support.scoring.worked_cases import ALL, CASES, OWN, PER_VARIANT, assert_as_worked, read

HARD = ("high-hearts", "royal-hearts", "complex-hearts", "gong-zhu-exposed", "super-hearts")


@pytest.mark.parametrize("case", ALL, ids=lambda case: str(case["id"]))
def test_case_is_answered_as_worked(
    case: dict[str, object], record_property: Callable[[str, object], None]
) -> None:
    record_property("variant", case["variant"])
    assert_as_worked(case, answer(catalogue(), case))


def test_every_variant_and_every_option_has_cases_and_a_source() -> None:
    for variant_id in catalogue().ids:
        assert PER_VARIANT[variant_id] >= 2, f"{variant_id}: add worked cases"
        assert catalogue().variant(variant_id).sources, f"{variant_id}: say the source"
    assert {option for case in ALL for option in case["options"]} == set(option_table())


def test_own_cases_say_how_each_number_comes_about() -> None:
    own = read(OWN)
    assert all(case["why"].endswith(".") and case["source"] for case in own)
    assert len({case["id"] for case in ALL}) == len(ALL)


def test_copies_of_the_shared_cases_are_up_to_date(shared: Path) -> None:
    for file in sorted((shared / "cases").glob("*.json")):
        assert (CASES / file.name).read_bytes() == file.read_bytes(), file.name
    pinochle = shared / "data" / "pinochle" / "cases.json"
    assert (CASES / "pinochle.json").read_bytes() == pinochle.read_bytes()


def test_every_open_question_has_its_answer_in_a_case(project_root: Path) -> None:
    page = (project_root / "docs/open-questions.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| (\d+) \|.*\|.*\| (.+) \| (.*)\|$", page, re.MULTILINE)
    assert [number for number, _, _ in answers] == [str(n) for n in range(1, 36)]
    known = {case["id"] for case in ALL}
    for number, cases, otherwise in answers:
        named = re.findall(r"`([^`]+)`", cases)
        assert named, number
        assert set(named) <= known, number
        options = set(re.findall(r"`([a-z_]+)`", otherwise.partition("own file")[0]))
        assert options <= set(option_table()), number


def case(variant: str, points: list[int]) -> Json:
    return {"variant": variant, "seats": 4, "hands": [{"entry": {"points": points}}]}


def errors(said: Json) -> list[Json]:
    found: list[dict[str, Any]] = said["errors"]
    return found


def test_nothing_is_bounded_without_a_budget() -> None:
    alone = answer(catalogue(), case("hearts", [4, 1, 2, 18]))
    assert errors(alone)[0]["code"] == "wrong_total"
    assert errors(alone)[0]["suggestions"]
    for _ in range(50):
        assert answer(catalogue(), case("hearts", [4, 1, 2, 18])) == alone


@pytest.mark.parametrize("variant", HARD)
def test_search_ends_where_the_budget_ends(variant: str) -> None:
    budget = Budget(2_000)
    asked = case(variant, [1, 0, 0, 0])
    with pytest.raises(OutOfBudget, match=r"^too_much_work$"):
        [answer(catalogue(), asked, budget) for _ in range(100)]


@pytest.mark.parametrize("bound", [{"hints": 0}, {"hint_steps": 50}, {"hints": 3, "hint_steps": 0}])
@pytest.mark.parametrize("variant", ["hearts", *HARD])
def test_refusal_without_hints_is_the_same_refusal(variant: str, bound: Json) -> None:
    asked = case(variant, [5, 5, 5, 12])
    (told,) = errors(answer(catalogue(), asked))
    (plain,) = errors(answer(catalogue(), asked, Budget(**bound)))
    assert plain == {**told, "suggestions": []}


def test_steps_are_counted_and_the_same_each_time() -> None:
    spent = []
    for _ in range(3):
        budget = Budget()
        answer(catalogue(), case("high-hearts", [26, 0, 0, 0]), budget)
        spent.append(budget.spent)
    assert spent[1] == spent[2] <= spent[0]
    assert spent[2] > 10_000


@pytest.mark.parametrize("thing", [None, 7, "x", [], {}, {"options": {}}])
def test_each_case_costs_something_whatever_it_is(thing: object) -> None:
    budget = Budget(5_000)
    with pytest.raises(OutOfBudget):
        [answer(catalogue(), thing, budget) for _ in range(1_000)]


def test_hints_of_all_parts_are_those_of_the_whole() -> None:
    whole = Budget(hints=2)
    asked = case("hearts", [4, 1, 2, 18])
    parts = [Budget(100_000, within=whole) for _ in range(4)]
    told = [bool(errors(answer(catalogue(), asked, part))[0]["suggestions"]) for part in parts]
    assert told == [True, True, False, False]
    assert whole.spent == sum(part.spent for part in parts)
    assert whole.spent_on_hints == sum(part.spent_on_hints for part in parts) > 0


def test_part_ends_where_its_own_steps_or_those_of_the_whole_end() -> None:
    asked = case("high-hearts", [26, 0, 0, 0])
    for part in (Budget(500, within=Budget()), Budget(within=Budget(500))):
        with pytest.raises(OutOfBudget):
            [answer(catalogue(), asked, part) for _ in range(100)]
