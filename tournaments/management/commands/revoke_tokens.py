"""`manage.py revoke_tokens`: revoke the tokens of a user."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.domain.messages import sentence
from tournaments.errors import Missing
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
        """Exit status 2 if there is no such user or club."""
        actor = command("revoke_tokens")
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"Nobody here is called {options['user']}.", returncode=2)
        try:
            club = get_club(actor, options["club"]) if options["club"] else None
        except Missing as missing:
            raise CommandError(sentence(missing.problem), returncode=2) from missing
        revoked = revoke_tokens(Operation(actor, timezone.now()), club, user=user)
        self.stdout.write(str(revoked))
