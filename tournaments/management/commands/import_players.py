"""`import_players`: bring a list of players or pairs into a club, and into one of its events."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from tournaments.management.import_commands import ImportCommand, printable
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.imports.player_lists import PlayerListImport, import_players
from tournaments.services.operations import Operation

ACTOR = command("import_players")


class Command(ImportCommand):
    help = "Import players from a CSV, XLSX or ODS file; with --event they become entrants."
    needs_event = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--agreed",
            action="store_true",
            help="these people agreed to get mails at the addresses in the file: store them",
        )

    def import_file(self, options: dict[str, Any]) -> PlayerListImport:
        club = get_club(ACTOR, options["club"])
        event = get_event(ACTOR, club.slug, options["event"]) if options["event"] else None
        path, dry_run = options["file"], options["dry_run"]
        op = Operation(ACTOR, timezone.now())
        return import_players(
            op,
            club,
            event,
            path=path,
            name=printable(path),
            dry_run=dry_run,
            has_consent=options["agreed"],
        )
