"""The oracle: worked hands of the rule pages, answered as the command line answers them."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.cases import answer
from scoring.rules.catalogue import catalogue
from scoring.rules.options import option_table
from tests.support.scoring.worked_cases import ALL, CASES, OWN, PER_VARIANT, assert_as_worked, read


@pytest.mark.parametrize("case", ALL, ids=lambda case: str(case["id"]))
def test_case_is_answered_as_worked(
    case: dict[str, object], record_property: Callable[[str, object], None]
) -> None:
    record_property("variant", case["variant"])
    assert_as_worked(case, answer(catalogue(), case))


def test_command_line_answers_every_case_as_worked(project_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "score"],
        input=json.dumps(ALL), capture_output=True, text=True, cwd=project_root, check=False,
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert done.returncode == 2, "some cases are refused, as they should be"
    for case, found in zip(ALL, said, strict=True):
        assert_as_worked(case, found)


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
