"""One hand as entered, parsed but not checked, and its captures.

Pure.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypedDict

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.numbers import Score, ScoreJson
from scoring.rules.compiled_rules import Prepared

Sides = tuple[tuple[int, ...], ...]
_FORMS = {
    "hearts": "counts",
    "trick_points": "counts",
    "taken": "cards",
    "clean": "clean",
    "points": "points",
}


class _EveryEntry(TypedDict, total=False):
    taken: list[list[str]] | None
    points: list[ScoreJson] | None


class CardsEntry(_EveryEntry, total=False):
    """What a hand of cards may say."""

    hearts: list[int] | None
    clean: list[bool] | None
    tricks: list[int] | None
    declared: list[str] | None
    slam_choice: Literal["self", "others"] | None
    unclaimed: list[str] | None
    kitty: list[str] | None
    pledges: list[str | None] | None
    passer: int | None
    first_trick_by: int | None
    shooter: int | None


class MeldsEntry(_EveryEntry, total=False):
    """What a hand may say under rules with melds."""

    melds: list[list[str]] | None
    trick_points: list[int] | None
    last_trick: int | None
    declared_out: int | None


class EntryDocument(CardsEntry, MeldsEntry):
    """One hand as on the paper. Lists have a value for each seat, and seats count from 0."""


class TypedHand(NamedTuple):
    """One hand as typed, parsed but not checked.

    `ordinary` is True for a hand of seats that says what was taken and nothing else, and could be
    read. `cards`, `hearts`, `tricks`, `pledges` are per seat, `points` per unit; seats count from
    0. A part that could not be read is absent and listed in `problems`; `summable` is False if
    the sum of the cards cannot be checked without it.
    """

    entry: object
    form: str
    ready: Prepared
    sides: Sides
    cards: tuple[int, ...] = ()
    hearts: tuple[int, ...] | None = None
    points: tuple[Score, ...] | None = None
    clean: tuple[bool, ...] | None = None
    tricks: tuple[int, ...] | None = None
    declared: frozenset[str] = frozenset()
    unclaimed: int = 0
    pledges: tuple[str | None, ...] = ()
    choice: str | None = None
    shooter: int | None = None
    passer: int | None = None
    first_trick_by: int | None = None
    melds: tuple[tuple[str, ...], ...] = ()
    trick_points: tuple[int, ...] | None = None
    last_trick: int | None = None
    declared_out: int | None = None
    summable: bool = True
    problems: tuple[Problem, ...] = ()
    ordinary: bool = False

    @property
    def seats(self) -> int:
        """Players at the table."""
        return self.ready.seats

    def as_json(self) -> JsonDict:
        """The entry, as it was typed."""
        if not isinstance(self.entry, Mapping):
            return {}
        return dict(self.entry)


class StoredEntry(dict[str, Any]):
    """An entry that was stored before: later bounds of numbers do not refuse it."""


class CapturedHand(NamedTuple):
    """One hand in captures: what the steps of the engine work on. Everything is per unit.

    `piles` are masks of `Prepared.deck`; `tricks` is None where they were not counted.
    """

    piles: tuple[int, ...]
    sides: Sides
    unclaimed: int = 0
    tricks: tuple[int, ...] | None = None
    declared: frozenset[str] = frozenset()
    pledges: tuple[tuple[str, ...], ...] = ()
    choice: str | None = None
    shooter: int | None = None
    passer: int | None = None
    first_trick_by: int | None = None
    clean: tuple[bool, ...] | None = None


def form_of(entry: Mapping[str, object]) -> str:
    """The form of an entry: counts, cards, clean or points; cards where it has no field of these.

    >>> form_of({"points": [26, 0, 0, 0], "taken": None}), form_of({"hearts": [13, 0, 0, 0]})
    ('points', 'counts')
    """
    for key, form in _FORMS.items():
        if entry.get(key) is not None:
            return form
    return "cards"
