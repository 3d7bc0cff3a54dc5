"""Reading XLSX and ODS as the same rows as CSV: a bounded process of its own writes them down.

The line of a row is its number in the spreadsheet.
"""

import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from tournaments.importers.tabular import spreadsheet_process
from tournaments.importers.tabular.columns import recognised
from tournaments.importers.tabular.csv import TextTable, Unreadable, open_table
from tournaments.importers.tabular.zip_parts import BrokenZip, TooManyParts, parts_of

ZIP: Final = b"PK\x03\x04"
"""How a zip file begins."""

MOST_BYTES: Final = 48 * 1024 * 1024
"""What a spreadsheet may unfold to: 23,000 hands of four, four years of a club with ten tables.

An XLSX file holds 2 kB for each of them, an ODS file 4.7 kB, and reading takes twice the memory. A
league of 200,000 hands would unfold to 415 MB and take 1 GB, so it comes as CSV, which is read as a
stream whatever its length. A file that says of itself that it is larger is not unfolded; one that
hides it is given up where more comes than it says; one whose cells cost more than those of a sheet
ends at the bounds of the process that reads it.
"""

WAIT_S: Final = 0.1
TOO_LARGE: Final = "The spreadsheet is too large. Save the sheets as CSV (UTF-8)."


def is_spreadsheet(path: Path) -> bool:
    """Whether a file is a zip file, as spreadsheets are."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == ZIP


def unfolded_size(file: IO[bytes]) -> int:
    """Return what a spreadsheet says that it unfolds to; 0 for what is none, or is refused."""
    try:
        return sum(part.file_size for part in parts_of(file))
    except (BrokenZip, TooManyParts):
        return 0


def open_spreadsheet(path: Path, folder: Path) -> Generator[None, None, TextTable]:
    """Return the sheet of a spreadsheet whose first row means most, as a table of text.

    Args:
        folder: where the rows are written; it must stay as long as the table is read.

    Raises:
        Unreadable: another kind of zip file, locked, broken, or larger than it may be.
    """
    named = folder / f"book.{_kind(path)}"
    named.symlink_to(path.resolve())
    program = [sys.executable, "-I", spreadsheet_process.__file__, str(named), str(folder)]
    process = subprocess.Popen(  # noqa: S603  # our own program, on a file that we named
        program, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        while process.poll() is None:
            try:
                process.wait(timeout=WAIT_S)
            except subprocess.TimeoutExpired:
                yield
    finally:
        process.kill()
        _, said = process.communicate()
    if process.returncode == 2:
        words = said.decode(errors="replace")
        raise Unreadable(f"The spreadsheet cannot be read ({words}). Is it locked?")
    if process.returncode != 0:
        raise Unreadable(TOO_LARGE)
    return _best(folder)


def _kind(path: Path) -> str:
    try:
        with path.open("rb") as file:
            listed = parts_of(file)
    except TooManyParts as fault:
        raise Unreadable(TOO_LARGE) from fault
    except BrokenZip as fault:
        raise Unreadable("This file is a damaged zip file, not a spreadsheet.") from fault
    if sum(part.file_size for part in listed) > MOST_BYTES:
        raise Unreadable(TOO_LARGE)
    names = {part.filename for part in listed}
    if "xl/workbook.xml" in names:
        return "xlsx"
    if {"content.xml", "mimetype"} <= names:
        return "ods"
    raise Unreadable("This file is a zip file, not a spreadsheet. Extract the sheets first.")


def _formulas(path: Path) -> dict[int, list[tuple[int, str]]]:
    """Return the cells that the reader found without a value: a line each, `5,8,I5`."""
    found: dict[int, list[tuple[int, str]]] = {}
    if path.exists():
        for text in path.read_text(encoding="ascii").splitlines():
            line, column, address = text.split(",")
            found.setdefault(int(line), []).append((int(column), address))
    return found


def _best(folder: Path) -> TextTable:
    best: TextTable | None = None
    fault = Unreadable("The spreadsheet is empty.")
    for path in sorted(folder.glob("*.csv")):
        try:
            table = open_table(path, recognised)
        except Unreadable as unreadable:
            fault = unreadable if path.stat().st_size else fault
            continue
        if best is None or recognised(table.heads) > recognised(best.heads):
            best = replace(table, formulas=_formulas(path.with_suffix(".formulas")))
    if best is None:
        raise fault
    return best
