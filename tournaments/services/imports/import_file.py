"""Import a file as what it holds: hands, or totals of whole games; or as it looks."""

import tempfile
from collections.abc import Callable, Generator
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from scoring.rules.rules import Rules
from tournaments.documents.read.apply_plan import find_mapping, sample_of
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.column_plan import labels_of
from tournaments.documents.read.csv import SHAPE_ROWS, SheetTable, Unreadable, run_steps, text_of
from tournaments.documents.read.kinds_of_files import (
    ELSEWHERE,
    GAMES,
    HEADS_OF_GAMES,
    PEOPLE,
    Sample,
    find_kind,
)
from tournaments.documents.read.other_texts import CHAT
from tournaments.documents.read.people import People
from tournaments.documents.read.people_list import are_names
from tournaments.documents.read.source_file import SourceFile, is_spreadsheet, read_source
from tournaments.models.events import Event
from tournaments.models.imports import Holds, Upload
from tournaments.services.imports.import_results import import_results
from tournaments.services.imports.import_sheets import (
    ImportProgress,
    ImportRequest,
    import_sheets,
    no_progress,
)
from tournaments.services.imports.targets import Target, target_of
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation


def import_file(
    op: Operation,
    target: Target,
    request: ImportRequest,
    holds: Holds = Holds.HANDS,
    *,
    progress: ImportProgress = no_progress,
) -> Report:
    return run_steps(import_steps(op, target, request, holds, progress=progress))


def import_steps(
    op: Operation,
    target: Target,
    request: ImportRequest,
    holds: Holds = Holds.HANDS,
    *,
    progress: ImportProgress = no_progress,
    note_kind: Callable[[Holds], object] = lambda holds: None,
) -> Generator[object, None, Report]:
    """Import a file a little at a time; `note_kind` gets what it holds.

    Everything stored is committed between two steps; another run with the same file completes an
    import that stopped. `CLOSING` comes before the last step.
    """
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        if holds == Holds.AUTO:
            holds, source = yield from _kind_steps(target, request, Path(folder), op.now)
            note_kind(holds)
        else:
            source = yield from read_source(
                request.path, Path(folder), reads_hidden=request.reads_hidden
            )
        if holds == Holds.TOTALS:
            return (yield from import_results(op, target, request, source))
        return (yield from import_sheets(op, target, request, source, progress))


def _kind_steps(
    target: Target, request: ImportRequest, folder: Path, now: datetime
) -> Generator[object, None, tuple[Holds, SourceFile]]:
    people = target.people(request.named)
    rules = _rules(target, request.variant)
    try:
        source = yield from read_source(request.path, folder, reads_hidden=request.reads_hidden)
        table = yield from find_table(
            source, HEADS_OF_GAMES, people, rules=rules, sheet=request.sheet
        )
    except Unreadable as fault:
        is_said = is_spreadsheet(request.path) or str(fault) == CHAT
        if not is_said and are_names(text_of(request.path, SHAPE_ROWS)):
            raise Unreadable(ELSEWHERE[PEOPLE]) from fault
        raise
    today = now.astimezone(ZoneInfo(target.time_zone)).date()
    kind = find_kind(Sample(table.heads, sample_of(table), people, rules, today))[0]
    if kind in ELSEWHERE:
        raise Unreadable(ELSEWHERE[kind])
    return _of_mapping(target, table, people) or Holds(kind), source


def _rules(target: Target, variant: str) -> Rules:
    rules = target.rules(variant)
    if rules is None:
        raise AssertionError("an event has rules")
    return rules


def _of_mapping(target: Target, table: SheetTable, people: People) -> Holds | None:
    """Return what a file holds by the club's mapping for its heads: games have no round, no table.

    None without a mapping.
    """
    match = find_mapping(table, labels_of(table.heads), target.maps(), people)
    if match is None:
        return None
    plan, _, _ = match
    is_of_hands = {"round", "table"} & (plan.means | plan.given.keys())
    return Holds.HANDS if is_of_hands else Holds.TOTALS


def kind_of_upload(event: Event, upload: Upload) -> tuple[str, str]:
    """Return what the games of an import look like, and why, by the sample of its file."""
    target = target_of(event)
    people = target.people(upload.named)
    rules = _rules(target, upload.variant)
    sample = Sample(upload.heads, upload.sample, people, rules, date.max)
    return find_kind(sample, GAMES)
