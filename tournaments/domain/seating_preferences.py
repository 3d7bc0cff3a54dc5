"""Which table sizes a club prefers: the keys of `Club.seating`, their defaults, their problems."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scoring.errors import Problem, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.seating.brackets import USUAL_TABLE_SIZE

PREFERENCES: Final = ("threes", "fives", "sit_outs")
"""Preferences of a club for head-counts that four does not divide."""

KEYS: Final = ("threes", "fives", "prefer")

_SIZES: Final = {3: "threes", 5: "fives"}
_ORDER: Final = {
    "threes": ("threes", "fives", "byes", "single", "mixed"),
    "fives": ("fives", "threes", "byes", "single", "mixed"),
    "sit_outs": ("byes", "threes", "fives", "single", "mixed"),
}


def read_preferences(stored: JsonObject) -> JsonDict:
    """Return the preferences of `Club.seating`, defaults filled in.

    >>> read_preferences({"fives": False})
    {'threes': True, 'fives': False, 'prefer': 'threes'}
    """
    prefer = stored.get("prefer")
    return {
        "threes": bool(stored.get("threes", True)),
        "fives": bool(stored.get("fives", True)),
        "prefer": prefer if prefer in PREFERENCES else "threes",
    }


def preferred_policies(stored: JsonObject) -> Sequence[str]:
    """Return the policies of `brackets.size_choices`, the preferred one first."""
    return _ORDER[read_preferences(stored)["prefer"]]


def preferred_sizes(stored: JsonObject, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of a variant that a club's preferences allow, in the order given.

    Under rules that are not played by four the preferences say nothing.

    >>> preferred_sizes({"threes": False}, (4, 3, 5))
    (4, 5)
    """
    preferences = read_preferences(stored)
    return tuple(
        size
        for size in sizes
        if USUAL_TABLE_SIZE not in sizes or preferences.get(_SIZES.get(size, ""), True)
    )


def preference_problems(preferences: object) -> Iterator[Problem]:
    if not isinstance(preferences, Mapping):
        yield _problem((), preferences, "threes, fives and prefer, as in {}")
        return
    for key in preferences:
        if key not in KEYS:
            yield _problem((), key, ", ".join(KEYS))
    for key in _SIZES.values():
        if key in preferences and not isinstance(preferences[key], bool):
            yield _problem((key,), preferences[key], "true or false")
    prefer = preferences.get("prefer", "threes")
    if prefer not in PREFERENCES:
        yield _problem(("prefer",), prefer, ", ".join(PREFERENCES))
    elif preferences.get(prefer, True) is False:
        yield _problem(("prefer",), prefer, f"not {prefer}, which are not wanted")


def _problem(at: tuple[str, ...], value: object, expected: str) -> Problem:
    path = ("seating", *at)
    facts = {"key": ".".join(path), "found": shown(value), "expected": expected}
    return Problem("bad_setting", path, facts)
