"""Where attendance is entered: which evenings lead those to it who may record it."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, MeetingState
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import (
    MEETING_STATE,
    MEETS,
    club_day,
    evening_day,
    find_past_midnight,
)

TAKE: Final = "take_attendance"
MOST_TODAY: Final = 10
"""Evenings of a day that *Me* leads to."""


def may_enter_attendance(event: Event) -> bool:
    """Whether the actor for whom an event was read may record attendance in it now."""
    return not event.is_over and may_do(event, TAKE)


def takes_attendance(day: date, state: str, today: date) -> bool:
    """Whether pages lead to the attendance of an evening: not of one that was held before today."""
    if state == MeetingState.CANCELLED:
        return False
    return day >= today or state != MeetingState.HELD


def find_attendance_day(event: Event, now: datetime) -> date | None:
    """Return the day of the evening of today, else of the next one; None if nobody is recorded."""
    if not may_enter_attendance(event):
        return None
    ahead = Meeting.objects.filter(event=event, date__gte=evening_day(event, now), gathers=True)
    ahead = ahead.annotate(state_now=MEETING_STATE).exclude(state_now=MeetingState.CANCELLED)
    return ahead.order_by("date").values_list("date", flat=True).first()


def list_attendance_today(
    actor: Actor, memberships: Sequence[Membership], now: datetime
) -> Sequence[Meeting]:
    """Return the evenings of today whose attendance an account may record; two queries at most.

    Those of yesterday that still go on come first, then by time.
    """
    clubs = [row.club for row in memberships if may(row.role, TAKE)]
    if not clubs or not actor.is_within_scope(TAKE):
        return ()
    days = {club.pk: club_day(club, now) for club in clubs}
    first = min(days.values()) - timedelta(days=1)
    readable = events_for(actor).filter(archived_at__isnull=True, state__in=MEETS)
    rows = Meeting.objects.filter(
        club__in=clubs,
        event__in=readable.values("pk"),
        date__range=(first, max(days.values())),
        gathers=True,
    )
    rows = rows.annotate(state_now=MEETING_STATE).exclude(state_now=MeetingState.CANCELLED)
    meetings = list(rows.select_related("event__club").order_by("date", "time", "pk"))
    past_midnight = find_past_midnight(meetings, now)
    tonight = [row for row in meetings if row.date == days[row.club_id] or row.pk in past_midnight]
    return tonight[:MOST_TODAY]
