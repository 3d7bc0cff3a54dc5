"""The meetings that calendars show: of a club for everybody, of a player for the player."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q

from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.meetings import Attendance, Meeting
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.events.events import events_for, listed_events
from tournaments.selectors.events.meetings import with_state

PAST: Final = timedelta(days=366)
"""So long a meeting stays in calendars."""
MOST: Final = 1000


def public_events(club: Club) -> Sequence[Event]:
    """Return the events of a club that its public calendar shows; one query."""
    return tuple(listed_events(ANYBODY, club))


def own_calendar_players(actor: Actor) -> Sequence[Player]:
    """Return the players of an account in the clubs that it is a member of; one query."""
    member = Membership.objects.filter(club=OuterRef("club"), user_id=actor.user_id or 0)
    own = Player.objects.filter(user_id=actor.user_id or 0, merged_into=None, erased_at=None)
    return tuple(own.filter(Exists(member)).order_by("club_id"))


def own_events(actor: Actor, players: Collection[Player]) -> Sequence[Event]:
    """Return the events that the account may read and in which its players compete, or said
    whether they come; one query."""
    competes = EntrantMember.objects.filter(event=OuterRef("pk"), player__in=players)
    asked = Attendance.objects.filter(meeting__event=OuterRef("pk"), player__in=players)
    readable = events_for(actor).filter(archived_at__isnull=True)
    return tuple(readable.filter(Exists(competes) | Exists(asked)).order_by("pk"))


def meetings_of_events(events: Collection[Event], now: datetime) -> Sequence[Meeting]:
    """Return the meetings of these events with `state_now`, the first one first; one query.

    Those of a year ago and longer are left out, and the oldest of too many.
    """
    by_key = {one.pk: one for one in events}
    first: date = (now - PAST).date()
    rows = with_state(Meeting.objects.filter(event__in=by_key, date__gte=first))
    found = list(rows.order_by("-date", "-pk")[:MOST])
    for meeting in found:
        meeting.event = by_key[meeting.event_id]
    return found[::-1]


def own_answers(meetings: Collection[Meeting], players: Collection[Player]) -> dict[int, str]:
    """Return what players answered for these meetings, by the meeting's key; one query."""
    rows = Attendance.objects.filter(meeting__in=meetings, player__in=players)
    return dict(rows.filter(~Q(answer="")).values_list("meeting_id", "answer"))
