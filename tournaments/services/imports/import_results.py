"""Import a file with the totals of whole games into an event."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tournaments.documents.read.blocks import day_in_title, find_table
from tournaments.documents.read.csv import CorrectedTable
from tournaments.documents.read.kinds.results import EnteredResult, ResultReader, ResultSides
from tournaments.documents.read.kinds.totals import TOTALS, TotalsReader
from tournaments.documents.read.people import People
from tournaments.documents.read.source_file import SourceFile
from tournaments.documents.read.spreadsheets import is_spreadsheet
from tournaments.domain.imports.import_report import Finding
from tournaments.models.imports import Holds
from tournaments.services.db.transactions import repeat_once
from tournaments.services.imports.game_results import ResultImport, store_placed_results
from tournaments.services.imports.import_sheets import ImportRequest, close_import, start_import
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation


def import_results(
    op: Operation, target: Target, request: ImportRequest, source: SourceFile
) -> Report:
    if (event := target.event) is None:
        raise AssertionError("results have an event to go into")
    people = People(target.members())
    rules_for = RuleBook(event.variant, event.options, offered=target.offered())
    rules = rules_for("").rules
    table = find_table(
        source, (TOTALS,), people, rules=rules, heads=request.heads, sheet=request.sheet
    )
    corrected = CorrectedTable(table, request.corrections)
    today = op.now.astimezone(ZoneInfo(target.time_zone)).date()
    reader = ResultReader(
        event=event,
        rules=rules,
        people=people,
        sides=ResultSides(event, rules, target.pairs()),
        today=today,
        day=request.day or day_in_title(table, today),
    )
    totals = TotalsReader(reader, corrected, is_cut=not is_spreadsheet(request.path))
    results = totals.read(request.wanted, target.maps())

    def store() -> tuple[SheetImport, list[Finding]]:
        rounds = {result.place[0] for result in results if result.place is not None}
        running = start_import(op, request, event, rules_for, people, rounds)
        return running, _stored(running, results, reader)

    running, findings = repeat_once(store, "import_results")
    reader.findings += findings
    return close_import(
        running,
        request,
        list(totals.findings()),
        rows=len(totals.rows),
        hands=len(totals.groups),
        heads=corrected.heads,
        table=corrected,
        chosen=totals.chosen,
        holds=Holds.TOTALS,
    )


def _stored(
    running: SheetImport, results: Sequence[EnteredResult], reader: ResultReader
) -> list[Finding]:
    shape, event = reader.sides.shape, reader.event
    numbered = ResultImport(running, event, shape)
    findings = numbered.take([result for result in results if not result.place])
    with_place = [result for result in results if result.place]
    return [*findings, *store_placed_results(running, event, with_place, shape)]
