"""Reminders of planned evenings: deadlines some days before, as the club's settings have it."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.outbox import FIRST_TRY, Deadline
from tournaments.selectors.events.meetings import planned
from tournaments.selectors.events.next_evenings import MEETS, local_day
from tournaments.services.db.locks import lock_event

EVENING_REMINDER: Final = "evening_reminder"
"""Kind of the deadlines that remind of an evening; `key` is the meeting's id."""
REMINDED_AT: Final = time(10)
"""Local time of the club."""
SHORT_NOTICE: Final = timedelta(hours=1)
"""So long after an evening was planned its reminder may be sent: a typing error is corrected."""


def reminder_due(club: Club, day: date, now: datetime) -> datetime | None:
    """Return when members are reminded of an evening of a club; None: not at all.

    Where the evening is nearer than the days of the settings it is an hour from now; on the day of
    the evening itself nobody is reminded.

    Args:
        day: the evening's local date.
    """
    if club.reminder_days is None or day <= local_day(club, now):
        return None
    on = day - timedelta(days=club.reminder_days)
    due = datetime.combine(on, REMINDED_AT, ZoneInfo(club.time_zone))
    return due if due > now else now + SHORT_NOTICE


def schedule_reminders(event: Event, meetings: Sequence[Meeting], *, now: datetime) -> None:
    """Put the reminders of some evenings where they should be; the caller holds the event's row.

    A reminder that was sent stays so, unless its evening is on another day now. At most four
    queries, whatever the number of evenings.
    """
    if event.state not in MEETS:
        return
    kept = {one.key: one for one in Deadline.objects.filter(event=event, kind=EVENING_REMINDER)}
    asked = Meeting.objects.filter(pk__in=[one.pk for one in meetings])
    standing = set(planned(asked).values_list("pk", flat=True))
    gone, new = [], []
    for meeting in meetings:
        is_planned = meeting.pk in standing
        due = reminder_due(event.club, meeting.date, now) if is_planned else None
        there = kept.get(str(meeting.pk))
        if due is None:
            gone += [there.pk] if there is not None else []
        elif there is None:
            new.append(_deadline(event, meeting, due))
        elif there.due_at != due:
            again = {"due_at": due, "done_at": None, **FIRST_TRY}
            Deadline.objects.filter(pk=there.pk).update(**again)
    if gone:
        Deadline.objects.filter(pk__in=gone).delete()
    Deadline.objects.bulk_create(new, ignore_conflicts=True)


def lock_coming(club: Club, now: datetime) -> list[Event]:
    """Lock the events of a club that have evenings to come, and return them."""
    ahead = Meeting.objects.filter(club=club, date__gte=local_day(club, now))
    coming = Event.objects.filter(pk__in=ahead.values("event"), state__in=MEETS)
    return [lock_event(event) for event in coming.order_by("pk")]


def reschedule_reminders(events: Iterable[Event], club: Club, *, now: datetime) -> None:
    """Put the reminders of locked events where the club's changed settings have them."""
    for event in events:
        event.club = club
        ahead = Meeting.objects.filter(event=event, date__gte=local_day(club, now))
        schedule_reminders(event, list(ahead), now=now)


def _deadline(event: Event, meeting: Meeting, due: datetime) -> Deadline:
    return Deadline(
        club_id=event.club_id,
        event=event,
        kind=EVENING_REMINDER,
        key=str(meeting.pk),
        due_at=due,
    )
