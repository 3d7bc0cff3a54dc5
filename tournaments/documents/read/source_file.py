"""A file as its sheets, each with the tables that it may be; and the choice between the sheets.

XLSX and ODS files are read as rows in a process with bounds of its own."""

import json
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Container, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Final

from tournaments.documents.read import spreadsheet_process
from tournaments.documents.read.columns import HEADS, fold
from tournaments.documents.read.csv import (
    PROTECTED,
    SHAPE_ROWS,
    Blocks,
    Note,
    Places,
    Run,
    Score,
    TextTable,
    Unreadable,
    best_block,
    find_blocks,
    text_of,
)
from tournaments.documents.read.other_texts import CHAT, MOST_LINES, is_chat_of_hands
from tournaments.documents.read.spreadsheet_process import SHEETS

MOST_PARTS: Final = 500
"""Files within the zip file; a spreadsheet program writes one for each sheet and some ten more."""

PART_BYTES: Final = 1024
"""Bytes of a part in the directory: it takes 46 of them, its name, and what programs add."""

END: Final = struct.Struct("<4s4H2LH")
END_64: Final = struct.Struct("<4sQ2H2L4Q")
LOCATOR_64: Final = struct.Struct("<4sLQL")
LONGEST_COMMENT: Final = 65_535


class BrokenZip(ValueError):
    """A zip file that cannot be read."""


class TooManyParts(ValueError):
    """A zip file with more parts than a spreadsheet has."""


FAULTS: Final = (
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
    EOFError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What `zipfile` raises for files that are broken, or made to be: a name that is not UTF-8, a place
before the file begins, a version that is not known."""

MOST_BYTES: Final = 48 * 1024 * 1024
"""What a spreadsheet may unfold to: 23,000 hands of four, four years of a club with ten tables.

An XLSX file holds 2 kB for each of them, an ODS file 4.7 kB, and reading takes twice the memory. A
league of 200,000 hands would unfold to 415 MB and take 1 GB, so it comes as CSV, which is read as a
stream whatever its length. A file that says of itself that it is larger is not unfolded; one that
hides it is given up where more comes than it says; one whose cells cost more than those of a sheet
ends at the bounds of the process that reads it.
"""

LOCKED: Final = 1
"""Flag of a part of a zip file that needs a password."""
MANIFEST: Final = "META-INF/manifest.xml"
MOST_OF_MANIFEST: Final = 256 * 1024
"""Bytes of the list of the parts of an ODS file; some hundred of them say how each is encrypted."""

OTHER_ZIPS: Final = (
    (
        "Index/Document.iwa",
        "This is a file of Apple Numbers. In Numbers choose File, Export To, Excel or CSV, and "
        "import that file.",
    ),
    (
        "Index.zip",
        "This is a file of Apple Numbers. In Numbers choose File, Export To, Excel or CSV, and "
        "import that file.",
    ),
    (
        "index.apxl",
        "This is a file of Apple Keynote, not a spreadsheet. Copy its table into a spreadsheet, "
        "and save that as CSV or XLSX.",
    ),
    (
        "word/document.xml",
        "This is a Word file, not a spreadsheet. Copy its table into a spreadsheet, and save that "
        "as CSV or XLSX; or copy the table and paste it as rows.",
    ),
    (
        "xl/workbook.bin",
        "This is a binary Excel file (XLSB). In Excel choose File, Save As, Excel Workbook (XLSX), "
        "and import that file.",
    ),
    (
        "ppt/presentation.xml",
        "This is a presentation, not a spreadsheet. Copy its table into a spreadsheet, and save "
        "that as CSV or XLSX.",
    ),
)
"""A part of a zip file that is no spreadsheet we read → what to call it, and what to do."""

WAIT_S: Final = 0.1
TOO_LARGE: Final = "The spreadsheet is too large. Save the sheets as CSV (UTF-8)."
SHEETS_JOINED: Final = "sheets_joined"
"""Code of the note that several sheets are read as one table."""
SHEETS_COUNTED: Final = "sheets_counted"
"""Code of the note that the names of sheets count the rounds."""

DATES: Final = frozenset(map(fold, HEADS["date"]))
ROUNDS: Final = frozenset(map(fold, HEADS["round"]))
HANDS: Final = frozenset(map(fold, HEADS["hand"]))
TABLES: Final = frozenset(map(fold, HEADS["table"]))
TELL_EVENINGS_APART: Final = DATES | ROUNDS

ALL_HIDDEN: Final = (
    "All rows of the spreadsheet are hidden. Show the sheet and its rows in the spreadsheet "
    "program, save the file and choose it again."
)
MOST_SPANS: Final = 20
"""Hidden rows of one sheet that a note names; those that follow each other are one."""

LONGEST_LIST: Final = 400
"""Characters of the names of sheets in a note."""


def parts_of(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Return the parts of a zip file; the file is at its start afterwards."""
    require_few_parts(file, MOST_PARTS)
    try:
        with zipfile.ZipFile(file) as parts:
            entries = parts.infolist()
    except FAULTS as fault:
        raise BrokenZip from fault
    finally:
        file.seek(0)
    if len(entries) > MOST_PARTS:  # the file lied about their number
        raise TooManyParts
    return entries


def require_few_parts(file: IO[bytes], most: int) -> None:
    """Judge a zip file by the size of its directory, which is not read."""
    try:
        count, length = _size_of_directory(file)
    except FAULTS as fault:
        raise BrokenZip from fault
    finally:
        file.seek(0)
    if count > most or length > most * PART_BYTES:
        raise TooManyParts


def _size_of_directory(file: IO[bytes]) -> tuple[int, int]:
    size = file.seek(0, 2)
    start = max(size - END.size - LONGEST_COMMENT, 0)
    file.seek(start)
    tail = file.read()
    place = len(tail) - END.size
    if tail[place : place + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        place = tail.rfind(b"PK\5\6")
    if place < 0:
        raise BrokenZip
    _, _, _, _, count, length, _, _ = END.unpack_from(tail, place)
    before = start + place - LOCATOR_64.size - END_64.size
    if before >= 0:
        file.seek(before)
        large = file.read(END_64.size)
        locator = file.read(LOCATOR_64.size)
        if locator.startswith(b"PK\6\7") and large.startswith(b"PK\6\6"):
            _, _, _, _, _, _, _, count, length, _ = END_64.unpack(large)
    return count, length


ZIP: Final = b"PK\x03\x04"
"""First bytes of a zip file."""


def is_spreadsheet(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == ZIP


def unfolded_size(file: IO[bytes]) -> int:
    """Return the unpacked size that a spreadsheet states; 0 for other files, or refused ones."""
    try:
        return sum(part.file_size for part in parts_of(file))
    except (BrokenZip, TooManyParts):
        return 0


def write_sheets(
    path: Path, folder: Path, *, reads_hidden: bool = False
) -> Generator[None, None, list[str]]:
    """Write the rows of each sheet into `folder`, as text; return the names of all sheets."""
    link = folder / f"book.{_kind(path)}"
    link.symlink_to(path.resolve())
    program = [sys.executable, "-I", spreadsheet_process.__file__, str(link), str(folder)]
    if reads_hidden:
        program.append(spreadsheet_process.READ_HIDDEN)
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
        _, errors = process.communicate()
    if process.returncode == 2:
        words = errors.decode(errors="replace")
        raise Unreadable(f"The spreadsheet cannot be read ({words}). Is it locked?")
    if process.returncode != 0:
        raise Unreadable(TOO_LARGE)
    return (folder / spreadsheet_process.NAMES).read_text(encoding="utf-8").split("\n")


def _kind(path: Path) -> str:
    try:
        with path.open("rb") as file:
            entries = parts_of(file)
    except TooManyParts as fault:
        raise Unreadable(TOO_LARGE) from fault
    except BrokenZip as fault:
        raise Unreadable("This file is a damaged zip file, not a spreadsheet.") from fault
    if sum(part.file_size for part in entries) > MOST_BYTES:
        raise Unreadable(TOO_LARGE)
    names = {part.filename for part in entries}
    if any(part.flag_bits & LOCKED for part in entries):
        raise Unreadable(PROTECTED)
    if "xl/workbook.xml" in names:
        return "xlsx"
    if {"content.xml", "mimetype"} <= names:
        _require_no_password(path)
        return "ods"
    for part, words in OTHER_ZIPS:
        if part in names:
            raise Unreadable(words)
    raise Unreadable("This file is a zip file, not a spreadsheet. Extract the sheets first.")


def _require_no_password(path: Path) -> None:
    """Refuse an ODS file whose parts are encrypted, as its list of parts says."""
    try:
        with zipfile.ZipFile(path) as parts, parts.open(MANIFEST) as manifest:
            text = manifest.read(MOST_OF_MANIFEST)
    except (*FAULTS, KeyError):
        return  # the process says what is wrong with it
    if b"encryption-data" in text:
        raise Unreadable(PROTECTED)


def read_formulas(path: Path) -> dict[int, list[tuple[int, str]]]:
    """Return the cells that the process found without a value: a line each, `5,8,I5`."""
    formulas: dict[int, list[tuple[int, str]]] = {}
    if path.exists():
        for text in path.read_text(encoding="ascii").splitlines():
            line, column, address = text.split(",")
            formulas.setdefault(int(line), []).append((int(column), address))
    return formulas


def _notes_on_hidden(folder: Path, names: Sequence[str], *, reads_hidden: bool) -> tuple[Note, ...]:
    """Return the notes on the hidden sheets and rows of a spreadsheet, which have their names."""
    found = json.loads((folder / spreadsheet_process.HIDDEN).read_text(encoding="ascii"))
    sheets = [names[index] for index in found["sheets"]]
    by_sheet = [
        f"“{names[int(index)]}”: {in_short_spans(spans)}" for index, spans in found["rows"].items()
    ]
    notes: list[Note] = []
    if sheets:
        code = "hidden_sheets_read" if reads_hidden else "hidden_sheets_left_out"
        notes.append((code, 1, list_sheets(sheets), ""))
    if by_sheet:
        code = "hidden_rows_read" if reads_hidden else "hidden_rows_left_out"
        notes.append((code, 1, "; ".join(by_sheet)[:LONGEST_LIST], ""))
    return tuple(notes)


def in_short_spans(spans: Sequence[Sequence[int]]) -> str:
    """Return the numbers of rows; of many only the first ones.

    >>> in_short_spans([(7, 7), (9, 12)]), in_short_spans([(n, n) for n in range(2, 90, 2)])[-8:]
    ('7, 9–12', '38, 40 …')
    """
    texts = [str(first) if first == last else f"{first}–{last}" for first, last in spans]
    text = ", ".join(texts[:MOST_SPANS])
    if len(texts) > MOST_SPANS:
        return f"{text} …"
    return text


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of which every sheet was read. `unread` are the names of those that have no table.

    What is written to read it is in `folder`, which stays as long as its tables are read.
    `on_hidden` are the notes on its hidden sheets and rows.
    """

    path: Path
    folder: Path
    sheets: Mapping[str, Blocks]
    unread: tuple[str, ...] = ()
    on_hidden: tuple[Note, ...] = ()

    def best(self, score: Score, sheet: str = "", *, joins_rounds: bool = False) -> TextTable:
        """Return the block with the highest score, with those of equal heads below it.

        A sheet that is named by `sheet` is taken instead. Sheets are put together if a column
        tells their evenings apart, a date or a round. With `joins_rounds` also where rounds begin
        again on each sheet, as files were read once.
        """
        tables = self.tables(score)
        if not is_spreadsheet(self.path):
            return tables[""]
        if sheet and sheet not in tables:
            raise Unreadable(
                f"No sheet of the file is called “{sheet}”. Its sheets: {list_sheets(tables)}."
            )
        best = tables.get(sheet) or max(tables.values(), key=lambda table: score(table.heads))
        alike = {name: table for name, table in tables.items() if _has_heads_of(table, best)}
        is_told = joins_rounds or len(alike) == 1 or _tell_evenings_apart(list(alike.values()))
        if not is_told:
            alike = {name: table for name, table in alike.items() if table is best}
        joined = _joined(alike, self.folder) if len(alike) > 1 else best
        return self.with_others(joined, alike)

    def tables(self, score: Score) -> Mapping[str, TextTable]:
        return {name: best_block(blocks, score) for name, blocks in self.sheets.items()}

    def with_others(self, table: TextTable, read: Container[str]) -> TextTable:
        """Return a table of the sheets `read`, with a note that names the others."""
        others = tuple(name for name in self.sheets if name not in read)
        notes = [*table.about_sheets, *self.on_hidden]
        if self.unread or others:
            notes.append(
                ("sheets_not_read", table.head_line, list_sheets((*self.unread, *others)), "")
            )
        return replace(table, about_sheets=tuple(notes), other_sheets=others)


def read_source(
    path: Path, folder: Path, *, reads_hidden: bool = False
) -> Generator[None, None, SourceFile]:
    """Read the sheets of a file; hidden ones, and hidden rows, only if it is asked for."""
    if not is_spreadsheet(path):
        blocks = yield from find_blocks(path)
        if is_chat_of_hands(text_of(path, MOST_LINES)):
            raise Unreadable(CHAT)
        return SourceFile(path, folder, {"": blocks})
    names = yield from write_sheets(path, folder, reads_hidden=reads_hidden)
    on_hidden = _notes_on_hidden(folder, names, reads_hidden=reads_hidden)
    sheets: dict[str, Blocks] = {}
    unread = names[SHEETS:]
    fault = Unreadable("The spreadsheet is empty.")
    for written in sorted(folder.glob("*.csv"), key=lambda written: int(written.stem)):
        name = names[int(written.stem)]
        try:
            blocks = yield from find_blocks(written)
        except Unreadable as unreadable:
            if written.stat().st_size:
                fault = unreadable
                unread.append(name)
            continue
        formulas = read_formulas(written.with_suffix(".formulas"))
        sheets[name] = [
            [
                replace(block, formulas=formulas, sheet=name, is_padded=True)
                for block in by_separator
            ]
            for by_separator in blocks
        ]
    if not sheets and on_hidden and not reads_hidden:
        raise Unreadable(ALL_HIDDEN)
    if not sheets:
        raise fault
    return SourceFile(path, folder, sheets, tuple(unread), on_hidden)


def list_sheets(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)[:LONGEST_LIST]


def _has_heads_of(table: TextTable, best: TextTable) -> bool:
    heads = [fold(head) for head in best.heads]
    is_dated = any(head in TELL_EVENINGS_APART for head in heads)
    return table is best or (is_dated and [fold(head) for head in table.heads] == heads)


def _tell_evenings_apart(tables: Sequence[TextTable]) -> bool:
    """Whether equal heads have a date, or no two tables have a round (and table) in common.

    A round that begins again on each sheet counts the hands, or the rounds of an evening. Beside a
    column of hands it is a round: what comes twice is asked about.
    """
    heads = [fold(head) for head in tables[0].heads]
    if any(head in DATES or head in HANDS for head in heads):
        return True
    columns = [at for at, head in enumerate(heads) if head in ROUNDS or head in TABLES]
    earlier: set[tuple[str, ...]] = set()
    for table in tables:
        rows = [row for _, row in islice(table.rows(), SHAPE_ROWS) if len(row) > max(columns)]
        places = {tuple(row[at].strip() for at in columns) for row in rows}
        places = {place for place in places if all(place)}
        if places & earlier:
            return False
        earlier |= places
    return True


def _joined(tables: Mapping[str, TextTable], folder: Path) -> TextTable:
    """Write the rows of sheets with equal heads below each other; a line is a row."""
    (_, first), *others = tables.items()
    lines = _lines_of(first)
    formulas = dict(first.formulas)
    runs = [Run(first.head_line, first.sheet, first.head_line)]
    for name, table in others:
        offset = len(lines) - table.head_line
        runs.append(Run(len(lines) + 1, name, table.head_line + 1))
        lines += _lines_of(table)[table.head_line :]
        formulas |= {line + offset: cells for line, cells in table.formulas.items()}
    path = folder / "joined.csv"
    path.write_text("\r\n".join([*lines, ""]), encoding="utf-8", newline="")
    names = list_sheets(tables)
    note = (SHEETS_JOINED, first.head_line, names, "")
    return replace(
        first,
        path=path,
        formulas=formulas,
        about_sheets=(note,),
        sheet="",
        file_places=Places(tuple(runs)),
    )


def _lines_of(table: TextTable) -> list[str]:
    """Return the rows of a sheet as the process wrote them, each with one line end."""
    with table.path.open(encoding="utf-8", newline="") as file:
        return file.read().removesuffix("\r\n").split("\r\n")
