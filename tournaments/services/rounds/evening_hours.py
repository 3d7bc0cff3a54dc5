"""The hour at which evenings end by themselves, set whatever closes or opens their rounds."""

from collections.abc import Collection
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_END, Deadline
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import is_old
from tournaments.selectors.rounds.evenings_to_end import find_hour
from tournaments.services.jobs.enqueue import set_deadline


def set_hour(event: Event, meeting: Meeting) -> None:
    """Set the deadline of an evening's end, or remove it; the caller holds the event's row."""
    key = str(meeting.pk)
    # One that passed while a round was open is done, and would not run again at the same moment.
    Deadline.objects.filter(event=event, kind=EVENING_END, key=key, done_at__isnull=False).delete()
    set_deadline(event, EVENING_END, find_hour(meeting), key=key)


def set_hours(event: Event, evenings: Collection[int], now: datetime) -> None:
    """Set the deadlines of evenings whose rounds an import changed; old ones wait for the sweep.

    The caller holds the event's row.
    """
    for meeting in Meeting.objects.filter(event=event, pk__in=evenings).order_by("pk"):
        if not is_old(meeting, now):
            set_hour(event, meeting)
