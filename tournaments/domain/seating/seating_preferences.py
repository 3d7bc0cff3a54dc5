"""Which table sizes a club prefers: the keys of `Club.seating`, their defaults, their problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.errors import Problem, shown
from scoring.json_types import JsonDict

PREFERENCES: Final = ("threes", "fives", "sit_outs")
"""What a club prefers where the head-count cannot be divided by four."""

KEYS: Final = ("threes", "fives", "prefer")

USUAL: Final = 4
_SIZES: Final[Mapping[int, str]] = {3: "threes", 5: "fives"}
_ORDER: Final[Mapping[str, Sequence[str]]] = {
    "threes": ("threes", "fives", "byes", "single", "mixed"),
    "fives": ("fives", "threes", "byes", "single", "mixed"),
    "sit_outs": ("byes", "threes", "fives", "single", "mixed"),
}


@dataclass(frozen=True, slots=True)
class SeatingPreferences:
    """Whether tables of three and of five are proposed, and what is preferred."""

    threes: bool = True
    fives: bool = True
    prefer: str = "threes"

    @property
    def policies(self) -> Sequence[str]:
        """The policies of `scoring.seating.table_sizes.size_choices`, the preferred one first."""
        return _ORDER[self.prefer]

    def allowed(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes of a variant that the club wants, in the order given.

        Under rules that are not played by four the preferences say nothing.

        >>> SeatingPreferences(threes=False).allowed((4, 3, 5))
        (4, 5)
        """
        if USUAL not in sizes:
            return tuple(sizes)
        wanted = {3: self.threes, 5: self.fives}
        return tuple(size for size in sizes if wanted.get(size, True))


def read_preferences(stored: Mapping[str, Any]) -> SeatingPreferences:
    """Return the preferences of `Club.seating`, defaults filled in.

    >>> read_preferences({"fives": False})
    SeatingPreferences(threes=True, fives=False, prefer='threes')
    """
    prefer = stored.get("prefer")
    return SeatingPreferences(
        threes=bool(stored.get("threes", True)),
        fives=bool(stored.get("fives", True)),
        prefer=prefer if prefer in PREFERENCES else "threes",
    )


def stored_preferences(preferences: SeatingPreferences) -> JsonDict:
    """Return preferences as `Club.seating` stores them.

    >>> stored_preferences(SeatingPreferences())
    {'threes': True, 'fives': True, 'prefer': 'threes'}
    """
    return {"threes": preferences.threes, "fives": preferences.fives, "prefer": preferences.prefer}


def preference_problems(wanted: object) -> Iterator[Problem]:
    """Yield what is wrong with preferences as they were sent."""
    if not isinstance(wanted, Mapping):
        yield _problem((), wanted, "threes, fives and prefer, as in {}")
        return
    for key in wanted:
        if key not in KEYS:
            yield _problem((), key, ", ".join(KEYS))
    for key in _SIZES.values():
        if key in wanted and not isinstance(wanted[key], bool):
            yield _problem((key,), wanted[key], "true or false")
    prefer = wanted.get("prefer", "threes")
    if prefer not in PREFERENCES:
        yield _problem(("prefer",), prefer, ", ".join(PREFERENCES))
    elif isinstance(wanted.get(prefer, True), bool) and not wanted.get(prefer, True):
        yield _problem(("prefer",), prefer, f"not {prefer}, which are not wanted")


def _problem(at: tuple[str, ...], found: object, expected: str) -> Problem:
    key = ".".join(("seating", *at))
    facts = {"key": key, "found": shown(found), "expected": expected}
    return Problem("bad_setting", ("seating", *at), facts)
