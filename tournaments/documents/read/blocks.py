"""Open a file as one table: text or spreadsheet, its heads found, its blocks put in our order.

Clubs write two tables side by side, and players down with hands across. Such a table is rewritten
into a file of its own, whose lines are those that the report names.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice, pairwise
from pathlib import Path
from typing import Final

from scoring.rules.rules import Rules
from tournaments.documents.read.cells import day, plain, whole
from tournaments.documents.read.column_plan import MOST_COLUMNS
from tournaments.documents.read.columns import HEADS, fold, is_sum
from tournaments.documents.read.csv import (
    SURE,
    Note,
    Score,
    SheetTable,
    TextTable,
    require_table,
)
from tournaments.documents.read.guess_columns import are_hands
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.sections import (
    LEAST,
    TABLE_TITLE,
    TABLE_WORDS,
    Rearranged,
    Row,
    Unvalued,
    below_each_other,
    dates_in,
    filled_lines,
    is_table,
    on_sheets,
)
from tournaments.documents.read.sheet_rows import settled
from tournaments.documents.read.source_file import SourceFile
from tournaments.models.imports import MOST_PLAYERS

MOST_NAMES: Final = 4
"""Names that tell heads: the heads of a fifth player further down are no better ones."""
MOST_TURNED: Final = 200
"""Maximum number of rows of a table with players down: a club has no more in one game."""
MOST_PARTS: Final = 20
"""Maximum number of tables side by side; each is read from the file by itself."""
LOOKED_AT: Final = 40
"""Rows from which it is told whether columns are a table of their own."""
HAND_WORDS: Final = frozenset(map(fold, HEADS["hand"]))


def find_table(
    source: SourceFile,
    scores: Sequence[Score],
    people: People,
    *,
    rules: Rules | None = None,
    heads: Sequence[str] = (),
    sheet: str = "",
) -> TextTable:
    """Return the table of a file: the block that one of `scores` is highest for.

    Heads are words that a score counts, or names of people in a row without numbers. `rules`
    tell the points of hands from others. With the `heads` of an earlier reading the file is read
    as it was then, whoever joined the club meanwhile: corrections name its lines. `sheet` names
    the one of a spreadsheet to read.
    """
    if heads:
        people, rules = NamesBefore(heads), None

    def recognised(row: Sequence[str]) -> int:
        return max(score(row) for score in scores)

    def known(row: Sequence[str]) -> int:
        if heads and _is_same(heads, (row, _heads_below_each_other(row, _parts(row)))):
            return MOST_COLUMNS
        row = row[:MOST_COLUMNS]
        is_of_words = all(whole(head).value is None for head in row)
        n_names = sum(1 for head in row if head.strip() and people.called(head)) * is_of_words
        return recognised(row) + min(n_names, MOST_NAMES)

    table = require_table(source.best(known, sheet), known)
    is_sure = recognised(table.heads) >= SURE
    for block in () if is_sure else filter(None, _rearranged(table, people, rules)):
        if not heads or _is_same(heads, [block.heads]):
            return _written(table, source.folder, block)
    if table.other_sheets and not sheet:
        joined = on_sheets(source.tables(known), table, recognised, people)
        if joined is not None and (not heads or _is_same(heads, [joined[0].heads])):
            written = _written(
                replace(table, about_sheets=(), other_sheets=()), source.folder, joined[0]
            )
            return source.with_others(written, joined[1])
    return table


def _rearranged(
    table: TextTable, people: People, rules: Rules | None
) -> Iterator[Rearranged | None]:
    yield _turned(table, people, rules)
    yield _stacked(table, people, rules)
    yield below_each_other(table, people)


class NamesBefore(People):
    """The heads of an earlier reading in place of members: each was a column, or a player."""

    def __init__(self, heads: Sequence[str]) -> None:
        super().__init__(ClubPlayer(at, head, head) for at, head in enumerate(heads))


def _is_same(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    return list(heads) in ([head.replace("\0", "") for head in row] for row in rows)


def day_in_title(table: SheetTable, today: date) -> date | None:
    """Return the date in the rows above the heads; None if they have none, or several."""
    title = " ".join(cell for _, cells in table.above for cell in cells)
    dates = (settled(day(text).value, {"day"}, today) for text in dates_in(title))
    days = {on for on in dates if on is not None}
    return days.pop() if len(days) == 1 else None


def _turned(table: TextTable, people: People, rules: Rules | None) -> Rearranged | None:
    """Return a table with players down and hands across as one with a row for each hand."""
    words = [re.split(r"(?=\d)", head.strip(" ."), maxsplit=1) for head in table.heads]
    numbers = [whole(parts[-1]).value for parts in words]
    hands = [at for at, number in enumerate(numbers) if number is not None]
    if len(hands) < LEAST or [numbers[at] for at in hands] != list(range(1, len(hands) + 1)):
        return None
    some = [
        (line, row) for line, row in islice(filled_lines(table), MOST_TURNED) if len(row) > hands[0]
    ]
    at_names = max(
        range(hands[0]),
        key=lambda at: sum(1 for _, row in some if people.called(row[at])),
        default=0,
    )
    rows = [(line, row) for line, row in some if plain(row[at_names]).text
            and not is_sum(row[at_names:], people)]  # fmt: skip
    names = [row[at_names] for _, row in rows]
    n_known = sum(1 for name in names if people.called(name))
    if not LEAST <= len(rows) <= MOST_PLAYERS or n_known * 2 < len(rows):
        return None
    lines = [[str(numbers[at]), *(_cell(row, at) for _, row in rows)] for at in hands]
    heads_of = {fold(words[at][0]) for at in hands}
    values = [_numbers(line[1:]) for line in lines]
    is_bare = heads_of == {""}  # “Round 1” may be an evening, of which place points are constant
    formulas: Unvalued = {}
    for place, (line, _) in enumerate(rows, start=1):
        for column, address in table.formulas.get(line, ()):
            if column in hands:
                formulas.setdefault(2 + hands.index(column), []).append((place, address))
    if heads_of <= HAND_WORDS or rules is None or are_hands(values, rules, by_sum=is_bare):
        return Rearranged(["Hand", *names], lines, formulas, ("table_turned", str(len(rows))))
    return None


def _stacked(table: TextTable, people: People, rules: Rules | None) -> Rearranged | None:
    """Return tables that stand side by side as one, below each other."""
    heads, parts = table.heads, _parts(table.heads)
    if not 1 < len(parts) <= MOST_PARTS or not all(is_table(heads, part, people) for part in parts):
        return None
    shared = set.intersection(*({fold(heads[at]) for at in part} for part in parts))
    if not shared and rules is not None and not _have_hands(table, parts, rules):
        return None
    stacked_heads = _heads_below_each_other(heads, parts)
    formulas: Unvalued = {}
    lines = _below_each_other(table, parts, stacked_heads, formulas)
    return Rearranged(stacked_heads, lines, formulas, ("tables_side_by_side", str(len(parts))))


def _heads_below_each_other(heads: Sequence[str], parts: Sequence[range]) -> Row:
    texts = [heads[at] for part in parts for at in part]
    by_word = {fold(text): text for text in reversed(texts)}
    once = [by_word[word] for word in dict.fromkeys(map(fold, texts))]
    return once if _has_table(heads, parts) else ["Table", *once]


def _has_table(heads: Sequence[str], parts: Sequence[range]) -> bool:
    return bool(parts) and any(fold(heads[at]) in TABLE_WORDS for at in parts[0])


def _below_each_other(
    table: TextTable, parts: Sequence[range], heads: Row, formulas: Unvalued
) -> Iterator[Row]:
    place = {fold(head): at for at, head in enumerate(heads)}
    has_table = _has_table(table.heads, parts)
    written = 1
    for number, part in enumerate(parts, start=1):
        for line, row in filled_lines(table):
            if not any(_cell(row, at).strip() for at in part):
                continue
            cells = [""] * len(heads)
            if not has_table:
                cells[0] = str(_table_number(table, part) or number)
            for at in part:
                cells[place[fold(table.heads[at])]] = _cell(row, at)
            written += 1
            if unvalued := [
                (place[fold(table.heads[at])], address)
                for at, address in table.formulas.get(line, ())
                if at in part
            ]:
                formulas[written] = unvalued
            yield cells


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


def _have_hands(table: TextTable, parts: Sequence[range], rules: Rules) -> bool:
    """Whether the numbers of each table alone are hands: one of them may have an empty column."""
    rows = [row for _, row in islice(filled_lines(table), LOOKED_AT) if not is_sum(row)]
    lines = [[_numbers(_cell(row, at) for at in part) for row in rows] for part in parts]
    return all(are_hands(list(filter(None, of_part)), rules, by_sum=False) for of_part in lines)


def _numbers(cells: Iterable[str]) -> tuple[int, ...]:
    values = (whole(cell).value for cell in cells)
    return tuple(value for value in values if value is not None)


def _table_number(table: TextTable, part: range) -> int | None:
    for _, cells in reversed(table.above):
        for at in part:
            if match := TABLE_TITLE.search(_cell(cells, at)):
                return int(match[1])
    return None


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _written(table: TextTable, folder: Path, block: Rearranged) -> TextTable:
    path = folder / "blocks.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(block.heads)
        csv.writer(file).writerows(block.lines)
    note: Note = (block.note[0], 1, block.note[1], "")
    formulas: Mapping[int, Sequence[tuple[int, str]]] = block.formulas
    return replace(
        table, path=path, encoding="utf-8", delimiter=",", heads=tuple(block.heads), head_line=1,
        formulas=formulas, about_sheets=(*table.about_sheets, note),
    )  # fmt: skip
