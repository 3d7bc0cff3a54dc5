"""The first reading of a file: which sheets it holds, and what no single sheet can tell.

A sheet may lie scattered over the file, a player may sit at two tables, a round may have two
dates. Only a small index is kept: a line or two a sheet.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import date

from tournaments.importers.sheets.rows import RowReader
from tournaments.importers.tabular.cells import ParsedDate
from tournaments.importers.tabular.source import SheetTable

Key = tuple[int, int]

BREATH = 1000
"""So many rows are read before somebody else may have a turn."""


@dataclass(slots=True)
class SheetOutline:
    """What is kept of one sheet: how many rows it has, where it starts, who sits there."""

    first_line: int
    rows: int = 0
    members: set[str] = field(default_factory=set)
    day: ParsedDate | None = None


@dataclass(slots=True)
class Outline:
    """What is kept of a file.

    `rows` counts the lines below the heads that are not blank; `astray` holds the lines of rows
    of hands whose sheet cannot be read.
    """

    rows: int = 0
    blank: list[int] = field(default_factory=list)
    astray: set[int] = field(default_factory=set)
    sheets: dict[Key, SheetOutline] = field(default_factory=dict)
    variant: str = ""
    orders: set[str] = field(default_factory=set)
    clashes: dict[Key, list[tuple[str, tuple[int, ...]]]] = field(default_factory=dict)
    days: dict[int, date | None] = field(default_factory=dict)

    @property
    def rounds(self) -> list[int]:
        """Return the rounds of the file, ascending."""
        return sorted({round_ for round_, _ in self.sheets})


def filled_rows(
    table: SheetTable, outline: Outline | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of the rows that are not blank; blank ones are noted in `outline`."""
    for line, row in table.rows():
        if row and (row[0].strip() or "".join(row).strip()):
            yield line, row
        elif outline is not None:
            outline.blank.append(line)


def outline_of(table: SheetTable, reader: RowReader) -> Generator[None, None, Outline]:
    """Read the file once and return its outline; yields after every few rows."""
    outline = Outline()
    sheets = outline.sheets
    at = reader.at
    last = 0
    for number, (line, cells) in enumerate(filled_rows(table, outline), start=1):
        outline.rows += line != last  # a line of a foreign file may be several rows
        last = line
        if number % BREATH == 0:
            yield
        row = reader.fitted(cells)
        key = reader.home(row)
        if key is None:
            if reader.is_hand(row):
                outline.astray.add(line)
            continue
        sheet = sheets.get(key)
        if sheet is None:
            sheet = sheets[key] = SheetOutline(line)
        sheet.rows += 1
        person = reader.person(row)
        if person.member is not None:
            sheet.members.add(person.member.player_id)
        day = reader.day[row[at["date"]]].value
        if day.options:
            outline.orders.add(day.order)
            sheet.day = sheet.day or day
        if not outline.variant:
            outline.variant = reader.plain[row[at["variant"]]].text
    _find_clashes(outline)
    _find_days(outline)
    return outline


def _find_clashes(outline: Outline) -> None:
    """Keep for each sheet the players that sit at other tables of its round too."""
    tables: dict[tuple[int, str], list[int]] = {}
    for (round_, table), sheet in outline.sheets.items():
        for code in sheet.members:
            tables.setdefault((round_, code), []).append(table)
    for (round_, code), found in tables.items():
        if len(found) > 1:
            for table in found:
                outline.clashes.setdefault((round_, table), []).append((code, tuple(found)))


def _find_days(outline: Outline) -> None:
    """Give each round the date that most of its sheets have, or none where they are even."""
    counts: dict[int, Counter[date]] = {}
    for (round_, _), sheet in outline.sheets.items():
        if sheet.day is not None and (day := settled(sheet.day, outline.orders)):
            counts.setdefault(round_, Counter())[day] += 1
    for round_, counted in counts.items():
        (day, most), *rest = counted.most_common(2)
        outline.days[round_] = None if rest and rest[0][1] == most else day


def settled(day: ParsedDate, orders: set[str]) -> date | None:
    """Return the day that is meant, where the file's other dates settle the order of its parts."""
    if len(day.options) == 1:
        return day.options[0]
    known = orders & {"day", "month"}
    if not day.options or len(known) != 1:
        return None
    return day.options[0] if known == {"day"} else day.options[1]
