"""The rows of a file of sheets, and the first pass over it: which sheets it holds."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from functools import partial
from itertools import chain, islice
from typing import Final, TypeAlias, TypeGuard

from tournaments.documents.read import cells
from tournaments.documents.read.cells import CellCache, ParsedCell, ParsedDate
from tournaments.documents.read.columns import ColumnIndex
from tournaments.documents.read.csv import BREATH, SHAPE_ROWS, SheetTable
from tournaments.documents.read.people import Pairs, People, RowPerson
from tournaments.domain.imports.import_report import Finding, Spot, finding

LARGEST = 999_999
"""Rounds and tables beyond this are a slip of the finger."""

MOST_LINES = 1000
"""Number of lines in a note; the others are counted."""

PLACED = (
    "round",
    "table",
    "hand",
    "seat",
    "side",
    "player_id",
    "player",
    "pair_id",
    "date",
    "variant",
)
BETWEEN_WORDS: Final = re.compile(r"[_()\[\]]+")
"""Characters between the words of a file's name."""
WHO = ("player_id", "player", "pair_id")


@dataclass(slots=True)
class SheetRow:
    """One row of a sheet; `hand` and `seat` (index from 0) are None where they cannot be read.

    Where rows are sides, `seat` is the side's index and `person` the pair.
    """

    line: int
    cells: list[str]
    hand: int | None
    seat: int | None
    person: RowPerson
    day: ParsedCell[ParsedDate]
    variant: str
    notes: tuple[str, ...] = ()
    is_whole: bool = True
    signature: tuple[object, ...] = field(default=(), repr=False)


MOST_PLACES: Final = 50_000
"""Maximum number of cached tables, so that their rows are read once."""


class RowReader:
    """Reads rows of a file with these columns; remembers what was read.

    A row is a side if the file has a column of sides instead of seats. With neither, the seats are
    `open`: they follow from who sits there.

    Args:
        heads: key → the head that a foreign file has for it.
        file_width: columns of the file itself, if `columns` are those of its rows as mapped.
        zone: that of the club, for times with their distance to UTC.
    """

    def __init__(
        self,
        columns: ColumnIndex,
        people: People,
        pairs: Pairs,
        heads: Mapping[str, str] | None = None,
        file_width: int | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self.columns = columns
        self.people = people
        self.pairs = pairs
        self.heads = heads or {}
        self.by_side = "seat" not in columns.at and "side" in columns.at
        self.is_open = "seat" not in columns.at and not self.by_side
        self.place_key = "side" if self.by_side else "seat"
        self.width = columns.width
        self.file_width = columns.width if file_width is None else file_width
        self.whole = CellCache(cells.whole)
        self.table = CellCache(cells.table)
        self.hand = CellCache(cells.hand)
        self.count = CellCache(cells.count)
        self.seat = CellCache(cells.side if self.by_side else cells.seat)
        self.day = CellCache(partial(cells.day, zone=zone))
        self.points = CellCache(cells.points)
        self.mark = CellCache(cells.mark)
        self.tick = CellCache(cells.tick)
        self.plain = CellCache(cells.plain)
        # A column that the file lacks is read from an empty cell behind the last one.
        self.at = {key: columns.at.get(key, self.width) for key in PLACED}
        self._round, self._table = self.at["round"], self.at["table"]
        self._places: dict[tuple[str, str], tuple[int, int] | None] = {}

    def settle_seats(self) -> None:
        """Decide which seat an O is, once the seats of all rows were read."""
        letters = {cell.text.casefold() for cell in self.seat.values() if cell.text.isalpha()}
        if not self.by_side and "o" in letters:
            self.seat = CellCache(partial(cells.seat, o=cells.seat_of_o(letters)))

    def fitted(self, row: list[str]) -> list[str]:
        """Return the cells of a row as wide as the heads, with one empty cell behind them.

        Cells without a head stand behind that one, if something is in them.
        """
        missing = self.width - len(row)
        if missing >= 0:
            return row + [""] * (missing + 1)
        headless = row[self.width :]
        if not "".join(headless).strip():
            headless = []
        return [*row[: self.width], "", *headless]

    def called(self, key: str, name: str = "") -> str:
        """Return a column's name: its key in words, or `name`, and a foreign file's own head."""
        head = self.heads.get(key)
        words = name or key.replace("_", " ")
        if head:
            return f'{words} ("{head}")'
        return words

    def place(self, row: list[str]) -> tuple[int, int] | None:
        """Return (round, table) of a fitted row, or None where one cannot be read."""
        texts = row[self._round], row[self._table]
        try:
            return self._places[texts]
        except KeyError:
            round_ = self.whole[texts[0]].value
            table = self.table[texts[1]].value
            numbers = (round_, table) if valid_number(round_) and valid_number(table) else None
            if len(self._places) > MOST_PLACES:
                self._places.clear()
            self._places[texts] = numbers
            return numbers

    def home(self, row: list[str]) -> tuple[int, int] | None:
        """Return `place`; None also for too many cells, which may be another column's."""
        if len(row) > self.width + 1 and not self.is_in_place(row):
            return None
        return self.place(row)

    def is_in_place(self, row: list[str]) -> bool:
        at = self.at
        is_hand = self.hand[row[at["hand"]]].value is not None
        return is_hand and (self.is_open or self.seat[row[at[self.place_key]]].value is not None)

    def is_hand(self, row: list[str]) -> bool:
        """Whether a fitted row has anything of a hand, a seat or a player."""
        at = self.at
        others = any(self.plain[row[at[key]]].text for key in (self.place_key, *WHO))
        day = self.day[row[at["date"]]]
        return others and bool(
            self.plain[row[at["hand"]]].text or day.value.is_date or not day.text
        )

    def row(self, line: int, raw: list[str]) -> SheetRow:
        """Return the row of a sheet; `raw` are its cells, fitted, with their number in front."""
        at = self.at
        hand = self.hand[raw[at["hand"]]]
        seat = self.seat[raw[at[self.place_key]]]
        day = self.day[raw[at["date"]]]
        variant = self.plain[raw[at["variant"]]]
        person = self.person(raw)
        notes = hand.notes + seat.notes + day.notes + variant.notes + person.notes
        notes += self.whole[raw[at["round"]]].notes + self.table[raw[at["table"]]].notes
        return SheetRow(line, raw, hand.value, seat.value, person, day, variant.text, notes)

    def person(self, row: list[str]) -> RowPerson:
        at = self.at
        if self.by_side:
            return self.pairs.person(row[at["pair_id"]])
        return self.people.person(row[at["player_id"]], row[at["player"]])

    def sign(self, row: SheetRow) -> tuple[object, ...]:
        """Return the values of a row, to tell a repetition from another hand."""
        if not row.signature:
            indices = [*self.columns.at.values(), *self.columns.cards.values()]
            counts = [self.count[row.cells[at]] for at in indices if at != self.at["date"]]
            row.signature = tuple(
                cell.text.casefold() if isinstance(cell.value, str) else cell.value
                for cell in counts
            )
        return row.signature


Where: TypeAlias = tuple[int | None, int | None, int | None]
"""Round, table and hand of a note."""


@dataclass(slots=True)
class CellNotes:
    """The notes of one kind: their lines (the first thousand), and one example."""

    found: str
    expected: str
    where: Where
    lines: list[int] = field(default_factory=list)
    total: int = 0
    sheet: tuple[int | None, int | None] = (None, None)
    of_sheet: set[int] = field(default_factory=set)


class Notes:
    """Notes on how cells were read, one of each kind for the whole file."""

    def __init__(self) -> None:
        self._notes: dict[str, CellNotes] = {}

    def add(
        self,
        code: str,
        line: int,
        where: Where = (None, None, None),
        example: Callable[[], tuple[str, str]] = lambda: ("", ""),
    ) -> None:
        """Add a note to a line; the first example of its kind is shown.

        Parts of `where` that not all lines share are dropped.
        """
        notes = self._notes.get(code)
        if notes is None:
            notes = self._notes[code] = CellNotes(*example(), where)
        if notes.sheet != where[:2]:  # a line is looked at several times, all within its sheet
            notes.sheet = where[:2]
            notes.of_sheet = set()
        if line in notes.of_sheet:
            return
        if where[0] is not None:
            notes.of_sheet.add(line)
        notes.total += 1
        if len(notes.lines) < MOST_LINES:
            notes.lines.append(line)
        if notes.where != where:
            round_, table, hand = (
                part if part == other else None
                for part, other in zip(notes.where, where, strict=True)
            )
            notes.where = (round_, table, hand)

    def count_more(self, code: str, n_lines: int) -> None:
        """Count lines of a kind of which a note is there, and which are not named."""
        if n_lines:
            self._notes[code].total += n_lines

    def findings(self) -> Iterator[Finding]:
        for code, notes in self._notes.items():
            spot = Spot(tuple(sorted(set(notes.lines))), *notes.where)
            note = finding(code, spot, found=notes.found, expected=notes.expected)
            if notes.total > len(spot.lines):
                note = replace(note, message=f"{note.message} ({notes.total} lines in all)")
            yield note


@dataclass(slots=True)
class SheetOutline:
    """The outline of one sheet: how many rows it has, where it starts, who sits there."""

    first_line: int
    rows: int = 0
    members: set[str] = field(default_factory=set)
    day: ParsedDate | None = None


def valid_number(number: int | None) -> TypeGuard[int]:
    return number is not None and 0 < number <= LARGEST


Key = tuple[int, int]


@dataclass(slots=True)
class Outline:
    """The outline of a file: its sheets, and the lines that belong to none.

    `rows` counts the lines below the heads that are not blank; `blank` holds the first of the
    others, `n_blank` counts them. `astray` holds the lines of rows of hands whose sheet cannot be
    read.
    """

    rows: int = 0
    blank: list[int] = field(default_factory=list)
    n_blank: int = 0
    astray: set[int] = field(default_factory=set)
    sheets: dict[Key, SheetOutline] = field(default_factory=dict)
    variant: str = ""
    orders: set[str] = field(default_factory=set)
    clashes: dict[Key, list[tuple[str, tuple[int, ...]]]] = field(default_factory=dict)
    days: dict[int, date | None] = field(default_factory=dict)


def is_filled(row: Sequence[str]) -> bool:
    return bool(row) and bool(row[0].strip() or "".join(row).strip())


def filled_rows(table: SheetTable) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of the rows that are not blank."""
    for line, row in table.rows():
        if is_filled(row):
            yield line, row


def first_rows(table: SheetTable, most: int) -> list[tuple[int, list[str]]]:
    """Return the first rows that are not blank, of those that decide on the shape of a file."""
    rows = (line_row for line_row in islice(table.rows(), SHAPE_ROWS) if is_filled(line_row[1]))
    return list(islice(rows, most))


def outline_of(table: SheetTable, reader: RowReader) -> Generator[None, None, Outline]:
    """Read the file once and return its outline; yields after every few rows."""
    outline = Outline()
    last = 0
    for number, (line, raw) in enumerate(table.rows(), start=1):
        if number % BREATH == 0:
            yield
        if not is_filled(raw):
            outline.n_blank += 1
            if len(outline.blank) < MOST_LINES:
                outline.blank.append(line)
            continue
        outline.rows += line != last  # a line of a foreign file may be several rows
        last = line
        _add_row(outline, line, raw, reader)
    reader.settle_seats()
    _find_clashes(outline)
    _find_days(outline)
    return outline


def _add_row(outline: Outline, line: int, raw: list[str], reader: RowReader) -> None:
    at = reader.at
    row = reader.fitted(raw)
    key = reader.home(row)
    if key is None:
        if reader.is_hand(row):
            outline.astray.add(line)
        return
    sheet = outline.sheets.get(key)
    if sheet is None:
        sheet = outline.sheets[key] = SheetOutline(line)
    sheet.rows += 1
    reader.seat[row[at[reader.place_key]]]  # the first reading, for `settle_seats`
    person = reader.person(row)
    if person.member is not None:
        sheet.members.add(person.member.player_id)
    day = reader.day[row[at["date"]]].value
    if day.options:
        outline.orders.add(day.order)
        sheet.day = sheet.day or day
    if not outline.variant:
        outline.variant = reader.plain[row[at["variant"]]].text


def _find_clashes(outline: Outline) -> None:
    tables: dict[tuple[int, str], list[int]] = {}
    for (round_, table), sheet in outline.sheets.items():
        for code in sheet.members:
            tables.setdefault((round_, code), []).append(table)
    for (round_, code), at_tables in tables.items():
        for table in at_tables if len(at_tables) > 1 else ():
            outline.clashes.setdefault((round_, table), []).append((code, tuple(at_tables)))


def _find_days(outline: Outline) -> None:
    """Give each round the date that most of its sheets have, or none in a tie."""
    counts: dict[int, Counter[date]] = {}
    for (round_, _), sheet in outline.sheets.items():
        if sheet.day is not None and (day := settled(sheet.day, outline.orders)):
            counts.setdefault(round_, Counter())[day] += 1
    for round_, counted in counts.items():
        (day, most), *rest = counted.most_common(2)
        outline.days[round_] = None if rest and rest[0][1] == most else day


def settled(day: ParsedDate, orders: set[str], today: date | None = None) -> date | None:
    """Return the date that is meant: the only one, that of the last two years until `today`, or
    the one in the order of the file's other dates."""
    if len(day.options) == 1:
        return day.options[0]
    if day.without_year:
        return day.recent(today) if today is not None else None
    recent = day.recent(today) if today is not None and day.may_begin_with_year else None
    return recent or day.in_order(orders, today)


def known_day(day: ParsedDate, days: Collection[date]) -> date | None:
    """Return the only one of some days that a date may mean; None if there is none, or several."""
    known = set(day.options) & set(days)
    if len(known) != 1:
        return None
    return known.pop()


def day_in_title(table: SheetTable, today: date) -> date | None:
    """Return the date in the rows above the heads; None if they have none, or several."""
    return _day_in(title_above(table), today)


def day_in_names(table: SheetTable, file_name: str, today: date) -> date | None:
    """Return the date in the name of the sheet, else in that of the file."""
    stem = file_name.rpartition(".")[0] or file_name
    return _day_in(table.sheet, today) or _day_in(BETWEEN_WORDS.sub(" ", stem), today)


def _day_in(title: str, today: date) -> date | None:
    dates = (settled(cells.day(text).value, {"day"}, today) for text in cells.dates_in(title))
    days = {on for on in dates if on is not None}
    if len(days) != 1:
        return None
    return days.pop()


def title_above(table: SheetTable) -> str:
    return " ".join(chain.from_iterable(cells for _, cells in table.above))
