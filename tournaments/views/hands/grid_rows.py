"""A row of the grid: a cell for each seat, and the columns that a hand has beside them.

Texts to the fields of the hand form (`hand_form_fields`) and back, which says what makes
an entry.
"""

import re
from collections.abc import Mapping, Sequence
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
COLUMN_HEADS: Final[Mapping[str, str | Promise]] = {
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
class RowTexts:
    """What is typed in one row: a text for each row of the sheet, and kind → text beside them."""

    cells: tuple[str, ...]
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not any(self.cells)


def ways_of(sheet: EntryFields) -> tuple[str, ...]:
    return tuple(way for way in sheet.ways if way != "cards")


def columns(sheet: EntryFields, way: str = "counts") -> tuple[Box, ...]:
    """Return the boxes that a hand has beside its seats, for one way of writing."""
    if way == "clean":
        return ()
    boxes = (sheet.box(kind) for kind in COLUMN_HEADS)
    return tuple(
        box for box in boxes if box is not None and (way == "counts" or box.kind not in _OF_COUNTS)
    )


def read_row(grammar: CellGrammar, way: str, texts: RowTexts) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields that a row means, and the names of the cells that cannot be read.

    A cell is named by its row (`2`), a column beside them by its kind.
    """
    sheet = grammar.sheet
    parts = {
        str(row): read_cell(grammar, way, row, text)
        for row, text in zip(sheet.rows, texts.cells, strict=True)
    }
    for box in columns(sheet, way):
        if text := texts.beside.get(box.kind, "").strip():
            parts[box.kind] = _read_column(grammar, box, text)
    fields: Fields = {}
    for part in parts.values():
        for key, values in (part or {}).items():
            fields[key] = [*fields.get(key, ()), *values] if key.startswith("card-") else values
    return fields, tuple(name for name, part in parts.items() if part is None)


def write_row(grammar: CellGrammar, way: str, fields: Mapping[str, Sequence[str]]) -> RowTexts:
    """Return the texts of a hand's fields."""
    sheet = grammar.sheet
    cells = [write_cell(grammar, way, row, fields) for row in sheet.rows]
    sign = {choice: mark for mark, choice in SIGNS.items()}.get(first(fields, "slam_choice"), "")
    if sign:
        place = _settled_at(sheet, cells, fields)
        body = cells[place].removesuffix("*")
        cells[place] = f"{body}{sign}{'*' if body != cells[place] else ''}"
    beside = {box.kind: _write_column(grammar, box, fields) for box in columns(sheet, way)}
    return RowTexts(tuple(cells), {kind: text for kind, text in beside.items() if text})


def texts_of(grammar: CellGrammar, entry: Mapping[str, object]) -> tuple[str, RowTexts]:
    """Return an entry's way of writing and its texts.

    One that lists every card stands there as counts: the grid has a field a seat, not a pile.
    """
    way = way_of(grammar.sheet, entry)
    if way not in ways_of(grammar.sheet):
        way = "counts"
    return way, write_row(grammar, way, fields_of(grammar.sheet, entry, way))


def entry_in(grammar: CellGrammar, way: str, texts: RowTexts) -> JsonDict:
    return entry_of(grammar.sheet, way, read_row(grammar, way, texts)[0])


def is_same_entry(
    grammar: CellGrammar, way: str, texts: RowTexts, entry: Mapping[str, object]
) -> bool:
    entry_way, entry_texts = texts_of(grammar, entry)
    if way != entry_way or read_row(grammar, way, texts)[1]:
        return False
    return entry_in(grammar, way, texts) == entry_in(grammar, way, entry_texts)


def _settled_at(
    sheet: EntryFields, cells: Sequence[str], fields: Mapping[str, Sequence[str]]
) -> int:
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


def _read_column(grammar: CellGrammar, box: Box, text: str) -> Fields | None:
    sheet, words = grammar.sheet, text.replace(",", " ").split()
    if box.kind == "charged":  # a card that the rules do not list is the scorer's to refuse
        return {"charged": [read_card(code) or code for code in map(str.upper, words)]}
    if box.kind == "tricks":
        if len(words) != len(sheet.rows) or not all(map(str.isdecimal, words)):
            return None
        counts = zip(sheet.rows, words, strict=True)
        return {f"tricks-{row}": [str(int(count))] for row, count in counts}
    if box.kind == "pledge":
        return _read_pledges(sheet, box, words)
    if box.kind == "unclaimed":
        return read_pile(grammar, UNCLAIMED, text)
    row = sheet.row_of(_seat_named(sheet, text))
    return {_SEATS[box.kind]: [str(row)]} if row else None


def _write_column(grammar: CellGrammar, box: Box, fields: Mapping[str, Sequence[str]]) -> str:
    sheet = grammar.sheet
    if box.kind == "charged":
        return " ".join(fields.get("charged", ()))
    if box.kind == "tricks":
        counts = [first(fields, f"tricks-{row}") for row in sheet.rows]
        return " ".join(count or NOTHING for count in counts) if any(counts) else ""
    if box.kind == "unclaimed":
        text = write_pile(grammar, UNCLAIMED, fields)
        return "" if text == NOTHING else text
    if box.kind in _SEATS:
        return first(fields, _SEATS[box.kind])
    seats = range(1, sheet.seats + 1)  # each player's own, in a side too
    pledges = ((seat, first(fields, f"pledge-{seat}")) for seat in seats)
    is_one = len(box.choices) == 1
    return " ".join(f"{seat}" if is_one else f"{seat}:{what}" for seat, what in pledges if what)


def _read_pledges(sheet: EntryFields, box: Box, words: Sequence[str]) -> Fields | None:
    """Read `2` or `2:no-hearts`: the seat, and what is pledged where there is more than one."""
    fields: Fields = {}
    for word in words:
        seat_text, _colon, choice = word.partition(":")
        seat = _seat_named(sheet, seat_text)
        choice = choice or (box.choices[0] if len(box.choices) == 1 else "")
        if not seat or choice not in box.choices:
            return None
        fields[f"pledge-{seat}"] = [choice]
    return fields


def _seat_named(sheet: EntryFields, text: str) -> int:
    """The seat that is named by its number or by its letter; 0 for none."""
    names = {name.lower(): seat for seat, name in enumerate(seat_names(sheet.seats), start=1)}
    number = re.fullmatch(r"[0-9]{1,2}", text.strip())
    seat = int(text) if number else names.get(text.strip().lower(), 0)
    return seat if seat <= sheet.seats else 0
