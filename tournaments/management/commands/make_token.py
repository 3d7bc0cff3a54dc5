"""`manage.py make_token`: a token for a program, shown once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.management.import_commands import exit_where_refused, require_user
from tournaments.models.access import Scope
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation


class Command(BaseCommand):
    """Prints only the token on stdout, for use in scripts; the token itself is not stored."""

    help = "Create a bearer token for the REST interface; it is shown once."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="NAME")
        parser.add_argument("--club", default="", metavar="SLUG", help="this club only")
        parser.add_argument("--scope", required=True, choices=Scope.values)
        parser.add_argument("--days", type=int, metavar="N", help="days of validity")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit status 2 if there is no such user or club, or the user has no role there."""
        actor = command("make_token")
        user = require_user(options["user"])
        days = options["days"]
        if days is not None and not 0 < days < 10_000:
            raise CommandError("A token must be valid for 1 day or more.", returncode=2)
        with exit_where_refused():
            plain = make_token(
                Operation(actor, timezone.now()),
                get_club(actor, options["club"]) if options["club"] else None,
                user=user,
                scope=options["scope"],
                days=days,
            )
        self.stdout.write(plain)
        self.stderr.write("Store the token safely: it is shown only once.")
