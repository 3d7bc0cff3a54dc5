"""The next evenings of an account's players, and the signed links by which they answer.

A link only states the attendance of its player, and works until the day of the evening is over,
while the player is linked and in the club.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Exists, OuterRef, QuerySet

from tournaments.models.clubs import Membership, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import MEETS, club_day, not_cancelled, with_state

_SALT: Final = "tournaments.attendance.answer"


def answer_token(*, meeting_id: int, player_id: int, user_id: int) -> str:
    """Return the token by which an account answers for its player whether it comes."""
    return signing.dumps([meeting_id, player_id, user_id], salt=_SALT)


def find_answer_link(token: str, *, now: datetime) -> tuple[Actor, Meeting] | None:
    """Return the account and the evening that a link lets its holder answer for.

    None if it no longer works.
    """
    try:
        # No link works longer, however far its evening was moved.
        meeting_id, player_id, user_id = signing.loads(
            token, salt=_SALT, max_age=timedelta(days=60)
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    meeting = with_state(Meeting.objects.filter(pk=meeting_id)).first()
    if user is None or meeting is None:
        return None
    actor = actor_of(user)
    event = events_for(actor).filter(pk=meeting.event_id).first()
    players = Player.objects.filter(pk=player_id, user=user, club=meeting.club_id, merged_into=None)
    member = Membership.objects.filter(club=meeting.club_id, user=user)
    if event is None or not players.exists() or not member.exists():
        return None
    if meeting.date < club_day(event.club, now):
        return None
    meeting.event = event
    return actor, meeting


class OwnEvening:
    """An evening, one of the account's players, and the stated attendance, "" if none.

    `state` is expected only if it was stated; an undone check-in does not count. `may_answer` says
    whether the player may still say that they come, or do not.
    """

    def __init__(
        self, meeting: Meeting, player: Player, row: Attendance | None, now: datetime
    ) -> None:
        event = meeting.event
        self.event, self.meeting, self.player = event, meeting, player
        self.state, self.from_round = (row.state, row.from_round) if row is not None else ("", None)
        if row is not None and self.state == AttendanceState.EXPECTED != row.answer:
            self.state = ""
        today, state_now = club_day(event.club, now), meeting.state_now  # type: ignore[attr-defined]  # annotated
        is_on = event.state in MEETS
        is_cancelled = state_now == MeetingState.CANCELLED
        self.is_today = meeting.date == today and not is_cancelled and is_on
        self.has_begun = state_now != MeetingState.PLANNED and not is_cancelled
        self.may_answer = (
            is_on
            and (self.is_today or (meeting.date > today and state_now == MeetingState.PLANNED))
            and self.state not in (AttendanceState.HERE, AttendanceState.LEFT)
        )

    @property
    def day(self) -> date:
        return self.meeting.date

    @property
    def is_unanswered(self) -> bool:
        """Whether the player is still asked: before the evening begins, and without an answer."""
        return self.may_answer and not self.state and not self.has_begun

    @property
    def is_here(self) -> bool:
        return self.state == AttendanceState.HERE

    @property
    def may_check_in(self) -> bool:
        return self.is_today and not self.is_here


def own_evening(actor: Actor, meeting: Meeting, *, now: datetime) -> OwnEvening | None:
    """Return a meeting as the actor's player has it; None without a player. Two queries."""
    player = find_own_player(actor, meeting.event.club)
    if player is None:
        return None
    row = Attendance.objects.filter(meeting=meeting, player=player).first()
    return OwnEvening(meeting, player, row, now)


def own_next_evenings(
    readable: QuerySet[Event], players: Sequence[Player], *, now: datetime
) -> Sequence[OwnEvening]:
    """Return the next evening of each club of these players, by day; three queries.

    `readable` are the events that their reader may read. Of one day it is that of an event in which
    the player competes.
    """
    if not players:
        return ()
    by_club = {player.club_id: player for player in players}
    met = readable.filter(club__in=by_club, state__in=MEETS, archived_at=None)
    events = {event.pk: event for event in met.select_related("club")}
    today = {event.club_id: club_day(event.club, now) for event in events.values()}
    if not events:
        return ()
    competes = EntrantMember.objects.filter(event=OuterRef("event"), player__in=players)
    ahead = not_cancelled(Meeting.objects.filter(event__in=events, date__gte=min(today.values())))
    first: dict[int, Meeting] = {}
    for meeting in ahead.annotate(own=Exists(competes)).order_by("date", "-own", "event__slug"):
        if meeting.date >= today[meeting.club_id]:
            meeting.event = events[meeting.event_id]
            first.setdefault(meeting.club_id, meeting)
    rows = Attendance.objects.filter(meeting__in=first.values(), player__in=players)
    stored = {row.meeting_id: row for row in rows}
    evenings = [
        OwnEvening(meeting, by_club[meeting.club_id], stored.get(meeting.pk), now)
        for meeting in first.values()
    ]
    return sorted(evenings, key=lambda evening: evening.day)
