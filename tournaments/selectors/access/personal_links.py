"""Which player a personal link opens, its secret, and the contacts of a club's players."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.db.models import QuerySet
from django.urls import reverse

from scoring.json_types import JsonDict
from tournaments.models.clubs import Club, Player
from tournaments.models.contacts import MOST_REFUSALS, Contact, FillInRequest, PersonalLink
from tournaments.policy import Actor, OpenedPlayer
from tournaments.selectors.access.tokens import token_digest, token_of_seed

_SALT: Final = "tournaments.personal-links"
CONFIRMATION_LASTS: Final = timedelta(hours=24)
"""How long the link of a mail confirms what was asked for."""
CHALLENGE_LASTS: Final = timedelta(days=60)
"""How long the link of a mail about a challenge works, which its deadlines end earlier."""


def personal_token(seed: str) -> str:
    return token_of_seed(f"{_SALT}.token", seed)


def printable_token(link: PersonalLink | FillInRequest) -> str:
    """Return the token of a link; "" if the server's key has changed."""
    token = personal_token(link.seed)
    return token if token_digest(token) == link.token_digest else ""


def personal_path(link: PersonalLink | None, page: str = "my-evening", *args: object) -> str:
    """Return the address of a page of a personal link below the site; "" without a link."""
    token = printable_token(link) if link is not None else ""
    return reverse(f"tournaments:{page}", args=(token, *args)) if token else ""


def find_personal_link(token: str) -> PersonalLink | None:
    """Return the link that has a token, with the player it opens and their club.

    The link of a merged player opens the player that was kept. None for an unknown token, an
    erased player and a club that waits for its deletion. A revoked link is returned.
    """
    links = PersonalLink.objects.filter(
        token_digest=token_digest(token), player__erased_at=None, player__club__delete_after=None
    )
    link = links.select_related("player__club", "player__merged_into__club").first()
    if link is None:
        return None
    link.player = kept_player(link.player)
    link.club = link.player.club
    return link if link.player.erased_at is None else None


def kept_player(player: Player) -> Player:
    """Return the player into whom a merged one went at last; others are returned as they are."""
    visited = {player.pk}
    while (target := player.merged_into) is not None and target.pk not in visited:
        visited.add(target.pk)
        player = target
    return player


def person_with_link(link: PersonalLink, *, is_confirmed: bool = False) -> Actor:
    """Return who acts with a personal link: the role of its player, in the player's club alone."""
    return Actor(
        "person",
        name=link.player.name,
        club_id=link.player.club_id,
        person=OpenedPlayer(link.pk, link.player_id, is_confirmed),
    )


def list_working_personal_links(club: Club) -> QuerySet[PersonalLink]:
    """Return the personal links of a club that work, each with its player, by name."""
    links = PersonalLink.objects.filter(
        club=club, revoked_at=None, player__erased_at=None, player__merged_into=None
    )
    return links.select_related("player").order_by("player__sort_key", "player__player_id")


def list_players_without_link(club: Club) -> QuerySet[Player]:
    """Return the active players of a club who have neither an account nor a personal link."""
    players = Player.objects.filter(
        club=club, user=None, is_active=True, merged_into=None, erased_at=None
    )
    return players.exclude(pk__in=list_working_personal_links(club).values("player"))


def find_working_link(player: Player) -> PersonalLink | None:
    return PersonalLink.objects.filter(player=player, revoked_at=None).first()


def get_contact(player: Player) -> Contact:
    """Return the contact of a player; an empty one, not stored, where there is none."""
    contact = Contact.objects.filter(player=player).select_related("consent_by").first()
    contact = contact or Contact(club_id=player.club_id)
    contact.player = player
    return contact


def find_mailable(players: Collection[int], kind: str) -> Mapping[int, str]:
    """Return the address of each player who gets mails of a kind as a person, by row.

    Those with an account get theirs as an account; one query.
    """
    contacts = Contact.objects.filter(
        player__in=players, player__user=None, player__erased_at=None, player__merged_into=None,
        refusals__lt=MOST_REFUSALS,
    ).exclude(email="")  # fmt: skip
    return {row.player_id: row.email for row in contacts if kind not in row.stopped}


def confirmation_token(link: PersonalLink, action: str, facts: JsonDict, *, email: str) -> str:
    return signing.dumps([link.pk, action, facts, token_digest(email)], salt=_SALT, compress=True)


def find_confirmation(token: str) -> tuple[PersonalLink, str, JsonDict] | None:
    """Return what a mailed token confirms: the action of the link's player, with its facts.

    None where it is too old, where the link was revoked meanwhile, and where the player's address
    is another one by now.
    """
    try:
        pk, action, facts, digest = signing.loads(token, salt=_SALT, max_age=CHALLENGE_LASTS)
        if action != "challenge":
            signing.loads(token, salt=_SALT, max_age=CONFIRMATION_LASTS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    row = PersonalLink.objects.filter(pk=pk, revoked_at=None).first()
    link = find_personal_link(printable_token(row)) if row is not None else None
    if link is None:
        return None
    contact = get_contact(link.player)
    # Anybody with the link may ask for a new address: it confirms itself as the first one alone.
    address = contact.email or (contact.new_email if action == "address" else "")
    return (link, action, facts) if address and digest == token_digest(address) else None


def site_address(path: str) -> str:
    return f"{settings.SITE_URL}{path}" if path else ""
