"""What mails to players without an account need: their personal links, and stopping a kind."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from tournaments.models.clubs import Club, Player
from tournaments.models.contacts import Contact, PersonalLink
from tournaments.selectors.access.personal_links import personal_token
from tournaments.selectors.access.tokens import token_digest

SEED_BYTES: Final = 32


def new_personal_link(club_id: int, player_id: int, now: datetime) -> PersonalLink:
    """Return a link that is not stored yet."""
    seed = secrets.token_urlsafe(SEED_BYTES)
    digest = token_digest(personal_token(seed))
    return PersonalLink(
        club_id=club_id, player_id=player_id, seed=seed, token_digest=digest, made_at=now
    )


def add_personal_links(club: Club, players: Sequence[int], *, now: datetime) -> None:
    """Make personal links for those of some players, in ascending order, who have none.

    For the mails that are written to them, so that no account is noted; at most two statements.
    """
    rows = PersonalLink.objects.filter(player__in=players, revoked_at=None)
    linked = set(rows.values_list("player_id", flat=True))
    links = [new_personal_link(club.pk, player, now) for player in players if player not in linked]
    PersonalLink.objects.bulk_create(links, ignore_conflicts=True)


def stop_mails(player: Player, kind: str) -> None:
    """Stop a kind of mails of a player, in a transaction; the bearer of the link in a mail may.

    Without an address nothing is stored.
    """
    # The lock of all that is changed of a person.
    list(Player.objects.select_for_update(no_key=True).filter(pk=player.pk))
    contact = Contact.objects.filter(player=player).first()
    if contact is not None and kind not in contact.stopped:
        contact.stopped = [*contact.stopped, kind]
        contact.save(update_fields=["stopped"])
