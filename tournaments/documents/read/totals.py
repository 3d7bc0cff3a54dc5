"""Files with the totals of whole games: a row for each player, or a row for each game."""

import hashlib
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scoring.errors import Problem
from tournaments.documents.read import cells
from tournaments.documents.read.apply_plan import (
    PlanRequest,
    SelectedPlan,
    StoredMapping,
    select_plan,
    unknown_heads,
)
from tournaments.documents.read.cells import plain
from tournaments.documents.read.column_plan import NOTHING, ColumnPlan, labels_of
from tournaments.documents.read.columns import (
    HEADS,
    ColumnIndex,
    fold,
    head_notes,
    is_sum,
    list_columns,
    require_columns,
)
from tournaments.documents.read.csv import BREATH, NO_ROWS, CorrectedTable, Unreadable
from tournaments.documents.read.head_rows import are_words_of_heads
from tournaments.documents.read.people import LONGEST_ID, People, offers_of
from tournaments.documents.read.results import (
    EnteredResult,
    ResultGroup,
    ResultReader,
    ResultRow,
    spot_in,
)
from tournaments.documents.read.sheet_rows import is_filled, valid_number
from tournaments.documents.read.table_rows import addresses, row_words
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.import_report import (
    ASK,
    Finding,
    Spot,
    about_sheets,
    few_suggested,
    finding,
    from_problem,
    with_rows,
)
from tournaments.domain.name_matching import folded
from tournaments.models.imports import NAME_OF, SEATS, VALUE_OF

RESULTS: Final = {
    "entry_id": ("entry_id", "entry", "result", "result id", "game id"),
    "corrects": ("corrects", "correction of", "replaces"),
    "played_on": ("played_on", *HEADS["date"]),
    "player_id": ("player_id", "id", "member", "member no", "member id", "spieler-nr"),
    "pair": ("pair_id", "pair", "paar", "team", "partners"),
    "place": ("place", "rank", "platz", "plaats", "rang"),
    "points": (*HEADS["points"], "total", "totaal"),
    "hands": ("hands", "number of hands", "deals"),
    **{key: HEADS[key] for key in ("player", "sides", "round", "table")},
}
NUMBERED: Final = re.compile(
    "(?:(?P<player_id>playerid|memberno|id)|(?P<player>player|name|spieler|speler|naam|joueur|nom)"
    "|(?P<pair>pairid|pair|paar|side|seite|team|partners)"
    "|(?P<points>score|points|pts|punkte|punten|total|totaal))(?P<seat>[1-9]|1[0-3])"
)
"""A folded head of a file with a row for each game: its seat, and what the column has of it."""
OF_A_SEAT: Final = ("player_id", "player", "pair", "points")
KNOWN: Final = frozenset(fold(head) for heads in RESULTS.values() for head in heads)

KEY_OF: Final = {"date": "played_on", "pair_id": "pair"}
"""Meaning of a column in a plan → key of a column of results, where they differ."""


def count_result_heads(heads: Sequence[str]) -> int:
    return sum(1 for head in heads if fold(head) in KNOWN or NUMBERED.fullmatch(fold(head)))


def names_pairs(columns: ColumnIndex, seats: Mapping[int, Mapping[str, int]]) -> bool:
    person_keys = {"player", "player_id"}
    keys = columns.at.keys() | {key for seat in seats.values() for key in seat}
    return "pair" in keys and not person_keys & keys


def seats_in(heads: Sequence[str]) -> dict[int, dict[str, int]]:
    """Return the columns of each player by number, if a row is a game; else nothing.

    >>> seats_in(["Date", "Player 1", "Score 1"]), seats_in(["player", "points"])
    ({1: {'player': 1, 'points': 2}}, {})
    """
    seats: dict[int, dict[str, int]] = {}
    for index, head in enumerate(heads):
        if match := NUMBERED.fullmatch(fold(head)):
            key = next(key for key in OF_A_SEAT if match[key])
            seats.setdefault(int(match["seat"]), {}).setdefault(key, index)
    return {seat: at for seat, at in seats.items() if "points" in at and len(at) > 1}


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a file with totals.

    Attributes:
        whole: columns that are about the whole row.
        seats: number of a player → key → column, where a row is a game.
        named: number of a player → their id or name, where a column is one player's.
    """

    whole: ColumnIndex
    seats: Mapping[int, Mapping[str, int]]
    named: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def of_players(self, row: Sequence[str]) -> Iterator[dict[str, str]]:
        """Yield the texts of each player of a row that is a game."""
        for seat, at in sorted(self.seats.items()):
            texts = {
                key: plain(row[index] if index < len(row) else "").text for key, index in at.items()
            }
            filled = {key for key, text in texts.items() if text not in NOTHING}
            if filled if seat in self.named else any(texts.values()):
                named = self.named.get(seat, {})
                yield {"player": "", "player_id": "", "pair": "", "points": "", **named, **texts}


def own_columns(heads: Sequence[str]) -> ResultColumns:
    whole = list_columns(heads, RESULTS)
    seats = seats_in(heads)
    if not seats:
        return ResultColumns(whole, {})
    strange = tuple(head for head in whole.unknown if not NUMBERED.fullmatch(fold(head)))
    return ResultColumns(ColumnIndex(whole.width, whole.at, unknown=strange), seats)


def planned_columns(
    plan: ColumnPlan, heads: Sequence[str], people: People, *, by_pair: bool
) -> ResultColumns:
    """Return the columns of a file by a plan; names are those of pairs, or of players."""
    labels = labels_of(heads)
    place = {label: index for index, label in enumerate(labels)}
    columns = [(label, means) for label, means in plan.columns if label in place]
    at: dict[str, int] = {}
    seats: dict[int, dict[str, int]] = {}
    named: dict[int, dict[str, str]] = {}
    who = "pair" if by_pair else "player"
    for label, means in columns:
        index = place[label]
        if plan.is_player(label):
            seat = len(seats) + 1
            seats[seat] = {"points": index}
            code = plan.players.get(label, "")
            member = None if code else people.called(label)
            code = member.player_id if member is not None else code
            named[seat] = {"player_id": code} if code else {"player": label}
        elif means.startswith(NAME_OF):
            seats.setdefault(int(means.removeprefix(NAME_OF)), {})[who] = index
        elif means.startswith(VALUE_OF):
            seats.setdefault(int(means.removeprefix(VALUE_OF)), {})["points"] = index
        elif (key := KEY_OF.get(means, means)) in RESULTS and (
            plan.rows == SEATS or key in ("played_on", "round", "table", "hands")
        ):
            at.setdefault(key, index)
    return ResultColumns(ColumnIndex(len(labels), at), seats, named)


PLACES: Final = ("played_on", "round", "table")

MOST_ROWS: Final = 10_000
"""Maximum number of rows of a file with totals, which are judged together: twenty years of a club
with five tables."""


@dataclass
class TotalsReader:
    """Reads the results of a file: its columns, the rows of each result, and the results.

    `is_cut` says that rows of the file may be cut short, which those of a spreadsheet are not.
    """

    reader: ResultReader
    table: CorrectedTable
    is_cut: bool
    rows: Mapping[int, Sequence[str]] = field(default_factory=dict)
    groups: Sequence[ResultGroup] = ()
    chosen: SelectedPlan | None = None
    n_games: Counter[tuple[str, ...]] = field(default_factory=Counter)
    below_heads: dict[int, list[int]] = field(default_factory=dict)
    """Line of other heads → its line and those below it, which are nobody's."""

    def read(
        self, request: PlanRequest, mappings: Sequence[StoredMapping]
    ) -> Generator[None, None, Sequence[EnteredResult]]:
        """Read the results a little at a time."""
        table, reader = self.table, self.reader
        self.of_file = self._columns(request, mappings)
        self.columns, self.seats = self.of_file.whole, self.of_file.seats
        if not reader.sides.shape and names_pairs(self.columns, self.seats):
            name = reader.rules.name
            raise Unreadable(f"{name} is scored by player. Name a player in each row, not a pair.")
        if not self.seats:
            self._require_columns()
        self.rows = yield from self._read_rows()
        self.thousands = cells.thousands(self._point_texts())
        reader.findings += [
            *head_notes(self.columns, table.head_line),
            *about_sheets(table.notes),
            *self._length(),
        ]
        yield
        self.groups = self._groups(self._odd_rows())
        yield
        return reader.results(self.groups)

    @property
    def names_games(self) -> bool:
        """Whether the file has an id or a round of each game; else these are ours."""
        return not self.columns.at.keys().isdisjoint({"entry_id", "round"})

    def _read_rows(self) -> Generator[None, None, Mapping[int, Sequence[str]]]:
        rows: dict[int, Sequence[str]] = {}
        for number, (line, row) in enumerate(self.table.rows(), start=1):
            if number % BREATH == 0:
                yield
            if is_filled(row):
                rows[line] = row
            if len(rows) > MOST_ROWS:
                raise Unreadable(
                    f"A file with totals has at most {MOST_ROWS} rows. Split it into several files."
                )
        if not rows:
            raise Unreadable(NO_ROWS)
        return rows

    def findings(self) -> Iterator[Finding]:
        yield from (with_rows(problem, self.rows) for problem in self.reader.findings)
        yield from few_suggested(self.reader.sides.n_unknown)
        yield from self.reader.people.notes()

    def _length(self) -> Iterator[Finding]:
        event = self.reader.event
        if settings_of(event).needs_hands and "hands" not in self.columns.at:
            yield finding("hands_unknown", Spot((self.table.head_line,)), found=event.name)

    def _point_texts(self) -> Iterator[str]:
        for row in self.rows.values():
            yield from (texts["points"] for texts in self.of_file.of_players(row))
            yield self.columns.cell(row, "points").text

    # --- columns ---------------------------------------------------------------------------

    def _columns(self, request: PlanRequest, mappings: Sequence[StoredMapping]) -> ResultColumns:
        heads = self.table.heads
        people = self.reader.people
        canonical = own_columns(heads)
        self.chosen = select_plan(
            self.table,
            added=len(self.table.corrections.added),
            request=request,
            mappings=() if canonical.seats else mappings,
            people=people,
            of_games=True,
        )
        if self.chosen is None:
            return canonical
        by_pair = bool(self.reader.sides.shape)
        return planned_columns(self.chosen.plan, heads, people, by_pair=by_pair)

    def _require_columns(self) -> None:
        table = self.table
        pair = " or pair" if self.reader.sides.shape else ""
        needed = (*self._game_columns(), f"player_id or player{pair}", "points")
        try:
            require_columns(self.columns, table.heads, needed)
        except Unreadable as fault:
            not_mapped = unknown_heads(table.heads, (), fault, table, chosen=self.chosen)
            raise (not_mapped if not_mapped.sample else Unreadable(NO_ROWS)) from fault

    def _game_columns(self) -> tuple[str, ...]:
        at = self.columns.at
        if "entry_id" not in at and "round" in at:
            return ("round", "table")
        if "entry_id" not in at and {"played_on", "table"} <= at.keys():
            return ("played_on", "table")
        return ("entry_id",)

    # --- rows ------------------------------------------------------------------------------

    def _groups(self, odd: Mapping[int, tuple[str, dict[str, str]]]) -> list[ResultGroup]:
        """Read the rows; those of one id are one result, in the order of its first row."""
        groups: dict[str, ResultGroup] = {}
        above: dict[str, str] = {}
        add_problem = self.reader.add_problem
        head_line = 0
        for line, row in self.rows.items():
            if self._are_heads(row):
                head_line = 0 if self._are_own_heads(row) else line
                if not head_line:
                    continue
            if head_line and not is_sum(row, self.reader.people):
                self.below_heads.setdefault(head_line, []).append(line)
                continue
            if line in odd:
                code, facts = odd[line]
                add_problem(None, code, [line], **facts)
                continue
            if is_sum(row, self.reader.people):
                add_problem(None, "not_a_hand_row", [line], found=row_words(row))
                continue
            common = {key: self._text(line, row, key) for key in self.columns.at}
            if self.chosen is not None:  # merged cells have their text in the first one
                places = {key: common[key] for key in PLACES if common.get(key)}
                above |= places
                common |= {key: above[key] for key in PLACES if key in common and key in above}
            rows = [{**common, **seat} for seat in self.of_file.of_players(row)]
            if self.seats and not rows:
                add_problem(None, "not_a_hand_row", [line], found=row_words(row))
                continue
            rows = rows or [common]
            result_id, place = self._identify(common, rows)
            if not result_id or len(result_id) > LONGEST_ID or "~" in result_id:
                add_problem(None, "no_result_id", [line])
                continue
            group = groups.setdefault(result_id, ResultGroup(result_id, place))
            self._add_rows(group, line, rows)
        for lines in self.below_heads.values():
            found = row_words(self.rows[lines[0]])
            self.reader.findings.append(finding("other_heads", Spot(tuple(lines)), found=found))
        for group in groups.values():
            self._ask_people(group)
        return list(groups.values())

    def _are_heads(self, row: Sequence[str]) -> bool:
        """Whether a row has words where columns have the points of one player each."""
        indexes = [self.seats[seat]["points"] for seat in self.of_file.named]
        cells_of_players = [row[index] for index in indexes if index < len(row)]
        return are_words_of_heads(cells_of_players) and not is_sum(row, self.reader.people)

    def _are_own_heads(self, row: Sequence[str]) -> bool:
        """Whether the words of a row are the heads of the columns, or name the same people."""
        people = self.reader.people
        for seat, named in self.of_file.named.items():
            index = self.seats[seat]["points"]
            cell = row[index] if index < len(row) else ""
            if plain(cell).text in NOTHING or fold(cell) == fold(self.table.heads[index]):
                continue
            member = people.called(cell)
            if member is None or member.player_id != named.get("player_id"):
                return False
        return True

    def _ask_people(self, group: ResultGroup) -> None:
        """Report the people of a result who are not known; nobody who sits there is offered."""
        for line, person in group.unasked:
            problem = finding(
                person.code,
                spot_in(group, [line]),
                found=f'"{person.found}"' if person.found else "nobody",
                expected=person.expected or "a member",
                suggestion=person.suggestion,
            )
            offers = tuple(offers_of(person, group.seated))
            self.reader.add_finding(group, replace(problem, offers=offers))

    def _add_rows(self, group: ResultGroup, line: int, rows: Sequence[Mapping[str, str]]) -> None:
        add_problem = self.reader.add_problem
        if self.seats and group.rows:
            is_same = [before.texts for before in group.rows] == rows
            add_problem(group, "duplicate_row" if is_same else "repeated_result", [line])
            return
        for texts in rows:
            if any(before.texts == texts for before in group.rows):
                add_problem(group, "duplicate_row", [line])
            else:
                group.rows.append(self._row(group, line, texts))

    def _odd_rows(self) -> dict[int, tuple[str, dict[str, str]]]:
        table = self.table
        width = len(self.table.heads)
        if self.seats:
            widths = table.not_full()
        else:
            widths = table.odd_widths()
        cut = widths if self.is_cut else {}
        shifted = table.shifted()
        odd: dict[int, tuple[str, dict[str, str]]] = {}
        for line, row in self.rows.items():
            facts = {"found": str(cut.get(line, len(row))), "expected": str(width)}
            if line in shifted:
                odd[line] = (
                    "row_moved",
                    {"found": str(shifted[line]), "expected": str(table.n_named)},
                )
            elif any(cell.strip() for cell in row[width:]):
                odd[line] = ("too_many_cells", {**facts, "found": str(len(row))})
            elif cut.get(line, width) < width:
                odd[line] = ("too_few_cells", facts)
            elif line in table.formulas:
                odd[line] = "formula_without_value", {"found": addresses(table.formulas[line])}
        return odd

    def _identify(
        self, common: Mapping[str, str], rows: Sequence[Mapping[str, str]]
    ) -> tuple[str, tuple[int, int] | None]:
        if common.get("entry_id"):
            return common["entry_id"], None
        if "round" in common and "table" in common:
            numbers = cells.whole(common["round"]).value, cells.table(common["table"]).value
            round_, table = (number if valid_number(number) else 0 for number in numbers)
            if round_ and table:
                return (f"r{round_}t{table}", (round_, table))
            return ("", None)
        if not self.seats:
            parts = [common.get(key, "") for key in ("played_on", "table")]
            if not all(parts):
                return ("", None)
            return (_code("|".join(parts)), None)
        people = [folded(f"{row['player_id']} {row['player']}{row['pair']}") for row in rows]
        parts = [common.get("played_on", ""), *sorted(people)]
        if self.chosen is not None:  # the same people may play twice in an evening
            self.n_games[tuple(parts)] += 1
            parts += [str(self.n_games[tuple(parts)])] if self.n_games[tuple(parts)] > 1 else []
        return _code("|".join(parts)), None

    def _text(self, line: int, row: Sequence[str], key: str) -> str:
        cell = self.columns.cell(row, key)
        for note in cell.notes:
            self.reader.add_problem(None, note, [line], found=f'"{cell.text[:60]}"')
        return cell.text

    def _row(self, group: ResultGroup, line: int, texts: Mapping[str, str]) -> ResultRow:
        players = self._players(group, line, texts)
        add_problem = self.reader.add_problem
        points = cells.whole(texts["points"]).value
        if points is None and (points := self.thousands.get(texts["points"])) is not None:
            facts = {"found": texts["points"], "expected": str(points)}
            add_problem(group, "thousands_separator", [line], **facts)
        if points is None:  # the group waits
            quoted = f'"{texts["points"]}"' if texts["points"] else "nothing"
            likely = re.sub(r"[.,]0+$", "", texts["points"].upper().replace("O", "0"))
            suggestion = likely if cells.whole(likely).value is not None else None
            add_problem(group, "bad_points", [line], found=quoted, suggestion=suggestion)
        return ResultRow(line, texts, players, points or 0)

    def _players(self, group: ResultGroup, line: int, texts: Mapping[str, str]) -> tuple[int, ...]:
        """Return the players of a row, one or those of a side; report problems with them."""
        people, add_problem = self.reader.people, self.reader.add_problem
        if self.reader.sides.shape and texts.get("pair"):
            return self._partners(group, line, texts["pair"])
        code, name = texts.get("player_id", ""), texts.get("player", "")
        if not code and people.has_id(name):
            code, name = name, ""  # a name that was resolved on a page
        person = people.person(code, name)
        if person.code:
            group.unasked.append((line, person))
        if "name_order" in person.notes:
            quoted = f'"{person.found}"'
            add_problem(None, "name_order", [line], found=quoted, expected=person.name)
        if person.member is None:
            return ()
        group.seated.add(person.member.player_id)
        return (person.member.key,)

    def _partners(self, group: ResultGroup, line: int, text: str) -> tuple[int, ...]:
        players = self.reader.sides.players(text)
        if not isinstance(players, Problem):
            return players
        problem = from_problem(players, Spot((line,), *(group.place or ())), severity=ASK)
        facts = [suggestion.facts for suggestion in players.suggestions]
        hints = [str(names["name"]) for names in facts if "name" in names]
        self.reader.add_finding(group, replace(problem, suggestion=" or ".join(hints) or None))
        return ()


def _code(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]
