"""Which tests belong to a module: a table of folders, and what its name and imports say."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

FURTHER: Final = {
    "api": "tests/api/http tests/api/access",
    "api/serializers": "tests/api/http",
    "api/v1": "tests/api/http",
    "config/accounts": "tests/config",
    "config/management": "tests/config",
    "config/management/commands": "tests/config tests/config/operation/backup",
    "config/operation/status": "tests/config/operation",
    "config/web": "tests/config",
    "scoring/seating/movements": "tests/scoring/seating",
    "scoring/sentences": "tests/scoring/rules tests/scoring/game tests/tournaments/domain",
    "tournaments": "tests/tournaments/policy",
    "tournaments/documents/read": "tests/tournaments/views/standings",
    "tournaments/domain/sentences": "tests/tournaments/domain tests/api/http",
    "tournaments/domain/sheets": "tests/tournaments/documents tests/tournaments/views/hands",
    "tournaments/management/commands": "tests/tournaments/management",
    "tournaments/selectors": "tests/tournaments/policy",
    "tournaments/selectors/access": "tests/tournaments/views/people",
    "tournaments/services/clubs": "tests/tournaments/views/people",
    "tournaments/services/previewing": "tests/tournaments/services/hands",
    "tournaments/templatetags": "tests/tournaments/views/help tests/tournaments/views/http",
    "tournaments/views": "tests/tournaments/views/http tests/tournaments/policy",
    "tournaments/views/events/manage": "tests/tournaments/views/events",
}
"""Folders of tests besides those that have the name of a product folder or of a module."""

ON_POSTGRESQL: Final = {
    "config/standby.py": "tests/live/faults/test_standby.py",
    "tournaments/services/publishing/packing.py": "tests/live/concurrency/test_values_and_packs.py",
}
"""Modules with rules of PostgreSQL alone: the tests of these, which run where no other noticed."""

ELSEWHERE: Final = (
    "benchmarks",
    "browser",
    "conventions",
    "journeys",
    "live",
    "releasing",
    "support",
)
"""Folders below `tests` whose tests are of no subject, or need servers."""

MOST_IMPORTERS: Final = 20
"""A module that more files of tests import is a tool of theirs."""

IMPORT: Final = re.compile(r"(?m)^ *from ([\w.]+) import (?:\(([^)]*)\)|([^\n]*))")


def files_for(tree: Path, path: str) -> list[str]:
    """Return the files of tests of a module, those first whose names share words with it."""
    module = Path(path)
    files = _files_of_tests(tree)
    folders = [f"tests/{module.parent}", *FURTHER.get(str(module.parent), "").split()]
    subjects = {module.parent.name, module.stem} - {"read", "management", "operation"}
    of_subject = [name for name in files if Path(name).parent.name in subjects]
    name_of_module = path.removesuffix(".py").replace("/", ".")
    importers = [name for name, imported in files.items() if name_of_module in imported]
    if len(importers) > MOST_IMPORTERS:
        importers = []
    beside = [name for name in files if str(Path(name).parent) in folders]
    words = set(re.split(r"[._/]", path))
    return sorted(
        dict.fromkeys([*importers, *beside, *of_subject]),
        key=lambda name: -len(words.intersection(Path(name).stem.split("_"))),
    )


def modules_of(tree: Path, folders: Iterable[str]) -> Iterator[str]:
    """Yield the modules of folders or files that mutants are drawn from."""
    for folder in folders:
        place = tree / folder
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if "migrations" not in path.parts:
                yield str(path.relative_to(tree))


@cache
def _files_of_tests(tree: Path) -> dict[str, frozenset[str]]:
    """Return the files of tests, each with the modules and names that it imports."""
    return {
        str(path.relative_to(tree)): frozenset(_imported(path.read_text(encoding="utf-8")))
        for path in sorted((tree / "tests").rglob("test_*.py"))
        if path.relative_to(tree).parts[1] not in ELSEWHERE
    }


def _imported(text: str) -> Iterator[str]:
    for module, several, rest in IMPORT.findall(text):
        yield module
        for name in re.findall(r"\w+", several or rest):
            yield f"{module}.{name}"
