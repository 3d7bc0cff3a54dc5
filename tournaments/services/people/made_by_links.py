"""End or keep what the holders of a player's personal links made."""

from collections.abc import Sequence
from typing import Final

from tournaments.models.access import Contact, Invitation
from tournaments.models.clubs import Player
from tournaments.selectors.access.personal_links import get_contact
from tournaments.selectors.clubs.made_by_links import (
    MadeByLink,
    list_accounts_by_link,
    list_erasures_by_link,
    list_invitations_by_link,
    list_made_by_links,
    list_members_by_link,
)
from tournaments.selectors.clubs.members import get_member
from tournaments.services.clubs.members import remove_member, unlink_player
from tournaments.services.clubs.personal_links import (
    NOT_WHOLE,
    lock_club_and_person,
    lock_person,
    store_address,
)
from tournaments.services.db.locks import lock_club
from tournaments.services.operations import Operation, operation
from tournaments.services.people.erase_player import decline_erasure

END: Final = "end_made_by_links"


def _lock_club_of(player: Player) -> Player:
    player.club = lock_club(player.club)
    return player


@operation("manage_contacts", locks=_lock_club_of, refuses=("last_owner", *NOT_WHOLE))
def end_made_by_links(op: Operation, player: Player, /) -> Sequence[MadeByLink]:
    """End what was made by the personal links of a player, and return it.

    The address is removed if a holder entered it, also where a director confirmed it. The account
    that was made with it leaves the club, unless an owner gave it another role. A request to be
    erased is declined.
    Answers for evenings and challenges stay: they are seen where they were given.
    """
    ended = list_made_by_links(player)
    accounts = list(list_accounts_by_link(player).values_list("accepted_by", flat=True))
    site = op.as_site(END)
    for member in list(list_members_by_link(player)):
        remove_member(site, get_member(player.club, member.public_id))
    player = lock_person(player)
    if player.user_id in accounts:
        unlink_player(site, player)  # a member before
        player = lock_person(player)
    for _erasure in list_erasures_by_link(player):
        decline_erasure(site, player)
    pending = list_invitations_by_link(player)
    Invitation.objects.filter(pk__in=pending.values("pk")).update(revoked_at=op.now)
    contact = get_contact(player)
    if not contact.email or contact.is_by_person:
        store_address(op, contact, "")
        Contact.objects.filter(player=player).update(new_email="")
    if ended:
        op.audit(player, {"ended": [made.kind for made in ended], "accounts": accounts})
    return ended


@operation("manage_contacts", locks=lock_club_and_person, refuses=NOT_WHOLE)
def keep_made_by_links(op: Operation, player: Player, /) -> Sequence[MadeByLink]:
    """Keep the accounts that were made by the personal links of a player: they wait no longer.

    An address that came by a link alone waits until it is confirmed. The answer lists the address,
    account and requests that the links made.
    """
    waiting = list_accounts_by_link(player).filter(reviewed_at=None)
    accounts = list(waiting.values_list("accepted_by", flat=True))
    Invitation.objects.filter(pk__in=list(waiting.values_list("pk", flat=True))).update(
        reviewed_at=op.now
    )
    if accounts:
        op.audit(player, {"accounts": accounts})
    return list_made_by_links(player)
