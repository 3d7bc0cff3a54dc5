"""How much a long test does: a little of everything on every run, all of it in the long tier.

A test of over half a minute (kills, full disks, random operations, a thousand posts) takes its
sizes from here, so that its short form tries every kind of thing, only fewer times. What cannot be
made short, and a case that is a second one of its kind (`only_long`), bears the marker `tier_long`.
`make test-long` runs the long forms.
"""

import os
import zlib
from typing import Any, TypeVar

import pytest

Size = TypeVar("Size")

LONG = "BLACKLADY_TESTS_LONG"
"""The variable by which tests/support/tiers.py tells every test process that the long tier runs."""


def is_long() -> bool:
    return os.environ.get(LONG) == "1"


def short_or_long(short: Size, long: Size) -> Size:
    """The first for a usual run, the second in the long tier; may be asked while modules load."""
    return long if is_long() else short


def has_its_turn(name: str, turn: int, of: int) -> bool:
    """Whether something is in a usual run's share of one in `of`; in the long tier all of it is.

    `turn` is which share. A name is always in the same one, and what is sorted beside it in
    another one, so that a product of names and numbers is met by every number.
    """
    return is_long() or zlib.crc32(name.encode()) % of == turn % of


def only_long(*values: object, id: str | None = None) -> Any:
    """A case of a `parametrize` that runs in the long tier only."""
    return pytest.param(*values, id=id, marks=pytest.mark.tier_long)
