"""Cancelled evenings that players would else look for among their next ones."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.selectors.attendance.own_evenings import LATER_DAYS, MOST_LATER, OwnEvening
from tournaments.selectors.events.meetings import MEETING_STATE, MEETS, club_day

_COMES: Final = (AttendanceState.EXPECTED, AttendanceState.LATE, AttendanceState.WAITING)


def own_cancelled_evenings(
    readable: QuerySet[Event],
    players: Collection[Player],
    evenings: Collection[OwnEvening],
    *,
    now: datetime,
) -> Sequence[Meeting]:
    """Return cancelled evenings of the next day and the two later ones of each club, by day.

    They are those to which a player answered that they come or wait, and those of the next day: the
    ones where the player competes, or all where the player has none that day. One query.

    Args:
        evenings: those of `own_next_evenings` and `own_later_evenings`.
    """
    if not players:
        return ()
    clubs = [player.club_id for player in players]
    meet = readable.filter(state__in=MEETS, club__in=clubs, archived_at=None)
    answered = Attendance.objects.filter(
        meeting=OuterRef("pk"), player__in=players, answer__in=_COMES
    )
    entered = EntrantMember.objects.filter(event=OuterRef("event"), player__in=players)
    # Yesterday's by UTC may be today's where a club is.
    first = now.date() - timedelta(days=1)
    meetings = Meeting.objects.filter(event__in=meet, date__gte=first, gathers=True).annotate(
        state_now=MEETING_STATE, is_awaited=Exists(answered), competes=Exists(entered)
    )
    cancelled = meetings.filter(state_now=MeetingState.CANCELLED)
    by_club: dict[int, list[Meeting]] = defaultdict(list)
    ordered = cancelled.select_related("event__club").order_by("date", "event__slug")
    for meeting in ordered[:MOST_LATER]:
        if meeting.date >= club_day(meeting.event.club, now):
            by_club[meeting.club_id].append(meeting)
    shown: list[Meeting] = []
    for club_id, of_club in by_club.items():
        there = [evening for evening in evenings if evening.meeting.club_id == club_id]
        shown += _among(of_club, there)
    return sorted(shown, key=lambda meeting: meeting.date)


def _among(cancelled: Sequence[Meeting], evenings: Sequence[OwnEvening]) -> list[Meeting]:
    """Return which cancelled evenings of a club are shown beside those that take place."""
    by_day: dict[date, list[Meeting]] = defaultdict(list)
    for meeting in cancelled:
        by_day[meeting.date].append(meeting)
    own_days = {evening.day for evening in evenings if evening.is_own}
    days = sorted({*by_day, *(evening.day for evening in evenings)})[: LATER_DAYS + 1]
    shown: list[Meeting] = []
    for day in days:
        own_parts = [meeting for meeting in by_day[day] if _is_awaited(meeting)]
        if day == days[0]:
            own_parts = [meeting for meeting in by_day[day] if _concerns(meeting)]
            if not own_parts and day not in own_days:
                own_parts = by_day[day]
        shown += own_parts
    return shown


def _concerns(meeting: Meeting) -> bool:
    competes: bool = meeting.competes  # type: ignore[attr-defined]  # annotated
    return competes or _is_awaited(meeting)


def _is_awaited(meeting: Meeting) -> bool:
    is_awaited: bool = meeting.is_awaited  # type: ignore[attr-defined]  # annotated
    return is_awaited
