"""Import a file of sheets into an event: outline, sheets, chunks, report."""

import hashlib
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from scoring.entry.sheet import Box, boxes
from tournaments.documents.read.apply_plan import (
    NO_PLAN_REQUEST,
    MappedTable,
    PlanRequest,
    SelectedPlan,
    sample_of,
    select_plan,
    unknown_heads,
)
from tournaments.documents.read.blocks import day_in_title, find_table
from tournaments.documents.read.column_plan import RUNNING
from tournaments.documents.read.columns import BOARD_BOX, columns_of
from tournaments.documents.read.csv import (
    NO_CORRECTIONS,
    NO_ROWS,
    CorrectedTable,
    Formulas,
    SheetTable,
    SourceCorrections,
    Unreadable,
)
from tournaments.documents.read.kinds.hands import HANDS
from tournaments.documents.read.people import Pairs, People
from tournaments.documents.read.sheet_rows import (
    Key,
    Notes,
    Outline,
    RowReader,
    filled_rows,
    outline_of,
    valid_number,
)
from tournaments.documents.read.sheets import read_sheet
from tournaments.documents.read.source_file import SourceFile, read_source, run_steps
from tournaments.documents.read.table_rows import Context, addresses, odd_width, row_words
from tournaments.domain.imports.import_report import (
    Finding,
    Spot,
    few_suggested,
    finding,
    with_rows,
)
from tournaments.domain.imports.imported_sheets import TypedSheet
from tournaments.models.events import Event
from tournaments.models.imports import Holds, ImportBatch
from tournaments.services.imports.batches import note_rounds
from tournaments.services.imports.existing_tables import hidden_rounds, seated_players
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target, add_players, make_target
from tournaments.services.imports.uploads import LARGEST, Report, counted, in_order, store_file
from tournaments.services.operations import Operation

NEEDED = "board_needed"


def one_for_the_file(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with one problem in place of those of all hands without a board."""
    of_hands = [problem for problem in findings if problem.code == NEEDED]
    if not of_hands:
        return list(findings)
    lines = tuple(sorted({line for problem in of_hands for line in problem.spot.lines}))
    rows = {line: row for problem in of_hands for line, row in problem.rows}
    whole = finding("board_column_missing", Spot(lines), found=str(len(of_hands)))
    remaining = [problem for problem in findings if problem.code != NEEDED]
    return [*remaining, replace(whole, rows=tuple(sorted(rows.items())))]


CHUNK: Final = 200
"""Maximum number of tables in one transaction."""

ROWS: Final = 20_000
"""Maximum number of rows in one transaction."""

CLOSING: Final = "closing"
"""Says that all hands are stored; the next step closes the import and makes its report."""

Rows = list[tuple[int, list[str]]]

ImportProgress = Callable[[int], Callable[[int], object]]
"""Begins to show a number of rows, and returns what takes how many more were read."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The file to import, and how to read it.

    `variant` and `day` stand for columns that the file lacks; `chunk` tables are stored in one
    transaction at most; `wanted` is the caller's choice of columns, `heads` are those of an
    earlier reading of the file, `sheet` that of a sheet.
    """

    path: Path
    name: str
    dry_run: bool = False
    variant: str = ""
    day: date | None = None
    batch: ImportBatch | None = None
    chunk: int = CHUNK
    corrections: SourceCorrections = NO_CORRECTIONS
    wanted: PlanRequest = NO_PLAN_REQUEST
    heads: Sequence[str] = ()
    sheet: str = ""


def no_progress(total: int) -> Callable[[int], object]:
    return lambda rows: None


def import_file(
    op: Operation, target: Target, request: ImportRequest, *, progress: ImportProgress = no_progress
) -> Report:
    return run_steps(import_steps(op, target, request, progress=progress))


def import_steps(
    op: Operation, target: Target, request: ImportRequest, *, progress: ImportProgress = no_progress
) -> Generator[object, None, Report]:
    """Import a file as `import_file` does, a little at a time.

    Everything stored is committed between two steps; another run with the same file completes an
    import that stopped. `CLOSING` comes before the last step.
    """
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        source = yield from read_source(request.path, Path(folder))
        return (yield from sheet_steps(op, target, request, source, progress=progress))


def sheet_steps(
    op: Operation,
    target: Target,
    request: ImportRequest,
    source: SourceFile,
    *,
    progress: ImportProgress = no_progress,
) -> Generator[object, None, Report]:
    """Import a file that was read as `import_steps` does."""
    return (yield from _FileImport(op, target, request, progress).steps(source))


@dataclass
class _FileImport:
    op: Operation
    target: Target
    request: ImportRequest
    progress: ImportProgress
    findings: list[Finding] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    hands: int = 0
    chosen: SelectedPlan | None = None

    def steps(self, source: SourceFile) -> Generator[object, None, Report]:
        people, request = People(self.target.members(), welcome=self.target.create), self.request
        rules = self.target.rules(request.variant)
        table = find_table(
            source, (HANDS,), people, rules=rules, heads=request.heads, sheet=request.sheet
        )
        return (yield from self._steps(table, people))

    def _steps(self, source: SheetTable, people: People) -> Generator[object, None, Report]:
        corrected = CorrectedTable(source, self.request.corrections)
        table, reader = self._reader(corrected, people)
        outline = yield from outline_of(table, reader)
        if not outline.rows:
            raise Unreadable(NO_ROWS)
        rules_for = self._rule_book(outline)
        created = self._missing_in_words(people)
        event = self._event(rules_for("").name, people)
        file_rounds = {round_ for round_, _ in outline.sheets}
        if self.request.batch is not None:
            note_rounds(self.request.batch, file_rounds)
        running = start_import(self.op, self.request, event, rules_for, people, file_rounds)
        self._note_file(table, reader.columns.unknown, outline)
        self._note_round_jumps(outline, set(running.rounds))
        today = self.op.now.astimezone(ZoneInfo(self.target.time_zone)).date()
        day = self.request.day or day_in_title(source, today)
        context = Context(reader, outline, rules_for, self.notes, today, day)
        context.has_boards = self.target.has_boards
        context.has_running_totals = self.chosen is not None and self.chosen.plan.cells == RUNNING
        if reader.is_open:
            context.seated = seated_players(event, hidden_rounds(self.op.actor, event))
        context.widths = corrected.widths.odd()
        context.formulas = table.formulas if self.chosen is not None else _formulas(table, reader)
        yield from self._read(context, table, running)
        if "board" not in reader.columns.at:
            self.findings = one_for_the_file(self.findings)
        if self.chosen is not None:
            self._keep_own_rows(corrected)
        yield CLOSING
        return close_import(
            running,
            self.request,
            [*self.findings, *self.notes.findings(), *few_suggested(people.n_unknown)],
            rows=outline.rows,
            hands=self.hands,
            heads=table.heads,
            table=corrected,
            created=created,
            chosen=self.chosen,
        )

    def _reader(self, corrected: CorrectedTable, people: People) -> tuple[SheetTable, RowReader]:
        added = len(self.request.corrections.added)
        pairs = Pairs(self.target.pairs())
        self.chosen = select_plan(
            corrected,
            added=added,
            request=self.request.wanted,
            mappings=self.target.maps(),
            people=people,
        )
        if self.chosen is not None:
            plan, values = self.chosen.plan, self.chosen.values
            rules = self.target.rules(self.request.variant)
            table = MappedTable(corrected, plan, values, people, added, rules)
            columns = replace(table.columns, unknown=self.chosen.strange)
            return table, RowReader(columns, people, pairs, table.heads_by_key, table.width)
        variant_boxes = self._boxes()
        try:
            return corrected, RowReader(columns_of(corrected.heads, variant_boxes), people, pairs)
        except Unreadable as fault:
            not_mapped = unknown_heads(corrected.heads, variant_boxes, fault, corrected)
            raise (not_mapped if not_mapped.sample else Unreadable(NO_ROWS)) from fault

    def _keep_own_rows(self, corrected: CorrectedTable) -> None:
        once = {(problem.code, problem.spot, problem.message): problem for problem in self.findings}
        lines = {line for problem in once.values() if problem.waits for line in problem.spot.lines}
        rows = {line: row for line, row in corrected.rows() if line in lines}
        self.findings = [with_rows(problem, rows) for problem in once.values()]

    def _boxes(self) -> tuple[Box, ...]:
        name = self.request.variant or self.target.variant
        if not name:
            return ()
        rules = RuleBook(name, {}, offered=self.target.offered())("").rules
        variant_boxes = boxes(rules, rules.keys.players[1])
        return (*variant_boxes, BOARD_BOX) if self.target.has_boards else variant_boxes

    def _rule_book(self, outline: Outline) -> RuleBook:
        event, offered = self.target.event, self.target.offered()
        if event is not None:
            return RuleBook(event.variant, event.options, self.request.variant, offered=offered)
        name = self.request.variant or outline.variant
        if not name:
            raise Unreadable("The file does not give the variant. Use --variant.")
        return RuleBook(name, {}, offered=offered)

    def _missing_in_words(self, people: People) -> tuple[str, ...]:
        if not self.target.create:
            return ()
        club = () if self.target.club else (f"the club {self.target.club_slug}",)
        event = () if self.target.event else (f"the event {self.target.event_slug}",)
        players = (counted(len(people.new), "player"),) if people.new else ()
        return (*club, *event, *players)

    def _event(self, variant: str, people: People) -> Event | None:
        if self.request.dry_run:
            return self.target.event
        event = self.target.event or make_target(self.op, target=self.target, variant=variant)
        if people.new:
            rows = [(member.player_id, member.name) for member in people.new]
            people.number(add_players(self.op, event.club, rows=rows))
        return event

    def _note_file(self, table: SheetTable, unknown: Sequence[str], outline: Outline) -> None:
        for code, line, text, expected in table.notes:
            self.findings.append(finding(code, Spot((line,)), found=text, expected=expected))
        for name in unknown:
            self.findings.append(finding("unknown_column", Spot((table.head_line,)), found=name))
        for line in outline.blank:
            self.notes.add("blank_row", line, example=lambda: ("empty", ""))

    def _note_round_jumps(self, outline: Outline, stored_rounds: set[int]) -> None:
        first: dict[int, int] = {}
        for (round_, _), sheet in outline.sheets.items():
            first[round_] = min(first.get(round_, sheet.first_line), sheet.first_line)
        for before, round_ in pairwise(sorted(stored_rounds | set(first))):
            if round_ in first and round_ > before + 1:
                spot = Spot((first[round_],), round_)
                jump = finding("round_jump", spot, found=str(round_), expected=str(before))
                self.findings.append(jump)

    def _read(
        self, context: Context, table: SheetTable, running: SheetImport
    ) -> Generator[None, None, None]:
        advance = self.progress(context.outline.rows)
        chunk: list[TypedSheet] = []
        rows: dict[int, list[str]] = {}
        findings: list[Finding] = []

        def store() -> None:
            if chunk:
                findings.extend(running.take(chunk))
            self.findings.extend(with_rows(problem, rows) for problem in findings)
            advance(len(rows))

        for key, raw in self._sheets(context, table):
            typed, n_hands, problems = read_sheet(context, *key, raw)
            self.hands += n_hands
            findings.extend(problems)
            rows.update(raw)
            if typed is not None:
                chunk.append(typed)
            if len(rows) >= ROWS or len(chunk) >= self.request.chunk:
                store()
                chunk, rows, findings = [], {}, []
                yield
        store()

    def _sheets(self, context: Context, table: SheetTable) -> Iterator[tuple[Key, Rows]]:
        reader = context.reader
        sheets = context.outline.sheets
        waiting: dict[Key, Rows] = {}
        for line, cells in filled_rows(table):
            row = reader.fitted(cells)
            key = reader.home(row)
            if key is None:
                self._astray(context, line, row)
                continue
            raw = waiting.setdefault(key, [])
            raw.append((line, row))
            if len(raw) == sheets[key].rows:
                yield key, waiting.pop(key)

    def _astray(self, context: Context, line: int, row: list[str]) -> None:
        reader = context.reader
        round_, table = (reader.whole[row[reader.at[key]]] for key in ("round", "table"))
        spot = Spot((line,))
        if not reader.is_hand(row):
            numbers = (n if valid_number(n) else None for n in (round_.value, table.value))
            problem = finding("not_a_hand_row", Spot((line,), *numbers), found=row_words(row))
        elif width := odd_width(context, line, row):
            problem = finding(width[0], spot, **width[1])
        elif formulas := context.formulas.get(line):
            problem = finding("formula_without_value", spot, found=addresses(formulas))
        else:
            key, cell = ("table", table) if valid_number(round_.value) else ("round", round_)
            problem = finding(
                "bad_number",
                spot,
                field=reader.called(key),
                found=f'"{cell.text}"' if cell.text else "nothing",
                expected="A number from 1 up",
            )
        self.findings.append(with_rows(problem, {line: row}))


def start_import(
    op: Operation,
    request: ImportRequest,
    event: Event | None,
    rules_for: RuleBook,
    people: People,
    file_rounds: Collection[int],
) -> SheetImport:
    return SheetImport(
        op=op,
        event=event,
        rules_for=rules_for,
        file_name=request.name,
        digest=digest_of(request.path),
        writing=not request.dry_run,
        names=people.name_of,
        batch=request.batch,
        file_rounds=file_rounds,
    )


def close_import(
    running: SheetImport,
    request: ImportRequest,
    findings: Sequence[Finding],
    *,
    rows: int,
    hands: int,
    heads: tuple[str, ...],
    table: SheetTable,
    created: tuple[str, ...] = (),
    chosen: SelectedPlan | None = None,
    holds: Holds = Holds.HANDS,
) -> Report:
    """Close an import and return its report; a command's file is stored while problems wait."""
    problems = in_order(findings)
    batch = running.finish(findings=problems, rows=rows, hands=hands)
    report = Report(
        request.name,
        request.dry_run,
        rows,
        hands,
        running.n_accepted,
        running.n_added,
        problems,
        heads,
        created,
        "result" if holds == Holds.TOTALS else "hand",
        sample_of(table),
        chosen,
        running.outline(),
        tuple(table.other_sheets),
    )
    is_kept = request.batch is None and report.waiting and request.path.stat().st_size <= LARGEST
    if batch is not None and is_kept:
        store_file(
            batch, report, request.path,
            variant=request.variant, day=request.day, holds=holds, sheet=request.sheet,
        )  # fmt: skip
    return report


def _formulas(table: SheetTable, reader: RowReader) -> Formulas:
    read_columns = {*reader.columns.at.values(), *reader.columns.cards.values()}
    return {
        line: unvalued
        for line, cells in table.formulas.items()
        if (unvalued := [cell for cell in cells if cell[0] in read_columns])
    }


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
