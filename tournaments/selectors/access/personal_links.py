"""Which player a personal link opens, its secret, and the contacts of a club's players."""

from datetime import date, timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.core import signing
from django.db.models import F, Q, QuerySet
from django.urls import reverse

from scoring.json_types import JsonDict
from tournaments.models.access import (
    MOST_REFUSALS,
    PERSONAL_LINKS,
    AddressOrigin,
    Contact,
    FillInRequest,
    PersonalLink,
    personal_token,
    token_digest,
)
from tournaments.models.clubs import Club, Player
from tournaments.policy import CONFIRMED, PERSON, REACHED, Actor, OpenedPlayer

CONFIRMATION_LASTS: Final = timedelta(hours=24)
"""How long the link of a mail confirms what was asked for."""
CHALLENGE_LASTS: Final = timedelta(days=60)
"""How long the link of a mail about a challenge works, which its deadlines end earlier."""


class Confirmation(NamedTuple):
    """What the link of a mail confirms; `digest` is that of the address that the mail went to."""

    link: PersonalLink
    action: str
    facts: JsonDict
    digest: str


def printable_token(link: PersonalLink | FillInRequest) -> str:
    """Return the token of a link; "" if the server's key has changed."""
    token = personal_token(link.seed)
    return token if token_digest(token) == link.token_digest else ""


def personal_path(link: PersonalLink | None, page: str = "my-evening", *args: object) -> str:
    """Return the address of a page of a personal link below the site; "" without a link."""
    token = printable_token(link) if link is not None else ""
    if not token:
        return ""
    return reverse(f"tournaments:{page}", args=(token, *args))


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


def find_link_of_mail(pk: int) -> PersonalLink | None:
    """Return the personal link, by its row, that the token of a mail was made for, if it works."""
    row = PersonalLink.objects.filter(pk=pk, revoked_at=None).first()
    if row is None:
        return None
    return find_personal_link(printable_token(row))


def kept_player(player: Player) -> Player:
    """Return the player into whom a merged one went at last; others are returned as they are."""
    visited = {player.pk}
    while (target := player.merged_into) is not None and target.pk not in visited:
        visited.add(target.pk)
        player = target
    return player


def person_with_link(
    link: PersonalLink, *, role: str = PERSON, evening: date | None = None
) -> Actor:
    """Return who acts with a personal link, in the club of its player alone.

    Args:
        role: a stronger one in a request that a mail confirms, a weaker one with a short code.
        evening: the only day whose evenings are theirs.
    """
    return Actor(
        "person",
        name=link.player.name,
        club_id=link.player.club_id,
        person=OpenedPlayer(link.pk, link.player_id, role, evening),
    )


def person_with_mail(confirmation: "Confirmation") -> Actor:
    """Return who acts with the link of a mail: what it may do depends on the mail's address."""
    is_vouched = get_contact(confirmation.link.player).is_vouched
    role = CONFIRMED if is_vouched else REACHED
    return person_with_link(confirmation.link, role=role)


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


def is_for_address(link: PersonalLink, contact: Contact) -> bool:
    """Whether mails to an address may hold a personal link.

    An address that came by a link alone gets none that was made later: whoever found the one before
    may read it.
    """
    if contact.is_vouched:
        return True
    return contact.consent_at is not None and link.made_at <= contact.consent_at


def find_mailed_link(contact: Contact) -> PersonalLink | None:
    """Return the working link of a player for the mails to their address; None without one."""
    link = find_working_link(contact.player)
    return link if link is not None and is_for_address(link, contact) else None


def list_mailable_links(club: Club) -> QuerySet[PersonalLink]:
    """Return the working links of players without an account that a mail may take to them."""
    came_by_it = Q(made_at__lte=F("player__contact__consent_at"))
    is_vouched = Q(
        ~Q(player__contact__origin=AddressOrigin.LINK),
        player__contact__origin_at=F("player__contact__consent_at"),
    )
    links = list_working_personal_links(club).filter(
        is_vouched | came_by_it, player__user=None, player__contact__refusals__lt=MOST_REFUSALS
    )
    return links.exclude(player__contact__email="")


def find_person(label: str) -> frozenset[int]:
    """Return the player, by its row, of an actor's label `person:<link>`; empty for any other."""
    kind, _colon, number = label.partition(":")
    if kind != "person" or not number.isdecimal():
        return frozenset()
    links = PersonalLink.objects.filter(pk=int(number))
    return frozenset(links.values_list("player_id", flat=True))


def confirming_address(contact: Contact, link: PersonalLink, action: str) -> str:
    """Return the address whose mailbox confirms an action of `ACTIONS`; "" where there is none.

    A new address needs the mailbox of the one before. It confirms itself where it is the first one,
    or the one before came by a former link alone. All else needs an address that the club vouches
    for, as anybody who finds the link can enter one.
    """
    if action != "address":
        return contact.email if contact.is_vouched else ""
    if contact.email and is_for_address(link, contact):
        return contact.email
    return contact.new_email


def confirmation_token(link: PersonalLink, action: str, facts: JsonDict, *, email: str) -> str:
    return signing.dumps(
        [link.pk, action, facts, token_digest(email)], salt=PERSONAL_LINKS, compress=True
    )


def find_confirmation(token: str) -> Confirmation | None:
    """Return what a mailed token confirms for the player of its link.

    None where it is too old, where the link was revoked meanwhile, and where the address of the
    mail confirms such an action no more.
    """
    try:
        pk, action, facts, digest = signing.loads(
            token, salt=PERSONAL_LINKS, max_age=CHALLENGE_LASTS
        )
        if action != "challenge":
            signing.loads(token, salt=PERSONAL_LINKS, max_age=CONFIRMATION_LASTS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    link = find_link_of_mail(pk)
    if link is None:
        return None
    address = confirming_address(get_contact(link.player), link, action)
    if not address or digest != token_digest(address):
        return None
    return Confirmation(link, action, facts, digest)


def site_address(path: str) -> str:
    return f"{settings.SITE_URL}{path}" if path else ""
