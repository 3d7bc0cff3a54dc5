"""A program of its own: writes the sheets of a spreadsheet as CSV files, within bounds.

`python spreadsheet_process.py SOURCE FOLDER` writes 0.csv, 1.csv … Memory, time and
output are limited, as a file may unpack to any size. Imports no module of this project."""

import csv
import re
import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import IO, Final
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

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

FORMULA: Final = re.compile(
    rb"<c\s([^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
"""A cell of XLSX with a formula and no value: programs that only write files leave it so."""

ADDRESS: Final = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
TEXT: Final = re.compile(rb'\bt="str"')

NAMED: Final = 10_000
"""Maximum number of such cells that are named."""


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


def write_formulas(book: ZipFile, part: str, first_column: int, path: Path) -> None:
    """Write the cells of a sheet that hold a formula without a value: `row,column,address`."""
    if part not in book.namelist():
        return
    with book.open(part) as file:
        formulas = list(islice(formulas_in(file), NAMED))
    lines = [f"{row},{column - first_column},{address}" for row, column, address in formulas]
    if lines:
        path.write_text("\n".join(lines), encoding="ascii")


def main(source: str, folder: str) -> int:
    """Write the sheets; return 1 if the file is no spreadsheet, 2 if it is locked or broken."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN, WRITTEN))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        book = CalamineWorkbook.from_path(source)
        with ZipFile(source) as parts:
            part_names = sheet_parts(parts)
            lines = [" ".join(name.split()) for name in book.sheet_names]
            (Path(folder) / NAMES).write_text("\n".join(lines), encoding="utf-8")
            for index in range(min(len(book.sheet_names), SHEETS)):
                sheet = book.get_sheet_by_index(index)
                with (Path(folder) / f"{index}.csv").open(
                    "w", encoding="utf-8", newline=""
                ) as file:
                    csv.writer(file).writerows(map(text_of, row) for row in rows_of(sheet))
                if index < len(part_names):
                    first_column = sheet.start[1] if sheet.start else 0
                    to = Path(folder) / f"{index}.formulas"
                    write_formulas(parts, part_names[index], first_column, to)
    except (CalamineError, BadZipFile) as fault:
        sys.stderr.write(str(fault)[:200])
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
