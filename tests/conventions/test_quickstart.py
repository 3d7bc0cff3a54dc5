"""The quick start is what a stranger types: its commands run here, in its order."""

import re
from collections.abc import Callable

from tests.support.live.project import LiveProject
from tests.support.sources import ROOT

SHEETS = ROOT / "tests" / "sheets" / "sheets.csv"


def commands() -> list[list[str]]:
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    lines = re.findall(r"^   \.venv/bin/python manage\.py (.+)$", text, re.M)
    return [line.replace("sheets.csv", str(SHEETS)).split() for line in lines]


def test_quick_start_ends_in_published_standings(live_project: Callable[..., LiveProject]) -> None:
    project = live_project()
    answers = [project.manage(*command) for command in commands()]
    assert [answer.returncode for answer in answers] == [0, 0, 0, 0, 0], [
        answer.stderr for answer in answers
    ]
    assert [command[0] for command in commands()] == [
        "migrate",
        "import_sheets",
        "import_sheets",
        "publish",
        "standings",
    ]
    assert answers[-2].stdout.strip().endswith("1")
    assert "RL24" in answers[-1].stdout
