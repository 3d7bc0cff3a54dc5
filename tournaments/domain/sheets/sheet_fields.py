"""The options, fields, boxes and bubbles of a printed score sheet.

Pure. The fields follow from the entry schema of the rules (`scoring.entry.sheet`); a number of
cards is written in digits, a single card is ticked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, Literal, NamedTuple

from django.utils.translation import gettext_lazy as _

from scoring.cards import card_sign
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import Box, boxes
from scoring.entry.typed_hand import Sides
from scoring.rules.rules import Rules

LIST: Final = "list"
CARDS: Final = "cards"
SHEETS: Final = "sheets"
PARTS: Final = (LIST, CARDS, SHEETS)
"""The parts of a round's document, in their order."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """The paper and the layout of score sheets, as `domain.sheets.sheet_geometry` names them."""

    paper: str = "a4"
    layout: str = "boxes"


_SETTLED: Final = {"self": "−", "others": "+"}
"""Settlement of a moon → sign: own points down, the others' points up."""
_MARKS: Final = {"first_trick": "1.", "passer": "P", "declared_out": "out"}
_WRITTEN: Final = {"melds": "Melds", "trick_points": "Tricks"}
"""Handwritten fields in each seat's column."""


@dataclass(frozen=True, slots=True)
class SheetField:
    """One field of the sheet.

    `key` is the box of the entry schema, with what is chosen in it after a colon
    (`slam_choice:self`, `charged:QS`, `pledge:nil`); `most` is the largest number of a count.
    """

    key: str
    label: str
    kind: Literal["count", "tick", "write"]
    most: int = 1


@dataclass(frozen=True, slots=True)
class SheetForm:
    """The sheet of some rules: `units` are the seats (from 0) of each column, which pooled sides
    share."""

    seats: int
    units: Sides
    of_unit: tuple[SheetField, ...]
    of_hand: tuple[SheetField, ...]


LONGEST_RUN: Final = 15
"""Counts up to this have a bubble for each number; larger ones are made of tens and units."""


class Part(NamedTuple):
    """One box or bubble of a field; `label` is printed over it, `text` in it."""

    field: str
    part: str
    width: float
    label: str = ""
    text: str = ""
    is_bubble: bool = False
    least: float = 0.0


PAPERS: Final = (("a4", _("A4")), ("letter", _("US Letter")))
LAYOUTS: Final = (("boxes", _("Boxes to write in")), ("bubbles", _("Bubbles to fill")))


def sheet_form(rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None = None) -> SheetForm:
    form_boxes = boxes(rules, seats)
    return SheetForm(
        seats,
        unit_sides(rules, seats, teams),
        tuple(field for box in form_boxes for field in _unit_fields(box)),
        tuple(field for box in form_boxes for field in _hand_fields(box)),
    )


def _unit_fields(box: Box) -> Iterator[SheetField]:
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


def _hand_fields(box: Box) -> Iterator[SheetField]:
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
    if " " not in sign:
        return sign
    return f"{card[:-1]}{word[:1]}"


RUNNING: Final = 11.0
"""The least width of a running total."""


def running_part(width: float) -> Part:
    return Part("running", "write", width, text="Σ", least=RUNNING)


def parts_of(fields: Sequence[SheetField], layout: str, size: float) -> tuple[Part, ...]:
    """Return the parts of these fields in their order.

    Args:
        layout: `boxes` or `bubbles`.
        size: width of a box, or from one bubble to the next.
    """
    parts = _boxes if layout == "boxes" else _bubbles
    return tuple(part for field in fields for part in parts(field, size))


def _boxes(field: SheetField, size: float) -> Iterator[Part]:
    if field.kind == "tick":
        yield Part(field.key, "tick", size, "", field.label)
    elif field.kind == "write":
        yield Part(field.key, "write", size * 2, text=field.label)
    else:
        if field.most > 9:
            yield Part(field.key, "tens", size, field.label)
        yield Part(field.key, "units", size, field.label)


def _bubbles(field: SheetField, size: float) -> Iterator[Part]:
    if field.kind == "tick":
        yield Part(field.key, "tick", size, "", field.label, is_bubble=True)
    elif field.kind == "write":
        yield Part(field.key, "write", size * 2, text=field.label)
    else:
        yield Part(field.key, "label", size, "", field.label)
        for number in _numbers(field.most):
            yield Part(field.key, str(number), size, "", str(number), is_bubble=True)


def _numbers(most: int) -> list[int]:
    """The numbers that have a bubble; a count is the sum of those that are filled.

    >>> _numbers(3), _numbers(26)
    ([1, 2, 3], [10, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    if most <= LONGEST_RUN:
        return list(range(1, most + 1))
    return [*range(10, most + 1, 10), *range(1, 10)]


def flow(parts: Iterable[Part], width: float) -> tuple[tuple[Part, ...], ...]:
    """Return the parts by line; those of a field share one where they fit, else even ones.

    >>> two = [Part("hearts", "tens", 6.0), Part("hearts", "units", 6.0)]
    >>> [len(line) for line in flow([Part("jack", "tick", 6.0), *two], 13.0)]
    [1, 2]
    """
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(part.field, []).append(part)
    lines: list[list[Part]] = [[]]
    filled = 0.0
    for group in groups.values():
        whole = sum(part.width for part in group)
        if filled and filled + whole > width + 1e-6 and whole <= width:
            lines.append([])
            filled = 0.0
        most = (
            width if whole <= width else min(width, whole / ceil(whole / width) + group[-1].width)
        )
        for part in group:
            if filled and filled + part.width > most + 1e-6:
                lines.append([])
                filled = 0.0
            lines[-1].append(part)
            filled += part.width
    return tuple(tuple(line) for line in lines)
