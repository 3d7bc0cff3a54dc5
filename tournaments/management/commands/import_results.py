"""`import_results`: bring the totals of whole games into an event, corrections included."""

from typing import Any

from django.utils import timezone

from tournaments.management.import_commands import (
    ImportCommand,
    answer_questions,
    printable,
    with_answers,
    with_people,
)
from tournaments.models.imports import Holds
from tournaments.policy import command
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation


class Command(ImportCommand):
    help = "Import the results of whole games of a CSV file into an event."

    def import_file(self, options: dict[str, Any]) -> Report:
        op = Operation(command("import_results"), timezone.now())
        target = find_target(actor=op.actor, club=options["club"], event=options["event"])
        path = options["file"]
        answer_questions(op, target, options)

        def run(is_dry: bool) -> Report:
            request = ImportRequest(
                path,
                printable(path),
                dry_run=is_dry or options["dry_run"],
                sheet=options["sheet"],
                reads_hidden=options["hidden"],
            )
            return with_answers(
                op,
                target,
                request,
                dict(options["answer"]),
                lambda answered: import_file(op, target, answered, Holds.TOTALS),
            )

        return with_people(op, target, options, run)
