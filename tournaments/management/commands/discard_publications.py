"""`manage.py discard_publications`: free the space of publications that nobody looks up."""

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from tournaments.management.import_commands import exit_where_refused
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.operations import Operation
from tournaments.services.publishing.packing import discard_publications


class Command(BaseCommand):
    """Their addresses answer 410 from then on. It cannot be undone, but from a backup."""

    help = "Discard older publications of a club, but the last of each evening and cited ones."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--days", type=int, default=365, help="older than this (365)")
        parser.add_argument("--dry-run", action="store_true", help="only count")

    def handle(self, *args: object, club: str, days: int, dry_run: bool, **options: object) -> None:
        actor = command("discard_publications")
        now = timezone.now()
        before = now - timedelta(days=max(days, 0))
        with exit_where_refused(unknown_club=club):
            row = get_club(actor, club)
            discarded, n_bytes, remaining = discard_publications(
                Operation(actor, now), row, before=before, dry_run=dry_run
            )
        verb = "To discard" if dry_run else "Discarded"
        self.stdout.write(
            f"{verb}: {discarded} publications, {n_bytes} bytes. Left: {remaining} publications."
        )
