"""Each code has a sentence and a heading in docs/errors.md, and each heading is a code."""

import ast
import re
from pathlib import Path

import pytest

from scoring.errors import SENTENCES as OF_THE_SCORER
from tournaments.domain.imports.import_report import SENTENCES as OF_AN_IMPORT
from tournaments.domain.messages import SENTENCES as OF_THE_APP
from tournaments.domain.messages import SUBJECTS, docs_anchor

CODES = {*OF_THE_SCORER, *OF_THE_APP, *OF_AN_IMPORT}


def headings(project_root: Path) -> set[str]:
    """The codes that docs/errors.md explains."""
    text = (project_root / "docs" / "errors.md").read_text(encoding="utf-8")
    return set(re.findall(r"^### ([a-z_]+)$", text, re.M))


def raised(project_root: Path) -> set[str]:
    """Each code that stands in the code as `Problem("…")`."""
    found = set()
    for package in ("scoring", "tournaments", "api"):
        for file in (project_root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem":
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant):
                        found.add(str(first.value))
    return found


def missing_kinds(project_root: Path) -> set[str]:
    """Each code that `Missing("…")` makes."""
    found = set()
    for file in (project_root / "tournaments").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        found |= {f"unknown_{kind}" for kind in re.findall(r"Missing\(\s*\"([a-z_]+)\"", text)}
    return found


def test_every_code_is_explained_and_nothing_else_is(project_root: Path) -> None:
    assert headings(project_root) == CODES


def test_every_code_that_is_raised_has_a_sentence(project_root: Path) -> None:
    assert raised(project_root) | missing_kinds(project_root) <= CODES


@pytest.mark.parametrize("code", ["missing_cards", "hand_exists"])
def test_anchor_leads_to_the_heading(project_root: Path, code: str) -> None:
    page, _, anchor = docs_anchor(code).partition("#")
    assert (project_root / page).exists()
    assert anchor in headings(project_root)


def test_every_code_stands_in_one_subject() -> None:
    assert sum(len(subject) for subject in SUBJECTS) == len(OF_THE_APP)
