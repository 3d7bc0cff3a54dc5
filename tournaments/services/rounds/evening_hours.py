"""The hour at which evenings end by themselves, and the line about rounds that continue one: set
and written whatever closes or opens their rounds."""

from collections.abc import Collection
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.jobs import EVENING_END, Deadline
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import CONTINUE_KIND, END_KIND
from tournaments.selectors.events.meetings import is_old, rounds_after_end
from tournaments.selectors.rounds.evenings_to_end import find_hour
from tournaments.services.audit.audit import note_change
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


def note_continued(
    event: Event, evenings: Collection[int], *, now: datetime, actor: Actor | None = None
) -> None:
    """Write a line of the change log for each of these evenings that rounds continue after its end.

    Where the end has no line, as that of an evening that was over before lines were written or that
    ended for the record, its rounds have none. Call it after all locks but that of the queue;
    the caller holds the event's row. One query where no evening was ended.

    Args:
        actor: who did it; None: an import did.
    """
    ended = Meeting.objects.filter(event=event, pk__in=evenings, ended_at__isnull=False)
    for meeting in ended.order_by("pk"):
        rounds = list(rounds_after_end(meeting).values_list("number", flat=True))
        day = meeting.date.isoformat()
        lines = Change.objects.filter(event=event, kind__in=(END_KIND, CONTINUE_KIND))
        last_line = lines.filter(facts__date=day).order_by("-pk").first()
        if not rounds or last_line is None or last_line.kind != END_KIND:
            continue
        by = "" if actor is None else get_role(actor, event.club_id)
        facts = {"date": day, "rounds": rounds}
        note_change(event=event, kind=CONTINUE_KIND, by=by, now=now, facts=facts)
