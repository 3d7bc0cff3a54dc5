"""Put tables together that stand below each other or on sheets of their own, by their titles."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from typing import Final, NamedTuple

from tournaments.documents.read.cells import day, whole
from tournaments.documents.read.column_plan import MOST_COLUMNS
from tournaments.documents.read.columns import HEADS, fold
from tournaments.documents.read.csv import TextTable, Unreadable
from tournaments.documents.read.people import People
from tournaments.documents.read.source_file import TELL_EVENINGS_APART

LEAST: Final = 2
"""Number of players who are known by name before a table is rewritten."""
MOST_SECTIONS: Final = 60
"""Maximum number of tables below each other in one sheet."""
MOST_TITLES: Final = 5 * MOST_SECTIONS
"""Maximum number of rows with one cell, which may be titles."""
LONGEST_TITLE: Final = 300
"""Characters of a title that are searched for a date."""
LONGEST_DAY: Final = 4
"""Maximum number of words of a date."""
TABLE_TITLE: Final = re.compile(r"\b(?:table|tisch|tafel|table n°)\s*(\d{1,3})\b", re.I)
TABLE_WORDS: Final = frozenset(map(fold, HEADS["table"]))

Row = list[str]
Unvalued = dict[int, list[tuple[int, str]]]
"""The cells with a formula but no value, as in `csv.Formulas`."""


class Rearranged(NamedTuple):
    """A block in our order. `formulas` are complete when all `lines` are read."""

    heads: Row
    lines: Iterable[Row]
    formulas: Unvalued
    note: tuple[str, str]


class Section(NamedTuple):
    """A table below a line of its sheet, its heads, and its titles, the nearest first."""

    table: TextTable
    line: int
    heads: Row
    titles: Sequence[str]


def filled_lines(table: TextTable) -> Iterator[tuple[int, Row]]:
    for line, row in table.rows():
        if any(cell.strip() for cell in row):
            yield line, row


def is_table(heads: Sequence[str], part: range, people: People) -> bool:
    """Whether columns have players, and no two one name: only one of them would be read."""
    if len(part) > MOST_COLUMNS:
        return False
    n_known = sum(1 for at in part if people.called(heads[at]))
    return n_known >= LEAST and len({fold(heads[at]) for at in part}) == len(part)


def dates_in(title: str) -> Iterator[str]:
    """Yield the texts of a title that are dates.

    >>> list(dates_in("Table 2 on 3 Nov 2026 (late)")), list(dates_in("Table 2"))
    (['3 Nov 2026'], [])
    """
    words = title[:LONGEST_TITLE].replace("\0", "").split()
    at = 0
    while at < len(words):
        for n in range(min(LONGEST_DAY, len(words) - at), 0, -1):
            text = " ".join(words[at : at + n]).strip("():;,")
            on = day(text).value
            if text.isdecimal() or not on.is_date:
                continue
            while day(rest := text.partition(" ")[2]).value == on:
                text = rest  # without a word before the date
            yield text
            break
        at += n


def title_of(row: Sequence[str]) -> str:
    """Return the text of a row that is a title: one cell, or a date or a table's number."""
    filled = [text for cell in row if (text := cell.strip())]
    if len(filled) < LEAST:
        return "".join(filled)
    if whole(filled[0]).value is not None:
        return ""
    text = " ".join(filled)
    is_numbered = TABLE_TITLE.search(text) is not None
    n_numbers = sum(1 for cell in filled if whole(cell).value is not None)
    return text if n_numbers <= is_numbered and (is_numbered or any(dates_in(text))) else ""


def are_heads(row: Sequence[str], heads: Sequence[str]) -> bool:
    """Whether a row has the first of the heads, and no number."""
    return (
        fold(row[0]) == fold(heads[0]) != ""
        and sum(map(bool, row)) > 1
        and all(whole(cell).value is None for cell in row[:MOST_COLUMNS])
    )


def below_each_other(table: TextTable, people: People) -> Rearranged | None:
    """Return tables below each other, each with its heads, as one; titles date or number them."""
    if not is_table(table.heads, range(len(table.heads)), people):
        return None
    title, title_line = " ".join(chain.from_iterable(cells for _, cells in table.above)), 0
    on, n_titles = one_day([title]), 0
    sections = [Section(table, table.head_line, list(table.heads), [title, on])]
    for line, row in filled_lines(table):
        if are_heads(row, table.heads):
            sections.append(Section(table, line, row, [title, on]))
            title = ""
        elif text := title_of(row):
            title, title_line = text, line
            n_titles += 1
            on = one_day([title]) or on
        elif title and on != one_day(sections[-1].titles):
            sections.append(Section(table, title_line, sections[-1].heads, [title, on]))
            title = ""
        else:
            title = ""
        if len(sections) > MOST_SECTIONS or n_titles > MOST_TITLES:
            break
    if len(sections) < LEAST:
        return None
    other = next((each for each in sections if each.heads != sections[0].heads), None)
    note = ("tables_below_each_other", str(len(sections)))
    is_whole = len(sections) <= MOST_SECTIONS and n_titles <= MOST_TITLES
    block = _put_together(sections, note, by_order=other is not None) if is_whole else None
    if block is None and other is not None:
        raise Unreadable(
            f"Line {other.line} has other heads than line {table.head_line}. Write the date or the "
            f"number of the table above each of them, in at most {MOST_SECTIONS} tables."
        )
    return block


def on_sheets(
    tables: Mapping[str, TextTable], best: TextTable, score: Callable[[Sequence[str]], int],
    people: People,
) -> tuple[Rearranged, Sequence[str]] | None:  # fmt: skip
    """Return the sheets that are like `best` as one table, and their names.

    They have the same heads but for the players, and no date; their names or titles have that.
    """

    def words(table: TextTable) -> set[str]:
        return {fold(head) for head in table.heads[:MOST_COLUMNS] if score([head])}

    words_of_best = words(best)
    is_one_table = is_table(best.heads, range(len(best.heads)), people)
    like = {
        name: table
        for name, table in tables.items()
        if words(table) == words_of_best
        and (table.heads == best.heads
             or (is_one_table and is_table(table.heads, range(len(table.heads)), people)))
    }  # fmt: skip
    is_dated = bool(words_of_best & TELL_EVENINGS_APART)
    if len(like) < LEAST or is_dated or any(map(_has_more_heads, like.values())):
        return None
    above = {name: " ".join(chain.from_iterable(cells for _, cells in table.above))
             for name, table in like.items()}  # fmt: skip
    sections = [Section(table, table.head_line, list(table.heads), [name, above[name]])
                for name, table in like.items()]  # fmt: skip
    lines, places = 2, []
    for name, table in like.items():
        places.append(f"“{name}” from line {lines}")
        lines += sum(1 for _ in filled_lines(table))
    block = _put_together(sections, ("sheets_joined", ", ".join(places)), by_order=False)
    return (block, tuple(like)) if block is not None else None


def _has_more_heads(table: TextTable) -> bool:
    return any(are_heads(row, table.heads) and row != list(table.heads)
               for _, row in filled_lines(table))  # fmt: skip


def _put_together(
    sections: Sequence[Section], note: tuple[str, str], *, by_order: bool
) -> Rearranged | None:
    """Return sections as one table, with columns for the dates and tables that titles have.

    None if the titles tell the sections not apart; `by_order` numbers those without titles.
    """
    first = sections[0].heads
    is_same = all(section.heads == first for section in sections)
    named = [
        head for section in reversed(sections) for head in reversed(section.heads) if fold(head)
    ]
    by_word = {fold(head): head for head in named}
    heads = first if is_same else [by_word[word] for word in dict.fromkeys(map(fold, named[::-1]))]
    has_table = not TABLE_WORDS.isdisjoint(map(fold, heads))
    places = _places(
        [section.titles for section in sections], has_table=has_table, by_order=by_order
    )
    if places is None or len(heads) >= MOST_COLUMNS:
        return None
    before, cells = places
    formulas: Unvalued = {}
    return Rearranged([*before, *heads], _lines(sections, cells, heads, formulas), formulas, note)


def one_day(titles: Sequence[str]) -> str:
    """Return the date of the first title that has one; empty if it has several."""
    days = next(filter(None, (list(dates_in(title)) for title in titles)), [])
    return days[0] if len({day(text).value for text in days}) == 1 else ""


def _places(
    titles: Sequence[Sequence[str]], *, has_table: bool, by_order: bool
) -> tuple[Row, Sequence[Row]] | None:
    """Return the heads of the columns that the titles fill, and the cells for each title."""
    days = list(map(one_day, titles))
    numbers = [
        next((match[1] for text in texts if (match := TABLE_TITLE.search(text))), "")
        for texts in titles
    ]
    if all(days):
        if has_table or not (any(numbers) or len(set(days)) < len(days)):
            return ["Date"], [[day] for day in days]
        dated = list(zip(days, numbers, strict=True))
        free = {on: (n for n in map(str, count(1)) if (on, n) not in dated) for on in days}
        return ["Date", "Table"], [[on, number or next(free[on])] for on, number in dated]
    is_numbered = all(numbers) and len(set(numbers)) == len(numbers)
    if any(days) or has_table or not (by_order or is_numbered):
        return None
    return ["Table"], [[number or str(at)] for at, number in enumerate(numbers, start=1)]


def _lines(
    sections: Sequence[Section], cells: Sequence[Row], heads: Row, formulas: Unvalued
) -> Iterator[Row]:
    place = {fold(head): at for at, head in enumerate(heads) if fold(head)}
    is_same = all(section.heads == heads for section in sections)
    written = 1
    by_table = groupby(zip(sections, cells, strict=True), key=lambda pair: id(pair[0].table))
    for _, of_table in by_table:
        starts = {section.line: (section, filled) for section, filled in of_table}
        (section, filled), *_ = starts.values()
        to: Sequence[int | None] = ()
        for line, row in chain([(section.line, section.heads)], filled_lines(section.table)):
            if line in starts:
                section, filled = starts[line]
                to = (
                    range(len(heads))
                    if is_same
                    else [place.get(fold(head)) for head in section.heads]
                )
                continue
            text = title_of(row) if len(starts) > 1 else ""
            if TABLE_TITLE.search(text) or any(dates_in(text)):
                continue
            written += 1
            joined = [""] * len(heads)
            for at, target in enumerate(to):
                if target is not None and at < len(row):
                    joined[target] = row[at]
            unvalued = [(len(filled) + target, address)
                        for column, address in section.table.formulas.get(line, ())
                        if column < len(to) and (target := to[column]) is not None]  # fmt: skip
            if unvalued:
                formulas[written] = unvalued
            more = row[len(to) :]
            yield [*filled, *joined, *(more if any(more) else ())]
