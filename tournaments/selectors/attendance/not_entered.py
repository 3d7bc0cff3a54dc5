"""Excused players who do not compete in the event, so that an excused evening gives them nothing.

An answer enters nobody (docs/decisions/0073-excused-evenings.md); a director does.
"""

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, QuerySet

from tournaments.domain.event_settings import Settings
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, EventState
from tournaments.models.rounds import Attendance, Meeting, MeetingState
from tournaments.selectors.attendance.excuses import counts_excuses, find_excuses, may_be_excused
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import MEETING_STATE

EXCUSED: Final = "excused"
"""The evening whose excused players are chosen, in the query of the page that enters players."""


def find_not_entered(
    rows: QuerySet[Attendance], *, counts: Callable[[Event], bool] = counts_excuses
) -> Sequence[Attendance]:
    """Return those of some rows whose players are excused and not entered; two queries at most.

    They are of evenings that are not cancelled, in events that count excuses and can have further
    entrants. Guests of an evening are left out. The rows have their players, meetings and events.

    Args:
        counts: whether an event gives something for an excused evening; others are left out.
    """
    own_entries = EntrantMember.objects.filter(
        event=OuterRef("meeting__event"), player=OuterRef("player")
    )
    meetings = Meeting.objects.filter(pk=OuterRef("meeting")).annotate(state_now=MEETING_STATE)
    cancelled = meetings.filter(state_now=MeetingState.CANCELLED)
    rows = rows.filter(
        ~Exists(own_entries),
        ~Exists(cancelled),
        guest=False,
        player__merged_into=None,
        player__erased_at=None,
        meeting__event__state__in=(EventState.DRAFT, EventState.OPEN),
    )
    rows = may_be_excused(rows)
    rows = rows.select_related("player", "meeting__event__club", "meeting__event__season")
    counting = [row for row in rows if counts(row.meeting.event)]
    by_key = {row.meeting_id: row.meeting for row in counting}
    excuses = find_excuses(counting, list(by_key.values()))
    return [row for row in counting if excuses[row.pk].is_excused]


def list_not_entered_under(event: Event, settings: Settings) -> Sequence[Player]:
    """Return who is excused under other settings of an event and not entered, by name."""
    if not settings.counts_excuses:
        return ()
    rows = Attendance.objects.filter(meeting__event=event)
    excused = find_not_entered(rows, counts=lambda _event: True)
    people = {row.player_id: row.player for row in excused}
    return sorted(people.values(), key=lambda player: (player.sort_key, player.pk))


def add_not_entered_path(meeting: Meeting) -> str:
    """Return the path of the page that enters them, where they are chosen already."""
    query = urlencode({EXCUSED: meeting.date.isoformat()})
    return f"{event_url('add-entrants', meeting.event)}?{query}"


def list_not_entered(meeting: Meeting) -> Sequence[Player]:
    """Return the players who are excused of an evening and not entered, by name."""
    rows = find_not_entered(Attendance.objects.filter(meeting=meeting))
    return sorted((row.player for row in rows), key=lambda player: (player.sort_key, player.pk))
