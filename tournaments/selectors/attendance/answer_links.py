"""The link of a reminder by which a player answers without signing in: signed, of one evening.

It says nothing but whether its player comes, and works until the day of the evening is over; who
was unlinked, or left the club, has none any more.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.core import signing

from tournaments.models.clubs import Membership, Player
from tournaments.models.meetings import Meeting
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import with_state
from tournaments.selectors.events.next_evenings import local_day

_SALT: Final = "tournaments.attendance.answer"
LASTS: Final = timedelta(days=60)
"""No link works longer, however far its evening was moved."""


@dataclass(frozen=True, slots=True)
class AnswerLink:
    """What a link lets its holder answer: as which account, and of which evening.

    `meeting` comes with `state_now` and its event.
    """

    actor: Actor
    meeting: Meeting


def answer_token(*, meeting_id: int, player_id: int, user_id: int) -> str:
    """Return the token by which an account answers for its player whether it comes."""
    return signing.dumps([meeting_id, player_id, user_id], salt=_SALT)


def answer_link_of(token: str, *, now: datetime) -> AnswerLink | None:
    """Return what a token lets its holder answer; None where it is none of ours, or over."""
    try:
        meeting_id, player_id, user_id = signing.loads(token, salt=_SALT, max_age=LASTS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    found = with_state(Meeting.objects.filter(pk=meeting_id)).first()
    if user is None or found is None:
        return None
    actor = actor_of(user)
    event = events_for(actor).filter(pk=found.event_id).first()
    own = Player.objects.filter(pk=player_id, user=user, club=found.club_id, merged_into=None)
    member = Membership.objects.filter(club=found.club_id, user=user)
    if event is None or not own.exists() or not member.exists():
        return None
    if found.date < local_day(event.club, now):
        return None
    found.event = event
    return AnswerLink(actor, found)
