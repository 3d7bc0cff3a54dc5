"""Open a file as one table: text or spreadsheet, its heads found, its blocks put in our order.

Clubs write two tables side by side, and players down with hands across. Such a table is rewritten
into a file of its own, whose lines are those that the report names.
"""

import csv
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from tournaments.documents.read.apply_plan import SUMS
from tournaments.documents.read.cells import whole
from tournaments.documents.read.columns import fold
from tournaments.documents.read.csv import (
    SURE,
    Note,
    Recogniser,
    SheetTable,
    TextTable,
    open_table,
)
from tournaments.documents.read.people import People
from tournaments.documents.read.spreadsheets import is_spreadsheet, open_spreadsheet
from tournaments.models.imports import MOST_PLAYERS

LEAST: Final = 2
"""Number of players who are known by name before a table is rewritten."""
MOST_TURNED: Final = 200
"""Maximum number of rows of a table with players down: a club has no more in one game."""
TABLE_TITLE: Final = re.compile(r"\b(?:table|tisch|tafel|table n°)\s*(\d{1,3})\b", re.I)

Row = list[str]


def open_file(
    path: Path, folder: Path, recognised: Recogniser, people: People
) -> Generator[object, None, TextTable]:
    """Return the table of a file; what is rewritten of it goes into `folder`.

    Heads are words that `recognised` knows, or names of people in a row without numbers.
    """

    def known(heads: Sequence[str]) -> int:
        is_of_words = all(whole(head).value is None for head in heads)
        n_names = sum(1 for head in heads if head.strip() and people.called(head)) * is_of_words
        return recognised(heads) + n_names

    if is_spreadsheet(path):
        table = yield from open_spreadsheet(path, folder, known)
    else:
        table = open_table(path, known)
    if recognised(table.heads) >= SURE:
        return table
    return _turned(table, folder, people) or _stacked(table, folder, people) or table


def _turned(table: TextTable, folder: Path, people: People) -> TextTable | None:
    """Return a table with players down and hands across as one with a row for each hand."""
    numbers = [whole(re.sub(r"^\D+", "", head.strip(" ."))).value for head in table.heads[1:]]
    hands = [at for at, number in enumerate(numbers) if number is not None]
    if len(hands) < LEAST or [numbers[at] for at in hands] != list(range(1, len(hands) + 1)):
        return None
    rows = [row for _, row in zip(range(MOST_TURNED), _rows(table), strict=False)]
    rows = [row for row in rows if row[0].strip().casefold() not in SUMS]
    n_known = sum(1 for row in rows if people.called(row[0]))
    if not LEAST <= len(rows) <= MOST_PLAYERS or n_known * 2 < len(rows):
        return None
    heads = ["Hand", *(row[0] for row in rows)]
    lines = [[str(numbers[at]), *(_cell(row, at + 1) for row in rows)] for at in hands]
    return _written(table, folder, heads, lines, "table_turned", str(len(rows)))


def _stacked(table: TextTable, folder: Path, people: People) -> TextTable | None:
    """Return tables that stand side by side as one, below each other."""
    parts = _parts(table.heads)
    if len(parts) < 2 or not all(_is_table(table.heads, part, people) for part in parts):
        return None
    has_table = any(fold(table.heads[at]) in ("table", "tisch", "tafel") for at in parts[0])
    heads: Row = [] if has_table else ["Table"]
    place: dict[str, int] = {}
    for part in parts:
        for at in part:
            if place.setdefault(fold(table.heads[at]), len(heads)) == len(heads):
                heads.append(table.heads[at])
    rows = list(_rows(table))
    lines: list[Row] = []
    for number, part in enumerate(parts, start=1):
        for row in rows:
            if not any(_cell(row, at).strip() for at in part):
                continue
            line = [""] * len(heads)
            if not has_table:
                line[0] = str(_table_number(table, part) or number)
            for at in part:
                line[place[fold(table.heads[at])]] = _cell(row, at)
            lines.append(line)
    return _written(table, folder, heads, lines, "tables_side_by_side", str(len(parts)))


def _parts(heads: Sequence[str]) -> list[range]:
    """Return the columns of each table: they are apart by an empty head, or the first is repeated.

    >>> _parts(["Hand", "Ann", "Bo", "", "Hand", "Cy", "Di"])
    [range(0, 3), range(4, 7)]
    >>> _parts(["Hand", "Ann", "Bo", "Hand", "Cy", "Di"])
    [range(0, 3), range(3, 6)]
    """
    filled = [at for at, head in enumerate(heads) if head.strip()]
    if not filled:
        return []
    first = fold(heads[filled[0]])
    begins = [at for before, at in pairwise(filled) if at > before + 1 or fold(heads[at]) == first]
    edges = [filled[0], *begins, filled[-1] + 1]
    parts = [range(begin, end) for begin, end in pairwise(edges)]
    return [range(part.start, 1 + max(at for at in part if heads[at].strip())) for part in parts]


def _is_table(heads: Sequence[str], part: range, people: People) -> bool:
    """Whether columns have players, and no two one name: only one of them would be read."""
    n_known = sum(1 for at in part if people.called(heads[at]))
    return n_known >= LEAST and len({fold(heads[at]) for at in part}) == len(part)


def _table_number(table: TextTable, part: range) -> int | None:
    for _, cells in reversed(table.above):
        for at in part:
            if match := TABLE_TITLE.search(_cell(cells, at)):
                return int(match[1])
    return None


def _rows(table: SheetTable) -> Iterator[Row]:
    for _, row in table.rows():
        if row and any(cell.strip() for cell in row):
            yield row


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _written(
    table: TextTable, folder: Path, heads: Row, lines: Sequence[Row], code: str, found: str
) -> TextTable:
    path = folder / "blocks.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([heads, *lines])
    note: Note = (code, 1, found, "")
    return replace(
        table, path=path, encoding="utf-8", delimiter=",", heads=tuple(heads), head_line=1,
        above=(), formulas={}, about_sheets=(*table.about_sheets, note),
    )  # fmt: skip
