"""The weekly deadline of a ladder: when the next sweep is due, in local weeks of the club."""

from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from scoring.ladders.deadlines import end_of_day, local_day
from tournaments.models.events import Event, EventKind, EventState
from tournaments.models.ladders import LadderState
from tournaments.models.outbox import Deadline
from tournaments.services.deadlines import put_deadline

WEEK: Final = "ladder_week"
"""Kind of the deadline that sweeps a ladder, on Mondays as they begin."""


def monday_of(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def starts_at(monday: date, event: Event) -> datetime:
    """Return the instant at which a local Monday begins."""
    return end_of_day(monday - timedelta(days=1), ZoneInfo(event.club.time_zone))


def next_sweep(event: Event, now: datetime) -> datetime:
    """Return when the first week after now begins."""
    today = local_day(now, ZoneInfo(event.club.time_zone))
    return starts_at(monday_of(today) + timedelta(days=7), event)


def follow_weeks(event: Event, *, now: datetime) -> None:
    """Begin or end the weekly sweeps of an event, in the transaction that opens or closes it.

    The week in which a ladder opens, or opens again, is not swept: nobody could have played.
    """
    if event.kind != EventKind.LADDER:
        return
    if event.state != EventState.OPEN:
        put_deadline(event, WEEK, None)
        return
    state, _ = LadderState.objects.get_or_create(event=event, defaults={"club_id": event.club_id})
    today = local_day(now, ZoneInfo(event.club.time_zone))
    begun = max(monday_of(today), state.swept_to or date.min)
    LadderState.objects.filter(pk=state.pk).update(swept_to=begun)
    put_deadline(event, WEEK, next_sweep(event, now))


def ensure_weeks(event: Event, *, now: datetime) -> None:
    """Begin the weekly sweeps of an open ladder that has none yet; safe as often as you like."""
    if event.kind != EventKind.LADDER or event.state != EventState.OPEN:
        return
    if not Deadline.objects.filter(event=event, kind=WEEK).exists():
        follow_weeks(event, now=now)
