"""From the rows of one hand to its entry: what each seat or side took, as the sheet says it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Self

from scoring.cards import codes_in
from scoring.entry.codec import BY_SEAT, KEYS, OF_A_SEAT, OF_A_UNIT, Reading, entry_of
from scoring.entry.sheet import Box, melds_in, seat_names
from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import ParsedCell
from tournaments.documents.read.people import SIDES
from tournaments.documents.read.sheet_rows import RowReader, SheetRow
from tournaments.domain.imports.imported_sheets import NOBODY, MoonMark

MOST_COPIES = 8
"""A larger count of one card is a slip: no variant has that many packs."""


class EntryReader(Reading):
    """Reads the hands of one sheet, in its columns.

    Of the hand that was read last it has the `entry`, the moon `mark`, and what cannot be part of
    an entry: the `problems` of cells, a `bad_mark`, and `bad_points`.

    Args:
        counted: the boxes of the cards that count in the sheet's variant, by their codes.
        names: what a row of a hand is called, in seat order.
        note: called with code, row, found and expected where a cell is read with a note.
        melds: the words under which the melds of the sheet's variant are read → the melds.
    """

    order = (
        "hearts",
        "taken",
        "points",
        "tricks",
        "trick_points",
        "declared",
        "unclaimed",
        "pledges",
        "shooter",
        "slam_choice",
        "clean",
        "melds",
        *OF_A_SEAT[1:],
    )

    def __init__(
        self,
        reader: RowReader,
        counted: Mapping[str, Box],
        names: Sequence[str],
        rows: Sequence[SheetRow],
        note: Callable[[str, SheetRow, str, str], None],
        melds: Mapping[str, str],
    ) -> None:
        self.reader = reader
        self.melds = melds
        self.names = names
        self.add_note = note
        self.counted = counted
        columns = reader.columns
        self.boxes: dict[str, int] = {}
        for code, index in columns.cards.items():
            filled = [
                row for row in rows if row.cells[index] and reader.count[row.cells[index]].value
            ]
            if code not in counted:
                for row in filled:
                    note("card_not_counted", row, reader.called(f"={code}", code), "")
            elif filled:
                self.boxes[f"cards-{code}"] = index
        for kind, index in columns.at.items():
            if kind in KEYS and any(row.cells[index] for row in rows):
                self.boxes[kind] = index

    @property
    def is_whole(self) -> bool:
        """Whether the scorer can judge the hand."""
        return bool(self.entry) and not (self.problems or self.bad_mark or self.bad_points)

    def read(self, rows: Sequence[SheetRow]) -> Self:
        self.rows, self.problems = rows, list[tuple[Problem, SheetRow]]()
        self.mark: MoonMark | None = None
        self.bad_mark = self.bad_points = ""
        texts = {box: [row.cells[index] for row in rows] for box, index in self.boxes.items()}
        self.entry = entry_of(texts, len(rows), self)
        return self

    def values(self, kind: str, texts: Sequence[str]) -> list[Any]:
        if kind == "pledge":
            return [self.reader.plain[text].text or None for text in texts]
        cells = self._cells(kind)
        return [cells[text].value for text in texts]

    def _cells(self, kind: str) -> Mapping[str, ParsedCell[Any]]:
        if kind == "clean":
            return self.reader.tick
        return self.reader.points if kind == "points" else self.reader.count

    def note(self, kind: str, texts: Sequence[str]) -> None:
        cells = self._cells(kind)
        for row, text in zip(self.rows, texts, strict=True):
            cell = cells[text]
            self._add_notes(row, cell)
            if cell.value is None:
                self.add_note("blank_as_zero", row, self.reader.called(kind), "0")

    def _add_notes(self, row: SheetRow, cell: ParsedCell[Any]) -> None:
        for code in cell.notes:
            expected = str(cell.value) if code == "decimal_comma" else ""
            self.add_note(code, row, cell.text, expected)

    def items(self, kind: str, code: str, texts: Sequence[str]) -> list[list[str] | None]:
        if code:
            counts = enumerate(map(self.reader.count.__getitem__, texts))
            return [
                self._copies(code, place, cell) if cell.value else None for place, cell in counts
            ]
        plain = [self.reader.plain[text].text for text in texts]
        read = partial(melds_in, names=self.melds) if kind == "melds" else codes_in
        return [read(text) if text else None for text in plain]

    def _copies(
        self, code: str, place: int, cell: ParsedCell[int | str | None]
    ) -> list[str] | None:
        number = cell.value
        self._add_notes(self.rows[place], cell)
        if isinstance(number, int) and 0 < number <= MOST_COPIES:
            return [code] * number
        box = self.counted[code]
        facts = {
            "seat": self.names[place],
            "field": self.reader.called(f"={code}", box.label),
            "found": cell.text,
            "most": box.maximum,
        }
        problem = Problem("bad_count", ("taken", place), facts)
        self.problems.append((problem, self.rows[place]))
        return None

    def seat(self, kind: str, texts: Sequence[str]) -> int | str | None:
        """Return the one seat whose cell is ticked; other text is left to the scorer."""
        ticks = [self.reader.tick[text] for text in texts]
        marked = [seat for seat, cell in enumerate(ticks) if cell.value]
        if len(marked) == 1 and ticks[marked[0]].value is True:
            return marked[0]
        return " ".join(ticks[seat].text for seat in marked) or None

    def moon(self, texts: Sequence[str]) -> JsonDict:
        read = [(seat, self.reader.mark[text].value) for seat, text in enumerate(texts)]
        marks = [(seat, mark) for seat, mark in read if mark is not None]
        if len(marks) != 1 or not marks[0][1].is_read:
            self.bad_mark = ", ".join(mark.text for _, mark in marks)
            return {}
        seat, self.mark = marks[0]
        choice = marks[0][1].choice
        if choice is None:
            return {"shooter": seat}
        return {"shooter": seat, "slam_choice": choice}


EMPTY: Final[Mapping[str, Any]] = {"hearts": 0, "tricks": 0, "pledges": None}
"""Values of the second seat of a side; the first seat has the side's pile."""


class SheetPlaces:
    """The places of one sheet, most of whose hands have `count` rows."""

    def __init__(self, reader: RowReader, rules: Rules, count: int) -> None:
        self.pairs = reader.pairs
        self.by_side = reader.by_side
        teams = rules.keys.teams
        self.sides: Sequence[Sequence[int]] = teams.shape if teams.mode == "pooled" else ()
        self.rows = SIDES if self.by_side else count
        self.seats = sum(len(side) for side in self.sides) if self.by_side else count
        self.noun = "side" if self.by_side else "player"
        self.names = ("NS", "EW") if self.by_side else seat_names(count)
        self.side_of = {seat: side for side, seats in enumerate(self.sides) for seat in seats}

    def players(self, block: Sequence[SheetRow]) -> tuple[int, ...]:
        """Return the players' keys clockwise; a pair's first player has its side's first seat."""
        players = [NOBODY] * self.seats
        for row in block:
            if row.seat is None or row.seat >= self.rows or row.person.member is None:
                continue
            if not self.by_side:
                players[row.seat] = row.person.member.key
                continue
            partners = self.pairs.players(row.person.member)
            for seat, player in zip(self.sides[row.seat], partners, strict=False):
                players[seat] = player
        return tuple(players)

    def lines(self, rows: Sequence[SheetRow]) -> tuple[int, ...]:
        if self.by_side:
            rows = [rows[self.side_of[seat]] for seat in range(self.seats)]
        return tuple(row.line for row in rows)

    def by_seat(self, read: EntryReader) -> EntryReader:
        """Arrange the lists of an entry by seat; points of rules that pool stay those of a side."""
        if not self.sides:
            return read
        if not self.by_side:
            return self._one_score(read)
        for key in set(BY_SEAT) - set(OF_A_UNIT):
            if key in read.entry:
                read.entry[key] = self._spread(read.entry[key], key)
        for key in OF_A_SEAT:
            side = read.entry.get(key)
            if isinstance(side, int):
                read.entry[key] = self.sides[side][0]
        return read

    def _spread(self, values: Any, key: str) -> list[object]:
        laid: list[Any] = [EMPTY.get(key, []) for _ in range(self.seats)]
        for side, value in zip(self.sides, values, strict=True):
            laid[side[0]] = value
        return laid

    def _one_score(self, read: EntryReader) -> EntryReader:
        for key in OF_A_UNIT:
            values = read.entry.get(key)
            if not isinstance(values, list) or len(values) != len(self.side_of):
                continue
            scores = [[values[seat] for seat in side] for side in self.sides]
            for side in scores:
                if any(value != side[0] for value in side):
                    read.bad_points = " and ".join(map(str, side))
            read.entry[key] = [side[0] for side in scores]
        return read
