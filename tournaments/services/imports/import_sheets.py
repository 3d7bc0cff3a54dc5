"""Import a file of sheets into an event: outline, sheets, chunks, report."""

import hashlib
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from scoring.entry.sheet import Box, boxes
from tournaments.documents.read.apply_plan import (
    NO_PLAN_REQUEST,
    PlanRequest,
    SelectedPlan,
    sample_of,
)
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.columns import BOARD_BOX, recognised
from tournaments.documents.read.csv import (
    NO_CORRECTIONS,
    CorrectedTable,
    SheetTable,
    SourceCorrections,
    Unreadable,
)
from tournaments.documents.read.hands import HandsReader
from tournaments.documents.read.people import Pairs, People
from tournaments.documents.read.sheet_rows import Outline, day_in_names, day_in_title
from tournaments.documents.read.source_file import SourceFile
from tournaments.documents.read.table_rows import Context
from tournaments.domain.imports.import_report import (
    EVENING_CANCELLED,
    HANDS_REPEATED,
    Finding,
    at_places,
    with_rows,
)
from tournaments.domain.imports.imported_sheets import TypedSheet
from tournaments.models.events import Event
from tournaments.models.imports import Holds, ImportBatch
from tournaments.services.imports.batches import note_rounds
from tournaments.services.imports.existing_tables import (
    evening_days,
    find_evenings,
    hidden_rounds,
    seated_players,
)
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.same_sheets import find_answers
from tournaments.services.imports.targets import RuleBook, Target, add_players, make_target
from tournaments.services.imports.uploads import LARGEST, Report, counted, in_order, store_file
from tournaments.services.operations import Operation

CHUNK: Final = 200
"""Maximum number of tables in one transaction."""

ROWS: Final = 20_000
"""Maximum number of rows in one transaction."""

MOST_FINDINGS: Final = 5_000
"""Maximum number of problems that are stored of one reading of a file. The others are counted, and
are found when the file is read again."""

CLOSING: Final = "closing"
"""Says that all hands are stored; the next step closes the import and makes its report."""

ImportProgress = Callable[[int], Callable[[int], object]]
"""Begins to show a number of rows, and returns what takes how many more were read."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The file to import, and how to read it.

    `variant` and `day` stand for columns that the file lacks; `chunk` tables are stored in one
    transaction at most, and no more once they have `chunk_rows`; `wanted` is the caller's choice of
    columns, `heads` are those of an earlier reading of the file, `sheet` that of a sheet.
    `named` is who is meant by names, as somebody answered.
    `confirmed` are the codes of questions about sheets which are right as they are.
    `reads_hidden` is whether hidden sheets and rows are read too.
    """

    path: Path
    name: str
    dry_run: bool = False
    variant: str = ""
    day: date | None = None
    batch: ImportBatch | None = None
    chunk: int = CHUNK
    chunk_rows: int = ROWS
    corrections: SourceCorrections = NO_CORRECTIONS
    wanted: PlanRequest = NO_PLAN_REQUEST
    heads: Sequence[str] = ()
    sheet: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    reads_hidden: bool = False
    confirmed: Collection[str] = ()


def no_progress(total: int) -> Callable[[int], object]:
    return lambda rows: None


def import_sheets(
    op: Operation,
    target: Target,
    request: ImportRequest,
    source: SourceFile,
    progress: ImportProgress = no_progress,
) -> Generator[object, None, Report]:
    people = target.people(request.named, welcome=target.create)
    rules = target.rules(request.variant)
    table = yield from find_table(
        source, (recognised,), people, rules=rules, heads=request.heads, sheet=request.sheet
    )
    corrected = CorrectedTable(table, request.corrections)
    most_findings = MOST_FINDINGS if request.batch is not None else None
    zone = ZoneInfo(target.time_zone)
    today = op.now.astimezone(zone).date()
    pairs = Pairs(target.pairs())
    reader = HandsReader(corrected, people, pairs, most_findings, today=today, zone=zone)
    reader.find_evenings = partial(find_evenings, op.actor, target.event)
    answers = find_answers(
        target.event,
        digest_of(request.path),
        sheet=request.sheet,
        reads_hidden=request.reads_hidden,
    )
    reader.places = {line: answer.key for line, answer in answers.items()}
    reader.day = request.day or day_in_title(table, today)
    reader.day_in_names = day_in_names(table, request.name, today)
    yield None  # the kind of the file took as many rows as the meanings of its columns may take
    reader.find_columns(request.wanted, target.maps(), rules, _boxes(target, request))
    outline = yield from reader.read_outline()
    rules_for = _rule_book(target, request, outline)
    created = _missing_in_words(target, people)
    event = _get_or_make_event(op, target, request, rules_for("").name, people)
    file_rounds = {round_ for round_, _ in outline.sheets}
    if request.batch is not None:
        note_rounds(request.batch, file_rounds)
    running = start_import(op, request, event, rules_for, people, file_rounds)
    if not reader.has_rounds:
        running.answers = answers
    reader.note_round_jumps(set(running.rounds))
    context = reader.context(rules_for, today)
    context.has_boards = target.has_boards
    context.find_days = cache(partial(evening_days, event))
    if reader.rows.is_open:
        context.seated = seated_players(event, hidden_rounds(op.actor, event))
    yield from _read(reader, context, running, request, progress(outline.rows))
    yield from reader.settle_findings()
    findings = list(reader.all_findings())
    yield CLOSING
    return close_import(
        running,
        request,
        findings,
        rows=outline.rows,
        hands=reader.n_hands,
        heads=reader.table.heads,
        table=corrected,
        created=created,
        chosen=reader.chosen,
        unfinished=reader.more_rounds,
    )


def _boxes(target: Target, request: ImportRequest) -> tuple[Box, ...]:
    name = request.variant or target.variant
    if not name:
        return ()
    rules = RuleBook(name, {}, offered=target.offered())("").rules
    variant_boxes = boxes(rules, rules.keys.players[1])
    if not target.has_boards:
        return variant_boxes
    return (*variant_boxes, BOARD_BOX)


def _rule_book(target: Target, request: ImportRequest, outline: Outline) -> RuleBook:
    event = target.event
    offered = target.offered()
    if event is not None:
        return RuleBook(event.variant, event.options, request.variant, offered=offered)
    name = request.variant or outline.variant
    if not name:
        raise Unreadable("The file does not give the variant. Use --variant.")
    return RuleBook(name, {}, offered=offered)


def _missing_in_words(target: Target, people: People) -> tuple[str, ...]:
    if not target.create:
        return ()
    club = () if target.club else (f"the club {target.club_slug}",)
    event = () if target.event else (f"the event {target.event_slug}",)
    players = (counted(len(people.new), "player"),) if people.new else ()
    return (*club, *event, *players)


def _get_or_make_event(
    op: Operation, target: Target, request: ImportRequest, variant: str, people: People
) -> Event | None:
    if request.dry_run:
        return target.event
    event = target.event or make_target(op, target=target, variant=variant)
    if people.new:
        rows = [(member.player_id, member.name) for member in people.new]
        people.number(add_players(op, event.club, rows=rows))
    return event


def _read(
    reader: HandsReader,
    context: Context,
    running: SheetImport,
    request: ImportRequest,
    advance: Callable[[int], object],
) -> Generator[None, None, None]:
    chunk: list[TypedSheet] = []
    rows: dict[int, list[str]] = {}
    findings: list[Finding] = []

    def store() -> None:
        if chunk:
            findings.extend(running.take(chunk))
        for problem in findings:
            reader.add(with_rows(problem, rows))
        advance(len(rows))

    for sheet in reader.sheets(context):
        if sheet is None:
            yield
            continue
        typed, problems, raw = sheet
        findings.extend(problems)
        rows.update(raw)
        if typed is not None:
            chunk.append(typed)
        if len(rows) >= request.chunk_rows or len(chunk) >= request.chunk:
            store()
            chunk, rows, findings = [], {}, []
            yield
    store()


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
        asks_repeats=HANDS_REPEATED not in request.confirmed,
        takes_cancelled=EVENING_CANCELLED in request.confirmed,
        file_rounds=file_rounds,
        confirmed=request.confirmed,
        renumbers=True,
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
    unfinished: Collection[int] = (),
) -> Report:
    """Close an import and return its report; a command's file is stored while problems wait.

    Rounds that are `unfinished` stay open although none of `findings` is of them.
    """
    problems = in_order([at_places(problem, table.file_places.place) for problem in findings])
    batch = running.finish(findings=problems, rows=rows, hands=hands, unfinished=unfinished)
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
            batch,
            report,
            request.path,
            variant=request.variant,
            day=request.day,
            holds=holds,
            sheet=request.sheet,
            reads_hidden=request.reads_hidden,
            corrections=request.corrections,
        )
    return report


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
