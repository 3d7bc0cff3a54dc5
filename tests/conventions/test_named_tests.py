"""Pages name tests that exist, and the table of what grows has every kind of rows."""

import re
from pathlib import Path

import pytest

from config.management.commands.status import GROWING_KINDS
from tests.support.sources import ROOT

DOCS = ROOT / "docs"
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_named_tests_exist(page: Path) -> None:
    missing = []
    for name, function in set(NAMED.findall(page.read_text(encoding="utf-8"))):
        file = ROOT / name
        content = file.read_text(encoding="utf-8") if file.is_file() else ""
        if not content or (function and f"def {function}(" not in content):
            missing.append(f"{name}::{function}")
    assert missing == []


def test_table_of_what_grows_has_each_kind_with_a_test() -> None:
    _, _, section = (DOCS / "operations.md").read_text(encoding="utf-8").partition("## What grows")
    lines = re.findall(r"(?m)^\| .*\|$", section.partition("\n## ")[0])[1:]
    assert [
        kind for kind in GROWING_KINDS if not any(line[2:].startswith(kind) for line in lines)
    ] == []
    assert [line for line in lines if not NAMED.search(line)] == []
