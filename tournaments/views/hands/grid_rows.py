"""A row of the grid: a cell for each seat, and the columns that a hand has beside them.

Texts to the fields of the hand form (`hand_form_fields`) and back, which says what makes
an entry.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.cards import read_card
from scoring.entry.sheet import Box, seat_names
from scoring.json_types import JsonDict
from tournaments.views.hands.grid_cells import (
    NOTHING,
    SIGNS,
    CellGrammar,
    read_cell,
    read_pile,
    write_cell,
    write_pile,
)
from tournaments.views.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    entry_of,
    fields_of,
    first,
    way_of,
)

LONGEST: Final = 80
"""So many letters fit a cell."""
_ASKED: Final[Mapping[str, str | Promise]] = {
    "charged": _("Charged"),
    "tricks": _("Tricks"),
    "pledge": _("Pledge"),
    "unclaimed": _("Unclaimed"),
    "first_trick": _("First trick"),
    "passer": _("Passed"),
    "declared_out": _("Declared out"),
}
"""Kinds of boxes that a hand has beside its seats, and what stands over their columns."""
_OF_COUNTS: Final = frozenset({"tricks", "first_trick"})
_SEATS: Final[Mapping[str, str]] = {
    "first_trick": "first_trick_by", "passer": "passer", "declared_out": "declared_out"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExtraColumn:
    """A column beside the seats: the kind of its box, its head, what is written there."""

    kind: str
    label: str | Promise
    box: Box


@dataclass(frozen=True, slots=True)
class RowTexts:
    """What is typed in one row: a text for each row of the sheet, and kind → text beside them."""

    cells: tuple[str, ...]
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed for any seat."""
        return not any(self.cells)


def ways_of(sheet: EntryFields) -> tuple[str, ...]:
    """Return the ways in which a hand may be written in the grid, the usual one first."""
    return tuple(way for way in sheet.ways if way != "cards")


def columns(sheet: EntryFields, way: str = "counts") -> tuple[ExtraColumn, ...]:
    """Return the columns that the sheet has beside its seats, for one way of writing."""
    if way == "clean":
        return ()
    labelled_boxes = ((kind, label, sheet.box(kind)) for kind, label in _ASKED.items())
    return tuple(
        ExtraColumn(kind, label, box)
        for kind, label, box in labelled_boxes
        if box is not None and (way == "counts" or kind not in _OF_COUNTS)
    )


def read_row(grammar: CellGrammar, way: str, texts: RowTexts) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields that a row means, and the names of the cells that cannot be read.

    A cell is named by its row (`2`), a column beside them by its kind.
    """
    fields: Fields = {}
    wrong = []
    sheet = grammar.sheet
    parts: list[tuple[str, Fields | None]] = [
        (str(row), read_cell(grammar, way, row, text))
        for row, text in zip(sheet.rows, texts.cells, strict=True)
    ]
    for column in columns(sheet, way):
        text = texts.beside.get(column.kind, "").strip()
        if text:
            parts.append((column.kind, _READ[column.kind](grammar, column, text)))
    for name, part in parts:
        if part is None:
            wrong.append(name)
        for key, values in (part or {}).items():
            fields[key] = [*fields.get(key, ()), *values] if key.startswith("card-") else values
    return fields, tuple(wrong)


def write_row(grammar: CellGrammar, way: str, fields: Mapping[str, Sequence[str]]) -> RowTexts:
    """Return the texts of a hand's fields."""
    sheet = grammar.sheet
    cells = [write_cell(grammar, way, row, fields) for row in sheet.rows]
    sign = {choice: mark for mark, choice in SIGNS.items()}.get(first(fields, "slam_choice"), "")
    if sign:
        place = _settled_at(sheet, cells, fields)
        body = cells[place].removesuffix("*")
        cells[place] = f"{body}{sign}{'*' if body != cells[place] else ''}"
    extra_texts = {
        column.kind: _WRITE[column.kind](grammar, column, fields) for column in columns(sheet, way)
    }
    return RowTexts(tuple(cells), {kind: text for kind, text in extra_texts.items() if text})


def texts_of(grammar: CellGrammar, entry: Mapping[str, object]) -> tuple[str, RowTexts]:
    """Return an entry's way of writing and its texts.

    One that lists every card stands there as counts: the grid has a field a seat, not a pile.
    """
    entry_way = way_of(grammar.sheet, entry)
    way = entry_way if entry_way in ways_of(grammar.sheet) else "counts"
    return way, write_row(grammar, way, fields_of(grammar.sheet, entry, way))


def entry_in(grammar: CellGrammar, way: str, texts: RowTexts) -> JsonDict:
    """Return the entry that a row makes, of the cells that can be read."""
    return entry_of(grammar.sheet, way, read_row(grammar, way, texts)[0])


def is_same_entry(
    grammar: CellGrammar, way: str, texts: RowTexts, entry: Mapping[str, object]
) -> bool:
    """Whether a row says what an entry says, however it is written."""
    entry_way, entry_texts = texts_of(grammar, entry)
    unread = read_row(grammar, way, texts)[1]
    if way != entry_way or unread:
        return False
    return entry_in(grammar, way, texts) == entry_in(grammar, entry_way, entry_texts)


def _settled_at(
    sheet: EntryFields, cells: Sequence[str], fields: Mapping[str, Sequence[str]]
) -> int:
    """The place of the cell that a settlement's sign goes to: who shot, else who took most."""
    shooter = first(fields, "shooter")
    if shooter in map(str, sheet.rows):
        return [str(row) for row in sheet.rows].index(shooter)
    amounts = [
        (
            sum(values.count(str(row)) for name, values in fields.items() if name[:5] == "card-")
            + sum(int(text) for text in fields.get(f"hearts-{row}", ()) if text.isdecimal()),
            -place,
        )
        for place, row in enumerate(sheet.rows)
    ]
    return -max(amounts)[1]


def _read_codes(grammar: CellGrammar, column: ExtraColumn, text: str) -> Fields | None:
    """Cards by their codes; one that the rules do not list is the scorer's to refuse."""
    codes = [code.upper() for code in text.replace(",", " ").split()]
    return {"charged": [read_card(code) or code for code in codes]}


def _write_codes(
    grammar: CellGrammar, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> str:
    return " ".join(fields.get("charged", ()))


def _read_tricks(grammar: CellGrammar, column: ExtraColumn, text: str) -> Fields | None:
    counts = text.replace(",", " ").split()
    if len(counts) != len(grammar.sheet.rows) or not all(map(str.isdecimal, counts)):
        return None
    return {
        f"tricks-{row}": [str(int(count))]
        for row, count in zip(grammar.sheet.rows, counts, strict=True)
    }


def _write_tricks(
    grammar: CellGrammar, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> str:
    counts = [first(fields, f"tricks-{row}") for row in grammar.sheet.rows]
    return " ".join(count or NOTHING for count in counts) if any(counts) else ""


def _read_pledges(grammar: CellGrammar, column: ExtraColumn, text: str) -> Fields | None:
    """`2` or `2:no-hearts`: the seat, and what is pledged where there is more than one."""
    fields: Fields = {}
    for token in text.replace(",", " ").split():
        seat_text, _colon, choice = token.partition(":")
        seat = _seat_named(grammar.sheet, seat_text)
        choices = column.box.choices
        choice = choice or (choices[0] if len(choices) == 1 else "")
        if not seat or choice not in choices:
            return None
        fields[f"pledge-{seat}"] = [choice]
    return fields


def _write_pledges(
    grammar: CellGrammar, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> str:
    return " ".join(_pledged(grammar.sheet, column, fields))


def _pledged(
    sheet: EntryFields, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    for seat in range(1, sheet.seats + 1):  # each player's own, in a side too
        choice = first(fields, f"pledge-{seat}")
        if choice:
            yield f"{seat}" if len(column.box.choices) == 1 else f"{seat}:{choice}"


def _read_unclaimed(grammar: CellGrammar, column: ExtraColumn, text: str) -> Fields | None:
    return read_pile(grammar, UNCLAIMED, text)


def _write_unclaimed(
    grammar: CellGrammar, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> str:
    text = write_pile(grammar, UNCLAIMED, fields)
    return "" if text == NOTHING else text


def _read_seat(grammar: CellGrammar, column: ExtraColumn, text: str) -> Fields | None:
    row = grammar.sheet.row_of(_seat_named(grammar.sheet, text))
    return {_SEATS[column.kind]: [str(row)]} if row else None


def _write_seat(
    grammar: CellGrammar, column: ExtraColumn, fields: Mapping[str, Sequence[str]]
) -> str:
    return first(fields, _SEATS[column.kind])


def _seat_named(sheet: EntryFields, text: str) -> int:
    """The seat that is named by its number or by its letter; 0 for none."""
    names = {name.lower(): seat for seat, name in enumerate(seat_names(sheet.seats), start=1)}
    number = re.fullmatch(r"[0-9]{1,2}", text.strip())
    seat = int(text) if number else names.get(text.strip().lower(), 0)
    return seat if seat <= sheet.seats else 0


Read = Callable[[CellGrammar, ExtraColumn, str], Fields | None]
Write = Callable[[CellGrammar, ExtraColumn, Mapping[str, Sequence[str]]], str]
_READ: Final[Mapping[str, Read]] = {
    "charged": _read_codes,
    "tricks": _read_tricks,
    "pledge": _read_pledges,
    "unclaimed": _read_unclaimed,
    "first_trick": _read_seat,
    "passer": _read_seat,
    "declared_out": _read_seat,
}
_WRITE: Final[Mapping[str, Write]] = {
    "charged": _write_codes,
    "tricks": _write_tricks,
    "pledge": _write_pledges,
    "unclaimed": _write_unclaimed,
    "first_trick": _write_seat,
    "passer": _write_seat,
    "declared_out": _write_seat,
}
