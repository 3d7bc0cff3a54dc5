"""`manage.py revoke_tokens`: revoke the tokens of a user."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from tournaments.management.import_commands import exit_where_refused, require_user
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.access.tokens import revoke_tokens
from tournaments.services.operations import Operation


class Command(BaseCommand):
    help = "Revoke the bearer tokens of a user, all or those for one club."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="NAME")
        parser.add_argument("--club", default="", metavar="SLUG", help="only those for this club")

    def handle(self, *args: object, **options: Any) -> None:
        actor = command("revoke_tokens")
        user = require_user(options["user"])
        with exit_where_refused():
            club = get_club(actor, options["club"]) if options["club"] else None
        revoked = revoke_tokens(Operation(actor, timezone.now()), club, user=user)
        self.stdout.write(str(revoked))
