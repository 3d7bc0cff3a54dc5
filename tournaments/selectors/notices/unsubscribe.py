"""The link in a mail that stops its kind: signed, of one account, kind and club; works for ever."""

from dataclasses import dataclass
from typing import Final

from django.core import signing

from tournaments.domain.people.notification_kinds import DEFAULTS
from tournaments.models.clubs import Club, Membership

_SALT: Final = "tournaments.unsubscribe"


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a link stops: the mails of a kind in a club, for one account."""

    club: Club
    user_id: int
    kind: str


def unsubscribe_token(*, club_id: int, user_id: int, kind: str) -> str:
    """Return the token that stops the mails of a kind in a club for an account."""
    return signing.dumps([club_id, user_id, kind], salt=_SALT)


def subscription_of(token: str) -> Subscription | None:
    """Return what a token stops; None where it is none of ours, or nobody's any more."""
    try:
        club_id, user_id, kind = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    if kind not in DEFAULTS:
        return None
    member = Membership.objects.filter(club_id=club_id, user_id=user_id).select_related("club")
    found = member.first()
    return Subscription(found.club, user_id, kind) if found is not None else None
