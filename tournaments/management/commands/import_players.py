"""`import_players`: bring a list of players or pairs into a club, and into one of its events."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from tournaments.management.import_commands import end_import, printable, run_import
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import event_at
from tournaments.services.imports.import_players import ListReport, import_players

ACTOR = command("import_players")


class Command(BaseCommand):
    """Reads a CSV file of players or pairs; every mistake in it is listed in one pass."""

    help = "Import players from a CSV file into a club; with --event they become entrants."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--event", default="", metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="report only, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON on stdout")

    def handle(self, *args: object, **options: Any) -> None:
        report = run_import(self, options, lambda: self._import(options))
        end_import(self, report, as_json=options["json"])

    def _import(self, options: dict[str, Any]) -> ListReport:
        club = get_club(ACTOR, options["club"])
        event = event_at(ACTOR, club.slug, options["event"]) if options["event"] else None
        return import_players(
            actor=ACTOR,
            club=club,
            event=event,
            path=options["file"],
            name=printable(options["file"]),
            dry_run=options["dry_run"],
            now=timezone.now(),
        )
