"""The rows of the grid: typed texts and fields of the hand form, as posted and as printed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import gettext_lazy as _

from scoring.cards import read_card
from scoring.entry.codec import KEYS, SEATS
from scoring.entry.sheet import Box, seat_names
from scoring.json_types import JsonDict
from tournaments.domain import seating_runs
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.views.hands.entry_screen import LONGEST_KEY, LONGEST_REASON
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
    number_in,
    way_of,
)

LONGEST: Final = 80
"""Maximum number of letters in a cell."""
COLUMN_HEADS: Final = {
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


@dataclass(frozen=True, slots=True)
class RowTexts:
    """The typed texts of one row: one for each row of the sheet, and kind → text for others."""

    cells: tuple[str, ...]
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not any(self.cells)


def ways_of(sheet: EntryFields) -> tuple[str, ...]:
    return tuple(way for way in sheet.ways if way != "cards")


def columns(sheet: EntryFields, way: str = "counts") -> tuple[Box, ...]:
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

    An entry that lists every card is shown as counts: the grid has a field a seat, not a pile.
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
        fields: Fields = {}
        for word in words:
            seat_text, _colon, choice = word.partition(":")
            seat = _seat_named(sheet, seat_text)
            choice = choice or (box.choices[0] if len(box.choices) == 1 else "")
            if not seat or choice not in box.choices:
                return None
            fields[f"pledge-{seat}"] = [choice]
        return fields
    if box.kind == "unclaimed":
        return read_pile(grammar, UNCLAIMED, text)
    row = sheet.row_of(_seat_named(sheet, text))
    return {KEYS[box.kind]: [str(row)]} if row else None


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
    if box.kind in SEATS:
        return first(fields, KEYS[box.kind])
    seats = range(1, sheet.seats + 1)  # each player's own, in a side too
    pledges = ((seat, first(fields, f"pledge-{seat}")) for seat in seats)
    is_one = len(box.choices) == 1
    return " ".join(
        f"{seat}" if is_one else f"{seat}:{choice}" for seat, choice in pledges if choice
    )


def _seat_named(sheet: EntryFields, text: str) -> int:
    """The seat that is named by its number or by its letter; 0 for none."""
    names = {name.lower(): seat for seat, name in enumerate(seat_names(sheet.seats), start=1)}
    number = re.fullmatch(r"[0-9]{1,2}", text.strip())
    seat = int(text) if number else names.get(text.strip().lower(), 0)
    return seat if seat <= sheet.seats else 0


MOST_ROWS: Final = 40
"""Maximum number of hands on one page of the grid."""
LONGEST_BOARD: Final = 6


@dataclass(slots=True)
class GridDraft:
    """A hand as typed in its row, with the fields that make a repeated submission harmless.

    `key` was made with the page; `based_on` is the revision that its author read; `is_mine`: it
    overrides a concurrent entry of the hand, which `is_asked` asks about. `displayed_players` are
    the players by seat on that page, `board` the board of a duplicate event. It is
    saved as disputed for the reason `disputed`, unless that is None.
    """

    number: int
    way: str
    texts: RowTexts
    key: str
    based_on: int | None = None
    is_asked: bool = False
    is_mine: bool = False
    displayed_players: tuple[str, ...] | None = None
    board: str = ""
    disputed: str | None = None


@dataclass(frozen=True, slots=True)
class RowNote:
    """The text under a row: its first sentence in bold, the others, ways to mend it.

    `is_question` says that nothing is wrong: one of the ways is to be chosen.
    """

    first: str
    rest: str = ""
    mends: tuple[tuple[str, str], ...] = ()
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """The outcome of a row: `empty`, `same`, `saved`, `refused` or `conflict`.

    Attributes:
        notes: why it was refused.
        wrong: names of the wrong cells; none if no single cell is wrong.
        theirs: row → its text in the earlier entry.
        filing: who can save it as disputed (`filing_of`).
    """

    kind: str
    notes: tuple[RowNote, ...] = ()
    wrong: tuple[str, ...] = ()
    filing: str = ""
    theirs: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CellView:
    """One field of a row: `place` is its seat, or the kind of a column beside the seats."""

    name: str
    value: str
    say: str
    label: str
    place: str
    is_wrong: bool = False
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """One hand of the grid, and its scores as typed (`grid_hints.verdict`).

    `stored_scores` are the stored hand's scores of each row; empty if it does not count, or if a
    score is no whole number. `shooter` is the name of the player who shot the moon.
    """

    draft: GridDraft
    passing: str
    cells: tuple[CellView, ...]
    beside: tuple[CellView | None, ...]
    typed_state: str
    sum: str
    seats: tuple[int | None, ...]
    shooter: str
    outcome: RowOutcome | None
    stored: HandView | None
    stored_scores: tuple[int, ...]
    is_unsaved: bool

    @property
    def adds(self) -> tuple[int, ...] | None:
        """The points that the row adds to the stored totals; None if not known yet.

        A refused row adds nothing, nor does a row that equals the stored hand.
        """
        if self.is_wrong:
            return None
        if (self.stored is not None and not self.is_unsaved) or not self.typed_state:
            return ()
        if self.typed_state != "ok" or not self.seats:
            return None
        if self.stored is not None and self.stored.state == "accepted" and not self.stored_scores:
            return None
        before = self.stored_scores or (0,) * len(self.seats)
        return tuple((seat or 0) - old for seat, old in zip(self.seats, before, strict=True))

    @property
    def scores(self) -> str:
        return " ".join(map(str, self.stored_scores))

    @property
    def is_wrong(self) -> bool:
        return self.outcome is not None and self.outcome.kind in ("refused", "conflict")

    @property
    def state(self) -> str:
        """The state that the end of the row shows; whether it would be saved, the script knows."""
        if self.is_unsaved:
            return "" if self.typed_state == "ok" else self.typed_state
        is_stored = self.stored is not None and self.typed_state == "need"
        return "ok" if is_stored else self.typed_state

    @property
    def is_open(self) -> bool:
        """Whether there is still something to type in it: it is empty, not whole or not right."""
        if self.stored is not None and not self.is_unsaved:
            return False
        is_whole = all(self.draft.texts.cells) or self.draft.way == "clean"
        state = self.typed_state
        return state in ("", "no") or (state == "need" and (not is_whole or bool(self.sum)))

    @property
    def start(self) -> str:
        """The name of its answers, where it asks something."""
        return f"why-{self.draft.number}"

    @property
    def asks(self) -> bool:
        """Whether all that the row waits for is a choice."""
        notes = self.outcome.notes if self.outcome is not None else ()
        return len(notes) == 1 and notes[0].is_question and bool(notes[0].mends)


def posted_rows(sheet: EntryFields, posted: Mapping[str, str]) -> tuple[GridDraft, ...]:
    """Return the rows that were posted, in order; names of fields are `c-<hand>-<place>`."""
    numbers = sorted({
        int(name[4:]) for name in posted if name.startswith("key-") and name[4:].isdecimal()
    })[:MOST_ROWS]  # fmt: skip
    return tuple(_draft(sheet, posted, number) for number in numbers if 0 < number < 1000)


def _draft(sheet: EntryFields, posted: Mapping[str, str], number: int) -> GridDraft:
    def text_at(place: object) -> str:
        return posted.get(f"c-{number}-{place}", "").strip()[:LONGEST]

    way = posted.get(f"way-{number}", "")
    beside = {box.kind: text_at(box.kind) for box in columns(sheet)}
    based_on = number_in(posted.get(f"based_on-{number}", ""))
    question = posted.get(f"question-{number}", "").strip()[:LONGEST_REASON]
    return GridDraft(
        number=number,
        way=way if way in ways_of(sheet) else ways_of(sheet)[0],
        texts=RowTexts(
            tuple(text_at(row) for row in sheet.rows),
            {kind: text for kind, text in beside.items() if text},
        ),
        key=posted.get(f"key-{number}", "")[:LONGEST_KEY],
        based_on=based_on if based_on is None or based_on > 0 else None,
        is_asked=f"asked-{number}" in posted,
        is_mine=f"mine-{number}" in posted,
        displayed_players=seating_runs.in_field(posted.get(seating_runs.FIELD, "")),
        board=posted.get(f"board-{number}", "").strip()[:LONGEST_BOARD],
        disputed=question if question or posted.get("go") == f"file:{number}" else None,
    )


def start_of(rows: Sequence[RowView]) -> str:
    """Return the field to focus: the first refused one, else the first empty one.

    If a row has a question, that is its answers (`why-<hand>`).
    """
    for row in rows:
        if row.asks:
            return row.start
        if row.is_wrong:
            return next((cell.name for cell in row.cells if cell.is_wrong), row.cells[0].name)
    cells = next((row.cells for row in rows if row.is_open), ())
    return next((cell.name for cell in cells if not cell.value), cells[0].name if cells else "")
