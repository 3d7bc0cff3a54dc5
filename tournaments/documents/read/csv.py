"""Read a table of text: encoding, separator, line ends, corrected lines."""

import codecs
import csv
import re
import stat
from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final, Protocol, TypeAlias, TypedDict, TypeVar

from tournaments.domain.imports.import_report import FilePlace

Formulas: TypeAlias = Mapping[int, Sequence[tuple[int, str]]]
"""Cells of a spreadsheet with a formula but no value: (column from 0, address) by line."""

Note: TypeAlias = tuple[str, int, str, str]
"""A note on how a file is written: code, line, found, expected."""

Line = tuple[int, tuple[str, ...]]
"""A row with its line of the file."""


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that follow each other as rows of a sheet do, or as its columns where they are turned.

    The first line, the sheet (empty for text), and the row or column from 1 of that line. `order`
    are the columns of the table as these lines have them, if that is another order.
    """

    line: int
    sheet: str
    first: int
    is_column: bool = False
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Where the lines of a table are in the file, if these are not its own rows; in order."""

    runs: tuple[Run, ...] = ()

    def place(self, line: int) -> FilePlace | None:
        """Return the place of a line; None where a line is a row of the file.

        >>> places = Places((Run(2, "A", 4), Run(7, "B", 4)))
        >>> places.place(8), places.place(1), Places().place(8)
        (FilePlace(sheet='B', row=5, column=0), None, None)
        """
        run = self._run(line)
        if run is None:
            return None
        number = run.first + line - run.line
        if run.is_column:
            return FilePlace(run.sheet, column=number)
        return FilePlace(run.sheet, row=number)

    def order(self, line: int) -> tuple[int, ...]:
        """Return the columns of the table as a line has them; empty if it has their order."""
        run = self._run(line)
        return run.order if run is not None else ()

    def _run(self, line: int) -> Run | None:
        at = bisect_right(self.runs, line, key=lambda run: run.line) - 1
        return self.runs[at] if at >= 0 else None


class SheetTable(Protocol):
    """Rows below column heads as written, with the lines of the file."""

    @property
    def heads(self) -> tuple[str, ...]: ...

    @property
    def head_line(self) -> int: ...

    @property
    def notes(self) -> Sequence[Note]: ...

    @property
    def formulas(self) -> Formulas: ...

    @property
    def above(self) -> Sequence[Line]:
        """The rows above the heads."""

    @property
    def file_places(self) -> Places:
        """Where its lines are in the file."""

    @property
    def is_padded(self) -> bool:
        """Whether its rows are all as wide as the widest, as those of a spreadsheet are."""

    @property
    def sheet(self) -> str:
        """The name of the sheet that was read; empty for text, and for several sheets."""

    @property
    def other_sheets(self) -> Sequence[str]:
        """The names of the sheets that were not read."""

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row below the heads with its line; a blank line yields no cells."""


@dataclass(frozen=True, slots=True)
class SourceCorrections:
    """The corrections of a file: the cells of lines, and the heads of columns that it lacked."""

    added: tuple[str, ...] = ()
    lines: Mapping[int, Sequence[str]] = field(default_factory=dict)


NO_CORRECTIONS = SourceCorrections()
DELIMITERS: Final = (",", ";", "\t", "|")
BLANKS: Final = "  "
"""Separator of a table whose columns are lined up by two blanks or more, as in a mail."""
BETWEEN_COLUMNS: Final = re.compile(r"[ \xa0]{2,}|[ \xa0]*\t[ \xa0]*")
LEAST_ALIGNED: Final = 3
"""Columns of such a table: two may be a name and a remark."""
LINED_UP: Final = (
    "The columns of this table are lined up by blanks, and not all of its rows have as many. Copy "
    "it from the spreadsheet, or write a semicolon between the cells."
)

SEPARATED_BY: Final = {";": "semicolons", "\t": "tabs", "|": "vertical bars", BLANKS: "blanks"}

SEPARATORS: Final = frozenset({"sep=", *(f"sep={delimiter}" for delimiter in DELIMITERS)})
"""A first line in which a spreadsheet program names the separator."""

BLOCK: Final = 1 << 20

MOST_ODD: Final = 0.05
"""Share of control characters in the first block above which a file is no text."""

LONGEST_ROW: Final = 40
"""A cell may hold line breaks; one that holds more than this is a quote that nobody closed."""

WIDEST_ROW: Final = 1_000
"""Maximum number of columns; separators are counted before a line is split into cells."""

SHAPE_ROWS: Final = 5_000
"""The shape of a file is decided on its first rows: where its heads are, and whether it is one
table or several. A file has a hundred times as many."""

BREATH: Final = 1_000
"""Number of rows read before other work gets a turn."""

LOOKED_AT: Final = 10
"""Number of rows searched for the heads, which titles or remarks may precede."""

SURE: Final = 4
"""With this many known heads, a row is the heads in any case."""

KINDS: Final = (
    (b"PK\x03\x04", "a spreadsheet or zip file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"SQLite format 3", "a database file"),
    (b"% PBN", "a PBN file of deals"),
    (b"[Event ", "a PBN or PGN file"),
    (b"RIFF", "a picture or a sound"),
    (b"\x7fELF", "a program"),
    (b"{", "JSON"),
    (b"<", "HTML or XML"),
)
"""First bytes → what to call the file instead."""

OLE: Final = b"\xd0\xcf\x11\xe0"
"""First bytes of an old Excel file, and of a workbook of Excel with a password."""
ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
"""The part of such a file that is the workbook, if it has a password."""
PROTECTED: Final = (
    "This spreadsheet has a password. Open it in the spreadsheet program, remove the password and "
    "save it; or save the sheet as CSV (UTF-8)."
)

MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
OF_UTF_8: Final = frozenset({"utf-8", "utf-8-sig"})
OF_WIDE_LETTERS: Final = frozenset({"utf-16", "utf-32"})


class Codec(TypedDict):
    """Keywords of `Path.open`. No letter of a file is an error."""

    encoding: str
    errors: str


NO_ROWS: Final = "The file has column names but no rows."


class Unreadable(Exception):
    """Nothing can be read from the file. The text says what was found instead."""


Score: TypeAlias = Callable[[Sequence[str]], int]
"""Returns how many of the cells of a row are heads that have a meaning."""

MIXED: Final = "utf-8 with lines of cp1252"
"""Encoding of a file of UTF-8 into which lines of Windows-1252 were copied, or letters of neither.
It is no name of a codec, and no page shows it."""

FALLBACK: Final = "blacklady_cp1252"


def formulas_in(columns: Collection[int], formulas: Formulas) -> Formulas:
    return {
        line: unvalued
        for line, cells in formulas.items()
        if (unvalued := [cell for cell in cells if cell[0] in columns])
    }


LEAST_FULL: Final = 100
"""Maximum number of rows of another width before the first full one."""


class CorrectedTable:
    """A file with its corrections applied; the file itself is unchanged.

    After a reading it knows how many cells each line has, corrected lines left out: as many as
    there are heads in `n_full` rows, fewer or more in `widths`. Rows of a spreadsheet are equally
    wide, so that those end with their last filled cell.
    """

    def __init__(self, table: SheetTable, corrections: SourceCorrections) -> None:
        self.table, self.corrections = table, corrections
        self.n_full, self.widths = 0, dict[int, int]()
        self.heads = (*table.heads, *corrections.added)
        self.head_line, self.notes = table.head_line, table.notes
        self.above, self.other_sheets = table.above, table.other_sheets
        self.sheet = table.sheet
        self.file_places = table.file_places
        self.is_padded = table.is_padded
        named_columns = [at for at, head in enumerate(table.heads) if head.strip()]
        self.first_named = named_columns[0] if named_columns else 0
        self.n_named = named_columns[-1] + 1 if named_columns else 0
        self.beyond: dict[int, int] = {}
        self.n_without_first = 0

    @property
    def formulas(self) -> Formulas:
        corrected = self.corrections.lines
        return {line: cells for line, cells in self.table.formulas.items() if line not in corrected}

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        self.n_full = 0
        self.widths = {}
        self.beyond = {}
        self.n_without_first = 0
        width = len(self.table.heads)
        more = [""] * len(self.corrections.added)
        for line, cells in self.table.rows():
            if (corrected := self.corrections.lines.get(line)) is not None:
                yield line, list(corrected)
                continue
            if any(cells):
                self._note_width(line, cells)
            if more and any(cells):
                fitted = [*cells[:width], *[""] * (width - len(cells))]
                yield line, [*fitted, *more, *cells[width:]]
            else:
                yield line, cells

    def _note_width(self, line: int, cells: Sequence[str]) -> None:
        n_cells = len(cells)
        if self.is_padded or n_cells > self.n_named:
            n_filled = max(
                (at for at, cell in enumerate(cells, start=1) if cell.strip()), default=0
            )
            if self.is_padded:
                n_cells = min(n_filled, self.n_named)
            is_first_empty = self.first_named < len(cells) and not cells[self.first_named].strip()
            self.n_without_first += is_first_empty
            is_beyond = n_filled > self.n_named and _is_number(cells[self.n_named])
            if is_first_empty and is_beyond and len(self.beyond) <= LEAST_FULL:
                self.beyond[line] = n_filled
        if n_cells == self.n_named:
            self.n_full += 1
        elif len(self.widths) <= self.n_full + LEAST_FULL:
            self.widths[line] = n_cells

    def shifted(self) -> dict[int, int]:
        """Return the rows that are moved to the right, with the place of their last filled cell.

        They have a number beyond the heads and nothing below the first head, where others have
        something.
        """
        is_of_others = len(self.beyond) < self.n_without_first
        if is_of_others or len(self.beyond) >= self.n_full:
            return {}
        return self.beyond

    def odd_widths(self) -> dict[int, int]:
        """Return the number of cells of each row that is not as wide as most, by line.

        Programs that leave out empty cells at the end, or write more of them, do so in most rows.
        """
        return self.widths if len(self.widths) < self.n_full else {}

    def not_full(self) -> dict[int, int]:
        """Return the same for a file in which one full row is enough to compare with."""
        return self.widths if len(self.widths) <= max(self.n_full, 1) else {}


NO_PLACES: Final = Places()

T = TypeVar("T")


def run_steps(steps: Generator[object, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


@dataclass(frozen=True, slots=True)
class TextTable:
    """A file of rows whose dialect is known."""

    path: Path
    encoding: str
    delimiter: str
    heads: tuple[str, ...]
    head_line: int
    byte_order_mark: bool
    above: tuple[Line, ...] = ()
    formulas: Formulas = field(default_factory=dict)
    about_sheets: tuple[Note, ...] = ()
    about_text: tuple[Note, ...] = ()
    other_sheets: tuple[str, ...] = ()
    sheet: str = ""
    file_places: Places = NO_PLACES
    is_padded: bool = False
    """Whether its rows are all as wide as the widest, as those of a spreadsheet are."""

    def run_from(self, line: int, at: int) -> Run:
        """Return the run of lines that begins at line `at` of a new table with this line."""
        place = self.file_places.place(line)
        if place is None:
            return Run(at, self.sheet, line)
        return Run(at, place.sheet, place.row or place.column, is_column=bool(place.column))

    @property
    def notes(self) -> Sequence[Note]:
        notes = [*self.about_sheets, *self.about_text]
        if self.byte_order_mark:
            notes.append(("byte_order_mark", 1, "a byte-order mark", ""))
        if self.delimiter != DELIMITERS[0]:
            name = SEPARATED_BY[self.delimiter]
            notes.append(("delimiter", self.head_line, name, "commas"))
        if self.encoding == "cp1252":
            notes.append(("encoding", 1, "Windows-1252", ""))
        notes += [("not_a_hand_row", line, _short(cells), "") for line, cells in self.above]
        return notes

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        for line, cells in _records(self.path, self.encoding, self.delimiter):
            if line <= self.head_line:
                continue
            if self.delimiter == BLANKS and len(cells) not in (0, 1, len(self.heads)):
                raise Unreadable(f"Line {line} has {len(cells)} cells. {LINED_UP}")
            yield line, cells


Blocks: TypeAlias = Sequence[Sequence[TextTable]]
"""The tables that a sheet may be: by each separator, below each of its first rows."""


def open_table(path: Path, score: Score) -> TextTable:
    return require_table(best_block(run_steps(find_blocks(path)), score), score)


def require_table(table: TextTable, score: Score) -> TextTable:
    if score(table.heads) < 1 and len(table.heads) < 2:
        if len(BETWEEN_COLUMNS.split(table.heads[0].strip())) >= LEAST_ALIGNED:
            raise Unreadable(LINED_UP)
        raise Unreadable(f'This is not a table: its first line is "{_short(table.heads)}".')
    return table


def find_blocks(path: Path) -> Generator[None, None, Blocks]:
    encoding = _encoding(path, _start(path))
    mark = encoding in {encoding for _, encoding in MARKS}
    notes = yield from _odd_text(path, encoding)
    blocks = []
    for delimiter in _candidates(path, encoding):
        rows = [(line, tuple(cells)) for line, cells in _first_rows(path, encoding, delimiter)]
        blocks.append(_blocks_below(path, encoding, delimiter, rows, mark=mark, notes=notes))
    if not any(blocks):
        raise Unreadable(f"The first {SHAPE_ROWS} lines of the file are empty.")
    if all(len(block.heads) == 1 for by_separator in blocks for block in by_separator):
        rows = [(line, tuple(cells)) for line, cells in _first_rows(path, encoding, BLANKS)]
        if _are_lined_up([cells for _, cells in rows]):
            blocks = [_blocks_below(path, encoding, BLANKS, rows, mark=mark, notes=notes)]
    return [by_separator for by_separator in blocks if by_separator]


def _blocks_below(
    path: Path,
    encoding: str,
    delimiter: str,
    rows: Sequence[Line],
    *,
    mark: bool,
    notes: tuple[Note, ...],
) -> list[TextTable]:
    """Return the tables below each of the first rows of a file."""
    return [
        TextTable(path, encoding, delimiter, heads, line, mark, tuple(rows[:at]), about_text=notes)
        for at, (line, heads) in enumerate(rows)
    ]


def _are_lined_up(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a text is a table with blanks between its columns, of which most rows have all.

    >>> _are_lined_up([["Hand", "Ann", "Bo"], ["1", "13", "5"]])
    True
    >>> _are_lined_up([["Hand", "Ann", "Bo"], ["1", "13"], ["2", "8"]])
    False
    """
    widths = [len(row) for row in rows]
    width = max(widths, key=lambda n: (widths.count(n), n), default=0)
    full = [row for row in rows if len(row) == width]
    has_numbers = any(sum(map(_is_number, row)) >= LEAST_ALIGNED - 1 for row in full)
    is_of_most = len(full) * 2 > len(rows) and len(full) > 1
    return width >= LEAST_ALIGNED and is_of_most and has_numbers


def best_block(blocks: Blocks, score: Score) -> TextTable:
    """Return the block with the highest score.

    Of equal ones it is that which has several columns, skips the fewest rows and has most columns.
    """

    def sense(block: TextTable) -> tuple[int, ...]:
        heads = block.heads
        return score(heads), min(_filled(heads), 2), -len(block.above), len(heads)

    best_by_separator = []
    for by_separator in blocks:
        rows = [block.heads for block in by_separator]
        best_by_separator.append(by_separator[head_row(rows, score)])
    return max(best_by_separator, key=sense)


def text_of(path: Path, most_lines: int | None = None) -> str:
    """Return the text of a file, or of its first lines."""
    with path.open(**_codec(_encoding(path, _start(path)))) as file:
        return "".join(map(decoded_once, islice(file, most_lines)))


def notes_on_text(path: Path) -> Sequence[Note]:
    """Return the notes on letters of a file that is no table."""
    return run_steps(_odd_text(path, _encoding(path, _start(path))))


def _codec(encoding: str) -> Codec:
    if encoding == MIXED:
        return {"encoding": "utf-8", "errors": FALLBACK}
    if encoding in OF_UTF_8:
        return {"encoding": encoding, "errors": FALLBACK}
    return {"encoding": encoding, "errors": "replace"}


def head_row(rows: Sequence[Sequence[str]], score: Score) -> int:
    """Return the index of the row that holds the heads, among the first rows of a file.

    It is the first row, unless that is a title: a row further down has far more known heads. Where
    no row has any, it is the one with most filled cells and no number.

    >>> known = {"round", "table", "hand", "seat", "points"}
    >>> def score(row):
    ...     return len(known & set(row))
    >>> head_row([["Club night", ""], ["round", "table", "hand", "seat"]], score)
    1
    >>> head_row([["Club night", ""], ["Alma", "Bruno"], ["3", "23"]], score)
    1
    >>> head_row([["Club", "13.10."], ["Game", "Alma", "Bruno"], ["1", "3", "23"]], score)
    1
    >>> head_row([["name"], ["Alma"], ["Smith", "Jo"]], lambda row: row.count("name"))
    0
    """
    counts = [score(row) for row in rows]
    filled = list(map(_filled, rows))
    enough = SURE if filled[0] > 1 else SURE - 1
    most = max(counts)
    if counts[0] + enough - 1 <= most and most >= enough:
        return counts.index(most)
    if counts[0]:
        return 0
    words = [0 if any(map(_is_number, row)) else n for row, n in zip(rows, filled, strict=True)]
    most = max(words)
    if most > 1:
        return words.index(most)
    return filled.index(max(filled))


def _is_number(cell: str) -> bool:
    return cell.strip().isdecimal()


def _filled(cells: Sequence[str]) -> int:
    return sum(1 for cell in cells if cell.strip())


def _short(cells: Sequence[str]) -> str:
    text = " ".join(cells).strip().replace("\0", "")
    if len(text) <= 60:
        return text
    return text[:60] + "…"


def _start(path: Path) -> bytes:
    try:
        kind = path.stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise Unreadable("This is a pipe or a device. Save it as a file: it is read twice.")
        with path.open("rb") as file:
            start = file.read(BLOCK)
    except FileNotFoundError:
        raise Unreadable("There is no such file.") from None
    except IsADirectoryError:
        raise Unreadable("This is a directory, not a file.") from None
    except OSError as fault:
        raise Unreadable(f"The file cannot be opened ({fault.strerror}).") from fault
    if not start.strip():
        raise Unreadable("The file is empty.")
    return start


def _encoding(path: Path, start: bytes) -> str:
    if start.startswith(OLE):
        # The name of an encrypted part may be anywhere in the file, not only in its first block.
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            if content.find(ENCRYPTED) >= 0:
                start += ENCRYPTED
    refuse_other_kinds(start)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    odd = sum(start.count(code) for code in range(32) if code not in {9, 10, 13})
    if odd / len(start) > MOST_ODD:
        raise Unreadable("This is a binary file, not a table of text.")
    if _decodes(path, "utf-8"):
        return "utf-8"
    n_right, n_wrong = _multibyte(start)
    if n_right > n_wrong:
        return MIXED  # mostly UTF-8, so that its other lines were copied into it
    return "cp1252" if _decodes(path, "cp1252") else MIXED


def refuse_other_kinds(start: bytes) -> None:
    if start.startswith(OLE) and ENCRYPTED in start:
        raise Unreadable(PROTECTED)
    for magic, kind in KINDS:
        if start.startswith(magic):
            raise Unreadable(f"This is {kind}, not a CSV file. Save the sheets as CSV (UTF-8).")


def _as_windows(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeDecodeError):
        raise fault
    return fault.object[fault.start : fault.end].decode("cp1252", "replace"), fault.end


codecs.register_error(FALLBACK, _as_windows)


def _multibyte(start: bytes) -> tuple[int, int]:
    """Return how many letters outside ASCII are UTF-8, and how many bytes are not."""
    text = start.decode("utf-8", "replace")
    n_wrong = text.count("\N{REPLACEMENT CHARACTER}")
    return sum(1 for letter in text if letter > "\x7f") - n_wrong, n_wrong


REPLACED: Final = "\N{REPLACEMENT CHARACTER}"

ODD_LINES: Final = 20
"""Maximum number of lines with odd text that a note names."""


class _OddText:
    """The lines of a file whose letters are not as they should be."""

    def __init__(self) -> None:
        self.of_windows: list[int] = []
        self.broken: list[int] = []
        self.twice = ("", 0)

    def note(self, number: int, text: str, *, is_of_windows: bool) -> None:
        if REPLACED in text:
            self.broken.append(number)
        elif is_of_windows:
            self.of_windows.append(number)
        elif not self.twice[1] and (word := next(filter(_is_double, text.split(",")), "")):
            self.twice = word.strip(), number

    def notes(self) -> Iterator[Note]:
        codes = {"lines_in_other_encoding": self.of_windows, "broken_letters": self.broken}
        for code, lines in codes.items():
            if lines:
                yield code, lines[0], ", ".join(map(str, lines[:ODD_LINES])), ""
        word, line = self.twice
        if line:
            yield "encoded_twice", line, word[:60], decoded_once(word)[:60]


def _odd_text(path: Path, encoding: str) -> Generator[None, None, tuple[Note, ...]]:
    """Return notes on lines in another encoding, and on text that was encoded twice.

    Lines are counted as `csv` counts them, which `newline=""` is for.
    """
    if encoding == "cp1252":
        return ()
    odd_text = _OddText()
    is_wide = encoding in OF_WIDE_LETTERS
    if is_wide:
        codec = _codec(encoding)
    else:
        codec = Codec(encoding="latin-1", errors="strict")
    with path.open(newline="", **codec) as file:
        for number, line in enumerate(file, start=1):
            if number % BREATH == 0:
                yield
            if line.isascii():
                continue
            if is_wide:
                odd_text.note(number, line, is_of_windows=False)
                continue
            content = line.encode("latin-1")
            try:
                odd_text.note(number, content.decode("utf-8"), is_of_windows=False)
            except UnicodeDecodeError:
                text = content.decode("utf-8", FALLBACK)
                odd_text.note(number, text, is_of_windows=True)
    return tuple(odd_text.notes())


def _is_double(text: str) -> bool:
    return decoded_once(text) != text


SECOND_BYTES: Final = "\x80-\xbf" + re.escape(bytes(range(0x80, 0xA0)).decode("cp1252", "ignore"))
TWO_BYTES: Final = re.compile(f"[\xc2-\xf4][{SECOND_BYTES}]")
"""A letter of UTF-8 read as Windows-1252; most lines have none, and need no second look."""


def decoded_once(text: str) -> str:
    """Return text as it was before UTF-8 was read as Windows-1252; other text as it is.

    >>> decoded_once("BÃ©atrice"), decoded_once("Béatrice"), decoded_once("Å\x81ukasz")
    ('Béatrice', 'Béatrice', 'Łukasz')
    """
    if text.isascii() or TWO_BYTES.search(text) is None:
        return text
    try:
        return b"".join(map(_byte, text)).decode("utf-8")
    except UnicodeError:
        return text


def _byte(letter: str) -> bytes:
    return letter.encode("latin-1" if "\x80" <= letter <= "\x9f" else "cp1252")


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _candidates(path: Path, encoding: str) -> tuple[str, ...]:
    """Return the separators to try; a first line `sep=;` (a spreadsheet's habit) names it."""
    _, cells = next(_records(path, encoding, "\x1f"), (1, []))
    first = "".join(cells).strip().casefold()
    if first.startswith("sep=") and first[4:] in DELIMITERS:
        return (first[4:],)
    return DELIMITERS


def _first_rows(path: Path, encoding: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return (line, cells) of the first rows that are not blank, up to one that is unreadable."""
    rows: list[tuple[int, list[str]]] = []
    try:
        for line, cells in islice(_records(path, encoding, delimiter), SHAPE_ROWS):
            if (
                any(cell.strip() for cell in cells)
                and cells[0].strip().casefold() not in SEPARATORS
            ):
                rows.append((line, cells))
            if len(rows) == LOOKED_AT:
                break
    except Unreadable:
        if not rows:
            raise
    return rows


def _records(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    if delimiter == BLANKS:
        yield from _lined_up_records(path, encoding)
        return
    line = 1
    with path.open(newline="", **_codec(encoding)) as file:
        reader = csv.reader(_narrow_lines(file, delimiter), delimiter=delimiter)
        try:
            for cells in reader:
                if reader.line_num - line >= LONGEST_ROW:
                    raise Unreadable(f"A quote opened in line {line} is never closed.")
                yield line, cells
                line = reader.line_num + 1
        except csv.Error as fault:
            why = str(fault)
            if "field limit" in why:
                why = f"a cell of it is longer than {csv.field_size_limit()} characters"
            raise Unreadable(f"Line {line} cannot be read as a row: {why}.") from fault


def _lined_up_records(path: Path, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a table with blanks between its columns."""
    with path.open(**_codec(encoding)) as file:
        for number, line in enumerate(file, start=1):
            text = decoded_once(line).rstrip()
            cells = BETWEEN_COLUMNS.split(text, maxsplit=WIDEST_ROW) if text else []
            if len(cells) > WIDEST_ROW:
                raise Unreadable(
                    f"Line {number} has more than {WIDEST_ROW} columns, which is the maximum."
                )
            yield number, cells


def _narrow_lines(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Yield the lines for `csv`; refuse one with too many columns before its cells are made."""
    for number, line in enumerate(lines, start=1):
        n_columns = line.count(delimiter) + 1
        if n_columns > WIDEST_ROW:
            raise Unreadable(f"Line {number} has {n_columns} columns. The maximum is {WIDEST_ROW}.")
        yield decoded_once(line)
