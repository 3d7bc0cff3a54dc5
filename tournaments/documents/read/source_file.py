"""A file as its sheets, each with the tables that it may be; and the choice between the sheets."""

from collections.abc import Container, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from tournaments.documents.read.columns import HEADS, fold
from tournaments.documents.read.csv import (
    Blocks,
    Score,
    TextTable,
    Unreadable,
    best_block,
    find_blocks,
)
from tournaments.documents.read.spreadsheet_process import SHEETS
from tournaments.documents.read.spreadsheets import is_spreadsheet, read_formulas, write_sheets

TELL_EVENINGS_APART: Final = frozenset(map(fold, (*HEADS["date"], *HEADS["round"])))
LONGEST_LIST: Final = 400
"""Characters of the names of sheets in a note."""

T = TypeVar("T")


def run_steps(steps: Generator[object, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of which every sheet was read. `unread` are the names of those that have no table.

    What is written to read it is in `folder`, which stays as long as its tables are read.
    """

    path: Path
    folder: Path
    sheets: Mapping[str, Blocks]
    unread: tuple[str, ...] = ()

    def best(self, score: Score, sheet: str = "") -> TextTable:
        """Return the block with the highest score, with those of equal heads below it.

        A sheet that is named by `sheet` is taken instead. Sheets are put together if a column
        tells their evenings apart, a date or a round.
        """
        tables = self.tables(score)
        if not is_spreadsheet(self.path):
            return tables[""]
        if sheet and sheet not in tables:
            raise Unreadable(
                f"No sheet of the file is called “{sheet}”. Its sheets: {_list(tables)}."
            )
        best = tables.get(sheet) or max(tables.values(), key=lambda table: score(table.heads))
        alike = {name: table for name, table in tables.items() if _has_heads_of(table, best)}
        joined = _joined(alike, self.folder) if len(alike) > 1 else best
        return self.with_others(joined, alike)

    def tables(self, score: Score) -> Mapping[str, TextTable]:
        """Return the block of each sheet that has the highest score."""
        return {name: best_block(blocks, score) for name, blocks in self.sheets.items()}

    def with_others(self, table: TextTable, read: Container[str]) -> TextTable:
        """Return a table of the sheets `read`, with a note that names the others."""
        others = tuple(name for name in self.sheets if name not in read)
        if not (self.unread or others):
            return table
        note = ("sheets_not_read", table.head_line, _list((*self.unread, *others)), "")
        return replace(table, about_sheets=(*table.about_sheets, note), other_sheets=others)


def read_source(path: Path, folder: Path) -> Generator[None, None, SourceFile]:
    if not is_spreadsheet(path):
        return SourceFile(path, folder, {"": find_blocks(path)})
    names = yield from write_sheets(path, folder)
    sheets: dict[str, Blocks] = {}
    unread = names[SHEETS:]
    fault = Unreadable("The spreadsheet is empty.")
    for written in sorted(folder.glob("*.csv"), key=lambda written: int(written.stem)):
        name = names[int(written.stem)]
        try:
            blocks = find_blocks(written)
        except Unreadable as unreadable:
            if written.stat().st_size:
                fault = unreadable
                unread.append(name)
            continue
        formulas = read_formulas(written.with_suffix(".formulas"))
        sheets[name] = [
            [replace(block, formulas=formulas) for block in by_separator] for by_separator in blocks
        ]
    if not sheets:
        raise fault
    return SourceFile(path, folder, sheets, tuple(unread))


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)[:LONGEST_LIST]


def _has_heads_of(table: TextTable, best: TextTable) -> bool:
    heads = [fold(head) for head in best.heads]
    is_dated = any(head in TELL_EVENINGS_APART for head in heads)
    return table is best or (is_dated and [fold(head) for head in table.heads] == heads)


def _joined(tables: Mapping[str, TextTable], folder: Path) -> TextTable:
    """Write the rows of sheets with equal heads below each other; a line is a row."""
    (_, first), *others = tables.items()
    lines = _lines_of(first)
    formulas, places = dict(first.formulas), []
    for name, table in others:
        offset = len(lines) - table.head_line
        places.append(f"“{name}” from line {len(lines) + 1}")
        lines += _lines_of(table)[table.head_line :]
        formulas |= {line + offset: cells for line, cells in table.formulas.items()}
    path = folder / "joined.csv"
    path.write_text("\r\n".join([*lines, ""]), encoding="utf-8", newline="")
    note = ("sheets_joined", first.head_line, ", ".join(places)[:LONGEST_LIST], "")
    return replace(first, path=path, formulas=formulas, about_sheets=(note,))


def _lines_of(table: TextTable) -> list[str]:
    """Return the rows of a sheet as the process wrote them, each with one line end."""
    with table.path.open(encoding="utf-8", newline="") as file:
        return file.read().removesuffix("\r\n").split("\r\n")
