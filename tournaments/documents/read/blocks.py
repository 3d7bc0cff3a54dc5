"""Open a file as one table: text or spreadsheet, its heads found, its blocks put in our order.

Clubs write tables side by side, below each other or on sheets of their own, whose titles date or
number them, and players down with hands across. Such a table is rewritten into a file of its own,
whose lines are those that the report names.
"""

import csv
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, count, groupby, islice, pairwise, takewhile
from pathlib import Path
from typing import Final, NamedTuple

from scoring.game.running_totals import is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import (
    dates_in,
    numbered,
    one_day,
    plain,
    round_in,
    table_in,
    whole,
)
from tournaments.documents.read.column_plan import MOST_COLUMNS, NOTHING
from tournaments.documents.read.columns import HEADS, fold, is_sum
from tournaments.documents.read.csv import (
    BREATH,
    SHAPE_ROWS,
    SURE,
    Note,
    Places,
    Run,
    Score,
    TextTable,
    Unreadable,
    require_table,
)
from tournaments.documents.read.guess_columns import are_hands, usual_meaning
from tournaments.documents.read.head_rows import are_words_of_heads
from tournaments.documents.read.marked_cells import mark_in
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.sheet_rows import (
    first_rows,
    is_filled,
    title_above,
)
from tournaments.documents.read.source_file import (
    SHEETS_COUNTED,
    SHEETS_JOINED,
    SourceFile,
    list_sheets,
)
from tournaments.documents.read.sum_rows import (
    SUM_OF_PLAYER,
    Column,
    are_mostly_sums,
    is_sum_of_player,
)
from tournaments.models.imports import MOST_PLAYERS

COUNTED_NAME: Final = re.compile(r"(?P<word>\D*?)[\s._-]*(?P<number>[0-9]{1,3})\s*")
"""Name of a sheet that a program gave, or somebody who counts: `Sheet1`, `Tabelle 2`, `3`."""
MOST_NAMES: Final = 4
"""Names that tell heads: the heads of a fifth player further down are no better ones."""
MOST_TURNED: Final = 200
"""Maximum number of rows of a table with players down: a club has no more in one game."""
MOST_PARTS: Final = 20
"""Maximum number of tables side by side; each is read from the file by itself."""
MOST_IN_A_ROW: Final = 4 * MOST_PLAYERS
"""Maximum number of players in a row of several tables that only the rules tell apart."""
OF_A_ROW: Final = frozenset({"date", "round", "table", "hand", "board"})
"""Meanings of columns that several tables side by side share."""
LOOKED_AT: Final = 40
"""Rows from which it is told whether columns are a table of their own."""
BESIDE: Final = "tables_side_by_side"
"""Code of the note on several tables side by side."""
HAND_WORDS: Final = frozenset(map(fold, HEADS["hand"]))
LEAST: Final = 2
"""Number of players who are known by name before a table is rewritten."""
LEAST_UNKNOWN: Final = 3
"""Number of columns of numbers below words that are players whom nobody knows."""
OF_A_SEAT: Final = frozenset({"player", "player_id", "points", "seat", "side", "pair_id"})
"""Meanings of columns of a table with a row for each player."""
MOST_SECTIONS: Final = 60
"""Maximum number of tables below each other in one sheet."""
MOST_TITLES: Final = 5 * MOST_SECTIONS
"""Maximum number of rows with one cell, which may be titles."""
DATE_WORDS: Final = frozenset(map(fold, HEADS["date"]))
TABLE_WORDS: Final = frozenset(map(fold, HEADS["table"]))
ROUND_WORDS: Final = frozenset(map(fold, HEADS["round"]))

Row = list[str]
Line = tuple[Row, Sequence[tuple[int, str]], Run]
"""A row in our order, its cells with a formula and no value, as in `csv.Formulas`, its place."""


class Rearranged(NamedTuple):
    """A block in our order, and a note; None stands for a row that is left out."""

    heads: Row
    lines: Iterable[Line | None]
    note: tuple[str, str]


class Section(NamedTuple):
    """A table below a line of its sheet, its heads, and its titles, the nearest first."""

    table: TextTable
    line: int
    heads: Row
    titles: Sequence[str]


def is_table(heads: Sequence[str], part: range, people: People) -> bool:
    """Whether columns have players, and no two one name: only one of them would be read."""
    if len(part) > MOST_COLUMNS:
        return False
    n_known = sum(1 for at in part if people.called(heads[at]))
    return n_known >= LEAST and len({fold(heads[at]) for at in part}) == len(part)


def has_players(table: TextTable, part: range, people: People) -> bool:
    """Whether columns have players, known by their names or by the numbers below words."""
    if is_table(table.heads, part, people):
        return True
    heads = [table.heads[at] for at in part]
    means = {usual_meaning(head, ()) for head in heads}
    if len(part) > MOST_COLUMNS or not means.isdisjoint(OF_A_SEAT):
        return False
    words = [fold(head) for head in heads if fold(head)]
    n_players = sum(1 for at in columns_of_players(table) if at in part)
    return n_players >= LEAST_UNKNOWN and len(set(words)) == len(words)


def columns_of_players(table: TextTable, people: People | None = None) -> Sequence[int]:
    """Return the columns of words that mean nothing else, with numbers or marks below them.

    With `people` those of their names too. Rows from the next heads on do not count.
    """
    words = [at for at, head in enumerate(table.heads[:MOST_COLUMNS]) if _may_be_name(head)]
    rows = [row for _, row in first_rows(table, LOOKED_AT) if not is_sum(row) and not title_of(row)]
    cells = list(
        takewhile(lambda row: not are_words_of_heads([_cell(row, at) for at in words]), rows)
    )
    return [
        at
        for at in words
        if (people is not None and people.called(table.heads[at]) is not None)
        or _are_numbers([_cell(row, at) for row in cells])
    ]


def _may_be_name(head: str) -> bool:
    has_letters = any(map(str.isalpha, head))
    is_place = bool(usual_meaning(head, ())) or table_in(head) is not None
    return has_letters and not is_place and not is_sum([head])


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether there are numbers, and nothing beside them but marks."""
    filled = [text for cell in cells if (text := plain(cell).text) not in NOTHING]
    has_number = any(whole(text).value is not None for text in filled)
    return has_number and all(mark_in(text) is not None for text in filled)


def find_table(
    source: SourceFile,
    scores: Sequence[Score],
    people: People,
    *,
    rules: Rules | None = None,
    heads: Sequence[str] = (),
    sheet: str = "",
) -> Generator[None, None, TextTable]:
    """Find the table of a file, a little at a time: the block that one of `scores` is highest for.

    Heads are words that a score counts, or names of people in a row without numbers. `rules`
    tell the points of hands from others. With the `heads` of an earlier reading the file is read
    as it was then, whoever joined the club meanwhile: corrections name its lines. `sheet` names
    the one of a spreadsheet to read.
    """
    if heads:
        people = People(ClubPlayer(at, head, head) for at, head in enumerate(heads))

    def recognised(row: Sequence[str]) -> int:
        return max(score(row) for score in scores)

    earlier_heads: set[tuple[str, ...]] = set()

    def known(row: Sequence[str]) -> int:
        if tuple(row) in earlier_heads:
            return MOST_COLUMNS
        if heads and _is_same(heads, (row, _heads_of_parts(row, [_all_columns(row)]))):
            return MOST_COLUMNS
        row = row[:MOST_COLUMNS]
        is_of_words = all(whole(head).value is None for head in row)
        n_names = sum(1 for head in row if head.strip() and people.called(head)) * is_of_words
        return recognised(row) + min(n_names, MOST_NAMES)

    table = require_table(source.best(known, sheet), known)
    is_sure = recognised(table.heads) >= SURE
    is_as_before = bool(heads) and _is_same(heads, [table.heads])
    if not is_sure and not is_as_before:
        earlier_heads |= set(map(_heads_above, source.tables(known).values())) - {()}
        table = require_table(source.best(known, sheet), known)
    names: Sequence[str] = ()
    if not is_sure:
        named = _with_named_sums(table)
        if len(source.sheets) > 1 and not sheet:
            tables = {name: _with_named_sums(each) for name, each in source.tables(known).items()}
            arranged, names = yield from _arranged_sheets(
                source, tables, named, recognised, people, rules, heads
            )
            if arranged is not None:
                return arranged
        block = yield from _rearranged(named, people, rules, heads)
        if block is not None:
            return _with_alike((yield from _written(table, source.folder, block)), names)
    if len(source.sheets) > 1 and not sheet:
        joined, names, dated = yield from on_sheets(source.tables(known), table, recognised, people)
        if joined is not None and (not heads or _is_same(heads, [joined.heads])):
            written = yield from _written_for_sheets(source, table, joined, dated)
            return _with_alike(written, names)
        if joined is not None and _is_same(heads, [table.heads]):
            return source.best(known, joins_rounds=True)  # as it was read before, with these lines
        return _with_alike(table, names)
    return table


def _with_named_sums(table: TextTable) -> TextTable:
    """Return a table whose columns of sums behind players are named by them."""
    return replace(table, heads=tuple(named_sums(table.heads)))


def named_sums(heads: Sequence[str]) -> Row:
    """Return heads in which the sums behind several players of a table name them.

    >>> named_sums(["Hand", "Ann", "Sum", "Bo", "Sum", "", "Hand", "Cy", "Di", "Sum"])
    ['Hand', 'Ann', 'Sum (Ann)', 'Bo', 'Sum (Bo)', '', 'Hand', 'Cy', 'Di', 'Sum']
    """
    named = list(heads)
    for part in _parts(heads):
        sums = [
            at
            for before, at in pairwise(part)
            if is_sum([heads[at]]) and _may_be_name(heads[before])
        ]
        if len(sums) >= LEAST:
            for at in sums:
                named[at] = SUM_OF_PLAYER.format(name=heads[at - 1])
    return named


def _heads_above(table: TextTable) -> tuple[str, ...]:
    """Return the heads of another table above this one, whose people are less known; or none."""
    rows = [cells for _, cells in table.above if is_filled(cells)]
    for cells, row_below in pairwise(rows):
        n_players = sum(
            1
            for head, cell in zip(cells, row_below, strict=False)
            if _may_be_name(head) and whole(cell).value is not None
        )
        if n_players >= LEAST_UNKNOWN and all(whole(cell).value is None for cell in cells):
            return tuple(cells)
    return ()


def _arranged_sheets(
    source: SourceFile,
    tables: Mapping[str, TextTable],
    table: TextTable,
    score: Score,
    people: People,
    rules: Rules | None,
    heads: Sequence[str],
) -> Generator[None, None, tuple[TextTable | None, Sequence[str]]]:
    """Return the sheets as one table if some have several tables, and the names of those alike."""
    blocks = _beside_on_sheets(tables, table, score, people, rules, heads)
    joined_table, names = yield from _joined_blocks(source, blocks, score, people)
    if joined_table is not None and (not heads or _is_same(heads, [joined_table.heads])):
        return joined_table, names
    below, names_below, dated = yield from _below_on_sheets(tables, table, score, people)
    if below is not None and (not heads or _is_same(heads, [below.heads])):
        written = yield from _written_for_sheets(source, table, below, dated)
        return _with_alike(written, names_below), names_below
    return None, names or names_below


def _written_for_sheets(
    source: SourceFile, table: TextTable, joined: Rearranged, names: Sequence[str]
) -> Generator[None, None, TextTable]:
    """Write the joined sheets of these names, of which `table` is one."""
    alone = replace(table, about_sheets=(), other_sheets=(), sheet="")
    written = yield from _written(alone, source.folder, joined)
    return source.with_others(written, names)


def _with_alike(table: TextTable, names: Sequence[str]) -> TextTable:
    """Return a table whose notes tell the sheets that are like it from those with other heads."""
    alike = [name for name in names if name in table.other_sheets]
    others = [name for name in table.other_sheets if name not in alike]
    if not alike:
        return table
    notes = [note for note in table.about_sheets if note[0] != "sheets_not_read"]
    notes.append(("sheets_alike_not_read", table.head_line, list_sheets(alike), ""))
    if others:
        notes.append(("sheets_not_read", table.head_line, list_sheets(others), ""))
    return replace(table, about_sheets=tuple(notes))


def _beside_on_sheets(
    tables: Mapping[str, TextTable],
    best: TextTable,
    score: Score,
    people: People,
    rules: Rules | None,
    heads: Sequence[str],
) -> Mapping[str, tuple[TextTable, Rearranged]]:
    """Return the sheets like `best` in our order, if tables stand side by side on one of them.

    Each of the others is one table; where it has the players of several, its hands are asked about.
    """
    blocks: dict[str, tuple[TextTable, Rearranged]] = {}
    for name, table in tables.items():
        if _words(table, score) != _words(best, score):
            continue
        block = _side_by_side(table, people, rules, heads)
        if block is not None and block.note[0] == BESIDE:
            blocks[name] = table, block
        elif has_players(table, range(len(table.heads)), people):
            parts = [_all_columns(table.heads)]
            united_heads = _heads_of_parts(table.heads, parts)
            lines = _lines_of_parts(table, parts, united_heads)
            blocks[name] = table, Rearranged(united_heads, lines, ("", ""))
    if best.sheet and best.sheet not in blocks:
        return {}
    if not any(block.note[0] == BESIDE for _, block in blocks.values()):
        return {}
    return blocks


def _joined_blocks(
    source: SourceFile,
    blocks: Mapping[str, tuple[TextTable, Rearranged]],
    score: Score,
    people: People,
) -> Generator[None, None, tuple[TextTable | None, Sequence[str]]]:
    """Return sheets in our order as one table, and their names; None as `on_sheets` does."""
    if len(blocks) < LEAST:
        return None, ()
    tables: dict[str, TextTable] = {}
    for number, (name, (table, block)) in enumerate(blocks.items()):
        tables[name] = yield from _written(table, source.folder, block, f"sheet-{number}")
    first = next(iter(tables.values()))
    joined, names, dated = yield from on_sheets(tables, first, score, people)
    if joined is None:
        return None, names
    n_tables = max(int(block.note[1] or 1) for _, block in blocks.values())
    note: Note = (BESIDE, 1, str(n_tables), "")
    alone = replace(first, about_sheets=(note,), other_sheets=(), sheet="")
    written = yield from _written(alone, source.folder, joined)
    return _with_alike(source.with_others(written, dated), names), names


def _rearranged(
    table: TextTable, people: People, rules: Rules | None, heads: Sequence[str]
) -> Generator[None, None, Rearranged | None]:
    """Return the table in our order, if it has another one; with `heads` only one that has them."""
    known_rules = None if heads else rules  # with heads each was a column, or a player
    ways = (
        partial(_turned, table, people, known_rules),
        partial(_side_by_side, table, people, rules, heads),
    )
    for arrange in ways:
        block = arrange()
        if block is not None and (not heads or _is_same(heads, [block.heads])):
            return block
    block = yield from _below_each_other(table, people)
    if block is not None and (not heads or _is_same(heads, [block.heads])):
        return block
    return None


def _is_same(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    return list(heads) in ([head.replace("\0", "") for head in row] for row in rows)


def _turned(table: TextTable, people: People, rules: Rules | None) -> Rearranged | None:
    """Return a table with players down and hands across as one with a row for each hand."""
    head_parts = [re.split(r"(?=\d)", head.strip(" ."), maxsplit=1) for head in table.heads]
    numbers = [whole(parts[-1]).value for parts in head_parts]
    hands = [at for at, number in enumerate(numbers) if number is not None]
    if len(hands) < LEAST or [numbers[at] for at in hands] != list(range(1, len(hands) + 1)):
        return None
    some = [(line, row) for line, row in first_rows(table, MOST_TURNED) if len(row) > hands[0]]
    at_names = max(
        range(hands[0]),
        key=lambda at: sum(1 for _, row in some if people.called(row[at])),
        default=0,
    )
    rows = [
        (line, row)
        for line, row in some
        if plain(row[at_names]).text and not is_sum(row[at_names:], people)
    ]
    names = [row[at_names] for _, row in rows]
    n_known = sum(1 for name in names if people.called(name))
    if not LEAST <= len(rows) <= MOST_PLAYERS or n_known * 2 < len(rows):
        return None
    lines = [[str(numbers[at]), *(_cell(row, at) for _, row in rows)] for at in hands]
    heads_of = {fold(head_parts[at][0]) for at in hands}
    is_bare = heads_of == {""}  # “Round 1” may be an evening, of which place points are constant
    formulas = [
        [
            (place, address)
            for place, (line, _) in enumerate(rows, start=1)
            for column, address in table.formulas.get(line, ())
            if column == at
        ]
        for at in hands
    ]
    values = [_numbers(line[1:]) for line in lines]
    if heads_of <= HAND_WORDS or rules is None or are_hands(values, rules, by_sum=is_bare):
        note = ("table_turned", str(len(rows)))
        columns = [Run(0, table.sheet, at + 1, is_column=True) for at in hands]
        return Rearranged(["Hand", *names], zip(lines, formulas, columns, strict=True), note)
    return None


class TablePart(NamedTuple):
    """The columns of one of several tables side by side: those of its own, and shared ones."""

    own: Sequence[int]
    shared: Sequence[int] = ()

    @property
    def columns(self) -> Sequence[int]:
        return sorted((*self.shared, *self.own))


def _all_columns(heads: Sequence[str]) -> TablePart:
    return TablePart([at for at, head in enumerate(heads) if head.strip()])


def _side_by_side(
    table: TextTable, people: People, rules: Rules | None, known_heads: Sequence[str] = ()
) -> Rearranged | None:
    """Return tables that stand side by side as one, below each other.

    The heads of an earlier reading tell whether columns are tables of their own.
    """
    known_rules = None if known_heads else rules
    if block := _with_sums_beside(table, people, known_heads):
        return block
    parts = (
        _parts_of_heads(table, people, known_rules)
        or _parts_of_titles(table, people, known_rules)
        or _parts_of_rules(table, people, rules)
    )
    if not parts:
        return None
    united_heads = _heads_of_parts(table.heads, parts)
    note = (BESIDE, str(len(parts)))
    return Rearranged(united_heads, _lines_of_parts(table, parts, united_heads), note)


def _with_sums_beside(
    table: TextTable, people: People, known_heads: Sequence[str]
) -> Rearranged | None:
    """Return a table with heads of their own for the running sums beside its players' points.

    They are left out where an earlier reading, as `known_heads` say, had none.
    """
    heads = table.heads
    ranges = _parts(heads)
    if len(ranges) != LEAST or not has_players(table, ranges[0], people):
        return None
    shared = _columns_before_players(heads, ranges[0])
    first, second = (
        {fold(heads[at]): at for at in part if at not in shared and heads[at].strip()}
        for part in ranges
    )
    for word in map(fold, (heads[at] for at in shared)):
        second.pop(word, None)  # the column of hands may be repeated
    if first.keys() != second.keys():
        return None
    rows = [row for _, row in first_rows(table, LOOKED_AT) if not is_sum(row)]
    for points, sums in ((first, second), (second, first)):
        pairs = [(points[name], sums[name]) for name in points]
        if not are_mostly_sums([_numbers_beside(rows, *columns) for columns in pairs]):
            continue
        kept = sorted({*shared, *points.values()})
        heads_of_kept = [heads[at] for at in kept]
        if not known_heads or any(map(is_sum_of_player, known_heads)):
            kept += [sums[name] for name in points]
            heads_of_kept += [SUM_OF_PLAYER.format(name=heads[at]) for at in points.values()]
        lines = _lines_of_columns(table, kept)
        return Rearranged(heads_of_kept, lines, ("sums_beside_left_out", ""))
    return None


def _lines_of_columns(table: TextTable, columns: Sequence[int]) -> Iterator[Line | None]:
    """Yield the lines of a table with some of its columns, in this order."""
    to = {at: place for place, at in enumerate(columns)}
    for line, row in table.rows():
        if not is_filled(row):
            yield None
            continue
        formulas = table.formulas.get(line, ())
        unvalued = [(to[at], address) for at, address in formulas if at in to]
        yield [_cell(row, at) for at in columns], unvalued, table.run_from(line, 0)


def _numbers_beside(rows: Sequence[Sequence[str]], of_hand: int, so_far: int) -> Column:
    pairs = [(_cell(row, of_hand), _cell(row, so_far)) for row in rows]
    return [(whole(points).value, whole(total).value) for points, total in pairs]


def _parts_of_heads(table: TextTable, people: People, rules: Rules | None) -> Sequence[TablePart]:
    """Return the tables that an empty column, or a repeated head, sets apart."""
    heads = table.heads
    ranges = _parts(heads)
    if not 1 < len(ranges) <= MOST_PARTS:
        return ()
    if not all(has_players(table, part, people) for part in ranges):
        return ()
    is_known = all(is_table(heads, part, people) for part in ranges)
    first, *others = ranges
    shared = _columns_before_players(heads, first)
    if shared and not any(_columns_before_players(heads, part) for part in others):
        parts = [TablePart(range(first.start + len(shared), first.stop), shared)]
        parts += [TablePart(part, shared) for part in others]
        return parts if _have_hands(table, parts, rules) else ()
    parts = [TablePart(part) for part in ranges]
    repeated = set.intersection(*({fold(heads[at]) for at in part} for part in ranges))
    if is_known and repeated:
        return parts
    points = [
        TablePart([at for at in part if at not in _columns_before_players(heads, part)])
        for part in ranges
    ]
    return parts if _have_hands(table, points, rules) else ()


def _parts_of_titles(table: TextTable, people: People, rules: Rules | None) -> Sequence[TablePart]:
    """Return the tables that titles above their columns name, below one column of hands."""
    heads = table.heads
    shared = _columns_before_players(heads, range(len(heads)))
    for _, cells in reversed(table.above):
        begins = [at for at, cell in enumerate(cells[: len(heads)]) if table_in(cell)]
        numbers = {table_in(cells[at]) for at in begins}
        if len(begins) < LEAST or len(numbers) < len(begins):
            continue
        edges = [len(shared), *begins[1:], len(heads)]
        parts = [
            TablePart([at for at in range(*edge) if heads[at].strip()], shared)
            for edge in pairwise(edges)
        ]
        if _are_tables(table, parts, people, rules):
            return parts
    return ()


def _parts_of_rules(table: TextTable, people: People, rules: Rules | None) -> Sequence[TablePart]:
    """Return the tables of a row with more players than a table has, if only one way fits.

    Most rows have a number for all of them, and each table alone has a hand or nothing in each row.
    """
    if rules is None:
        return ()
    heads = table.heads
    before = _columns_before_players(heads, range(len(heads)))
    rows = [row for _, row in first_rows(table, LOOKED_AT) if not is_sum(row)]
    filled = _all_columns(heads).own
    players = [
        at
        for at in filled
        if at not in before and not is_sum([heads[at]]) and _has_numbers(rows, at)
    ]
    fewest, most = rules.keys.players
    if not most < len(players) <= MOST_IN_A_ROW:
        return ()
    lines = [[whole(_cell(row, at)).value for at in players] for row in rows]
    n_full = sum(1 for line in lines if None not in line)
    if n_full * 2 < len(lines):
        return ()  # rows of one table each, and perhaps the sums of all
    ways = list(islice(_ways_to_split(lines, (fewest, most), rules), LEAST))
    if len(ways) != 1:
        return ()
    shared = [at for at in filled if at not in players and not is_sum_of_player(heads[at])]
    parts = [
        TablePart(_with_sums_behind(heads, players[begin:end]), shared)
        for begin, end in pairwise(ways[0])
    ]
    return parts if _are_tables(table, parts, people, rules) else ()


def _with_sums_behind(heads: Sequence[str], players: Sequence[int]) -> Sequence[int]:
    """Return the columns of players with those of their sums, which come behind them."""
    sums = [at + 1 for at in players if at + 1 < len(heads) and is_sum_of_player(heads[at + 1])]
    return sorted((*players, *sums))


def _has_numbers(rows: Sequence[Sequence[str]], at: int) -> bool:
    return any(whole(_cell(row, at)).value is not None for row in rows)


def _ways_to_split(
    lines: Sequence[Sequence[int | None]], sizes: tuple[int, int], rules: Rules
) -> Iterator[tuple[int, ...]]:
    """Yield the edges of tables next to each other that have a hand or nothing in each row."""
    width = len(lines[0])
    fewest, most = sizes
    ends_of: dict[int, list[int]] = {}
    for begin in range(width):
        ends_of[begin] = [
            end
            for end in range(begin + fewest, min(begin + most, width) + 1)
            if all(_is_hand_or_nothing(line[begin:end], rules) for line in lines)
        ]
    ways: list[tuple[int, ...]] = [(0,)]
    while ways:
        way = ways.pop()
        if way[-1] == width:
            yield way
            continue
        ways += [(*way, end) for end in ends_of[way[-1]]]


def _is_hand_or_nothing(points: Sequence[int | None], rules: Rules) -> bool:
    numbers = tuple(number for number in points if number is not None)
    if not numbers:
        return True
    return len(numbers) == len(points) and is_hand(rules, numbers)


def _columns_before_players(heads: Sequence[str], part: range) -> Sequence[int]:
    """Return the columns before the first player: the date, the round, the hand."""
    return list(takewhile(lambda at: usual_meaning(heads[at], ()) in OF_A_ROW, part))


def _are_tables(
    table: TextTable, parts: Sequence[TablePart], people: People, rules: Rules | None
) -> bool:
    heads = table.heads
    known = [[at for at in part.own if people.called(heads[at])] for part in parts]
    if any(len(part) < LEAST for part in known):
        players = set(columns_of_players(table))
        if any(len(players & set(part.own)) < LEAST_UNKNOWN for part in parts):
            return False
    words = [fold(heads[at]) for part in parts for at in part.own if fold(heads[at])]
    return len(set(words)) == len(words) and _have_hands(table, parts, rules)


def _heads_of_parts(heads: Sequence[str], parts: Sequence[TablePart]) -> Row:
    once = _united(heads[at] for at in sorted({at for part in parts for at in part.columns}))
    if _has_table(heads, parts):
        return once
    return ["Table", *once]


def _united(heads: Iterable[str]) -> Row:
    """Return heads without those that say the same as an earlier one."""
    by_word: dict[str, str] = {}
    for head in heads:
        by_word.setdefault(fold(head), head)
    return list(by_word.values())


def _has_table(heads: Sequence[str], parts: Sequence[TablePart]) -> bool:
    return bool(parts) and any(fold(heads[at]) in TABLE_WORDS for at in parts[0].columns)


def _lines_of_parts(
    table: TextTable, parts: Sequence[TablePart], heads: Row, *, number: bool = True
) -> Iterator[Line | None]:
    place = {fold(head): at for at, head in enumerate(heads)}
    has_table = not number or _has_table(table.heads, parts)
    for order, part in enumerate(parts, start=1):
        to = {at: place[fold(table.heads[at])] for at in part.columns}
        for line, row in table.rows():
            is_of_part = any(_cell(row, at).strip() for at in part.own)
            is_of_none = order == 1 and not any(
                _cell(row, at).strip() for other in parts for at in other.own
            )
            if not is_of_part and not (is_of_none and is_filled(row)):
                yield None
                continue
            cells = [""] * len(heads)
            if not has_table:
                cells[0] = str(_table_number(table, part) or order)
            for at, target in to.items():
                cells[target] = _cell(row, at)
            formulas = table.formulas.get(line, ())
            unvalued = [(to[at], address) for at, address in formulas if at in to]
            yield cells, unvalued, table.run_from(line, 0)


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


def _have_hands(table: TextTable, parts: Sequence[TablePart], rules: Rules | None) -> bool:
    """Whether the numbers of each table alone are hands: one of them may have an empty column.

    Without rules it is taken so: the heads of an earlier reading tell.
    """
    if rules is None:
        return True
    rows = [row for _, row in first_rows(table, LOOKED_AT) if not is_sum(row)]
    lines = [
        [
            _numbers(_cell(row, at) for at in part.own if not is_sum_of_player(table.heads[at]))
            for row in rows
        ]
        for part in parts
    ]
    return all(are_hands(list(filter(None, of_part)), rules, by_sum=False) for of_part in lines)


def _numbers(cells: Iterable[str]) -> tuple[int, ...]:
    values = (whole(cell).value for cell in cells)
    return tuple(value for value in values if value is not None)


def _table_number(table: TextTable, part: TablePart) -> int | None:
    for _, cells in reversed(table.above):
        for at in part.own or part.columns:
            if number := table_in(_cell(cells, at)):
                return number
    return None


def _cell(row: Sequence[str], at: int) -> str:
    if at < len(row):
        return row[at]
    return ""


def _written(
    table: TextTable, folder: Path, block: Rearranged, name: str = "blocks"
) -> Generator[None, None, TextTable]:
    path = folder / f"{name}.csv"
    code, found = block.note
    formulas: dict[int, Sequence[tuple[int, str]]] = {}
    runs: list[Run] = []
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(block.heads)
        number = 1
        for n_read, line in enumerate(block.lines, start=1):
            if n_read % BREATH == 0:
                yield
            if line is None:
                continue
            cells, unvalued, place = line
            number += 1
            _add_run(runs, number, place)
            writer.writerow(cells)
            if unvalued:
                formulas[number] = unvalued
    note: Note = (code, 1, found, "")
    return replace(
        table,
        path=path,
        encoding="utf-8",
        delimiter=",",
        heads=tuple(block.heads),
        head_line=1,
        formulas=formulas,
        about_sheets=(*table.about_sheets, note),
        file_places=Places(tuple(runs)),
    )


def _add_run(runs: list[Run], line: int, place: Run) -> None:
    """Add the place of a line; one that follows the place before belongs to its run."""
    last = runs[-1] if runs else None
    follows = last is not None and (last.sheet, last.is_column, last.order) == (
        place.sheet,
        place.is_column,
        place.order,
    )
    if last is None or not follows or place.first - last.first != line - last.line:
        runs.append(replace(place, line=line))


def title_of(row: Sequence[str]) -> str:
    """Return the text of a row that is a title: one cell, or a date or a table's number."""
    filled = [text for cell in row if (text := cell.strip())]
    if len(filled) < LEAST:
        return "".join(filled)
    if whole(filled[0]).value is not None:
        return ""
    text = " ".join(filled)
    is_numbered = table_in(text) is not None
    n_numbers = sum(1 for cell in filled if whole(cell).value is not None)
    return text if n_numbers <= is_numbered and (is_numbered or any(dates_in(text))) else ""


def are_heads(row: Sequence[str], heads: Sequence[str]) -> bool:
    """Whether a row has the first of the heads, and no number."""
    return (
        fold(row[0]) == fold(heads[0]) != ""
        and sum(map(bool, row)) > 1
        and all(whole(cell).value is None for cell in row[:MOST_COLUMNS])
    )


def _below_each_other(table: TextTable, people: People) -> Generator[None, None, Rearranged | None]:
    """Return tables below each other, each with its heads, as one; titles date or number them.

    A file whose first `SHAPE_ROWS` rows are one table is one table.
    """
    sections, is_whole = yield from _sections_of(table, people)
    if len(sections) < LEAST:
        return None
    other = next((each for each in sections if each.heads != sections[0].heads), None)
    note = ("tables_below_each_other", str(len(sections)))
    block = _put_together(sections, note, by_order=other is not None) if is_whole else None
    if block is None and other is not None and _has_more_heads(table):
        raise Unreadable(
            f"Line {other.line} has other heads than line {table.head_line}. Write the date or the "
            f"number of the table above each of them, in at most {MOST_SECTIONS} tables."
        )
    return block


def _sections_of(
    table: TextTable, people: People
) -> Generator[None, None, tuple[Sequence[Section], bool]]:
    """Return the tables below each other, and whether they are all; none if it has no players."""
    if not has_players(table, range(len(table.heads)), people):
        return (), True
    players = columns_of_players(table, people)
    title = title_above(table)
    title_line = 0
    on = one_day([title])
    n_titles = 0
    first_heads = _with_numbers(table.heads, players)
    sections = [Section(table, table.head_line, first_heads, [*_titles_in(table.heads), title, on])]
    for numbered_row in _rows_in_pieces(table):
        if numbered_row is None:
            yield
            continue
        n_read, line, row = numbered_row
        if heads := _heads_again(row, first_heads, players):
            sections.append(Section(table, line, heads, [*_titles_in(row), title, on]))
            title = ""
        elif (text := title_of(row)) and not is_sum(row):
            title, title_line = text, line
            n_titles += 1
            on = one_day([title]) or on
        elif title and on != one_day(sections[-1].titles):
            sections.append(Section(table, title_line, sections[-1].heads, [title, on]))
            title = ""
        else:
            title = ""
        is_one_table = n_read >= SHAPE_ROWS and len(sections) < LEAST
        if is_one_table or len(sections) > MOST_SECTIONS or n_titles > MOST_TITLES:
            break
    return sections, len(sections) <= MOST_SECTIONS and n_titles <= MOST_TITLES


def _heads_again(row: Row, heads: Sequence[str], players: Sequence[int]) -> Row:
    """Return the heads of another table that a row has; none if it is another row.

    Columns that the first heads have before their players are named as there.
    """
    if are_heads(row, heads):
        return named_sums(row)
    words = [_cell(row, at) for at in players]
    n_words = sum(1 for word in words if word.strip())
    is_title = bool(title_of(row)) and n_words < LEAST_UNKNOWN
    if is_title or is_sum(row) or not are_words_of_heads(words):
        return []
    again = named_sums(row)
    for at in range(min(*players, len(row))):
        if usual_meaning(heads[at], ()) in OF_A_ROW or not heads[at].strip():
            again[at] = heads[at]
    return again


def _titles_in(heads: Sequence[str]) -> Sequence[str]:
    """Return the number of a table that stands among its heads."""
    return [head for head in heads[:1] if table_in(head) is not None]


def _with_numbers(heads: Sequence[str], players: Sequence[int]) -> Row:
    """Return heads in which the number of the table is not that of the column below it."""
    numbered_heads = list(heads)
    if players and players[0] > 0 and _titles_in(heads):
        numbered_heads[0] = "Hand"
    return numbered_heads


def _rows_in_pieces(table: TextTable) -> Iterator[tuple[int, int, Row] | None]:
    """Yield the number, the line and the cells of each filled row, and None after every few."""
    for number, (line, row) in enumerate(table.rows(), start=1):
        if number % BREATH == 0:
            yield None
        if is_filled(row):
            yield number, line, row


def _below_on_sheets(
    tables: Mapping[str, TextTable], best: TextTable, score: Score, people: People
) -> Generator[None, None, tuple[Rearranged | None, Sequence[str], Sequence[str]]]:
    """Return the sheets like `best` as one table, if tables are below each other on one of them.

    Their names come too, as `on_sheets` returns them.
    """
    by_sheet: dict[str, Sequence[Section]] = {}
    for name, table in tables.items():
        if _words(table, score) != _words(best, score):
            continue
        sections, is_whole = yield from _sections_of(table, people)
        if not is_whole:
            return None, (), ()
        if sections:
            by_sheet[name] = [
                each._replace(titles=[*each.titles, name, one_day([title_above(table)])])
                for each in sections
            ]
    has_several = any(len(sections) > 1 for sections in by_sheet.values())
    if len(by_sheet) < LEAST or not has_several or best.sheet not in by_sheet:
        return None, (), ()
    block, names = _of_dated_sheets(by_sheet)
    return block, tuple(by_sheet), names


def _of_dated_sheets(
    by_sheet: Mapping[str, Sequence[Section]],
) -> tuple[Rearranged | None, Sequence[str]]:
    """Return the tables of all sheets as one, or of those with dates alone; and their names."""
    dated = {
        name: sections
        for name, sections in by_sheet.items()
        if all(one_day(section.titles) for section in sections)
    }
    for sheets in (by_sheet, dated):
        if not sheets:
            continue
        note = (SHEETS_JOINED, list_sheets(sheets))
        sections = list(chain.from_iterable(sheets.values()))
        block = _put_together(sections, note, by_order=False)
        if block is not None:
            return block, tuple(sheets)
    return None, ()


def on_sheets(
    tables: Mapping[str, TextTable], best: TextTable, score: Score, people: People
) -> Generator[None, None, tuple[Rearranged | None, Sequence[str], Sequence[str]]]:
    """Return the sheets that are like `best` as one table; None if nothing tells them apart.

    They have the same heads but for the players, and no date; their names or titles have that. A
    round that begins again on each sheet counts hands, or the rounds of an evening. A sheet without
    a date among dated ones is left out.

    The names of all that are alike come too, and of those that are in the table.
    """
    words_of_best = _words(best, score)
    is_one_table = has_players(best, range(len(best.heads)), people)
    like = {
        name: table
        for name, table in tables.items()
        if _words(table, score) == words_of_best
        and (
            table.heads == best.heads
            or (is_one_table and has_players(table, range(len(table.heads)), people))
        )
    }
    is_told = _tells_evenings_apart(words_of_best, like.values())
    if len(like) < LEAST or is_told or any(map(_has_more_heads, like.values())):
        return None, tuple(like), ()
    sections = [
        Section(table, table.head_line, list(table.heads), [name, title_above(table)])
        for name, table in like.items()
    ]
    note = (SHEETS_JOINED, list_sheets(like))
    yield
    block = _put_together(sections, note, by_order=False)
    if block is None and all(map(_round_counts_hands, like.values())):
        sections = [section._replace(heads=_with_hands(section.heads)) for section in sections]
        block = _put_together(sections, note, by_order=False)
    if block is None and _share_people(like.values(), people):
        block = _by_counted_names(sections, list(like))
    if block is not None:
        return block, tuple(like), tuple(like)
    block, names = _of_dated_sheets(
        {name: [section] for name, section in zip(like, sections, strict=True)}
    )
    return block, tuple(like), names


def _by_counted_names(sections: Sequence[Section], names: Sequence[str]) -> Rearranged | None:
    """Return sheets as the rounds that their names count; None if they do not, or have dates."""
    matches = [COUNTED_NAME.fullmatch(name) for name in names]
    words = {fold(match["word"]) for match in matches if match is not None}
    numbers = [str(int(match["number"])) for match in matches if match is not None]
    heads = list(map(fold, sections[0].heads))
    has_place = not (ROUND_WORDS | TABLE_WORDS).isdisjoint(heads)
    are_counted = len(words) == 1 and len(set(numbers)) == len(numbers) == len(names)
    if has_place or not are_counted or "0" in numbers or any(map(one_day, _titles(sections))):
        return None
    united_heads = _united(head for section in sections for head in section.heads if fold(head))
    if len(united_heads) >= MOST_COLUMNS:
        return None
    lines = _lines_of_sections(sections, [[number] for number in numbers], united_heads)
    return Rearranged(["Round", *united_heads], lines, (SHEETS_COUNTED, list_sheets(names)))


def _titles(sections: Sequence[Section]) -> list[Sequence[str]]:
    return [section.titles for section in sections]


def _share_people(tables: Iterable[TextTable], people: People) -> bool:
    """Whether any two tables have a player in common, who cannot sit at both in one round."""
    players = [
        {fold(head) for head in table.heads[:MOST_COLUMNS] if people.called(head)}
        for table in tables
    ]
    return all(first & second for first, second in combinations(players, 2))


def _round_counts_hands(table: TextTable) -> bool:
    """Whether the rounds of a sheet are 1, 2, 3 and so on, and it has no column of hands."""
    heads = list(map(fold, table.heads))
    columns = [at for at, head in enumerate(heads) if head in ROUND_WORDS]
    if len(columns) != 1 or not HAND_WORDS.isdisjoint(heads):
        return False
    cells = [_cell(row, columns[0]) for _, row in first_rows(table, SHAPE_ROWS) if not is_sum(row)]
    rounds = _numbers(numbered(cell) for cell in cells if cell.strip())
    return len(rounds) >= LEAST and list(rounds) == list(range(1, len(rounds) + 1))


def _with_hands(heads: Sequence[str]) -> Row:
    """Return heads with the hand in place of the round."""
    return ["Hand" if fold(head) in ROUND_WORDS else head for head in heads]


def _words(table: TextTable, score: Score) -> set[str]:
    """Return the folded heads of a table that are no names."""
    return {fold(head) for head in table.heads[:MOST_COLUMNS] if score([head])}


def _tells_evenings_apart(words: set[str], tables: Iterable[TextTable]) -> bool:
    """Whether a column of sheets does: a date, or a round that no two of them have."""
    if words & DATE_WORDS:
        return True
    if not words & ROUND_WORDS:
        return False
    earlier: set[int] = set()
    for table in tables:
        columns = [at for at, head in enumerate(table.heads) if fold(head) in ROUND_WORDS]
        rows = [row for _, row in first_rows(table, SHAPE_ROWS)]
        rounds = set(_numbers(numbered(_cell(row, at)) for row in rows for at in columns))
        if rounds & earlier:
            return False
        earlier |= rounds
    return True


def _has_more_heads(table: TextTable) -> bool:
    return any(
        are_heads(row, table.heads) and list(table.heads) not in (row, named_sums(row))
        for _, row in first_rows(table, SHAPE_ROWS)
    )


def _put_together(
    sections: Sequence[Section], note: tuple[str, str], *, by_order: bool
) -> Rearranged | None:
    """Return sections as one table, with columns for the dates and tables that titles have.

    None if the titles tell the sections not apart; `by_order` numbers those without titles.
    """
    heads = sections[0].heads
    if not all(section.heads == heads for section in sections):
        heads = _united(head for section in sections for head in section.heads if fold(head))
    has_table = not TABLE_WORDS.isdisjoint(map(fold, heads))
    titles = [section.titles for section in sections]
    has_round = not ROUND_WORDS.isdisjoint(map(fold, heads))
    places = _places(titles, has_table=has_table, has_round=has_round, by_order=by_order)
    if places is None or len(heads) >= MOST_COLUMNS:
        return None
    before, cells = places
    return Rearranged([*before, *heads], _lines_of_sections(sections, cells, heads), note)


def _places(
    titles: Sequence[Sequence[str]], *, has_table: bool, has_round: bool, by_order: bool
) -> tuple[Row, Sequence[Row]] | None:
    """Return the heads of the columns that the titles fill, and the cells for each title."""
    days = list(map(one_day, titles))
    numbers = [
        next((str(number) for text in texts if (number := table_in(text))), "") for texts in titles
    ]
    if all(days):
        if has_table or not (any(numbers) or len(set(days)) < len(days)):
            return ["Date"], [[day] for day in days]
        dated = list(zip(days, numbers, strict=True))
        free = {on: (n for n in map(str, count(1)) if (on, n) not in dated) for on in days}
        return ["Date", "Table"], [[on, number or next(free[on])] for on, number in dated]
    rounds = [next((str(n) for text in texts if (n := round_in(text))), "") for texts in titles]
    if all(rounds) and not has_round and not any(days):
        if len(set(rounds)) == len(rounds):
            return ["Round"], [[number] for number in rounds]
        if not has_table and len(set(zip(rounds, numbers, strict=True))) == len(rounds):
            return ["Round", "Table"], list(map(list, zip(rounds, numbers, strict=True)))
    is_numbered = all(numbers) and len(set(numbers)) == len(numbers)
    if any(days) or has_table or not (by_order or is_numbered):
        return None
    return ["Table"], [[number or str(at)] for at, number in enumerate(numbers, start=1)]


def _lines_of_sections(
    sections: Sequence[Section], cells: Sequence[Row], heads: Row
) -> Iterator[Line | None]:
    place = {fold(head): at for at, head in enumerate(heads) if fold(head)}
    is_same = all(section.heads == heads for section in sections)
    by_table = groupby(zip(sections, cells, strict=True), key=lambda pair: id(pair[0].table))
    for _, of_table in by_table:
        starts = {section.line: (section, filled) for section, filled in of_table}
        (section, filled), *_ = starts.values()
        to: Sequence[int | None] = ()
        for line, row in chain([(section.line, section.heads)], section.table.rows()):
            if not is_filled(row):
                yield None
                continue
            if line in starts:
                section, filled = starts[line]
                if is_same:
                    to = range(len(heads))
                else:
                    to = [place.get(fold(head)) for head in section.heads]
                continue
            text = title_of(row) if len(starts) > 1 else ""
            if table_in(text) or any(dates_in(text)):
                yield None
                continue
            joined = [""] * len(heads)
            for at, target in enumerate(to):
                if target is not None and at < len(row):
                    joined[target] = row[at]
            unvalued = [
                (len(filled) + target, address)
                for column, address in section.table.formulas.get(line, ())
                if column < len(to) and (target := to[column]) is not None
            ]
            more = row[len(to) :]
            cells_of_row = [*filled, *joined, *(more if any(more) else ())]
            order = tuple(len(filled) + target for target in to if target is not None)
            is_usual = list(order) == sorted(order)
            run = section.table.run_from(line, 0)
            yield cells_of_row, unvalued, replace(run, order=() if is_usual else order)
