"""`manage.py publish`: rank and publish an event now, in this process."""

import json

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.management.import_commands import EventCommand, require_event
from tournaments.services.publishing import publications
from tournaments.services.verification.event import recount_now


class Command(EventCommand):
    """Publish an event that is behind; recount it first if needed.

    Safe beside a worker, which computes the same.
    """

    help = "Rank and publish an event now; prints the publication's number."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="number, version, time and digest")

    def handle(self, *args: object, club: str, event: str, **options: object) -> None:
        event_row = require_event("publish", club, event)
        recount_now(event_row.pk, now=timezone.now())
        publication = publications.publish(event_row.pk, now=timezone.now())
        if publication is None:  # deleted since
            raise CommandError(sentence(Missing("event").problem), returncode=2)
        head = publication.document["publication"]
        self.stdout.write(json.dumps(head) if options["json"] else str(publication.number))
