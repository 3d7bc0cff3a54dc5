"""A program of its own: writes the sheets of a spreadsheet as CSV files, within bounds.

`python spreadsheet_process.py SOURCE FOLDER [hidden]` writes 0.csv, 1.csv … Hidden rows are blank
there and hidden sheets have no file, unless these are to be read too. Memory, time and output are
limited, as a file may unpack to any size. Imports no module of this project."""

import csv
import json
import re
import resource
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import IO, Final
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetVisibleEnum

MEMORY: Final = 152 * 1024 * 1024
"""Limit of the address space; the largest sheet of a club (source_file.py) takes 112 MB."""

WRITTEN: Final = 16 * 1024 * 1024
"""Three times what that sheet is as CSV."""

SECONDS: Final = 10
"""Limit of processor time; the largest sheet takes one second."""

SHEETS: Final = 60
"""Maximum number of sheets read of a file: a season with a sheet for each evening."""

NAMES: Final = "sheets.txt"
"""The file with the names of all sheets, a line each."""

HIDDEN: Final = "hidden.json"
"""The file with the names of the hidden sheets, and the hidden rows of each sheet."""

READ_HIDDEN: Final = "hidden"
"""The argument that has hidden sheets and rows read too."""

FORMULA: Final = re.compile(
    rb"<c\s([^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
"""A cell of XLSX with a formula and no value: programs that only write files leave it so."""

ADDRESS: Final = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
TEXT: Final = re.compile(rb'\bt="str"')

NAMED: Final = 10_000
"""Maximum number of such cells that are named."""


ROW: Final = re.compile(rb"<row\b([^>]*)>")
ROW_NUMBER: Final = re.compile(rb'\br="([0-9]{1,7})"')
HIDDEN_ROW: Final = re.compile(rb'\bhidden="(?:1|true)"')
"""What tells a hidden row of XLSX; rows that a filter leaves out are hidden so too."""

ODS_ROW: Final = re.compile(rb"<table:table(?:-row)?(?=[\s/>])([^>]*)>")
ODS_REPEATED: Final = re.compile(rb'\btable:number-rows-repeated="([0-9]{1,7})"')
ODS_HIDDEN: Final = re.compile(rb'\btable:visibility="(?:collapse|filter)"')

LONGEST_TAG: Final = 1000
"""Bytes of the begin of an element that may be cut by the end of a piece."""

MOST_ROWS: Final = 1 << 20
"""Rows of the largest sheet."""

MOST_NAMED: Final = 1000
"""Maximum number of spans of hidden rows that are named of a sheet."""

Span = tuple[int, int]
"""The first and the last of some rows, from 1."""


def text_of(cell: object) -> str:
    """Return a cell as a person types it: 4 for 4.0, 2025-11-13 for a day, 1 for true.

    >>> text_of(4.0), text_of(7.5), text_of(datetime(2025, 11, 13)), text_of(True)
    ('4', '7.5', '2025-11-13', '1')
    """
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        if cell.time() == time():
            return cell.date().isoformat()
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, str):
        return " ".join(str(cell).splitlines())
    return str(cell)


def rows_of(sheet: CalamineSheet) -> Iterator[list[object]]:
    """Yield the rows of a sheet; a cell merged over several rows is repeated in each of them.

    It is in the first column of the merged range only: a title over all columns is one cell.
    """
    first_column = sheet.start[1] if sheet.start else 0
    merged = sorted(sheet.merged_cell_ranges or (), reverse=True)
    below: dict[int, tuple[int, object]] = {}
    for number, cells in enumerate(sheet.iter_rows()):
        row: list[object] = list(cells)
        for column, (last, cell) in list(below.items()):
            row[column] = cell
            if last == number:
                del below[column]
        while merged and merged[-1][0][0] <= number:
            (first, start), (last, _) = merged.pop()
            column = start - first_column
            if first == number < last and 0 <= column < len(row):
                below[column] = (last, row[column])
        yield row


PIECE: Final = 1 << 20


def sheet_parts(book: ZipFile) -> list[str]:
    """Return the names of the parts that hold the sheets of an XLSX file, in their order."""
    if "xl/workbook.xml" not in book.namelist():
        return []
    ids = re.findall(rb'<sheet\s[^>]*\bid="([^"]+)"', book.read("xl/workbook.xml"))
    relations = book.read("xl/_rels/workbook.xml.rels")
    targets = {}
    for relation in re.findall(rb"<Relationship\s[^>]*>", relations):
        key = re.search(rb'\bId="([^"]+)"', relation)
        target = re.search(rb'\bTarget="([^"]+)"', relation)
        if key and target:
            targets[key[1]] = target[1].decode().lstrip("/")
    parts = [targets.get(key, "") for key in ids]
    return [part if part.startswith("xl/") else f"xl/{part}" for part in parts]


def formulas_in(file: IO[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (row, column from 0, address) of each formula of a sheet that has no value."""
    rest = b""
    while piece := file.read(PIECE):
        text = rest + piece
        end = text.rfind(b"</c>") + len(b"</c>") if b"</c>" in text else 0
        if b"<f" in text:
            yield from _formulas(text[:end])
        rest = text[end:]


def _formulas(text: bytes) -> Iterator[tuple[int, int, str]]:
    for match in FORMULA.finditer(text):
        at = ADDRESS.search(match[1])
        is_empty_text = TEXT.search(match[1]) and b"<v" in match[0]
        if at is None or is_empty_text:
            continue
        column = 0
        for letter in at[1]:
            column = column * 26 + letter - ord("A") + 1
        yield int(at[2]), column - 1, (at[1] + at[2]).decode()


def hidden_sheets_of(book: CalamineWorkbook) -> list[int]:
    """Return the places of the hidden sheets, from 0."""
    return [
        index
        for index, sheet in enumerate(book.sheets_metadata)
        if sheet.visible != SheetVisibleEnum.Visible
    ]


def is_within(spans: Sequence[Span], number: int) -> bool:
    """
    >>> is_within([(3, 4), (9, 9)], 4), is_within([(3, 4), (9, 9)], 5), is_within([], 1)
    (True, False, False)
    """
    at = bisect_right(spans, (number, MOST_ROWS)) - 1
    return at >= 0 and spans[at][0] <= number <= spans[at][1]


def write_formulas(
    book: ZipFile, part: str, first_column: int, path: Path, left_out: Sequence[Span]
) -> None:
    """Write the cells of a sheet that hold a formula without a value: `row,column,address`."""
    if part not in book.namelist():
        return
    with book.open(part) as file:
        shown = (cell for cell in formulas_in(file) if not is_within(left_out, cell[0]))
        formulas = list(islice(shown, NAMED))
    lines = [f"{row},{column - first_column},{address}" for row, column, address in formulas]
    if lines:
        path.write_text("\n".join(lines), encoding="ascii")


def tags_in(file: IO[bytes], tag: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Yield the begins of elements of a part, which is read a piece at a time."""
    rest = b""
    while piece := file.read(PIECE):
        text = rest + piece
        end = 0
        for match in tag.finditer(text):
            yield match
            end = match.end()
        rest = text[max(end, len(text) - LONGEST_TAG) :]


def hidden_rows(file: IO[bytes]) -> list[Span]:
    """Return the hidden rows of a sheet of XLSX; one without a number follows the one before."""
    spans: list[Span] = []
    number = 0
    for match in tags_in(file, ROW):
        written = ROW_NUMBER.search(match[1])
        number = int(written[1]) if written else number + 1
        if HIDDEN_ROW.search(match[1]):
            add_span(spans, number, number)
    return spans


def hidden_rows_of_ods(file: IO[bytes]) -> list[list[Span]]:
    """Return the hidden rows of each sheet of an ODS file."""
    sheets: list[list[Span]] = []
    number = 0
    for match in tags_in(file, ODS_ROW):
        if not match[0].startswith(b"<table:table-row"):
            sheets.append([])
            number = 0
            continue
        repeated = ODS_REPEATED.search(match[1])
        n_rows = int(repeated[1]) if repeated else 1
        if sheets and number < MOST_ROWS and ODS_HIDDEN.search(match[1]):
            add_span(sheets[-1], number + 1, number + n_rows)
        number += n_rows
    return sheets


def add_span(spans: list[Span], first: int, last: int) -> None:
    if spans and spans[-1][1] == first - 1:
        spans[-1] = spans[-1][0], last
    else:
        spans.append((first, last))


class HiddenRows:
    """The hidden rows of each sheet of a file, and those that have something in a cell."""

    def __init__(self, parts: ZipFile, part_names: list[str]) -> None:
        self.parts = parts
        self.part_names = part_names
        self.filled: dict[int, list[Span]] = {}
        self.left_out: dict[int, list[Span]] = {}
        self.of_ods: list[list[Span]] = []
        if not part_names and "content.xml" in parts.namelist():
            with parts.open("content.xml") as file:
                self.of_ods = hidden_rows_of_ods(file)

    def of_sheet(self, index: int) -> list[Span]:
        if index < len(self.of_ods):
            return self.of_ods[index]
        if index < len(self.part_names) and self.part_names[index] in self.parts.namelist():
            with self.parts.open(self.part_names[index]) as file:
                return hidden_rows(file)
        return []

    def shown(
        self, index: int, rows: Iterator[list[object]], *, is_read: bool
    ) -> Iterator[list[object]]:
        """Yield the rows of a sheet; the hidden ones blank, unless they are to be read."""
        spans = self.of_sheet(index)
        self.left_out[index] = [] if is_read else spans
        filled: list[Span] = []
        at = 0
        for number, row in enumerate(rows, start=1):
            while at < len(spans) and spans[at][1] < number:
                at += 1
            if at == len(spans) or number < spans[at][0]:
                yield row
                continue
            if len(filled) < MOST_NAMED and any(str(cell).strip() for cell in row):
                add_span(filled, number, number)
            yield row if is_read else []
        if filled:
            self.filled[index] = filled


def write_book(source: str, folder: Path, *, reads_hidden: bool) -> None:
    book = CalamineWorkbook.from_path(source)
    names = [" ".join(name.split()) for name in book.sheet_names]
    (folder / NAMES).write_text("\n".join(names), encoding="utf-8")
    hidden_sheets = hidden_sheets_of(book)
    with ZipFile(source) as parts:
        part_names = sheet_parts(parts)
        hidden = HiddenRows(parts, part_names)
        for index in range(min(len(names), SHEETS)):
            if index in hidden_sheets and not reads_hidden:
                continue
            sheet = book.get_sheet_by_index(index)
            rows = hidden.shown(index, rows_of(sheet), is_read=reads_hidden)
            with (folder / f"{index}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(map(text_of, row) for row in rows)
            if index < len(part_names):
                first_column = sheet.start[1] if sheet.start else 0
                to = folder / f"{index}.formulas"
                left_out = hidden.left_out[index]
                write_formulas(parts, part_names[index], first_column, to, left_out)
    found = {"sheets": hidden_sheets, "rows": hidden.filled}
    (folder / HIDDEN).write_text(json.dumps(found), encoding="ascii")


def main(source: str, folder: str, *reads: str) -> int:
    """Write the sheets; return 1 if the file is no spreadsheet, 2 if it is locked or broken."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN, WRITTEN))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        write_book(source, Path(folder), reads_hidden=READ_HIDDEN in reads)
    except (CalamineError, BadZipFile) as fault:
        sys.stderr.write(str(fault)[:200])
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
