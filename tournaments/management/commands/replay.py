"""`manage.py replay`: rebuild everything derived from the entries, or only compare it."""

import json
import sys
from collections.abc import Iterator

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.management.import_commands import WAITS, exit_where_refused, require_event
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import events_for, events_of
from tournaments.services.verification.event import (
    EventVerification,
    lines_of_countings,
    verify_event,
)


class Command(BaseCommand):
    """Replay all events, those of a club, or one; safe while the service runs."""

    help = (
        "Rebuild scores, totals and publications from the entries, byte for byte; --check only "
        "compares and ends with status 1 if something differs."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", metavar="SLUG", help="only the events of this club")
        parser.add_argument("--event", metavar="SLUG", help="only this one (with --club)")
        parser.add_argument("--check", action="store_true", help="compare only, write nothing")
        parser.add_argument("--json", action="store_true", help="what was found, for programs")

    def handle(self, *args: object, club: str | None, event: str | None, **options: object) -> None:
        """Exit status 1 if a check finds a difference, or a replay an invalid entry."""
        replays = [
            self._replay(row, repair=not options["check"]) for row in self._events(club, event)
        ]
        if options["json"]:
            self.stdout.write(
                json.dumps([replay.as_json() for replay in replays], ensure_ascii=False)
            )
        else:
            lines = [line for replay in replays for line in replay.lines()]
            self.stdout.write("\n".join([*lines, *lines_of_countings(replays)]))
        if any(replay.differs if options["check"] else replay.refused for replay in replays):
            self.stderr.write(
                "Stored data differs from the entries."
                if options["check"]
                else "Some entries break the rules and need a person."
            )
            sys.exit(WAITS)

    def _events(self, club: str | None, event: str | None) -> Iterator[Event]:
        if event is not None and club is None:
            raise CommandError("--event needs --club.", returncode=2)
        if event is not None and club is not None:
            yield require_event("replay", club, event)
            return
        actor = command("replay")
        with exit_where_refused(unknown_club=club or ""):
            if club:
                events = events_of(actor, get_club(actor, club))
            else:
                events = events_for(actor)
        yield from events.select_related("club", "season").order_by("club__slug", "slug")

    def _replay(self, event: Event, *, repair: bool) -> EventVerification:
        name = f"{event.club.slug}/{event.slug}"
        return verify_event(
            event,
            repair=repair,
            now=timezone.now(),
            report=lambda words: self.stderr.write(f"{name}: {words}"),
        )
