"""The kinds of settings of an event: what each may be, and its words in the form."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.functional import Promise

from scoring.standings.counting import UNITS

MOST_PLACE_POINTS: Final = 1000


@dataclass(frozen=True, slots=True)
class EventSetting:
    """What a setting of an event may be, and its words in the form.

    `kind` is `flag`, `number` (from 0 to `most`), `choice` (of `choices`, each with its label), or
    empty for a setting with fields of its own. `check` returns what is expected in place of a value
    that is refused, else "".
    """

    check: Callable[[object], str] | None
    kind: str = ""
    label: str | Promise = ""
    help: str | Promise = ""
    most: int = 0
    choices: Mapping[str, str | Promise] = field(default_factory=dict)


def setting(default: Callable[[], object], check: Callable[[object], str], *words: Any) -> Any:
    return field(default_factory=default, metadata={"setting": EventSetting(check, *words)})


def flag(label: str | Promise, help_text: str | Promise = "") -> Any:
    def check(value: object) -> str:
        return "" if type(value) is bool else "true or false"

    return setting(bool, check, "flag", label, help_text)


def number(most: int, label: str | Promise, help_text: str | Promise = "") -> Any:
    def check(value: object) -> str:
        is_number = type(value) is int and 0 <= value <= most
        return "" if is_number else f"a whole number from 0 to {most}"

    return setting(int, check, "number", label, help_text, most)


def choice(choices: Mapping[str, str | Promise], label: str | Promise) -> Any:
    """Declare a setting with one of these values, the first by default, each with its label."""

    def check(value: object) -> str:
        is_known = isinstance(value, str) and value in choices
        return "" if is_known else "one of " + ", ".join(choices)

    return setting(lambda: next(iter(choices)), check, "choice", label, "", 0, choices)


_LENGTH: Final = re.compile(r"variant|open|hands:(?!0+$)[0-9]{1,3}")


def check_length(value: object) -> str:
    return "" if _LENGTH.fullmatch(str(value)) else "variant, open or hands:N"


def check_placement(value: object) -> str:
    expected = (
        "for each table size from 2 to 13 a list of so many whole numbers from 0 to "
        f"{MOST_PLACE_POINTS}, the best place first, none smaller than the next"
    )
    if not isinstance(value, Mapping):
        return expected
    return "" if all(_fits(size, points) for size, points in value.items()) else expected


_SIZES: Final = tuple(map(str, range(2, 14)))
"""How many can finish at a table, each written in one way only: `04` would be a list of its own."""


def _fits(size: object, points: object) -> bool:
    if size not in _SIZES:
        return False
    if not isinstance(points, list | tuple) or str(len(points)) != size:
        return False
    numbers = all(type(point) is int and 0 <= point <= MOST_PLACE_POINTS for point in points)
    return numbers and list(points) == sorted(points, reverse=True)


def check_best_of(value: object) -> str:
    expected = (
        'empty, or {"unit": "meeting" or "game", "min": from 1, "per": from 1}: '
        "one worst dropped for each `per` beyond `min`"
    )
    if value is None:
        return ""
    if not isinstance(value, Mapping) or set(value) != {"unit", "min", "per"}:
        return expected
    numbers = all(type(value[key]) is int and 1 <= value[key] <= 999 for key in ("min", "per"))
    return "" if value["unit"] in UNITS and numbers else expected
