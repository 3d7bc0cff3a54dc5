"""A program of its own: writes the sheets of a spreadsheet as CSV files, within bounds.

`python spreadsheet_reader.py SOURCE FOLDER` writes 0.csv, 1.csv … Whatever a file unfolds to, it
ends with this process: memory, time and what it writes are bounded. Imports nothing of ours.
"""

import csv
import resource
import sys
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Final

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

MEMORY: Final = 152 * 1024 * 1024
"""Of addresses; the largest sheet that a club has (spreadsheets.py) takes 112 MB of them."""

WRITTEN: Final = 16 * 1024 * 1024
"""Three times what that sheet is as CSV."""

SECONDS: Final = 10
"""Of computing; that sheet takes one."""

SHEETS: Final = 10
"""So many sheets of a file are looked at."""


def text_of(cell: object) -> str:
    """Return a cell as it would be typed: 4 for 4.0, 2025-11-13 for a day, 1 for true.

    >>> text_of(4.0), text_of(7.5), text_of(datetime(2025, 11, 13)), text_of(True)
    ('4', '7.5', '2025-11-13', '1')
    """
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return " ".join(str(cell).splitlines()) if isinstance(cell, str) else str(cell)


def rows_of(sheet: CalamineSheet) -> Iterator[list[object]]:
    """Yield the rows of a sheet; what is merged over several rows stands in each of them.

    It stands in the first column of what was merged only: a title over all columns is one cell.
    """
    left = sheet.start[1] if sheet.start else 0
    merged = sorted(sheet.merged_cell_ranges or (), reverse=True)
    below: dict[int, tuple[int, object]] = {}
    for number, found in enumerate(sheet.iter_rows()):
        row: list[object] = list(found)
        for column, (last, cell) in list(below.items()):
            row[column] = cell
            if last == number:
                del below[column]
        while merged and merged[-1][0][0] <= number:
            (first, start), (last, _) = merged.pop()
            column = start - left
            if first == number < last and 0 <= column < len(row):
                below[column] = (last, row[column])
        yield row


def write_sheet(rows: Iterable[Iterable[object]], path: Path) -> None:
    """Write rows as CSV, a line each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for row in rows:
            writer.writerow([text_of(cell) for cell in row])


def main(source: str, folder: str) -> int:
    """Write the sheets; 1 where it is no spreadsheet, 2 where it is locked or broken."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN, WRITTEN))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        book = CalamineWorkbook.from_path(source)
        for index in range(min(len(book.sheet_names), SHEETS)):
            rows = rows_of(book.get_sheet_by_index(index))
            write_sheet(rows, Path(folder) / f"{index}.csv")
    except CalamineError as fault:
        sys.stderr.write(str(fault)[:200])
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
