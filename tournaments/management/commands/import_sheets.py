"""`import_sheets`: bring a file of sheets into an event and say what it holds."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from django.utils import timezone
from tqdm import tqdm

from tournaments.documents.read.apply_plan import NotMapped, PlanRequest
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.ways import KEYS
from tournaments.management.import_commands import (
    ImportCommand,
    answer_questions,
    mapping_advice,
    mapping_options,
    preview_mapping,
    printable,
    run_import,
    store_mapping_of,
    with_answers,
    with_people,
)
from tournaments.policy import command
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation


class Command(ImportCommand):
    help = "Import the hands of a CSV file of sheets into an event."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--create", action="store_true", help="create what is missing")
        parser.add_argument(
            "--time-zone", default="", metavar="ZONE", help="of a club to be created"
        )
        parser.add_argument("--date", metavar="DATE", help="for a file without a date column")
        parser.add_argument("--variant", default="", metavar="ID", help="where none is written")
        parser.add_argument("--round", default="", metavar="N", help="if there is no column")
        parser.add_argument("--table", default="", metavar="N", help="if there is no column")
        parser.add_argument(
            "--reading", default="", choices=KEYS, metavar="WAYS", help="how numbers are written"
        )
        parser.add_argument("--mapping", default="", metavar="NAME", help="a mapping of the club")
        parser.add_argument("--map-file", type=Path, metavar="FILE", help="a mapping as JSON")
        parser.add_argument(
            "--keep-mapping", default="", metavar="NAME", help="save the mapping of --map-file"
        )
        parser.add_argument("--show-mapping", action="store_true", help="print it, import nothing")

    def handle(self, *args: object, **options: Any) -> None:
        if options["show_mapping"]:
            mapping = run_import(self, options, lambda: self._preview(options))
            self.stdout.write(json.dumps(mapping, ensure_ascii=False, indent=2))
            return
        super().handle(*args, **options)

    def import_file(self, options: dict[str, Any]) -> Report:
        op = Operation(command("import_sheets"), timezone.now())
        target = find_target(
            actor=op.actor,
            club=options["club"],
            event=options["event"],
            create=options["create"],
            time_zone=options["time_zone"],
        )
        request = self._request(options, mapping_options(options))
        try:
            answer_questions(op, target, options)
            if options["keep_mapping"]:
                store_mapping_of(op, target, request, options["keep_mapping"])
            return with_people(
                op,
                target,
                options,
                lambda is_dry: with_answers(
                    op,
                    target,
                    replace(request, dry_run=is_dry or request.dry_run),
                    dict(options["answer"]),
                    lambda answered: import_file(op, target, answered, progress=_bar),
                ),
            )
        except NotMapped as fault:
            raise Unreadable(f"{fault} {mapping_advice(fault)}") from fault

    def _preview(self, options: dict[str, Any]) -> dict[str, object]:
        op = Operation(command("import_sheets"), timezone.now())
        target = find_target(actor=op.actor, club=options["club"], event=options["event"])
        request = replace(self._request(options, mapping_options(options)), dry_run=True)
        return preview_mapping(op, target, request)

    def _request(self, options: dict[str, Any], mapping: PlanRequest) -> ImportRequest:
        return ImportRequest(
            path=options["file"],
            name=printable(options["file"]),
            dry_run=options["dry_run"],
            variant=options["variant"],
            day=_day(options["date"]),
            wanted=mapping,
            sheet=options["sheet"],
            reads_hidden=options["hidden"],
        )


def _day(text: str | None) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Unreadable(f'"{text}" is not a date. Use a date such as 2025-11-13.') from None


def _bar(total: int) -> Callable[[int], object]:
    bar = tqdm(total=total, unit=" rows", disable=not sys.stderr.isatty(), leave=False)

    def update(rows: int) -> None:
        bar.update(rows)
        if bar.n >= total:
            bar.close()

    return update
