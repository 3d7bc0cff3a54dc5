"""Import a file of results into an event: a row for each player, or a row for each game."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.documents.read import cells
from tournaments.documents.read.columns import (
    NUMBERED,
    RESULTS,
    fold,
    head_notes,
    length_of,
    list_columns,
    names_pairs,
    recognised_results,
    require_columns,
    seats_in,
)
from tournaments.documents.read.csv import (
    NO_CORRECTIONS,
    CorrectedTable,
    SourceCorrections,
    TextTable,
    Unreadable,
    open_table,
)
from tournaments.documents.read.people import LONGEST_ID, ClubPlayer, Pair, People
from tournaments.documents.read.select_plan import sample_of
from tournaments.documents.read.sheet_rows import filled_rows, valid_number
from tournaments.documents.read.spreadsheets import is_spreadsheet, open_spreadsheet
from tournaments.documents.read.table_rows import addresses
from tournaments.domain.event_settings import needs_hands
from tournaments.domain.imports.import_report import ASK, Finding, Spot, finding, from_problem
from tournaments.domain.name_matching import folded
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import EventKind
from tournaments.models.imports import Holds, ImportBatch
from tournaments.services.db.transactions import repeat_once
from tournaments.services.imports.game_results import (
    EnteredResult,
    ResultImport,
    ResultSides,
    ScoredRow,
    store_placed_results,
)
from tournaments.services.imports.import_sheets import digest_of
from tournaments.services.imports.report import Report, in_order, store_pending_file
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target

ONCE: Final = ("corrects", "played_on", "hands")

"""Columns that say the same in every row of a result."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One row: its line, its cells by key, who it is about, and the points."""

    line: int
    said: Mapping[str, str]
    players: tuple[int, ...]
    points: int | None
    place: int | None


@dataclass(slots=True)
class _Group:
    """The rows of one result, and whether something in them waits for a person."""

    result_id: str
    rows: list[_Line] = field(default_factory=list)
    waits: bool = False
    place: tuple[int, int] | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(row.line for row in self.rows))


def import_results(
    *,
    target: Target,
    path: Path,
    name: str,
    dry_run: bool,
    now: datetime,
    batch: ImportBatch | None = None,
    corrections: SourceCorrections = NO_CORRECTIONS,
    day: date | None = None,
) -> Report:
    """Import a file of results into the target's event and return the report.

    Raises:
        Unreadable: nothing can be read from the file, or the event's rules pool scores; nothing
            was written.
        Forbidden, Conflict: the actor may not import, or the event does not take hands.
    """
    file = _ResultFile(target, path, name, dry_run, now, batch, corrections)
    file.day = day
    return file.run()


class _ResultFile:
    def __init__(
        self,
        target: Target,
        path: Path,
        name: str,
        dry_run: bool,
        now: datetime,
        batch: ImportBatch | None,
        corrections: SourceCorrections,
    ) -> None:
        if target.event is None:
            raise AssertionError("results have an event to go into")
        self.target = target
        self.event = target.event
        self.path = path
        self.name = name
        self.dry_run = dry_run
        self.now = now
        self.batch = batch
        self.corrections = corrections
        self.day: date | None = None
        self.seats: dict[int, dict[str, int]] = {}
        self.findings: list[Finding] = []
        self.people = People([ClubPlayer(*row) for row in target.members()])
        self.rules = RuleBook(self.event.variant, self.event.options, offered=target.offered())
        self.raw: dict[int, list[str]] = {}
        self.odd: dict[int, tuple[str, dict[str, str]]] = {}

    def run(self) -> Report:
        with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
            found = _open_rows(self.path, Path(folder))
            return self._run(CorrectedTable(found, self.corrections))

    def _run(self, table: CorrectedTable) -> Report:
        rules = self.rules("").rules
        self.sides = ResultSides(self.event, rules, [Pair(*row) for row in self.target.pairs()])
        self.columns = list_columns(table.heads, RESULTS)
        self.seats = seats_in(table.heads)
        if not self.sides.shape and names_pairs(self.columns, self.seats):
            raise Unreadable(
                f"{rules.name} is scored by player. Name a player in each row, not a pair."
            )
        if self.seats:
            named = {fold(head) for head in table.heads if NUMBERED.fullmatch(fold(head))}
            strange = [head for head in self.columns.unknown if fold(head) not in named]
            self.columns = replace(self.columns, unknown=tuple(strange))
        else:
            where = self._where()
            who = "player_id or player or pair" if self.sides.shape else "player_id or player"
            needed = (*where, who, "points")
            require_columns(self.columns, table.heads, needed)
        self.raw = dict(filled_rows(table))
        self.odd = self._odd_rows(table)
        if not self.raw:
            raise Unreadable("The file has column names but no rows.")
        self.findings.extend(head_notes(self.columns, table.head_line))
        if needs_hands(self.event) and "hands" not in self.columns.at:
            head = Spot((table.head_line,))
            self.findings.append(finding("hands_unknown", head, found=self.event.name))
        groups = self._groups()
        results = [one for group in groups if (one := self._result(group, rules)) is not None]
        results = self._without_clashes(results)
        running, said = repeat_once(lambda: self._brought(results), "import_results")
        self.findings.extend(said)
        problems = in_order([self._with_rows(said) for said in self.findings])
        done = running.finish(findings=problems, rows=len(self.raw), hands=len(groups))
        counts = running.counts
        report = Report(
            self.name, self.dry_run, len(self.raw), len(groups), counts.accepted, counts.added,
            problems, table.heads, noun="result", sample=sample_of(table),
            outline=running.notes.outline(),
        )  # fmt: skip
        if self.batch is None:
            store_pending_file(done, report, self.path, day=self.day, holds=Holds.TOTALS)
        return report

    def _brought(self, results: Sequence[EnteredResult]) -> tuple[SheetImport, list[Finding]]:
        """Take the results, with an import that knows of no earlier try."""
        running = SheetImport(
            actor=self.target.actor,
            event=self.event,
            rules_for=self.rules,
            file_name=self.name,
            digest=digest_of(self.path),
            now=self.now,
            write=not self.dry_run,
            names=self.people.name_of,
            batch=self.batch,
            file_rounds={one.place[0] for one in results if one.place is not None},
        )
        shape = self.sides.shape
        numbered = ResultImport(running, self.event, shape)
        said = numbered.take([one for one in results if not one.place])
        placed = [one for one in results if one.place]
        said.extend(store_placed_results(running, self.event, placed, shape))
        return running, said

    def _with_rows(self, said: Finding) -> Finding:
        kept = tuple((line, tuple(self.raw[line])) for line in said.spot.lines if line in self.raw)
        return replace(said, rows=kept) if said.waits else said

    def _add_problem(
        self, group: _Group | None, code: str, lines: Sequence[int], **facts: str | None
    ) -> None:
        place = group.place if group is not None else None
        spot = Spot(tuple(sorted(set(lines))), *(place or ()), *((TOTALS,) if place else ()))
        said = finding(code, spot, **facts)  # type: ignore[arg-type]  # texts all of them
        self.findings.append(said)
        if group is not None and said.waits:
            group.waits = True

    # --- rows ------------------------------------------------------------------------------

    def _where(self) -> tuple[str, ...]:
        """Return the columns that say which rows are one game."""
        at = self.columns.at
        if "entry_id" not in at and "round" in at:
            return ("round", "table")
        if "entry_id" not in at and {"played_on", "table"} <= at.keys():
            return ("played_on", "table")
        return ("entry_id",)

    def _groups(self) -> list[_Group]:
        """Read the rows; those of one id are one result, in the order of its first row."""
        groups: dict[str, _Group] = {}
        for line, row in self.raw.items():
            if line in self.odd:
                code, facts = self.odd[line]
                self._add_problem(None, code, [line], **facts)
                continue
            common = {key: self._text(line, row, key) for key in self.columns.at}
            seats = list(self._seats(row)) or [{}]
            result_id, place = self._known_as(common, [{**common, **seat} for seat in seats])
            if not result_id or len(result_id) > LONGEST_ID or "~" in result_id:
                self._add_problem(None, "no_result_id", [line])
                continue
            group = groups.setdefault(result_id, _Group(result_id, place=place))
            if self.seats and group.rows:
                again = [one.said for one in group.rows] == [{**common, **one} for one in seats]
                self._add_problem(group, "duplicate_row" if again else "repeated_result", [line])
                continue
            for seat in seats:
                said = {**common, **seat}
                if any(before.said == said for before in group.rows):
                    self._add_problem(group, "duplicate_row", [line])
                    continue
                group.rows.append(self._line(group, line, said))
        return list(groups.values())

    def _odd_rows(self, table: CorrectedTable) -> dict[int, tuple[str, dict[str, str]]]:
        """Return the rows whose cells may be another column's, or lack a value, and why."""
        width = len(table.heads)
        widths = table.widths.not_full() if self.seats else table.widths.odd()
        cut = {} if is_spreadsheet(self.path) else widths
        odd: dict[int, tuple[str, dict[str, str]]] = {}
        for line, row in self.raw.items():
            facts = {"found": str(cut.get(line, len(row))), "expected": str(width)}
            if any(cell.strip() for cell in row[width:]):
                odd[line] = ("too_many_cells", {**facts, "found": str(len(row))})
            elif cut.get(line, width) < width:
                odd[line] = ("too_few_cells", facts)
            elif line in table.formulas:
                found = addresses(table.formulas[line])
                odd[line] = ("formula_without_value", {"found": found})
        return odd

    def _without_clashes(self, results: Sequence[EnteredResult]) -> list[EnteredResult]:
        """Return the results without those of a player at two tables of a round."""
        sat: dict[tuple[int, int], list[EnteredResult]] = {}
        for one in results:
            for player in one.points if one.place else ():
                sat.setdefault((one.place[0] if one.place else 0, player), []).append(one)
        held: set[str] = set()
        for (round_, player), own in sat.items():
            if len(own) > 1:
                tables = " and ".join(str(one.place[1]) for one in own if one.place)
                lines = tuple(sorted({line for one in own for line in one.lines}))
                facts = {"found": self.people.name_of(player), "expected": tables}
                self.findings.append(finding("player_at_two_tables", Spot(lines, round_), **facts))
                held |= {one.result_id for one in own}
        return [one for one in results if one.result_id not in held]

    def _seats(self, row: Sequence[str]) -> Iterator[dict[str, str]]:
        """Yield who played in a row a game, each with their points."""
        for _, at in sorted(self.seats.items()):
            cells_ = {key: row[index] if index < len(row) else "" for key, index in at.items()}
            said = {key: cells.plain(text).text for key, text in cells_.items()}
            if any(said.values()):
                yield {"player": "", "player_id": "", "pair": "", "points": "", **said}

    def _known_as(
        self, common: Mapping[str, str], rows: Sequence[Mapping[str, str]]
    ) -> tuple[str, tuple[int, int] | None]:
        """Return the id of a row's game, and its round and table where these are written."""
        if common.get("entry_id"):
            return common["entry_id"], None
        if "round" in common and "table" in common:
            numbers = (cells.whole(common[key]).value for key in ("round", "table"))
            round_, table = (one if valid_number(one) else 0 for one in numbers)
            return (f"r{round_}t{table}", (round_, table)) if round_ and table else ("", None)
        if not self.seats:
            said = [common.get(key, "") for key in ("played_on", "table")]
            return (_code("|".join(said)), None) if all(said) else ("", None)
        who = sorted(folded(f"{row['player_id']} {row['player']}{row['pair']}") for row in rows)
        return _code("|".join([common.get("played_on", ""), *who])), None

    def _text(self, line: int, row: Sequence[str], key: str) -> str:
        cell = self.columns.cell(row, key)
        for note in cell.notes:
            self._add_problem(None, note, [line], found=f'"{cell.text[:60]}"')
        return cell.text

    def _line(self, group: _Group, line: int, said: Mapping[str, str]) -> _Line:
        players = self._players(group, line, said)
        points = cells.whole(said["points"]).value
        if points is None:
            found = f'"{said["points"]}"' if said["points"] else "nothing"
            self._add_problem(group, "bad_points", [line], found=found)
        return _Line(line, said, players, points, cells.whole(said.get("place", "")).value)

    def _players(self, group: _Group, line: int, said: Mapping[str, str]) -> tuple[int, ...]:
        """Return whom a row is about: a player, or those of a side; say what is wrong with it."""
        if self.sides.shape and said.get("pair"):
            return self._partners(group, line, said["pair"])
        code, name = said.get("player_id", ""), said.get("player", "")
        if not code and self.people.has_id(name):
            code, name = name, ""  # a name that was resolved on a page
        person = self.people.person(code, name)
        if person.code:
            facts = {"found": f'"{person.found}"' if person.found else "nobody"}
            expected = person.expected or "a member"
            hint = person.suggestion
            self._add_problem(
                group, person.code, [line], **facts, expected=expected, suggestion=hint
            )
        for note in {"name_order"} & set(person.notes):
            facts = {"found": f'"{person.found}"', "expected": person.name}
            self._add_problem(None, note, [line], **facts)
        return (person.member.key,) if person.member else ()

    def _partners(self, group: _Group, line: int, text: str) -> tuple[int, ...]:
        meant = self.sides.players(text)
        if not isinstance(meant, Problem):
            return meant
        said = from_problem(meant, Spot((line,), *(group.place or ())), severity=ASK)
        hints = [str(one.facts["name"]) for one in meant.suggestions if "name" in one.facts]
        self.findings.append(replace(said, suggestion=" or ".join(hints) or None))
        group.waits = True
        return ()

    # --- results ---------------------------------------------------------------------------

    def _result(self, group: _Group, rules: Rules) -> EnteredResult | None:
        """Return a result whose rows agree, or say what is wrong with it."""
        self._agreement(group)
        rows = self._points(group, rules)
        said = group.rows[0].said
        day = self._day(group, said.get("played_on", ""))
        hands = length_of(cells.plain(said.get("hands", "")))
        if said.get("hands") and hands is None:
            self._add_problem(group, "bad_length", group.lines, found=f'"{said["hands"]}"')
        if group.waits or rows is None:
            return None
        corrects = said.get("corrects", "")
        points = {player: row.points for player, row in rows.items()}
        seat_lines = tuple(row.line for row in rows.values())
        return EnteredResult(
            group.result_id, corrects, group.lines, day, points, hands, group.place, seat_lines,
            any(cells.is_as_written(row.said.get("sides", "")) for row in group.rows),
            self._is_by_day(group, day), _table(said.get("table", "")),
        )  # fmt: skip

    def _is_by_day(self, group: _Group, day: date | None) -> bool:
        """Whether the round of a result follows from its date; a ladder's games keep their order,
        each in a round of its own."""
        is_placed = group.place is not None or bool(group.rows[0].said.get("entry_id"))
        return day is not None and not is_placed and self.event.kind != EventKind.LADDER

    def _agreement(self, group: _Group) -> None:
        for key in ONCE:
            texts = list(dict.fromkeys(row.said.get(key, "") for row in group.rows))
            if len(texts) > 1:
                found, expected = (text or "nothing" for text in texts[:2])
                facts = {"result": group.result_id, "found": found, "expected": expected}
                self._add_problem(group, "result_rows_disagree", group.lines, **facts)

    def _points(self, group: _Group, rules: Rules) -> dict[int, ScoredRow] | None:
        """Return each player's row, clockwise where sides have one score."""
        low_wins = rules.keys.result.order != "high"
        least, most = self.sides.sizes or rules.keys.players
        n_players = sum(max(1, len(row.players)) for row in group.rows)
        if not least <= n_players <= most:
            expected = f"{least} players" if least == most else f"{least} to {most} players"
            found = "one player" if n_players == 1 else f"{n_players} players"
            self._add_problem(group, "seat_count", group.lines, found=found, expected=expected)
        players = [player for row in group.rows for player in row.players]
        if again := next((player for player in players if players.count(player) > 1), None):
            name = self.people.name_of(again)
            self._add_problem(group, "same_player_twice", group.lines, found=name)
        if group.waits:
            return None
        rows = [
            ScoredRow(row.players, row.points, row.line)
            for row in group.rows
            if row.points is not None
        ]
        self._places(group, [row.points for row in rows], low_wins=low_wins)
        if not self.sides.shape:
            return {row.players[0]: row for row in rows}
        seated = self.sides.by_seat(rows)
        if isinstance(seated, str):
            self._add_problem(group, "partners_have_one_score", group.lines, found=seated)
            return None
        return {row.players[0]: row for row in seated}

    def _places(self, group: _Group, points: Sequence[int], *, low_wins: bool) -> None:
        for row in group.rows:
            if row.points is None or not row.said.get("place"):
                continue
            own = row.points
            ahead = [one for one in points if (one < own if low_wins else one > own)]
            n_partners = len(points) // len(self.sides.shape) if self.sides.shape else 1
            better = len(ahead)
            if row.place not in (better + 1, better // n_partners + 1):
                facts = {"result": group.result_id, "found": row.said["place"]}
                self._add_problem(
                    group, "place_disagrees", [row.line], **facts, expected=str(better + 1)
                )

    def _day(self, group: _Group, text: str) -> date | None:
        if not text:
            return self.day
        day = cells.day(text).value
        if len(day.options) != 1:
            code = "ambiguous_date" if day.options else "bad_date"
            self._add_problem(group, code, group.lines, found=f'"{text}"', expected="one date")
            return None
        found = day.options[0]
        if not day.is_iso:
            self._add_problem(
                group, "date_format", group.lines, found=text, expected=found.isoformat()
            )
        today = self.now.astimezone(ZoneInfo(self.target.time_zone)).date()
        if found > today:
            facts = {"found": found.isoformat(), "expected": today.isoformat()}
            self._add_problem(group, "date_in_future", group.lines, **facts)
        return found


def _code(text: str) -> str:
    """Return the id of a result that the file gives none."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _table(text: str) -> int | None:
    number = cells.whole(text).value
    return number if valid_number(number) else None


def _open_rows(path: Path, folder: Path) -> TextTable:
    """Return a CSV file or a spreadsheet as rows."""
    if not is_spreadsheet(path):
        return open_table(path, recognised_results)
    steps = open_spreadsheet(path, folder)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            table: TextTable = end.value
            return table
