"""The tree holds nothing of the machine it was written on, and nothing half done."""

import re

from tests.support.sources import ROOT, tracked

# Put together here, so that this file does not find itself.
PATHS = re.compile(r"(?:^|[^.\w])/(?:wo" r"rk|ro" r"ot|fa" r"rm)/[a-z.]", re.M)
INDEXES = re.compile(r"py" r"pi\.|python" r"hosted|index" r"[-_]url\s*=|--extra-" r"index", re.I)
UNDONE = re.compile(
    r"NotImplemented" r"Error|\bTO" r"DO\b|\bFIX" r"ME\b|mark\.(?:sk" r"ip|xf" r"ail)"
)


def found(pattern: re.Pattern[str], *suffixes: str) -> list[str]:
    hits = []
    for path in tracked():
        if suffixes and path.suffix not in suffixes:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture, or a sheet in another encoding
        hits += [f"{path.relative_to(ROOT)}: {hit.group()}" for hit in pattern.finditer(text)]
    return hits


def test_no_absolute_path_of_a_machine() -> None:
    assert found(PATHS) == []


def test_no_host_of_a_package_index() -> None:
    assert found(INDEXES) == []


def test_nothing_is_left_undone() -> None:
    assert found(UNDONE, ".py") == []
