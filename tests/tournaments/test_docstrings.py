"""Examples in docstrings above `scoring` say what the code does."""

import doctest
from importlib import import_module

import pytest

from tests.support.sources import ROOT

MODULES = [
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    for package in ("api", "config", "tournaments")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "    >>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
