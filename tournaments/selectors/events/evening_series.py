"""What a series of evenings meets on its dates: evenings of its own event and of others."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from itertools import islice
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, MeetingState, Round
from tournaments.models.standings import LedgerLine
from tournaments.selectors.events.meetings import MEETING_STATE, MEETS, club_day, meetings_of


class DateState(StrEnum):
    """What becomes of a date of a series; the first three are changes."""

    PLAN = "plan"
    CHANGE = "change"
    CANCEL = "cancel"
    IN_BREAK = "in_break"
    LEFT_OUT = "left_out"
    PAST = "past"
    PLANNED = "planned"
    PLAYED = "played"
    CANCELLED = "cancelled"
    TAKEN = "taken"
    DAY_PAST = "day_past"
    OTHER_WEEKDAY = "other_weekday"
    HAS_ADJUSTMENTS = "has_adjustments"
    UNCHANGED = "unchanged"


MOST_NAMED: Final = 3
"""Dates of a gap that are named one by one."""
MOST_GAPS: Final = 3
"""Gaps that the list of evenings says above its table, which has them all."""
CHANGES: Final = (DateState.PLAN, DateState.CHANGE, DateState.CANCEL)


@dataclass(frozen=True, slots=True)
class SeriesDate:
    """A date of a series, and what becomes of it.

    `to` is the new date of an evening that is moved, or would be, `reason` why there is none,
    `events` the names of other events of the club that meet on the date.
    """

    day: date
    state: DateState
    to: date | None = None
    reason: str = ""
    events: Sequence[str] = ()

    @property
    def is_change(self) -> bool:
        return self.state in CHANGES


def count_changes(dates: Collection[SeriesDate]) -> int:
    return sum(each.is_change for each in dates)


def with_what_keeps(meetings: QuerySet[Meeting]) -> QuerySet[Meeting]:
    """Annotate meetings with whether they have a round, and penalties or bonuses that count."""
    adjustments = LedgerLine.objects.filter(meeting=OuterRef("pk"), withdrawn_at=None)
    rounds = Round.objects.filter(meeting=OuterRef("pk"))
    return meetings.annotate(has_round=Exists(rounds), has_adjustments=Exists(adjustments))


def evenings_on(event: Event, days: Collection[date]) -> Mapping[date, Meeting]:
    """Return the meetings of an event on some dates, also those that gather nobody; one query."""
    meetings = with_what_keeps(meetings_of(event).filter(date__in=days))
    return {meeting.date: meeting for meeting in meetings}


def evenings_between(event: Event, first: date, last: date | None) -> Sequence[Meeting]:
    """Return the evenings of an event that gather people, from a date on, in order; one query."""
    rows = meetings_of(event).filter(gathers=True, date__gte=first)
    if last is not None:
        rows = rows.filter(date__lte=last)
    meetings = list(with_what_keeps(rows).order_by("date"))
    for meeting in meetings:
        meeting.event = event
    return meetings


def other_events_on(event: Event, days: Collection[date]) -> Mapping[date, Sequence[str]]:
    """Return the names of the club's other events that meet on some dates; one query."""
    others = Meeting.objects.filter(club=event.club_id, date__in=days, gathers=True)
    others = others.filter(event__state__in=MEETS).exclude(event=event)
    taking_place = others.annotate(state_now=MEETING_STATE).exclude(
        state_now=MeetingState.CANCELLED
    )
    names: dict[date, list[str]] = defaultdict(list)
    for day, name in taking_place.order_by("event__name").values_list("date", "event__name"):
        names[day].append(name)
    return names


def state_that_keeps(meeting: Meeting, today: date) -> DateState | None:
    """Return why an evening is neither moved nor cancelled with others; None where it may be."""
    if meeting.has_round or meeting.ended_at is not None:  # type: ignore[attr-defined]  # annotated
        return DateState.PLAYED
    if meeting.state_now == MeetingState.CANCELLED:  # type: ignore[attr-defined]  # annotated
        return DateState.CANCELLED
    if meeting.date < today:
        return DateState.PAST
    return None


@dataclass(frozen=True, slots=True)
class Gap:
    """Cancelled evenings to come, one after the other, for one reason."""

    days: Sequence[date]
    reason: str

    @property
    def first(self) -> date:
        return self.days[0]

    @property
    def last(self) -> date:
        return self.days[-1]

    @property
    def is_long(self) -> bool:
        """Whether the first and the last date say more than all of them."""
        return len(self.days) > MOST_NAMED


def list_gaps(event: Event, now: datetime) -> Sequence[Gap]:
    """Return the next gaps of an event from today on, the next one first; one query."""
    today = club_day(event.club, now)
    ahead = evenings_between(event, today, None)
    return tuple(islice(_gaps(ahead), MOST_GAPS))


def _gaps(meetings: Sequence[Meeting]) -> Iterator[Gap]:
    days: list[date] = []
    reason = ""
    for meeting in meetings:
        is_cancelled = meeting.state_now == MeetingState.CANCELLED  # type: ignore[attr-defined]  # annotated
        if days and (not is_cancelled or meeting.cancel_reason != reason):
            yield Gap(tuple(days), reason)
            days = []
        if is_cancelled:
            days.append(meeting.date)
            reason = meeting.cancel_reason
    if days:
        yield Gap(tuple(days), reason)
