"""The notifications of an account: which ones it chose, its notices, the link that stops a kind."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.core import signing
from django.db.models import F, QuerySet

from tournaments.domain.etags import mark_of_text
from tournaments.domain.people.notification_kinds import DEFAULTS, Channels
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Membership
from tournaments.models.notices import Notice, NotificationChoice
from tournaments.policy import Actor


def find_channels_of_members(
    club: Club, user_ids: Collection[int], kind: str
) -> Mapping[int, Channels]:
    """Return by which ways each member among some accounts is told of a kind, by account.

    Who is no member (any more) or whose account was closed is not among them; who has no mail
    address gets no mail.
    """
    members = Membership.objects.filter(club=club, user_id__in=user_ids, user__is_active=True)
    chosen = {
        row.user_id: Channels(row.by_mail, row.as_notice)
        for row in NotificationChoice.objects.filter(club=club, user_id__in=user_ids, kind=kind)
    }
    return {
        user_id: _reachable(chosen.get(user_id, DEFAULTS[kind]), address)
        for user_id, address in members.order_by("user_id").values_list("user_id", "user__email")
    }


def _reachable(chosen: Channels, address: str) -> Channels:
    return chosen if address else replace(chosen, by_mail=False)


def list_choices(user_id: int, club: Club) -> Mapping[str, Channels]:
    """Return by which ways an account is told of each kind in a club, in the order of its page."""
    rows = NotificationChoice.objects.filter(club=club, user_id=user_id)
    chosen = {row.kind: Channels(row.by_mail, row.as_notice) for row in rows}
    return {kind: chosen.get(kind, default) for kind, default in DEFAULTS.items()}


def list_clubs_of_member(user_id: int) -> QuerySet[Club]:
    """Return the clubs that an account is a member of, by name."""
    return Club.objects.filter(memberships__user_id=user_id).order_by("name", "slug")


@dataclass(frozen=True, slots=True)
class OwnChoice:
    """One kind in one club of an account; `tag` names its state."""

    club: str
    kind: str
    by_mail: bool
    as_notice: bool

    @property
    def tag(self) -> str:
        """The mark of what an edit changes."""
        return mark_of_text(f"{self.by_mail} {self.as_notice}")


def list_own_choices(actor: Actor) -> Sequence[OwnChoice]:
    """Return what an account is told of in each of its clubs; of a token's club alone."""
    if actor.user_id is None:
        return ()
    clubs = list_clubs_of_member(actor.user_id)
    if actor.club_id is not None:
        clubs = clubs.filter(pk=actor.club_id)
    return tuple(
        OwnChoice(club.slug, kind, one.by_mail, one.as_notice)
        for club in clubs
        for kind, one in list_choices(actor.user_id, club).items()
    )


def get_own_choice(actor: Actor, club: str, kind: str) -> OwnChoice:
    """Return one kind in one club of an account."""
    for own_choice in list_own_choices(actor):
        if (own_choice.club, own_choice.kind) == (club, kind):
            return own_choice
    raise Missing("notification", {"club": club[:60], "kind": kind[:40]})


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


def list_notices(user_id: int) -> QuerySet[Notice]:
    """Return the notices of an account in clubs where it is a member, the newest first."""
    rows = Notice.objects.filter(user_id=user_id, club__memberships__user_id=F("user_id"))
    return rows.select_related("club", "user").order_by("-created_at", "-pk")


def list_unread_notices(user_id: int) -> QuerySet[Notice]:
    """Return the notices that an account has not read, the newest first."""
    return list_notices(user_id).filter(read_at__isnull=True)


def get_notice(user_id: int, public_id: UUID) -> Notice:
    """Return one notice of an account."""
    notice = list_notices(user_id).filter(public_id=public_id).first()
    if notice is None:
        raise Missing("notice")
    return notice
