"""Select the plan of a foreign file and read its rows as our own columns, with their lines.

A row that is a hand becomes a row for each player with a value in their column, or with a name
beside their number. Corrections and problems keep the file's own cells."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from functools import cache
from itertools import islice
from typing import Any, Final, TypeAlias

from scoring.entry.sheet import Box
from scoring.errors import Problem, Refused, listed
from scoring.game.running_totals import points_between
from scoring.rules.rules import Rules
from tournaments.documents.read import cells, marked_cells
from tournaments.documents.read.cells import CellCache, plain
from tournaments.documents.read.column_plan import (
    EMPTY,
    MOST_COLUMNS,
    NO_POINTS,
    NOTHING,
    RUNNING,
    SIGN,
    ColumnPlan,
    gone_problems,
    key_of,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.documents.read.columns import ColumnIndex, fold, is_sum, meaning
from tournaments.documents.read.csv import (
    BREATH,
    SHAPE_ROWS,
    Formulas,
    SheetTable,
    Unreadable,
    formulas_in,
)
from tournaments.documents.read.head_rows import are_words_of_heads
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.rounds_by_date import RoundsByDate
from tournaments.documents.read.source_file import SHEETS_COUNTED, SHEETS_JOINED
from tournaments.documents.read.sum_rows import (
    SUM_OF_PLAYER,
    Beside,
    SumsAbove,
    SumsBeside,
    SumSlip,
    are_mostly_sums,
    can_be_a_hand,
)
from tournaments.documents.read.table_rows import row_words
from tournaments.documents.read.ways import ways_in, with_ways
from tournaments.domain.imports.evenings import Evenings, Key
from tournaments.domain.imports.import_report import LEFT_OUT_HIDDEN, about_sheets
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import as_written, folded, is_same_name, spellings
from tournaments.models.imports import CHOICE, DATES, HANDS, IGNORE, PLEDGE, SEATS

StoredMapping = tuple[int, str, Mapping[str, Any]]
"""A column mapping of the club: its row id, its name, and its plan as JSON."""

SAMPLED: Final = 48
"""Number of sample rows of a file: several hands of some tables with a row for each player."""

LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class SelectedPlan:
    """A plan for one file; `strange` are the columns that it does not know.

    `key` is the row id of the club's mapping and `name` its name, None and empty without one.
    """

    plan: ColumnPlan
    values: Mapping[str, str]
    name: str = ""
    key: int | None = None
    strange: tuple[str, ...] = ()


SHEET_COLUMNS: Final[Mapping[str, str]] = {"Date": "date", "Round": "round", "Table": "table"}
"""Columns that the names of joined sheets can fill, before those of the sheets, label → meaning."""
MOST_SHEET_COLUMNS: Final = 2


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The caller's choice of columns: a plan, the name of a stored one, or our own heads;
    the round and the table, if the file has no column for them; and the key of a `reading`.
    """

    plan: ColumnPlan | None = None
    name: str = ""
    key: int | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    is_ours: bool = False


NO_PLAN_REQUEST: Final = PlanRequest()


class NotMapped(Unreadable):
    """The columns of a table are not understood; a person has to map them. Nothing was written.

    `problem` is for programs; `heads` are the file's without added ones, `chosen` is the mapping
    that was tried, if there was one.
    """

    def __init__(
        self,
        problem: Problem,
        heads: Sequence[str],
        table: SheetTable,
        text: str = "",
        chosen: SelectedPlan | None = None,
    ) -> None:
        super().__init__(text or sentence(problem))
        self.problem = problem
        self.heads = tuple(heads)
        self.table = table
        self.sample = sample_of(table)
        self.other_sheets = table.other_sheets
        self.hidden = [
            note.message for note in about_sheets(table.notes) if note.code in LEFT_OUT_HIDDEN
        ]
        self.chosen = chosen


Row = list[str]

AtTable: TypeAlias = tuple[str, ...]
"""The date, the round and the table of a row as written, of those that the file has."""


@dataclass(frozen=True, slots=True)
class PlayerColumn:
    """A column of one player's numbers, and every name that may mean the player, folded.

    `name` is what its rows have as the name, beside the id.
    """

    index: int
    label: str
    player_id: str
    name: str
    names: frozenset[str]
    key: int | None = None


def sample_of(table: SheetTable) -> list[list[str]]:
    rows: list[list[str]] = []
    for _, row in islice(table.rows(), SHAPE_ROWS):
        if row and "".join(row).strip():
            rows.append([cell.replace("\0", "").strip()[:LONGEST] for cell in row])
        if len(rows) == SAMPLED:
            break
    return rows


def select_plan(
    table: SheetTable,
    *,
    added: int,
    request: PlanRequest,
    mappings: Sequence[StoredMapping],
    people: People,
    of_games: bool = False,
    round_by_date: Callable[[ColumnPlan], int | None] | None = None,
) -> SelectedPlan | None:
    """Return the plan that a file is read by; None if its heads are our own.

    `added` is the number of heads that corrections added; a member may have a column. A row is
    a hand, or else a game. A stored mapping has no week's round: `round_by_date` may tell it.
    """
    heads = table.heads[: len(table.heads) - added]
    labels = labels_of(heads)
    match = None if request.is_ours else _match(table, labels, request, mappings, people)
    if match is None:
        return None
    plan, name, pk = match
    strange = tuple(plan.strange(labels, people.called))
    fitted = plan.of_file(labels, people.called)
    ways = ways_in(request.values.get("reading", ""))
    if ways is not None:
        fitted = with_ways(fitted, ways)
    selected = SelectedPlan(fitted, {}, name, pk, strange)
    problems = gone_problems(plan, labels) or problems_of(fitted, labels)
    values = request.values
    is_stored = pk is not None and request.plan is None
    is_untold = "round" not in fitted.means and not values.get("round", "").strip()
    if is_stored and is_untold and round_by_date is not None:
        round_ = round_by_date(fitted)
        if round_ is not None:
            values = {"table": "1", **fitted.given, **values, "round": str(round_)}
            if "date" in fitted.means:
                fitted = replace(fitted, given={**fitted.given, "round": DATES})
                selected = replace(selected, plan=fitted)
    if not problems:
        try:
            return replace(selected, values=values_of(fitted, values, of_games=of_games))
        except Refused as refused:
            problems = list(refused.problems)
    text = " ".join(sentence(problem) for problem in problems)
    if name:
        text = f"Mapping {name}: {text}"
    raise NotMapped(problems[0], heads, table, text, selected)


def _match(
    table: SheetTable,
    labels: Sequence[str],
    request: PlanRequest,
    mappings: Sequence[StoredMapping],
    people: People,
) -> tuple[ColumnPlan, str, int | None] | None:
    joined = joined_columns(table)
    if request.plan is not None:
        return request.plan.with_sheets(joined), request.name, request.key
    if request.name:
        for key, name, document in mappings:
            if name.casefold() == request.name.casefold():
                return plan_from(dict(document)).with_sheets(joined), name, key
        names = listed([name for _, name, _ in mappings]) or "none"
        raise Unreadable(f"No mapping is called {request.name}. Kept in this club: {names}.")
    return find_mapping(table, labels, mappings, people)


def joined_columns(table: SheetTable) -> Mapping[str, str]:
    """Return the columns that are filled from the names of joined sheets, label → meaning.

    A mapping that was kept when the workbook had one sheet does not have them.
    """
    if all(code not in (SHEETS_JOINED, SHEETS_COUNTED) for code, *_ in table.notes):
        return {}
    labels = labels_of(table.heads[:MOST_SHEET_COLUMNS])
    return {label: SHEET_COLUMNS[label] for label in labels if label in SHEET_COLUMNS}


def find_mapping(
    table: SheetTable, labels: Sequence[str], mappings: Sequence[StoredMapping], people: People
) -> tuple[ColumnPlan, str, int | None] | None:
    """Return the newest mapping of a club that fits a table of these labels, its name and key."""
    joined = joined_columns(table)
    for key, name, document in mappings:
        plan = plan_from(dict(document)).with_sheets(joined)
        if not plan.missing(labels) and not plan.strange(labels, people.called):
            return plan, name, key
    return None


def unknown_heads(
    heads: Sequence[str],
    boxes: Sequence[Box],
    fault: Unreadable,
    table: SheetTable,
    chosen: SelectedPlan | None = None,
) -> NotMapped:
    """Return the error that the heads of a file are not ours, with the unknown ones."""
    if len(heads) > MOST_COLUMNS:
        raise Unreadable(
            f"The file has {len(heads)} columns; at most {MOST_COLUMNS} can be mapped."
        )
    strange = [head for head in labels_of(heads) if not meaning(head, boxes)]
    facts: dict[str, Any] = {
        "why": str(fault),
        "found": listed(strange) or "nothing else",
        "heads": strange,
    }
    problem = Problem("unknown_heads", ("file",), facts)
    text = str(fault) if chosen is not None else ""
    return NotMapped(problem, heads, table, text, chosen)


PLACES: Final = ("date", "round", "table", "variant", "hand", "board")
NUMBERS: Final = ("round", "hand")
OF_A_GAME: Final = ("date", "round", "table")
OF_A_SEAT: Final = ("player_id", "player", "points", "hearts", "cards", "charged", "pledge", "moon")
ODD: Final = "odd"
"""A column of our rows: what in a row of the file cannot be understood, with its own head."""

COLUMN: Final = "column"
"""A column of our rows: the file's column that a seat's number stands in."""


LEAST_PLAYERS: Final = 3

BETWEEN: Final = re.compile(r"[,;/&+]")
"""Separators between two names in one cell."""

EMPTY_SEAT: Final = NOTHING | {"0"}
"""Value for the number of a seat that nobody is named for."""


class MappedTable:
    """The rows of a file by a plan.

    Args:
        plan: it fits the file's heads (`problems_of` finds nothing).
        values: the round and the table, if they have no column.
        rules: those of the sheets, by which running totals are reset.
        find_evenings: returns those of the event, in which rows find their round by their date.
        today: the day of the import, for dates without a year.
        day: the date of the file, for rows without one.
        answers: line → round and table that a person gave to it.
        zone: that of the club, for times with their distance to UTC.

    Attributes:
        columns: the place of each key in our rows.
        heads_by_key: key → the file's own head of it.
        width: columns of the file itself.
        other_heads: line that is not of these players → line of the heads above it, as far as the
            rows were read.
    """

    def __init__(
        self,
        table: SheetTable,
        plan: ColumnPlan,
        values: Mapping[str, str],
        people: People,
        added: int = 0,
        rules: Rules | None = None,
        find_evenings: Callable[[], Evenings] = Evenings,
        today: date | None = None,
        day: date | None = None,
        answers: Mapping[int, Key] | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self.table = table
        self.answers = answers or {}
        self._claimed = frozenset(self.answers.values())
        self._free_tables: dict[Key, int] = {}
        self._evenings = cache(find_evenings)
        self.heads, self.head_line, self.notes = table.heads, table.head_line, table.notes
        self.above, self.other_sheets = table.above, table.other_sheets
        self.sheet = table.sheet
        self.file_places = table.file_places
        self.is_padded = table.is_padded
        self.counts_sheets = any(code == SHEETS_COUNTED for code, *_ in table.notes)
        self.plan = plan
        self.people = people
        self.values = values
        self.rules = rules
        self.width = len(table.heads)
        labels = labels_of(table.heads)
        first_added = self.width - added
        means = {folded(label): meaning for label, meaning in plan.columns}
        meanings = [means.get(folded(label), IGNORE) for label in labels[:first_added]]
        meanings += [" ".join(head.split()) for head in table.heads[first_added:]]
        self.at: dict[str, int] = {}
        players: list[PlayerColumn] = []
        for index, (label, head) in enumerate(zip(labels, meanings, strict=True)):
            if plan.is_player(label):
                players.append(_player(index, label, plan.players.get(label, ""), people))
            elif head != IGNORE:
                self.at.setdefault(key_of(head), index)
        self.players = tuple(players)
        at = {label: index for index, label in enumerate(labels)}
        self.pairs = tuple((at[name], at[value], value) for name, value in plan.pairs)
        self.added = frozenset(range(first_added, self.width))
        self.heads_by_key = {key: labels[index] for key, index in self.at.items()}
        self.mark_ways = marked_cells.ways_in(plan)
        self.columns = self._columns()
        self.no_points = NO_POINTS.get(plan.given.get(EMPTY, ""), frozenset())
        self.has_minus = bool(plan.given.get(SIGN))
        self._n_own = first_added
        self._sums: dict[int, int] = {}
        self.slips: dict[int, list[SumSlip]] | None = None
        self._seated: dict[AtTable, list[set[int]]] | None = None
        self.rounds: RoundsByDate | None = None
        self.other_heads: dict[int, int] = {}
        self._order: tuple[int, ...] = ()
        has_dates = "date" in plan.means
        by_dates = plan.given.get("round") == DATES
        is_own = "round" in self.at and self.at["round"] not in self.added
        if not is_own and (by_dates or (day is not None and not has_dates)):
            self.rounds = RoundsByDate(
                self._evenings(),
                int(values["round"]),
                today=today,
                day=day,
                is_typed=not by_dates,
                zone=zone,
            )
        self._at_game = {self.at[key] for key in OF_A_GAME if key in self.at}
        self._out = {**self.columns.at, **{f"={c}": i for c, i in self.columns.cards.items()}}

    def _columns(self) -> ColumnIndex:
        keys: list[str] = [key for key in PLACES if key in self.at]
        keys += [key for key in ("round", "table", "hand") if key not in self.at]
        cards = [key for key in self.at if key.startswith("=")]
        if marked_cells.QUEEN in self.mark_ways and "=QS" not in cards:
            cards.append("=QS")
        if self.plan.rows != SEATS:
            keys += [*OF_A_SEAT, COLUMN, ODD]
        else:
            keys += [key for key in self.at if key not in (*PLACES, *cards)]
        at = {key: number for number, key in enumerate(keys)}
        codes = {key[1:]: len(keys) + number for number, key in enumerate(cards)}
        return ColumnIndex(len(keys) + len(cards), at, codes)

    @property
    def formulas(self) -> Formulas:
        read_columns = {*self.at.values(), *(column.index for column in self.players)}
        return formulas_in(read_columns, self.table.formulas)

    def find_rounds(self) -> Generator[None, None, None]:
        """Read the dates of all rows, a little at a time, and number the new ones."""
        rounds = self.rounds
        if rounds is None or rounds.is_numbered:
            return
        given_values = _GivenValues(self)
        for number, (line, row) in enumerate(self._rows_of_players(), start=1):
            if number % BREATH == 0:
                yield
            if row and "".join(row).strip():
                row_cells = row + [""] * (self.width - len(row))
                self._note_date(rounds, line, row_cells, given_values)
        rounds.number()

    def _rows_below_heads(self) -> Iterator[tuple[int, int, Row]]:
        """Yield the rows with their lines; those below other heads with the line of these, else 0.

        Words where players have numbers are heads. Until the players' own heads come again,
        nobody knows whose numbers are below them.
        """
        head_line = 0
        for line, row in self.table.rows():
            of_players = [row[each.index] for each in self.players if each.index < len(row)]
            may_be_heads = self.plan.rows == HANDS and are_words_of_heads(of_players)
            if may_be_heads and not self.is_sum(row):
                head_line = 0 if self._are_own_heads(row) else line
            yield line, head_line, row

    def _rows_of_players(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows that are not below other heads; those are blank, as lines are counted."""
        for line, head_line, row in self._rows_below_heads():
            yield line, [] if head_line else row

    def _are_own_heads(self, row: Sequence[str]) -> bool:
        for column in self.players:
            cell = row[column.index] if column.index < len(row) else ""
            if plain(cell).text in NOTHING or fold(cell) == fold(column.label):
                continue
            member = self.people.called(cell)
            if member is None or member.key != column.key:
                return False
        return True

    def _sums_beside(self) -> dict[int, int]:
        """Return the columns with the running sums of players: place of the points → of the sum.

        They are the columns behind those of the players, or have heads that name them.
        """
        if self.plan.cells != "points":
            return {}
        n_own = self._n_own
        labels = labels_of(self.table.heads)
        ignored = {label for label, means in self.plan.columns if means == IGNORE}
        at = {label: index for index, label in enumerate(labels[:n_own])}
        sums: dict[int, int] = {}
        for player in self.players:
            behind = "".join(labels[player.index + 1 : min(player.index + 2, n_own)])
            for label in (SUM_OF_PLAYER.format(name=player.label), behind):
                if label in at and label in ignored:
                    sums.setdefault(player.index, at[label])
        rows = [row for row in sample_of(self.table) if not self.is_sum(row)]
        columns = [
            [(self._number(row, points), self._number(row, total)) for row in rows]
            for points, total in sums.items()
        ]
        if not columns or not are_mostly_sums(columns):
            return {}
        return sums

    def _number(self, row: Sequence[str], index: int) -> int | None:
        cell = row[index] if index < len(row) else ""
        if plain(cell).text in self.no_points:
            return 0
        return cells.whole(self.signed(cell)).value

    def find_slips(self) -> Generator[None, None, None]:
        """Compare the points of all rows with the running sums beside them, a little at a time."""
        if self.slips is not None:
            return
        self.slips = {}
        self._sums = self._sums_beside()
        if not self._sums:
            return
        sums = SumsBeside()
        given_values = _GivenValues(self)
        for number, (line, row) in enumerate(self._rows_of_players(), start=1):
            if number % BREATH == 0:
                yield
            row_cells = row + [""] * (self.width - len(row))
            filled = self._filled(row_cells)
            if not filled:
                continue
            mapped = self._places(row_cells)
            given_values.repeat(mapped)
            if given_values.is_sum(mapped, row_cells, filled):
                continue
            beside = {
                points: Beside(
                    self._number(row_cells, points),
                    self._number(row_cells, total),
                    is_empty=not row_cells[total].strip(),
                )
                for points, total in self._sums.items()
            }
            if slips := sums.slips(self._at_table(mapped), beside):
                self.slips[line] = slips

    def sums_of(self, slip: SumSlip) -> tuple[str, int]:
        """Return whose column a slip is about, and the place of the sum."""
        names = {player.index: player.label for player in self.players}
        return names[slip.place], self._sums[slip.place]

    def find_seated(self) -> Generator[None, None, None]:
        """Note, a little at a time, whose columns have numbers in rows of one table.

        An empty cell of theirs may be no points; one of anybody else is nobody. Groups that share
        no row are tables, where the file names none.
        """
        if self._seated is not None or not self.players:
            return
        if not self.no_points and not self._may_have_tables:
            return
        self._seated = {}
        given_values = _GivenValues(self)
        for number, (_, row) in enumerate(self._rows_of_players(), start=1):
            if number % BREATH == 0:
                yield
            row_cells = row + [""] * (self.width - len(row))
            filled = self._filled(row_cells)
            if not filled:
                continue
            mapped = self._places(row_cells)
            given_values.repeat(mapped)
            if not given_values.is_sum(mapped, row_cells, filled):
                groups = self._seated.setdefault(self._at_table(mapped), [])
                _join_group(groups, {column.index for column in filled})

    @property
    def _may_have_tables(self) -> bool:
        """Whether the players are enough for two tables, which no column tells apart."""
        return "table" not in self.at and len(self.players) >= 2 * self._least_players

    @property
    def _least_players(self) -> int:
        if self.rules is None:
            return LEAST_PLAYERS
        return self.rules.keys.players[0]

    def _groups(self, mapped: Row) -> list[set[int]]:
        """Return the columns of each group at a row's table; one if a group is no table's."""
        groups = (self._seated or {}).get(self._at_table(mapped), [])
        if all(len(group) >= self._least_players for group in groups):
            return groups
        return [set[int]().union(*groups)]

    def group_of(self, mapped: Row, players: Collection[PlayerColumn]) -> tuple[int, set[int]]:
        """Return the place of a row's group among those of its table, from 0, and its columns."""
        columns = {column.index for column in players}
        for place, group in enumerate(self._groups(mapped)):
            if columns & group:
                return place, group
        return 0, columns

    def table_of(self, mapped: Row, players: Collection[PlayerColumn], table: str) -> str:
        """Return the table of a row's players, the first of which is given."""
        first = cells.whole(table).value
        if "table" in self.at or first is None:
            return table
        place, _ = self.group_of(mapped, players)
        return str(first + place)

    def unclaimed(self, number: str, table: str, people: Collection[int]) -> str:
        """Return the table of people in a round: a free one if that is another sheet's.

        A person said of other lines that they are the sheet of that table.
        """
        round_ = cells.whole(number).value
        first = cells.table(table).value
        if round_ is None or first is None or (round_, first) not in self._claimed:
            return table
        evenings = self._evenings()
        if evenings.table_of(round_, people) == first:
            return table
        if (round_, first) not in self._free_tables:
            taken = {
                *evenings.tables_in(round_),
                *(other for other_round, other in self._claimed if other_round == round_),
                *self._free_tables.values(),
                *self._tables_of_file(),
            }
            self._free_tables[round_, first] = max(taken) + 1
        return str(self._free_tables[round_, first])

    def _tables_of_file(self) -> Iterator[int]:
        """Yield the tables that the rows of the file name, and those of groups of players."""
        given_values = _GivenValues(self)
        for _, row in self.table.rows():
            row_cells = row + [""] * (self.width - len(row))
            mapped = self._places(row_cells)
            given_values.repeat(mapped)
            number = cells.table(given_values.table_of(mapped, self._filled(row_cells))).value
            if number is not None:
                yield number

    def _at_table(self, mapped: Row) -> AtTable:
        keys = [key for key in ("date", "round", "table") if key in self.at]
        return tuple(plain(mapped[self._out[key]]).text for key in keys)

    def _note_date(
        self,
        rounds: RoundsByDate,
        line: int,
        row_cells: Sequence[str],
        given_values: "_GivenValues",
    ) -> None:
        mapped = self._places(row_cells)
        people: Collection[int] | None = None
        players: Sequence[PlayerColumn] = ()
        if self.plan.rows == SEATS:
            if self._person(row_cells).strip() and not self.is_sum(row_cells):
                people = self._key_of_person(row_cells)
        elif players := self._players(row_cells):
            given_values.repeat(mapped)
            if not given_values.is_sum(mapped, row_cells, players):
                people = _keys_of(players)
        if people is not None and line not in self.answers:
            written = given_values.date_of(mapped)
            table = given_values.table_of(mapped, players)
            is_named = not given_values.lacks("table", mapped)
            rounds.note(written, table, people, is_named=is_named)

    def _places(self, row_cells: Sequence[str]) -> Row:
        mapped = [""] * self.columns.width
        for key in PLACES:
            if key in self.at:
                mapped[self._out[key]] = self._place_of(key, row_cells[self.at[key]])
        return mapped

    @staticmethod
    def _place_of(key: str, cell: str) -> str:
        if key in NUMBERS and not cell.isdecimal():
            return cells.numbered(cell)
        return cell

    def is_sum(self, row_cells: Sequence[str]) -> bool:
        """Whether the first word of a row, or the first beside its places, is of totals."""
        beside = self._beside_places(row_cells)
        return is_sum(row_cells, self.people) or is_sum(beside, self.people)

    def _beside_places(self, row_cells: Sequence[str]) -> Row:
        """Return the cells of a row without its date, round and table."""
        return [cell for at, cell in enumerate(row_cells) if at not in self._at_game]

    def _person(self, row_cells: Sequence[str]) -> str:
        keys = ("player_id", "player", "pair_id")
        return " ".join(row_cells[self.at[key]] for key in keys if key in self.at)

    def _key_of_person(self, row_cells: Sequence[str]) -> set[int]:
        keys = ("player_id", "player")
        code, name = (row_cells[self.at[key]] if key in self.at else "" for key in keys)
        member = self.people.person(code, name).member
        if member is None:
            return set()
        return {member.key}

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) of each of our rows; those of one line follow each other."""
        for _ in self.find_seated():
            pass  # read already, where it was called before
        for _ in self.find_rounds():
            pass
        given_values = _GivenValues(self)
        for line, head_line, row in self._rows_below_heads():
            if not row or not "".join(row).strip():
                yield line, []
                continue
            row_cells = row + [""] * (self.width - len(row))
            if head_line and not self.is_sum(row_cells):
                self.other_heads[line] = head_line
                nobody = [""] * self.columns.width  # without a round and a table
                nobody[self._out["hand"]] = row_words(row_cells)
                yield line, nobody
                continue
            beyond = row_cells[self.width :] if "".join(row_cells[self.width :]).strip() else []
            of_row = self._of_seat if self.plan.rows == SEATS else self._of_hand
            given_values.answered = self.answers.get(line)
            self._order = self.file_places.order(line)
            for mapped in of_row(row_cells, given_values):
                yield line, [*mapped, *beyond]
                beyond = []  # reported once for the line

    def _of_seat(self, row_cells: Sequence[str], given_values: "_GivenValues") -> Iterator[Row]:
        mapped = [""] * self.columns.width
        if self.is_sum(row_cells):
            mapped[self._out["hand"]] = row_words(self._beside_places(row_cells))
            yield mapped
            return
        for key, index in self.at.items():
            mapped[self._out[key]] = self._place_of(key, row_cells[index])
        person = self._person(row_cells)
        if person.strip():
            given_values.fill(mapped, folded(person))
            if "points" in self.at:
                at = self._out["points"]
                if self.plan.cells == RUNNING:
                    mapped[at] = given_values.points_of_person(mapped, folded(person), mapped[at])
                else:
                    mapped[at] = self._as_read(mapped[at])
        yield mapped

    def _of_hand(self, row_cells: Sequence[str], given_values: "_GivenValues") -> Iterator[Row]:
        players = self._players(row_cells)
        mapped = self._places(row_cells)
        if players:
            given_values.repeat(mapped)
        is_of_sums = bool(players) and given_values.is_sum(mapped, row_cells, players)
        if is_of_sums:
            mapped[self._out["hand"]] = row_words(self._beside_places(row_cells))
        if is_of_sums or not players:
            yield mapped  # without a player it is no row of a hand
            return
        if self.no_points and self.players:
            players = self._with_empty(players, row_cells, mapped)
        if self._order and self.players:
            players.sort(key=self._place_in_order)
        given_values.fill(mapped, "", _keys_of(players), players)
        rows = [list(mapped) for _ in players]
        line = self._add_marks([row_cells[column.index] for column in players], rows)
        for row, column, cell in zip(rows, players, line, strict=True):
            row[self._out["player_id"]] = column.player_id
            row[self._out["player"]] = column.name
            row[self._out[COLUMN]] = column.label
            # a 0 among cards is an empty pile
            is_empty = self.plan.cells == "cards" and plain(cell).text == "0"
            if self.plan.cells != RUNNING:
                row[self._out[self.plan.cells]] = "" if is_empty else self._as_read(cell)
        if self.plan.cells == RUNNING:
            points = given_values.points(rows[0], players, line)
            for row, cell in zip(rows, points, strict=True):
                row[self._out["points"]] = cell
        if "charged" in self.at:
            rows[0][self._out["charged"]] = row_cells[self.at["charged"]]
        rows[0][self._out[ODD]] = "; ".join(self._add_named(row_cells, players, rows))
        yield from rows

    def _place_in_order(self, column: PlayerColumn) -> int:
        """Return the place of a column in the table that the row is from: it seats the players."""
        if column.index not in self._order:
            return len(self._order)
        return self._order.index(column.index)

    def _as_read(self, cell: str) -> str:
        if plain(cell).text in self.no_points:
            return "0"
        return self.signed(cell)

    def signed(self, cell: str) -> str:
        """Return a cell of points without the minus of penalties, if the file writes one."""
        value = cells.whole(cell).value if self.has_minus else None
        if value is None:
            return cell
        return str(-value)

    def _filled(self, row_cells: Sequence[str]) -> list[PlayerColumn]:
        return [column for column in self.players if not self._is_nobody(row_cells[column.index])]

    def _with_empty(
        self, players: list[PlayerColumn], row_cells: Sequence[str], mapped: Row
    ) -> list[PlayerColumn]:
        """Return the players of a row with those at the table whose empty cell means no points."""
        filled = {column.index for column in players}
        _, seated = self.group_of(mapped, players)
        return [
            column
            for column in self.players
            if column.index in filled
            or (column.index in seated and plain(row_cells[column.index]).text in self.no_points)
        ]

    def _add_marks(self, line: Sequence[str], rows: Sequence[Row]) -> Sequence[str]:
        """Add to the rows what is marked beside the numbers of a hand; return the numbers."""
        if not self.mark_ways:
            return line
        moon = marked_cells.points_of_moon(self.rules, len(line))
        read = marked_cells.read_cells(line, self.mark_ways, moon)
        for row, cell in zip(rows, read, strict=True):
            if cell.has_queen and self.plan.cells == "hearts":
                row[self._out["=QS"]] = "1"
            if cell.has_shot:
                row[self._out["moon"]] = "x"
        return [cell.text for cell in read]

    def _is_nobody(self, cell: str) -> bool:
        text = plain(cell).text
        is_cross = marked_cells.CROSS_IS_NOBODY in self.mark_ways
        return text in NOTHING or (is_cross and text.casefold() in marked_cells.CROSS)

    def _players(self, row_cells: Sequence[str]) -> list[PlayerColumn]:
        if not self.pairs:
            return self._filled(row_cells)
        return [
            _named_player(value, label, row_cells[name], self.people)
            for name, value, label in self.pairs
            if plain(row_cells[name]).text not in NOTHING
            or plain(row_cells[value]).text not in EMPTY_SEAT
        ]

    def _add_named(
        self, row_cells: Sequence[str], players: Sequence[PlayerColumn], rows: Sequence[Row]
    ) -> Iterator[str]:
        """Add to the rows what columns say of named players; yield names of nobody at the table."""
        choice = plain(row_cells[self.at[CHOICE]]).text if CHOICE in self.at else ""
        has_shooter = False
        for key, index in self.at.items():
            is_card = key.startswith("=")
            is_pledge = key.startswith(PLEDGE)
            if not (is_card or is_pledge or key == "moon"):
                continue
            text = plain(row_cells[index]).text
            is_whole_name = _seat_of(text, players) is not None  # of a name with a comma too
            for name in [text] if is_whole_name else BETWEEN.split(text):
                if not name.strip() or name.strip() in NOTHING:
                    continue
                seat = _seat_of(name, players)
                if seat is None:
                    yield f"{self.heads_by_key[key]}: {name.strip()}"
                elif is_card:
                    at = self._out[key]
                    rows[seat][at] = str(int(rows[seat][at] or 0) + 1)
                elif is_pledge:
                    rows[seat][self._out["pledge"]] = key.removeprefix(PLEDGE)
                else:
                    rows[seat][self._out["moon"]] = choice or "x"
                    has_shooter = True
        if choice and not has_shooter and self.plan.cells == "hearts":
            yield from self._add_choice(choice, rows)

    def _add_choice(self, choice: str, rows: Sequence[Row]) -> Iterator[str]:
        """Give the choice of a moon to the player with most hearts, the only possible shooter."""
        hearts = [cells.whole(row[self._out["hearts"]]).value or 0 for row in rows]
        most = [seat for seat, number in enumerate(hearts) if number == max(hearts)]
        if len(most) == 1:
            rows[most[0]][self._out["moon"]] = choice
        else:
            yield f"{self.heads_by_key[CHOICE]}: {choice}"


class _GivenValues:
    def __init__(self, mapped: MappedTable) -> None:
        self.mapped = mapped
        self.values = mapped.values
        self.hands: Counter[tuple[str, str, str]] = Counter()
        self.totals: dict[tuple[str, ...], int] = {}
        self.above: dict[str, str] = {}
        self.answered: Key | None = None
        self.sums = SumsAbove()
        self.whole = CellCache(cells.whole)
        self.has_hand_numbers = False

    def fill(
        self,
        row: Row,
        player: str,
        people: Collection[int] | None = None,
        columns: Collection[PlayerColumn] = (),
    ) -> None:
        """Fill the round, the table and the number of the hand of a row, where they are given.

        The n-th row of somebody at a table is hand n; so is the n-th row of a table, where a row
        is a hand. `people` are those of the hand; without them it is of all at its table. `columns`
        are theirs.
        """
        at = self.mapped.columns.at
        table = self.table_of(row, columns)
        rounds = self.mapped.rounds
        has_doubtful_round = self.mapped.counts_sheets or self.lacks("round", row)
        if self.answered is not None and has_doubtful_round:
            row[at["round"]], row[at["table"]] = map(str, self.answered)
        else:
            if rounds is not None:
                row[at["round"]], table = self._place(rounds, row, people, table)
            elif self.lacks("round", row):
                row[at["round"]] = self.values.get("round", "")
            row[at["table"]] = self.mapped.unclaimed(row[at["round"]], table, people or ())
        if self.lacks("hand", row):
            place = (plain(row[at["round"]]).text, plain(row[at["table"]]).text, player)
            self.hands[place] += 1
            row[at["hand"]] = str(self.hands[place])

    def lacks(self, key: str, row: Row) -> bool:
        """Whether a row has no value of its own; a correction adds one to some rows only."""
        column = self.mapped.at.get(key)
        if column is None:
            return True
        return column in self.mapped.added and not row[self.mapped.columns.at[key]].strip()

    def _place(
        self, rounds: RoundsByDate, row: Row, people: Collection[int] | None, table: str
    ) -> tuple[str, str]:
        written = self.date_of(row)
        is_named = not self.lacks("table", row)
        if people is None:
            people = rounds.people(written, table)
        if self.lacks("round", row):
            return rounds.place(written, people, table, is_named=is_named)
        answered = row[self.mapped.columns.at["round"]]
        return answered, rounds.table(answered, people, table, is_named=is_named)

    def is_sum(
        self, row: Row, cells_of_file: Sequence[str], players: Sequence["PlayerColumn"]
    ) -> bool:
        """Whether a row has the totals of those above it: by its words, or by its numbers alone.

        It is asked for each row once, in their order, and remembers those that are hands.
        """
        mapped = self.mapped
        if mapped.is_sum(cells_of_file):
            return True
        numbers = {min(each.names): self.whole[cells_of_file[each.index]] for each in players}
        points = {name: cell.value for name, cell in numbers.items() if cell.value is not None}
        if mapped.plan.cells == RUNNING or len(points) < len(players):
            return False
        at = mapped.columns.at
        has_number = "hand" in mapped.at and bool(plain(row[at["hand"]]).text)
        if not has_number and self.sums.are(points):
            if self.has_hand_numbers or not can_be_a_hand(mapped.rules, points):
                return True
        self.has_hand_numbers |= has_number
        self.sums.add(tuple(plain(row[at[key]]).text for key in OF_A_GAME if key in at), points)
        return False

    def date_of(self, row: Row) -> str:
        at = self.mapped.columns.at
        return row[at["date"]] if "date" in at else ""

    def table_of(self, row: Row, columns: Collection[PlayerColumn]) -> str:
        """Return the table that a row names, or else that of its group of players."""
        if not self.lacks("table", row):
            return row[self.mapped.columns.at["table"]]
        return self.mapped.table_of(row, columns, self.values.get("table", ""))

    def repeat(self, row: Row) -> None:
        """Fill an empty date, round or table as in the row above, as merged cells leave them."""
        for key in ("date", "round", "table"):
            if key in self.mapped.at:
                at = self.mapped.columns.at[key]
                if plain(row[at]).text:
                    self.above[key] = row[at]
                else:
                    row[at] = self.above.get(key, row[at])

    def points(self, row: Row, columns: Sequence["PlayerColumn"], line: Sequence[str]) -> list[str]:
        """Return the points of a hand, from the running totals of the players at a table."""
        mapped = self.mapped
        places = self._places(row)
        is_first = self._is_first(row)
        keys = [(*places, min(column.names)) for column in columns]
        before = tuple(0 if is_first else self.totals.get(key, 0) for key in keys)
        totals = [
            was if plain(cell).text in mapped.no_points else cells.whole(mapped.signed(cell)).value
            for cell, was in zip(line, before, strict=True)
        ]
        self.totals |= {
            key: total for key, total in zip(keys, totals, strict=True) if total is not None
        }
        whole = tuple(total for total in totals if total is not None)
        if mapped.rules is not None and len(whole) == len(totals):
            return list(map(str, points_between(mapped.rules, before, whole)))
        return [
            cell if total is None else str(total - was)
            for cell, total, was in zip(line, totals, before, strict=True)
        ]

    def points_of_person(self, row: Row, person: str, cell: str) -> str:
        """Return the points of one person in a hand, from the running total."""
        mapped = self.mapped
        key = (*self._places(row), person)
        before = 0 if self._is_first(row) else self.totals.get(key, 0)
        total = before
        if plain(cell).text not in mapped.no_points:
            value = cells.whole(mapped.signed(cell)).value
            if value is None:
                return cell
            total = value
        self.totals[key] = total
        return str(total - before)

    def _places(self, row: Row) -> tuple[str, ...]:
        at = self.mapped.columns.at
        return tuple(plain(row[at[key]]).text for key in ("date", "round", "table") if key in at)

    def _is_first(self, row: Row) -> bool:
        return cells.hand(row[self.mapped.columns.at["hand"]]).value == 1


def _join_group(groups: list[set[int]], columns: set[int]) -> None:
    """Join the columns of one row to the groups that they share one with, at the first's place."""
    joined = [group for group in groups if group & columns]
    if not joined:
        groups.append(columns)
        return
    first, *others = joined
    first |= columns.union(*others)
    for group in others:
        groups.remove(group)


def _player(index: int, label: str, player_id: str, people: People) -> PlayerColumn:
    called = people.called(label)
    if player_id:
        member = people.person(player_id, "").member
        if called is not None and called == member:
            people.person("", label)  # for the report, where it is by an alias
    else:
        member = people.person("", label).member or called
    code = player_id or (member.player_id if member is not None else "")
    # The id and the name are asked about together.
    has_name = not code or people.is_doubtful(label, code)
    name = label if has_name else ""
    return PlayerColumn(index, label, code, name, _names(member, label), _key_of(member))


def _named_player(index: int, label: str, cell: str, people: People) -> PlayerColumn:
    text = plain(cell).text
    is_id = people.has_id(text)
    person = people.person(text if is_id else "", "" if is_id else cell)
    names = _names(person.member, label, text)
    code = text if is_id else ""
    name = "" if code else cell
    return PlayerColumn(index, label, code, name, names, _key_of(person.member))


def _key_of(member: ClubPlayer | None) -> int | None:
    return member.key if member is not None else None


def _keys_of(players: Sequence[PlayerColumn]) -> set[int]:
    return {column.key for column in players if column.key is not None}


def _names(member: ClubPlayer | None, *names: str) -> frozenset[str]:
    of_member = (member.name, member.player_id) if member is not None else ()
    return frozenset((*names, *of_member))


def _seat_of(name: str, players: Sequence[PlayerColumn]) -> int | None:
    """Return the seat that a cell names: as written, in another spelling, or by the first name."""
    starts = tuple(f"{way} " for way in spellings(name))
    tests = (
        lambda other: as_written(name) == as_written(other),
        lambda other: is_same_name(name, other),
        lambda other: any(way.startswith(starts) for way in spellings(other)),
    )
    for test in tests:
        seats = [seat for seat, column in enumerate(players) if any(map(test, column.names))]
        if len(seats) == 1:
            return seats[0]
    return None
