"""The notifications of an account: its choices, its notices, the link that stops a kind."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final
from uuid import UUID

from django.core import signing
from django.db.models import F, QuerySet

from tournaments.domain.etags import mark_of_text
from tournaments.domain.notices import DEFAULTS, Channels
from tournaments.errors import Missing, first_or_missing
from tournaments.models.access import MOST_REFUSALS, Contact
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.notices import DismissedHint, Notice, NotificationChoice
from tournaments.policy import Actor
from tournaments.selectors.access.personal_links import kept_player

_SALT: Final = "tournaments.unsubscribe"


def find_channels_of_members(
    club: Club, user_ids: Collection[int], kind: str
) -> Mapping[int, Channels]:
    """Return the channels of a kind for each member among some accounts, by account.

    Closed accounts are left out; an account without a mail address gets no mail.
    """
    members = Membership.objects.filter(club=club, user_id__in=user_ids, user__is_active=True)
    choices = {
        row.user_id: Channels(row.by_mail, row.as_notice)
        for row in NotificationChoice.objects.filter(club=club, user_id__in=user_ids, kind=kind)
    }
    channels = {}
    for user_id, address in members.order_by("user_id").values_list("user_id", "user__email"):
        choice = choices.get(user_id, DEFAULTS[kind])
        channels[user_id] = choice if address else replace(choice, by_mail=False)
    return channels


def find_mailable(players: Collection[int], kind: str) -> Mapping[int, str]:
    """Return the address of each player who gets mails of a kind as a person, by row.

    Those with an account get theirs as an account; one query.
    """
    contacts = Contact.objects.filter(
        player__in=players,
        player__user=None,
        player__erased_at=None,
        player__merged_into=None,
        refusals__lt=MOST_REFUSALS,
    ).exclude(email="")
    return {row.player_id: row.email for row in contacts if kind not in row.stopped}


def list_choices(user_id: int, club: Club) -> Mapping[str, Channels]:
    """Return the channels of each kind for an account in a club, in the order of its page."""
    rows = NotificationChoice.objects.filter(club=club, user_id=user_id)
    choices = {row.kind: Channels(row.by_mail, row.as_notice) for row in rows}
    return {kind: choices.get(kind, default) for kind, default in DEFAULTS.items()}


def list_clubs_of_member(user_id: int) -> QuerySet[Club]:
    return Club.objects.filter(memberships__user_id=user_id).order_by("name", "slug")


def tag_of_choice(choice: NotificationChoice) -> str:
    return mark_of_text(f"{choice.by_mail} {choice.as_notice}")


def list_own_choices(actor: Actor) -> Sequence[NotificationChoice]:
    """Return an account's choices in each of its clubs, stored or not; for a token, in the token's
    club alone."""
    if actor.user_id is None:
        return ()
    clubs = list_clubs_of_member(actor.user_id)
    if actor.club_id is not None:
        clubs = clubs.filter(pk=actor.club_id)
    return tuple(
        NotificationChoice(club=club, kind=kind, **asdict(channels))
        for club in clubs
        for kind, channels in list_choices(actor.user_id, club).items()
    )


def get_own_choice(actor: Actor, club: str, kind: str) -> NotificationChoice:
    for choice in list_own_choices(actor):
        if (choice.club.slug, choice.kind) == (club, kind):
            return choice
    raise Missing("notification", {"club": club[:60], "kind": kind[:40]})


def unsubscribe_token(
    *, club_id: int, kind: str, user_id: int | None = None, player_id: int | None = None
) -> str:
    reader = user_id if player_id is None else {"player": player_id}
    return signing.dumps([club_id, reader, kind], salt=_SALT)


def find_subscription(token: str) -> tuple[Club, str, int | Player] | None:
    """Return what a token stops: club, kind, and the account or the player without one.

    None for a bad token, without the membership, and for a player who was erased.
    """
    try:
        club_id, reader, kind = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    if kind not in DEFAULTS:
        return None
    if isinstance(reader, dict):
        players = Player.objects.filter(club=club_id, pk=reader["player"], erased_at=None)
        player = players.select_related("club", "merged_into").first()
        if player is None:
            return None
        return player.club, kind, kept_player(player)
    members = Membership.objects.filter(club_id=club_id, user_id=reader).select_related("club")
    member = members.first()
    return (member.club, kind, member.user_id) if member is not None else None


def list_notices(user_id: int) -> QuerySet[Notice]:
    """Return the notices of an account in clubs where it is a member, the newest first."""
    rows = Notice.objects.filter(user_id=user_id, club__memberships__user_id=F("user_id"))
    return rows.select_related("club", "user").order_by("-created_at", "-pk")


def list_unread_notices(user_id: int) -> QuerySet[Notice]:
    return list_notices(user_id).filter(read_at__isnull=True)


def get_notice(user_id: int, public_id: UUID) -> Notice:
    return first_or_missing(list_notices(user_id).filter(public_id=public_id), "notice")


SECOND_FACTOR: Final = "second-factor"
HINTS: Final = frozenset({"seats", SECOND_FACTOR})
"""Hints of pages, and the offer of a second factor, that an account can dismiss."""


def is_hint_new(actor: Actor, key: str) -> bool:
    hints = DismissedHint.objects.filter(user_id=actor.user_id or 0, key=key)
    return actor.user_id is not None and not hints.exists()
