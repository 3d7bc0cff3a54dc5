"""Worked hands: those of the rule pages (copied), and our own with how each number comes about."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.support.answers import Json

CASES = Path(__file__).parents[2] / "cases"
OWN = CASES / "own"


def read(directory: Path) -> list[Json]:
    return [
        case for file in sorted(directory.glob("*.json")) for case in json.loads(file.read_text())
    ]


ALL = read(CASES) + read(OWN)
PER_VARIANT = Counter(case["variant"] for case in ALL)


def expected(part: Json) -> Json:
    marks = {key: value for key, value in part.items() if key.startswith("expected_")}
    return {key.removeprefix("expected_"): value for key, value in marks.items()}


def picked(said: Mapping[str, object], wanted: Mapping[str, object]) -> dict[str, object]:
    return {key: said.get(key) for key in wanted}


def assert_as_worked(case: Json, said: Json) -> None:
    wanted = expected(case)
    error = wanted.pop("error", None)
    assert said["id"] == case["id"]
    assert [found["code"] for found in said.get("errors", [])][:1] == ([error] if error else [])
    assert picked(said, wanted) == wanted, case["id"]
    if error is None:
        for hand, found in zip(case.get("hands", []), said.get("hands", []), strict=True):
            assert picked(found, expected(hand)) == expected(hand), case["id"]
