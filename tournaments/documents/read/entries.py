"""From the rows of one hand to its entry: what each seat or side took, as the sheet says it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from scoring.cards import codes_in
from scoring.entry.sheet import Box, melds_in, seat_names
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import ParsedCell
from tournaments.documents.read.people import SIDES
from tournaments.documents.read.sheet_rows import RowReader, SheetRow
from tournaments.domain.imports.imported_sheets import NOBODY, MoonMark

MOST_COPIES = 8
"""A larger count of one card is a slip: no variant has that many packs."""

SEATS_MARKED: Final = {
    "first_trick": "first_trick_by", "passer": "passer", "last_trick": "last_trick",
    "declared_out": "declared_out",
}  # fmt: skip
"""Columns that are ticked at one seat of a hand → what the entry calls that seat."""

READ: Final = frozenset(
    {"hearts", "cards", "tricks", "charged", "pledge", "unclaimed", "moon", "clean", "points"}
    | {"melds", "trick_points"}
    | SEATS_MARKED.keys()
)
"""Columns that say what was taken, beside those of single cards."""


@dataclass(slots=True)
class ReadEntry:
    """The entry of a hand, its moon mark, and the cells that cannot be part of an entry."""

    entry: dict[str, object] = field(default_factory=dict)
    mark: MoonMark | None = None
    problems: list[tuple[Problem, SheetRow]] = field(default_factory=list)
    bad_mark: str = ""
    bad_points: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the scorer can judge the hand."""
        return bool(self.entry) and not (self.problems or self.bad_mark or self.bad_points)


class EntryReader:
    """Reads the hands of one sheet.

    Args:
        counted: the boxes of the cards that count in the sheet's variant, by their codes.
        names: what a row of a hand is called, in seat order.
        note: called with code, row, found and expected where a cell is read with a note.
        melds: the words under which the melds of the sheet's variant are read → the melds.
    """

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
        self.note = note
        columns = reader.columns
        self.at = {
            key: index
            for key, index in columns.at.items()
            if key in READ and any(row.cells[index] for row in rows)
        }
        self.counted = counted
        self.cards: list[tuple[str, int]] = []
        for code, index in columns.cards.items():
            filled = [
                row for row in rows if row.cells[index] and reader.count[row.cells[index]].value
            ]
            if code in counted:
                self.cards.extend([(code, index)] if filled else [])
            else:
                for row in filled:
                    note("card_not_counted", row, reader.called(f"={code}", code), "")

    def read(self, rows: Sequence[SheetRow]) -> ReadEntry:
        entry = ReadEntry()
        cards = self._taken(rows, entry)
        counts = {
            "hearts": self._list("hearts", rows, self.reader.count),
            "taken": cards,
            "points": self._list("points", rows, self.reader.points),
            "tricks": self._list("tricks", rows, self.reader.count),
            "trick_points": self._list("trick_points", rows, self.reader.count),
        }
        if counts["hearts"] is None and not any(cards):
            counts["taken"] = None
        entry.entry = {key: values for key, values in counts.items() if values is not None}
        self._extras(rows, entry)
        return entry

    def _extras(self, rows: Sequence[SheetRow], entry: ReadEntry) -> None:
        for key, name in (("charged", "declared"), ("unclaimed", "unclaimed")):
            if key in self.at and (cards := codes_in(" ".join(self._texts(key, rows)))):
                entry.entry[name] = cards
        if "pledge" in self.at and any(pledges := self._texts("pledge", rows)):
            entry.entry["pledges"] = [pledge or None for pledge in pledges]
        if "moon" in self.at:
            self._moon(rows, entry)
        if "clean" in self.at:  # who took no tricks; an empty cell among ticks means no
            ticks = [self.reader.tick[row.cells[self.at["clean"]]].value for row in rows]
            if any(tick is not None for tick in ticks):
                entry.entry["clean"] = [tick or False for tick in ticks]
        if "melds" in self.at and any(texts := self._texts("melds", rows)):
            entry.entry["melds"] = [melds_in(text, self.melds) for text in texts]
        for key, name in SEATS_MARKED.items():
            if key in self.at and (marked := self._marked(key, rows)) is not None:
                entry.entry[name] = marked

    def _marked(self, key: str, rows: Sequence[SheetRow]) -> int | str | None:
        """Return the one seat whose cell is ticked; other text is left to the scorer."""
        ticks = [self.reader.tick[row.cells[self.at[key]]] for row in rows]
        marked = [seat for seat, cell in enumerate(ticks) if cell.value]
        if len(marked) == 1 and ticks[marked[0]].value is True:
            return marked[0]
        return " ".join(ticks[seat].text for seat in marked) or None

    def _list(
        self, key: str, rows: Sequence[SheetRow], read: Mapping[str, ParsedCell[Any]]
    ) -> list[Any] | None:
        """Return a column's value for each seat, `None` if all are empty."""
        index = self.at.get(key)
        if index is None:
            return None
        cells = [read[row.cells[index]] for row in rows]
        values = [cell.value for cell in cells]
        if values.count(None) == len(values):
            return None
        for row, cell in zip(rows, cells, strict=True):
            self._add_notes(row, cell)
            if cell.value is None:
                self.note("blank_as_zero", row, self.reader.called(key), "0")
        return [0 if value is None else value for value in values]

    def _add_notes(self, row: SheetRow, cell: ParsedCell[Any]) -> None:
        for code in cell.notes:
            expected = str(cell.value) if code == "decimal_comma" else ""
            self.note(code, row, cell.text, expected)

    def _taken(self, rows: Sequence[SheetRow], entry: ReadEntry) -> list[list[str]]:
        cards: list[list[str]] = [[] for _ in rows]
        for (code, index), (seat, row) in product(self.cards, enumerate(rows)):
            cell = self.reader.count[row.cells[index]]
            number = cell.value
            if not number:
                continue
            self._add_notes(row, cell)
            if isinstance(number, int) and 0 < number <= MOST_COPIES:
                cards[seat].extend([code] * number)
                continue
            box = self.counted[code]
            facts = {
                "seat": self.names[seat],
                "field": self.reader.called(f"={code}", box.label),
                "found": cell.text,
                "most": box.maximum,
            }
            entry.problems.append((Problem("bad_count", ("taken", seat), facts), row))
        if "cards" in self.at:
            for pile, text in zip(cards, self._texts("cards", rows), strict=True):
                pile.extend(codes_in(text))
        return cards

    def _texts(self, key: str, rows: Sequence[SheetRow]) -> list[str]:
        return [self.reader.plain[row.cells[self.at[key]]].text for row in rows]

    def _moon(self, rows: Sequence[SheetRow], entry: ReadEntry) -> None:
        index = self.at["moon"]
        read = [(seat, self.reader.mark[row.cells[index]].value) for seat, row in enumerate(rows)]
        marks = [(seat, mark) for seat, mark in read if mark is not None]
        if len(marks) != 1 or not marks[0][1].is_read:
            entry.bad_mark = ", ".join(mark.text for _, mark in marks)
            return
        seat, mark = marks[0]
        entry.mark = mark
        entry.entry["shooter"] = seat
        if mark.choice is not None:
            entry.entry["slam_choice"] = mark.choice


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

    def by_seat(self, read: ReadEntry) -> ReadEntry:
        """Arrange the lists of an entry by seat; points of rules that pool stay those of a side."""
        if not self.sides:
            return read
        if not self.by_side:
            return self._one_score(read)
        for key in ("hearts", "taken", "tricks", "pledges"):
            if key in read.entry:
                read.entry[key] = self._spread(read.entry[key], key)
        for key in ("shooter", *SEATS_MARKED.values()):
            side = read.entry.get(key)
            if isinstance(side, int):
                read.entry[key] = self.sides[side][0]
        return read

    def _spread(self, values: Any, key: str) -> list[object]:
        laid: list[Any] = [EMPTY.get(key, []) for _ in range(self.seats)]
        for side, value in zip(self.sides, values, strict=True):
            laid[side[0]] = value
        return laid

    def _one_score(self, read: ReadEntry) -> ReadEntry:
        for key in ("points", "clean"):
            values = read.entry.get(key)
            if not isinstance(values, list) or len(values) != len(self.side_of):
                continue
            scores = [[values[seat] for seat in side] for side in self.sides]
            for side in scores:
                if any(value != side[0] for value in side):
                    read.bad_points = " and ".join(map(str, side))
            read.entry[key] = [side[0] for side in scores]
        return read
