"""What a printed score sheet asks for: of each seat or side, and once for each hand.

Pure. The fields follow from the entry schema of the rules (`scoring.entry.sheet`); a number of
cards is written in digits, a single card is ticked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from scoring.cards import card_sign
from scoring.entry.entry import unit_sides
from scoring.entry.sheet import Box, boxes
from scoring.entry.typed_hand import Sides
from scoring.rules.rules import Rules

FieldKind: TypeAlias = Literal["count", "tick", "write"]
_SETTLED: Final = {"self": "−", "others": "+"}
"""How a shooter settles a moon, as a sign: own points down, the others' points up."""
_MARKS: Final = {"first_trick": "1.", "passer": "P", "declared_out": "out"}
_WRITTEN: Final = {"melds": "Melds", "trick_points": "Tricks"}
"""What is written by hand in each seat's column."""


@dataclass(frozen=True, slots=True)
class SheetField:
    """One thing that the sheet asks.

    `key` is the box of the entry schema, with what is chosen in it after a colon
    (`slam_choice:self`, `charged:QS`, `pledge:nil`); `most` is the largest number of a count.
    """

    key: str
    label: str
    kind: FieldKind
    most: int = 1


@dataclass(frozen=True, slots=True)
class SheetForm:
    """The sheet of some rules: `units` are the seats (from 0) of each column, which pooled sides
    share."""

    seats: int
    units: Sides
    of_unit: tuple[SheetField, ...]
    of_hand: tuple[SheetField, ...]


def sheet_form(rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None = None) -> SheetForm:
    """Return what a sheet of these rules asks at a table of so many.

    Raises:
        ValueError: the rules are not for so many players.
    """
    asked = boxes(rules, seats)
    return SheetForm(
        seats,
        unit_sides(rules, seats, teams),
        tuple(field for box in asked for field in _of_unit(box)),
        tuple(field for box in asked for field in _of_hand(box)),
    )


def _of_unit(box: Box) -> Iterator[SheetField]:
    if box.kind == "hearts":
        yield SheetField(box.key, "♥", "count", box.maximum or 1)
    elif box.kind == "card" and (box.maximum or 1) > 1:
        yield SheetField(box.key, short_sign(box.card or ""), "count", box.maximum or 1)
    elif box.kind == "card":
        yield SheetField(box.key, short_sign(box.card or ""), "tick")
    elif box.kind == "tricks":
        yield SheetField(box.key, "T", "count", box.maximum or 99)
    elif box.kind == "pledge":
        for choice in box.choices:
            yield SheetField(f"{box.key}:{choice}", choice[:3], "tick")
    elif box.kind in _WRITTEN:
        yield SheetField(box.key, _WRITTEN[box.kind], "write")
    elif box.kind in _MARKS:
        yield SheetField(box.key, _MARKS[box.kind], "tick")


def _of_hand(box: Box) -> Iterator[SheetField]:
    if box.kind == "charged":
        for card in box.choices:
            yield SheetField(f"{box.key}:{card}", short_sign(card), "tick")
    elif box.kind == "moon":
        for choice in box.choices:
            yield SheetField(f"slam_choice:{choice}", _SETTLED.get(choice, choice[:3]), "tick")
    elif box.kind == "unclaimed":
        yield SheetField(box.key, "?", "write")


def short_sign(card: str) -> str:
    """Return a card as a small box can show it.

    >>> short_sign("QS"), short_sign("10R"), short_sign("1X")
    ('Q♠', '10r', '1j')
    """
    sign = card_sign(card)
    word = sign.rpartition(" ")[2]
    return f"{card[:-1]}{word[:1]}" if " " in sign else sign
