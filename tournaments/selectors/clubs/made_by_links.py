"""What the holders of a player's personal links made: address, account, request to be erased."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from tournaments.models.access import Contact, Invitation
from tournaments.models.clubs import Club, Erasure, Membership, Player, Role
from tournaments.selectors.clubs.members import account_name


@dataclass(frozen=True, slots=True)
class MadeByLink:
    """`kind` is `address`, `erasure`, `invitation` or `account`; `name` that of address or account.

    An address is one that nobody of the club entered: its holder did, whoever confirmed it later.
    `waits`: an account that no director has looked at, or an address that none vouches for.
    """

    kind: str
    at: datetime
    name: str = ""
    waits: bool = False


KINDS_MADE: Final = ("address", "erasure", "invitation", "account")


def list_made_by_links(player: Player) -> Sequence[MadeByLink]:
    """Return what was made by the personal links of a player and can be ended; four queries."""
    return list(_made_by_links(player))


def _made_by_links(player: Player) -> Iterator[MadeByLink]:
    contact = Contact.objects.filter(player=player).exclude(email="").first()
    if contact is not None and contact.consent_at is not None and contact.is_by_person:
        waits = not contact.is_vouched
        yield MadeByLink("address", contact.consent_at, contact.email, waits)
    for erasure in list_erasures_by_link(player):
        yield MadeByLink("erasure", erasure.asked_at)
    for invitation in list_invitations_by_link(player):
        yield MadeByLink("invitation", invitation.created_at)
    for invitation in list_accounts_by_link(player):
        user = invitation.accepted_by
        if user is not None and invitation.accepted_at is not None:
            waits = invitation.reviewed_at is None
            yield MadeByLink("account", invitation.accepted_at, account_name(user), waits)


def list_erasures_by_link(player: Player) -> QuerySet[Erasure]:
    """Return the pending request of a player to be erased, where no account asked for it."""
    return Erasure.objects.filter(player=player, asked_by=None, erased_at=None, declined_at=None)


def list_invitations_by_link(player: Player) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        player=player, personal_link__isnull=False, accepted_at=None, revoked_at=None
    )


def list_accounts_by_link(player: Player) -> QuerySet[Invitation]:
    """Return the invitations by which accounts got into the club as a player, or its person."""
    return _accepted_by_link().filter(player=player)


def list_accounts_to_review(clubs: Iterable[Club] | Iterable[int]) -> QuerySet[Invitation]:
    """Return the invitations of accounts that a director has not looked at, the oldest first.

    An earlier release made them by a mail to an address that might have come by the link alone.
    """
    rows = _accepted_by_link().filter(club__in=clubs, reviewed_at=None)
    return rows.order_by("accepted_at", "pk")


def list_members_by_link(player: Player) -> QuerySet[Membership]:
    """Return the members whom a personal link of a player made; an owner gave no other role."""
    invitations = Invitation.objects.filter(
        player=player,
        personal_link__isnull=False,
        accepted_by=OuterRef("user"),
        accepted_at=OuterRef("joined_at"),
    )
    members = Membership.objects.filter(club=player.club_id, role=Role.PLAYER)
    return members.filter(Exists(invitations)).order_by("pk")


def _accepted_by_link() -> QuerySet[Invitation]:
    """Return the accepted invitations of links whose account is still a member or the player.

    An account that has another role got it from an owner, and was looked at.
    """
    members = Membership.objects.filter(
        club=OuterRef("club"), user=OuterRef("accepted_by"), role=Role.PLAYER
    )
    made = members.filter(joined_at=OuterRef("accepted_at"))
    is_linked = Q(player__user=F("accepted_by")) & Exists(members)
    rows = Invitation.objects.filter(personal_link__isnull=False, accepted_at__isnull=False)
    return rows.filter(is_linked | Exists(made)).select_related("player", "accepted_by")
