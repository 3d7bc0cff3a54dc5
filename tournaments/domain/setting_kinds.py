"""A setting of a club or an event, declared once: what it may be, and its words on the pages."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from django.utils.functional import Promise

from scoring.errors import Problem, shown
from scoring.standings.counting import UNITS
from tournaments.domain.name_matching import one_line

Kind: TypeAlias = Literal["flag", "number", "choice", "days", "line", "paragraphs", "other"]
Text: TypeAlias = str | Promise

MOST_PLACE_POINTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Card:
    """A choice: its value, its name, and, as a card, a sentence on what it means."""

    value: str
    label: Text
    help: Text = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a club or an event.

    `kind` is `flag` (true or false), `number` (`least` to `most`, or the default), `choice`,
    `days` (1 to `most`, or null), `line`, `paragraphs`, or `other`: with fields of its own and
    `check`, which returns what is expected in place of a refused value, else "". `most` of a text
    is how many characters it may have, `called` what its refusal calls it; of a text in the owner's
    own words the audit trail keeps no word.

    `section` is that of the page, `label` and `help` are those of the form. The summary says
    `sentence` (of a number with its `n`) of a value that is not the default, else the label and the
    value; of the default it says `unset`. `answer` and `body` are the descriptions in REST. The
    page has what `is_rare` under *All rules* of its section, closed while it has its default.
    """

    key: str = ""
    kind: Kind = "line"
    label: Text = ""
    help: Text = ""
    section: str = ""
    sentence: Any = ""
    unset: Text = ""
    default: Any = None
    choices: tuple[Card, ...] = ()
    least: int = 0
    most: int = 0
    check: Callable[[object], str] | None = None
    called: str = ""
    answer: str = ""
    body: str = ""
    is_rare: bool = False

    def __post_init__(self) -> None:
        if self.most and self.kind in ("line", "paragraphs") and not self.called:
            raise ValueError(f"{self.key} has a length and no name for its refusal")
        if self.kind == "number" and type(self.default) is not int:
            raise ValueError(f"{self.key} is a number without a default")

    @property
    def labels(self) -> dict[str, Text]:
        return {choice.value: choice.label for choice in self.choices}

    @property
    def helps(self) -> dict[str, Text]:
        return {choice.value: choice.help for choice in self.choices}

    @property
    def expected(self) -> str:
        match self.kind:
            case "flag":
                return "true or false"
            case "choice":
                return "one of " + ", ".join(self.labels)
            case "days":
                return f"1 to {self.most}, or null"
        if self.default in range(self.least - 1, self.most + 1):
            return f"a whole number from {min(self.least, self.default)} to {self.most}"
        return f"{self.default}, or a whole number from {self.least} to {self.most}"

    def expected_instead(self, value: object) -> str:
        """Return what is expected in place of a value that is refused; "" if it is not."""
        is_fit = True
        match self.kind:
            case "flag":
                is_fit = type(value) is bool
            case "choice":
                is_fit = isinstance(value, str) and value in self.labels
            case "number":
                is_fit = type(value) is int and (
                    value == self.default or self.least <= value <= self.most
                )
            case "days":
                is_fit = value is None or (type(value) is int and 1 <= value <= self.most)
            case "other" if self.check:
                return self.check(value)
        return "" if is_fit else self.expected

    def problems(self, value: object, *at: str) -> Iterator[Problem]:
        """Yield what is wrong with a value of the setting, which is a member below `at`."""
        if expected := self.expected_instead(value):
            facts = {"key": self.key, "found": shown(value), "expected": expected}
            yield Problem("bad_setting", (*at, self.key), facts)
        elif self.called and isinstance(value, str):
            yield from self.length_problems(value)

    def length_problems(self, text: str, *at: int) -> Iterator[Problem]:
        if len(text) > self.most:
            facts = {"field": self.called, "found": len(text), "expected": self.most}
            yield Problem("text_too_long", (self.key, *at), facts)

    def tidied(self, value: Any) -> Any:
        if self.called and isinstance(value, str):
            if self.kind == "paragraphs":
                return paragraphs(value)
            return one_line(value)
        return value

    def value_of(self, value: Any) -> str:
        """Return a value in words; "" if a default goes without saying."""
        is_off = self.kind == "flag" and not value
        if is_off or value == self.default or self.kind == "other":
            return str(self.unset)
        if self.sentence:
            return str(self.sentence % {"n": value} if self.most else self.sentence)
        return str(self.label if self.kind == "flag" else self.labels.get(value, value))

    def summary_of(self, value: Any) -> str:
        """Return what the summary says of a value; "" if a default goes without saying."""
        is_said = self.sentence or self.kind in ("flag", "other") or value == self.default
        if is_said:
            return self.value_of(value)
        return self.line(value)

    def line(self, value: Any) -> str:
        return f"{self.label}: {self.labels.get(value, value)}"


def paragraphs(text: str) -> str:
    """Return a text of several lines as it is kept: one blank line at most between paragraphs.

    >>> paragraphs(" Hearts \\r\\n on Thursdays\\n\\n\\n\\n Come! \\n")
    'Hearts\\non Thursdays\\n\\nCome!'
    """
    lines = [one_line(line) for line in text.splitlines()]
    rest = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(rest).strip()


def declared(default: Callable[[], Any], kind: Kind, section: str, **words: Any) -> Any:
    """Return a field of a dataclass of settings; `words` are further members of `Setting`."""
    setting = Setting(kind=kind, section=section, default=default(), **words)
    return field(default_factory=default, metadata={"setting": setting})


def other(default: Callable[[], Any], section: str, check: Any = None) -> Any:
    return declared(default, "other", section, check=check)


def flag(section: str, label: Text, **words: Any) -> Any:
    return declared(bool, "flag", section, label=label, **words)


def number(section: str, label: Text, *, most: int, default: int = 0, **words: Any) -> Any:
    return declared(lambda: default, "number", section, label=label, most=most, **words)


def choice(section: str, label: Text, *choices: Card, **words: Any) -> Any:
    """Declare a setting with one of these values, the first by default."""
    default = choices[0].value
    return declared(lambda: default, "choice", section, label=label, choices=choices, **words)


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
"""Table sizes of place lists, in one spelling each: `04` would be another list."""


def _fits(size: object, points: object) -> bool:
    if size not in _SIZES:
        return False
    if not isinstance(points, list | tuple) or str(len(points)) != size:
        return False
    if not all(type(point) is int and 0 <= point <= MOST_PLACE_POINTS for point in points):
        return False
    return list(points) == sorted(points, reverse=True)


MOST_EVENING_PLACES: Final = 100


def check_evening_points(value: object) -> str:
    expected = (
        f"a list of at most {MOST_EVENING_PLACES} whole numbers from 0 to {MOST_PLACE_POINTS}, the "
        "best place first, none smaller than the next; empty: as many points as ranked players, "
        "less the place, plus one"
    )
    if not isinstance(value, list | tuple) or len(value) > MOST_EVENING_PLACES:
        return expected
    if not all(type(points) is int and 0 <= points <= MOST_PLACE_POINTS for points in value):
        return expected
    return "" if list(value) == sorted(value, reverse=True) else expected


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
