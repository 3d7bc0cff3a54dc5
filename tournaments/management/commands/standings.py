"""`manage.py standings`: an event's last publication, as REST serves it or as a table."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.management.import_commands import require_event, write_bytes
from tournaments.management.table import standings_table
from tournaments.models.standings import Publication
from tournaments.selectors.standings.publications import stored_publication


class Command(BaseCommand):
    help = "Print an event's published standings."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--event", required=True, metavar="SLUG")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_const", const="csv", dest="form")
        form.add_argument("--json", action="store_const", const="json", dest="form")

    def handle(
        self, *args: object, club: str, event: str, form: str | None, **options: object
    ) -> None:
        """Exit status 2 if there is no such club or event, or nothing is published."""
        publication = self._published(club, event)
        if form is None:
            self.stdout.write(standings_table(publication))
        else:
            write_bytes(self, [bytes(publication.csv if form == "csv" else publication.body)])

    def _published(self, club: str, event: str) -> Publication:
        publication = stored_publication(require_event("standings", club, event))
        if publication is None:
            raise CommandError(sentence(Problem("not_published")), returncode=2)
        return publication
