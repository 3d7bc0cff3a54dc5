"""Import a file of results into an event: a row for each player, or a row for each game."""

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from scoring.errors import Problem
from scoring.rules.rules import Rules
from scoring.standings.metrics import PRIMARIES
from tournaments.documents.read import cells
from tournaments.documents.read.apply_plan import select_plan, unknown_heads
from tournaments.documents.read.blocks import day_in_title, find_table
from tournaments.documents.read.columns import (
    head_notes,
    is_sum,
    length_of,
    require_columns,
)
from tournaments.documents.read.csv import CorrectedTable, Unreadable
from tournaments.documents.read.kinds.result_columns import (
    ResultColumns,
    names_pairs,
    own_columns,
    planned_columns,
)
from tournaments.documents.read.kinds.totals import TOTALS as TOTALS_OF_GAMES
from tournaments.documents.read.people import LONGEST_ID, People
from tournaments.documents.read.sheet_rows import filled_rows, settled, valid_number
from tournaments.documents.read.source_file import SourceFile, read_source, run_steps
from tournaments.documents.read.spreadsheets import is_spreadsheet
from tournaments.documents.read.table_rows import addresses, row_words
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.import_report import (
    ABOUT_SHEETS,
    ASK,
    Finding,
    Spot,
    few_suggested,
    finding,
    from_problem,
)
from tournaments.domain.name_matching import folded
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import EventKind
from tournaments.models.imports import Holds
from tournaments.services.db.transactions import repeat_once
from tournaments.services.imports.game_results import (
    EnteredResult,
    ResultImport,
    ResultRow,
    ResultSides,
    store_placed_results,
)
from tournaments.services.imports.import_sheets import (
    NO_ROWS,
    ImportRequest,
    close_import,
    start_import,
    with_rows,
)
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation

PLACES: Final = ("played_on", "round", "table")
ONCE: Final = ("corrects", "played_on", "hands")
"""Columns that say the same in every row of a result."""


@dataclass(slots=True)
class _Group:
    """The rows of one result, and whether something in them waits for a person."""

    result_id: str
    place: tuple[int, int] | None
    rows: list[ResultRow] = field(default_factory=list)
    waits: bool = False

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(row.line for row in self.rows))


def import_results(op: Operation, target: Target, request: ImportRequest) -> Report:
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        source = run_steps(read_source(request.path, Path(folder)))
        return store_results(op, target, request, source)


def store_results(
    op: Operation, target: Target, request: ImportRequest, source: SourceFile
) -> Report:
    """Import a file that was read as `import_results` does."""
    file = _ResultFile(op, target, request)
    table = find_table(
        source, (TOTALS_OF_GAMES,), file.people,
        rules=file.rules("").rules, heads=request.heads, sheet=request.sheet,
    )  # fmt: skip
    return file.run(CorrectedTable(table, request.corrections))


class _ResultFile:
    def __init__(self, op: Operation, target: Target, request: ImportRequest) -> None:
        if target.event is None:
            raise AssertionError("results have an event to go into")
        self.op = op
        self.target = target
        self.event = target.event
        self.request = request
        self.findings: list[Finding] = []
        self.n_games: Counter[tuple[str, ...]] = Counter()
        self.people = People(target.members())
        self.rules = RuleBook(self.event.variant, self.event.options, offered=target.offered())

    def run(self, table: CorrectedTable) -> Report:
        rules = self.rules("").rules
        self.sides = ResultSides(self.event, rules, self.target.pairs())
        self.day = self.request.day or day_in_title(table, self._today())
        self.of_file = self._columns(table)
        self.columns, self.seats = self.of_file.whole, self.of_file.seats
        if not self.sides.shape and names_pairs(self.columns, self.seats):
            raise Unreadable(
                f"{rules.name} is scored by player. Name a player in each row, not a pair."
            )
        if not self.seats:
            self._require_columns(table)
        self.raw = dict(filled_rows(table))
        self.odd = self._odd_rows(table)
        self.thousands = cells.thousands(self._point_texts())
        if not self.raw:
            raise Unreadable(NO_ROWS)
        self.findings.extend(head_notes(self.columns, table.head_line))
        for code, line, text, expected in table.notes:
            if code in ABOUT_SHEETS:
                self.findings.append(finding(code, Spot((line,)), found=text, expected=expected))
        if (
            PRIMARIES[settings_of(self.event).primary].needs_hands
            and "hands" not in self.columns.at
        ):
            head = Spot((table.head_line,))
            self.findings.append(finding("hands_unknown", head, found=self.event.name))
        groups = self._groups()
        results = [result for group in groups if (result := self._result(group, rules)) is not None]
        results = self._without_clashes(results)
        running, findings = repeat_once(lambda: self._store(results), "import_results")
        self.findings.extend(findings)
        return close_import(
            running,
            self.request,
            [
                *(with_rows(problem, self.raw) for problem in self.findings),
                *few_suggested(self.people.n_unknown + self.sides.n_unknown),
            ],
            rows=len(self.raw),
            hands=len(groups),
            heads=table.heads,
            table=table,
            chosen=self.chosen,
            holds=Holds.TOTALS,
        )

    def _point_texts(self) -> Iterator[str]:
        for row in self.raw.values():
            yield from (texts["points"] for texts in self.of_file.of_players(row))
            yield self.columns.cell(row, "points").text

    def _columns(self, table: CorrectedTable) -> ResultColumns:
        own = own_columns(table.heads)
        self.chosen = select_plan(
            table,
            added=len(self.request.corrections.added),
            request=self.request.wanted,
            mappings=() if own.seats else self.target.maps(),
            people=self.people,
            of_games=True,
        )
        if self.chosen is None:
            return own
        plan, by_pair = self.chosen.plan, bool(self.sides.shape)
        return planned_columns(plan, table.heads, self.people, by_pair=by_pair)

    def _require_columns(self, table: CorrectedTable) -> None:
        person = "player_id or player or pair" if self.sides.shape else "player_id or player"
        try:
            require_columns(self.columns, table.heads, (*self._game_columns(), person, "points"))
        except Unreadable as fault:
            not_mapped = unknown_heads(table.heads, (), fault, table, chosen=self.chosen)
            raise (not_mapped if not_mapped.sample else Unreadable(NO_ROWS)) from fault

    def _store(self, results: Sequence[EnteredResult]) -> tuple[SheetImport, list[Finding]]:
        rounds = {result.place[0] for result in results if result.place is not None}
        running = start_import(self.op, self.request, self.event, self.rules, self.people, rounds)
        shape = self.sides.shape
        numbered = ResultImport(running, self.event, shape)
        findings = numbered.take([result for result in results if not result.place])
        with_place = [result for result in results if result.place]
        findings.extend(store_placed_results(running, self.event, with_place, shape))
        return running, findings

    def _add_problem(
        self, group: _Group | None, code: str, lines: Sequence[int], **facts: str | None
    ) -> None:
        place = group.place if group is not None else None
        spot = Spot(tuple(sorted(set(lines))), *(place or ()), *((TOTALS,) if place else ()))
        problem = finding(code, spot, **facts)
        self.findings.append(problem)
        if group is not None and problem.waits:
            group.waits = True

    # --- rows ------------------------------------------------------------------------------

    def _game_columns(self) -> tuple[str, ...]:
        at = self.columns.at
        if "entry_id" not in at and "round" in at:
            return ("round", "table")
        if "entry_id" not in at and {"played_on", "table"} <= at.keys():
            return ("played_on", "table")
        return ("entry_id",)

    def _groups(self) -> list[_Group]:
        """Read the rows; those of one id are one result, in the order of its first row."""
        groups: dict[str, _Group] = {}
        above: dict[str, str] = {}
        for line, row in self.raw.items():
            if line in self.odd:
                code, facts = self.odd[line]
                self._add_problem(None, code, [line], **facts)
                continue
            if is_sum(row, self.people):
                self._add_problem(None, "not_a_hand_row", [line], found=row_words(row))
                continue
            common = {key: self._text(line, row, key) for key in self.columns.at}
            if self.chosen is not None:  # merged cells have their text in the first one
                places = {key: common[key] for key in PLACES if common.get(key)}
                above |= places
                common |= {key: above[key] for key in PLACES if key in common and key in above}
            rows = [{**common, **seat} for seat in self.of_file.of_players(row)] or [common]
            result_id, place = self._identify(common, rows)
            if not result_id or len(result_id) > LONGEST_ID or "~" in result_id:
                self._add_problem(None, "no_result_id", [line])
                continue
            group = groups.setdefault(result_id, _Group(result_id, place))
            if self.seats and group.rows:
                is_same = [before.texts for before in group.rows] == rows
                self._add_problem(group, "duplicate_row" if is_same else "repeated_result", [line])
                continue
            for texts in rows:
                if any(before.texts == texts for before in group.rows):
                    self._add_problem(group, "duplicate_row", [line])
                else:
                    group.rows.append(self._row(group, line, texts))
        return list(groups.values())

    def _odd_rows(self, table: CorrectedTable) -> dict[int, tuple[str, dict[str, str]]]:
        width = len(table.heads)
        widths = table.widths.not_full() if self.seats else table.widths.odd()
        cut = {} if is_spreadsheet(self.request.path) else widths
        odd: dict[int, tuple[str, dict[str, str]]] = {}
        for line, row in self.raw.items():
            facts = {"found": str(cut.get(line, len(row))), "expected": str(width)}
            if any(cell.strip() for cell in row[width:]):
                odd[line] = ("too_many_cells", {**facts, "found": str(len(row))})
            elif cut.get(line, width) < width:
                odd[line] = ("too_few_cells", facts)
            elif line in table.formulas:
                odd[line] = "formula_without_value", {"found": addresses(table.formulas[line])}
        return odd

    def _without_clashes(self, results: Sequence[EnteredResult]) -> list[EnteredResult]:
        sat: dict[tuple[int, int], list[EnteredResult]] = {}
        for result in results:
            if result.place:
                for player in result.points:
                    sat.setdefault((result.place[0], player), []).append(result)
        clashing: set[str] = set()
        for (round_, player), at_tables in sat.items():
            if len(at_tables) > 1:
                tables = " and ".join(str(result.place[1]) for result in at_tables if result.place)
                lines = tuple(sorted({line for result in at_tables for line in result.lines}))
                facts = {"found": self.people.name_of(player), "expected": tables}
                self.findings.append(finding("player_at_two_tables", Spot(lines, round_), **facts))
                clashing |= {result.result_id for result in at_tables}
        return [result for result in results if result.result_id not in clashing]

    def _identify(
        self, common: Mapping[str, str], rows: Sequence[Mapping[str, str]]
    ) -> tuple[str, tuple[int, int] | None]:
        if common.get("entry_id"):
            return common["entry_id"], None
        if "round" in common and "table" in common:
            numbers = (cells.whole(common[key]).value for key in ("round", "table"))
            round_, table = (number if valid_number(number) else 0 for number in numbers)
            return (f"r{round_}t{table}", (round_, table)) if round_ and table else ("", None)
        if not self.seats:
            parts = [common.get(key, "") for key in ("played_on", "table")]
            return (_code("|".join(parts)), None) if all(parts) else ("", None)
        people = [folded(f"{row['player_id']} {row['player']}{row['pair']}") for row in rows]
        parts = [common.get("played_on", ""), *sorted(people)]
        if self.chosen is not None:  # the same people may play twice in an evening
            self.n_games[tuple(parts)] += 1
            parts += [str(self.n_games[tuple(parts)])] if self.n_games[tuple(parts)] > 1 else []
        return _code("|".join(parts)), None

    def _text(self, line: int, row: Sequence[str], key: str) -> str:
        cell = self.columns.cell(row, key)
        for note in cell.notes:
            self._add_problem(None, note, [line], found=f'"{cell.text[:60]}"')
        return cell.text

    def _row(self, group: _Group, line: int, texts: Mapping[str, str]) -> ResultRow:
        players = self._players(group, line, texts)
        points = cells.whole(texts["points"]).value
        if points is None and (points := self.thousands.get(texts["points"])) is not None:
            facts = {"found": texts["points"], "expected": str(points)}
            self._add_problem(group, "thousands_separator", [line], **facts)
        if points is None:  # the group waits
            quoted = f'"{texts["points"]}"' if texts["points"] else "nothing"
            likely = re.sub(r"[.,]0+$", "", texts["points"].upper().replace("O", "0"))
            suggestion = likely if cells.whole(likely).value is not None else None
            self._add_problem(group, "bad_points", [line], found=quoted, suggestion=suggestion)
        return ResultRow(line, texts, players, points or 0)

    def _players(self, group: _Group, line: int, texts: Mapping[str, str]) -> tuple[int, ...]:
        """Return the players of a row, one or those of a side; report problems with them."""
        if self.sides.shape and texts.get("pair"):
            return self._partners(group, line, texts["pair"])
        code, name = texts.get("player_id", ""), texts.get("player", "")
        if not code and self.people.has_id(name):
            code, name = name, ""  # a name that was resolved on a page
        person = self.people.person(code, name)
        quoted = f'"{person.found}"'
        if person.code:
            self._add_problem(
                group,
                person.code,
                [line],
                found=quoted if person.found else "nobody",
                expected=person.expected or "a member",
                suggestion=person.suggestion,
            )
        if "name_order" in person.notes:
            self._add_problem(None, "name_order", [line], found=quoted, expected=person.name)
        return (person.member.key,) if person.member else ()

    def _partners(self, group: _Group, line: int, text: str) -> tuple[int, ...]:
        players = self.sides.players(text)
        if not isinstance(players, Problem):
            return players
        problem = from_problem(players, Spot((line,), *(group.place or ())), severity=ASK)
        facts = [suggestion.facts for suggestion in players.suggestions]
        hints = [str(names["name"]) for names in facts if "name" in names]
        self.findings.append(replace(problem, suggestion=" or ".join(hints) or None))
        group.waits = True
        return ()

    # --- results ---------------------------------------------------------------------------

    def _result(self, group: _Group, rules: Rules) -> EnteredResult | None:
        self._compare_rows(group)
        rows = self._points(group, rules)
        texts = group.rows[0].texts
        day = self._day(group, texts.get("played_on", ""))
        hands = length_of(cells.plain(texts.get("hands", "")))
        if texts.get("hands") and hands is None:
            self._add_problem(group, "bad_length", group.lines, found=f'"{texts["hands"]}"')
        if group.waits or rows is None:
            return None
        table = cells.whole(texts.get("table", "")).value
        # A ladder's games keep their order, each in a round of its own.
        is_placed = group.place is not None or bool(texts.get("entry_id"))
        by_day = day is not None and not is_placed and self.event.kind != EventKind.LADDER
        return EnteredResult(
            group.result_id, texts.get("corrects", ""), group.lines, day,
            {player: row.points for player, row in rows.items()}, hands, group.place,
            tuple(row.line for row in rows.values()),
            any(cells.is_as_written(row.texts.get("sides", "")) for row in group.rows),
            by_day, table if valid_number(table) else None,
        )  # fmt: skip

    def _compare_rows(self, group: _Group) -> None:
        for key in ONCE:
            texts = list(dict.fromkeys(row.texts.get(key, "") for row in group.rows))
            if len(texts) > 1:
                first, second = (text or "nothing" for text in texts[:2])
                facts = {"result": group.result_id, "found": first, "expected": second}
                self._add_problem(group, "result_rows_disagree", group.lines, **facts)

    def _points(self, group: _Group, rules: Rules) -> dict[int, ResultRow] | None:
        least, most = self.sides.sizes or rules.keys.players
        n_players = sum(max(1, len(row.players)) for row in group.rows)
        if not least <= n_players <= most:
            expected = f"{least} players" if least == most else f"{least} to {most} players"
            count = "one player" if n_players == 1 else f"{n_players} players"
            self._add_problem(group, "seat_count", group.lines, found=count, expected=expected)
        players = [player for row in group.rows for player in row.players]
        if twice := next((player for player in players if players.count(player) > 1), None):
            name = self.people.name_of(twice)
            self._add_problem(group, "same_player_twice", group.lines, found=name)
        if group.waits:
            return None
        self._check_places(group, low_wins=rules.keys.result.order != "high")
        if not self.sides.shape:
            return {row.players[0]: row for row in group.rows}
        seated = self.sides.by_seat(group.rows)
        if isinstance(seated, str):
            self._add_problem(group, "partners_have_one_score", group.lines, found=seated)
            return None
        return {row.players[0]: row for row in seated}

    def _check_places(self, group: _Group, *, low_wins: bool) -> None:
        sign = 1 if low_wins else -1
        points = [sign * row.points for row in group.rows]
        n_partners = len(points) // len(self.sides.shape) if self.sides.shape else 1
        for row, score in zip(group.rows, points, strict=True):
            if not row.texts.get("place"):
                continue
            better = sum(other < score for other in points)
            place = cells.place(row.texts["place"])
            if place not in (better + 1, better // n_partners + 1):
                facts = {"result": group.result_id, "found": row.texts["place"]}
                self._add_problem(
                    group, "place_disagrees", [row.line], **facts, expected=str(better + 1)
                )

    def _today(self) -> date:
        return self.op.now.astimezone(ZoneInfo(self.target.time_zone)).date()

    def _day(self, group: _Group, text: str) -> date | None:
        if not text:
            return self.day
        day = cells.day(text).value
        today = self._today()
        played_on = settled(day, set(), today)
        if played_on is None:
            code = "ambiguous_date" if day.options else "bad_date"
            self._add_problem(group, code, group.lines, found=f'"{text}"', expected="one date")
            return None
        if not day.is_iso:
            self._add_problem(
                group, "date_format", group.lines, found=text, expected=played_on.isoformat()
            )
        if played_on > today:
            facts = {"found": played_on.isoformat(), "expected": today.isoformat()}
            self._add_problem(group, "date_in_future", group.lines, **facts)
        return played_on


def _code(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]
