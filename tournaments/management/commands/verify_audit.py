"""`manage.py verify_audit`: whether the audit trail is unbroken."""

from collections.abc import Iterable
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournaments.management.import_commands import exit_where_refused
from tournaments.models.clubs import Club
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club, list_clubs_for
from tournaments.services.audit.audit import verify_audit

FAULTS: Final = {
    "changed": "line {line} was changed: it does not match its digest",
    "missing": "line {line} is missing",
    "head": "the end was changed: the head is at line {line}, the last line is {n}",
}


class Command(BaseCommand):
    """Prints one line a club; exit status 1 with the first broken line, 2 without such a club."""

    help = "Verify the hash chain of the audit trail, of one club or of all."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", default="", metavar="SLUG", help="this club only")

    def handle(self, *args: object, **options: Any) -> None:
        """Verify all clubs, one by one, even after a broken line."""
        actor = command("verify_audit")
        with exit_where_refused():
            clubs: Iterable[Club]
            if options["club"]:
                clubs = [get_club(actor, options["club"])]
            else:
                clubs = list_clubs_for(actor)
        broken = 0
        for club in clubs:
            n, line, fault = verify_audit(club)
            broken += bool(fault)
            words = f"{n} line{'s' if n != 1 else ''}, unbroken"
            if fault:
                words = FAULTS[fault].format(line=line, n=n)
            self.stdout.write(f"{club.slug}: {words}.")
        if broken:
            raise CommandError(f"Broken audit trails: {broken}.", returncode=1)
