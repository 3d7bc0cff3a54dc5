"""The next evenings: of each event of a club, and of each club in a list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Min, Q

from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventState
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import MEETING_STATE, planned, with_state

MEETS: tuple[str, ...] = (EventState.DRAFT, EventState.OPEN)
"""States of events that still have evenings to come."""


MOST_CANCELLED: Final = 3
"""Cancelled evenings that a club's page names."""


@dataclass(frozen=True, slots=True)
class ComingEvening:
    """The next evening of a club, and the event that meets then."""

    date: date
    event: Event
    is_today: bool


def next_by_event(events: Iterable[Event], today: date) -> Mapping[int, date]:
    """Return the next planned evening from `today` on (a local date) by the event's key; one query.

    Events without one, and those that are over, are left out.
    """
    meeting = [event.pk for event in events if event.state in MEETS]
    ahead = planned(Meeting.objects.filter(event__in=meeting, date__gte=today))
    return dict(ahead.order_by().values_list("event").annotate(next=Min("date")))


def next_evening(
    events: Sequence[Event], by_event: Mapping[int, date], today: date
) -> ComingEvening | None:
    """Return the first of the next evenings; of several on a day that of the first event."""
    dated = [event for event in events if event.pk in by_event]
    event = min(dated, key=lambda one: by_event[one.pk], default=None)
    if event is None:
        return None
    return ComingEvening(by_event[event.pk], event, by_event[event.pk] == today)


def meeting_of(coming: ComingEvening | None) -> Meeting | None:
    """Return the meeting of a coming evening, with `state_now` and its event; one query."""
    if coming is None:
        return None
    found = with_state(Meeting.objects.filter(event=coming.event, date=coming.date)).first()
    if found is not None:
        found.event = coming.event
    return found


def cancelled_ahead(
    events: Iterable[Event], today: date, coming: ComingEvening | None
) -> Sequence[Meeting]:
    """Return cancelled evenings from `today` on, up to the next one that takes place."""
    meeting = [event.pk for event in events if event.state in MEETS]
    ahead = Meeting.objects.filter(event__in=meeting, date__gte=today)
    if coming is not None:
        ahead = ahead.filter(date__lte=coming.date)
    found = ahead.annotate(state_now=MEETING_STATE).filter(state_now=MeetingState.CANCELLED)
    found = found.select_related("event")
    return tuple(found.order_by("date", "event__name")[:MOST_CANCELLED])


def next_by_club(actor: Actor, clubs: Iterable[Club], now: datetime) -> Mapping[int, date]:
    """Return the next planned evening that `actor` may read of, by the club's key; one query."""
    zones: dict[date, set[str]] = {}
    for club in clubs:
        zones.setdefault(local_day(club, now), set()).add(club.time_zone)
    if not zones:
        return {}
    ahead = Q()
    for today, names in zones.items():
        ahead |= Q(club__time_zone__in=sorted(names), date__gte=today)
    readable = events_for(actor).filter(archived_at__isnull=True, state__in=MEETS)
    coming = planned(Meeting.objects.filter(ahead, event__in=readable.values("pk")))
    return dict(coming.order_by().values_list("club").annotate(next=Min("date")))


def local_day(club: Club, now: datetime) -> date:
    """Return the date of a moment in the club's time zone."""
    return now.astimezone(ZoneInfo(club.time_zone)).date()
