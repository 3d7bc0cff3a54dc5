"""`import_results`: bring the totals of whole games into an event, corrections included."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from tournaments.management.import_commands import end_import, printable, run_import
from tournaments.policy import command
from tournaments.services.imports.import_results import import_results
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report


class Command(BaseCommand):
    """Reads a CSV file of results; every mistake in it is listed in one pass."""

    help = "Import the results of whole games of a CSV file into an event."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the options (docs/commands.md)."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--event", required=True, metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="report only, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON on stdout")

    def handle(self, *args: object, **options: Any) -> None:
        """Import the file; the exit status says whether something waits."""
        report = run_import(self, options, lambda: self._import(options))
        end_import(self, report, as_json=options["json"])

    def _import(self, options: dict[str, Any]) -> Report:
        actor = command("import_results")
        target = find_target(actor=actor, club=options["club"], event=options["event"])
        path = options["file"]
        request = ImportRequest(path, printable(path), dry_run=options["dry_run"])
        return import_results(target=target, request=request, now=timezone.now())
