"""What the demo waits for and leads to: results that are to be drawn, and the newest evenings."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_RESULT
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.meetings import IS_OVER, meetings_of
from tournaments.selectors.jobs.queue import list_pending_deadlines


def is_result_due(event: Event, now: datetime) -> bool:
    """Whether a worker is about to draw the result of an evening of an event."""
    due = list_pending_deadlines().filter(event=event, kind=EVENING_RESULT, due_at__lte=now)
    return due.filter(parked=False).exists()


def newest_evenings(event: Event) -> tuple[Meeting | None, Meeting | None]:
    """Return the newest evening of an event that is over, and the newest that is on.

    Those that are only planned are neither.
    """
    played = Exists(Round.objects.filter(meeting=OuterRef("pk")))
    meetings = meetings_of(event).filter(played)
    return meetings.filter(IS_OVER).first(), meetings.exclude(IS_OVER).first()
