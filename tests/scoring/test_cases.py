"""The oracle: worked hands of the rule pages, answered as the command line answers them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scoring.cases import answer
from scoring.catalogue import catalogue

CASES = Path(__file__).parent.parent / "cases"


def cases() -> Iterator[Any]:
    for file in sorted(CASES.glob("*.json")):
        for case in json.loads(file.read_text()):
            if case["variant"] in catalogue().ids:
                yield pytest.param(case, id=case["id"])


def expected(part: Mapping[str, Any]) -> dict[str, Any]:
    """What a part of a case expects, under the names of the answer."""
    marks = {key: value for key, value in part.items() if key.startswith("expected_")}
    return {key.removeprefix("expected_"): value for key, value in marks.items()}


def picked(said: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {key: said.get(key) for key in wanted}


@pytest.mark.parametrize("case", list(cases()))
def test_case_is_answered_as_worked(case: dict[str, Any]) -> None:
    said = answer(catalogue(), case)
    wanted = expected(case)
    error = wanted.pop("error", None)
    assert [e["code"] for e in said.get("errors", [])][:1] == ([error] if error else [])
    assert picked(said, wanted) == wanted
    if error is None:
        for hand, found in zip(case.get("hands", []), said.get("hands", []), strict=True):
            assert picked(found, expected(hand)) == expected(hand)


def test_every_shipped_variant_has_cases_and_a_source() -> None:
    with_cases = {case.values[0]["variant"] for case in cases()}
    for variant_id in catalogue().ids:
        assert variant_id in with_cases, f"{variant_id}: add worked cases"
        assert catalogue().variant(variant_id).sources, f"{variant_id}: say the source"


def test_copies_of_the_shared_cases_are_up_to_date(shared: Path) -> None:
    for file in sorted((shared / "cases").glob("*.json")):
        assert (CASES / file.name).read_bytes() == file.read_bytes(), file.name
