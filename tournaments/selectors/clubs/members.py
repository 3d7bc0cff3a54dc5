"""Members of a club, their linked players, pending claims, and pasted lists of people."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import sort_key
from tournaments.errors import Missing, first_or_missing
from tournaments.models.access import (
    MOST_REFUSALS,
    VOUCHED,
    ClaimState,
    Contact,
    PlayerClaim,
)
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.db.statements import RenderedRows

UNDO: Final = "undo_paste_players"


def account_name(user: User) -> str:
    """Return what a member is called on pages: the full name where there is one, else the login."""
    return user.get_full_name() or user.get_username()


def unlinked_members(club: Club) -> Sequence[Membership]:
    players = Player.objects.filter(club=club, user=OuterRef("user"))
    rows = Membership.objects.filter(~Exists(players), club=club, user__is_active=True)
    return sorted(
        rows.select_related("user"), key=lambda row: (sort_key(row.label), row.user.get_username())
    )


def get_linked_member(player: Player) -> Membership | None:
    if player.user_id is None:
        return None
    rows = Membership.objects.filter(club=player.club_id, user=player.user_id)
    return rows.select_related("user").first()


def find_user_of_member(club: Club, member_id: str) -> User | None:
    try:
        public_id = UUID(member_id)
    except ValueError:
        return None
    return User.objects.filter(
        club_memberships__club=club, club_memberships__public_id=public_id
    ).first()


def list_refused_contacts(clubs: Iterable[Club] | Iterable[int]) -> QuerySet[Contact]:
    """Return the contacts of clubs whose address gets no more mails, by name of the player."""
    rows = Contact.objects.filter(
        club__in=clubs,
        refusals__gte=MOST_REFUSALS,
        player__erased_at=None,
        player__merged_into=None,
    ).exclude(email="")
    return rows.select_related("player").order_by("player__sort_key", "player__player_id")


def list_contacts_by_link(clubs: Iterable[Club] | Iterable[int]) -> QuerySet[Contact]:
    """Return the contacts of clubs whose address waits for a director, the oldest first.

    It came by a personal link alone, and its player has no account.
    """
    contacts = Contact.objects.filter(
        ~VOUCHED | Q(origin_at=None),
        club__in=clubs,
        player__user=None,
        player__erased_at=None,
        player__merged_into=None,
    ).exclude(email="")
    return contacts.select_related("player").order_by("consent_at", "pk")


def account_of(actor: Actor) -> User:
    return User.objects.get(pk=actor.user_id or 0)


def find_own_player(actor: Actor, club: Club) -> Player | None:
    """Return the player that the actor is in a club, by their account or a personal link."""
    if actor.person is not None and actor.club_id == club.pk:
        return Player.objects.filter(club=club, pk=actor.person.player_id).first()
    if actor.user_id is None or actor.club_id not in (None, club.pk):
        return None
    return Player.objects.filter(club=club, user=actor.user_id).first()


def get_linked_name(actor: Actor, club: Club | None = None) -> str:
    """Return the name of the player that the actor's account is: in `club`, or in the first club
    by its name; "" where it is none. At most one query."""
    if actor.user_id is None:
        return ""
    players = Player.objects.filter(user=actor.user_id, merged_into=None, erased_at=None)
    if club is not None:
        players = players.filter(club=club)
    return players.order_by("club__name", "pk").values_list("name", flat=True).first() or ""


def list_players_of_account(actor: Actor) -> Sequence[Player]:
    """Return the players that the actor's account is, each with its club, by the club's name."""
    if actor.user_id is None:
        return ()
    players = Player.objects.filter(user=actor.user_id, merged_into=None)
    return tuple(players.select_related("club").order_by("club__name", "pk"))


def find_own_pending_claim(actor: Actor, club: Club) -> PlayerClaim | None:
    if actor.user_id is None or actor.club_id not in (None, club.pk):
        return None
    rows = PlayerClaim.objects.filter(club=club, user=actor.user_id, state=ClaimState.PENDING)
    claims = claim_rows(rows.select_related("player", "user"), is_member=_is_member(club))
    return claims[0] if claims else None


def list_pending_claims(club: Club) -> Sequence[PlayerClaim]:
    """Return the pending claims, oldest first; none for actors who may not decide them.

    `club` comes from `selectors.clubs.clubs.club_at`. One query for those who may, none for others.
    """
    if not may_do(club, "link_players"):
        return ()
    rows = PlayerClaim.objects.filter(club=club, state=ClaimState.PENDING)
    rows = rows.select_related("player", "user").order_by("created_at", "pk")
    return claim_rows(rows, is_member=True)


def list_claims_for(actor: Actor, club: Club) -> RenderedRows:
    """Return the claims of a club that the actor may read, oldest first."""
    rows = PlayerClaim.objects.filter(club=club).order_by("created_at", "public_id")
    if not may_do(club, "link_players"):
        if actor.user_id is not None:
            rows = rows.filter(user=actor.user_id)
        else:
            rows = rows.none()
    render = partial(claim_rows, is_member=_is_member(club))
    return RenderedRows(rows.select_related("player", "user"), render)


def claim_rows(claims: Iterable[PlayerClaim], *, is_member: bool) -> list[PlayerClaim]:
    """Return claims as pages and REST show them, read with player and user."""
    rows = list(claims)
    for claim in rows:
        claim.player_name = claim.player.name if is_member else claim.player.public_name
        claim.account_name = account_name(claim.user)
    return rows


def get_claim(club: Club, public_id: UUID) -> PlayerClaim:
    claims = PlayerClaim.objects.select_related("club", "player", "user").filter(club=club)
    return first_or_missing(claims.filter(public_id=public_id), "claim", claim=str(public_id))


def claim_row(club: Club, claim: PlayerClaim) -> PlayerClaim:
    return claim_rows([claim], is_member=_is_member(club))[0]


def _is_member(club: Club) -> bool:
    return may_do(club, "read_members")


STRONGEST_FIRST = tuple(reversed(Role.values))


def list_members(club: Club) -> Sequence[Membership]:
    """Return the members of a club, owners first, then by name; two queries."""
    linked = Player.objects.filter(club=club, user__isnull=False).only("user", "player_id", "name")
    players = {player.user_id: player for player in linked}
    members = list(Membership.objects.filter(club=club).select_related("user"))
    owners = [member for member in members if member.role == Role.OWNER and member.user.is_active]
    for member in members:
        member.club, member.player = club, players.get(member.user_id)
        member.is_last_owner = owners == [member]
    place = STRONGEST_FIRST.index
    return sorted(
        members, key=lambda member: (place(member.role), sort_key(member.label), member.pk)
    )


def has_owner(club: Club) -> bool:
    owned = Membership.objects.filter(club=club, role=Role.OWNER)
    return owned.filter(user__is_active=True).exists()


def get_member(club: Club, public_id: UUID) -> Membership:
    for member in list_members(club):
        if member.public_id == public_id:
            return member
    raise Missing("membership")


def member_tag(member: Membership) -> str:
    return mark_of_text(member.role)


PASTE: Final = "paste_players"


def get_pasted_line(club: Club, number: int) -> AuditLine:
    rows = AuditLine.objects.filter(club=club, act=PASTE, number=number)
    line = first_or_missing(rows, "roster", number=number)
    line.club = club
    return line


def list_pasted_players(line: AuditLine) -> Sequence[Player]:
    rows = Player.objects.filter(club=line.club_id, pk__in=line.facts["rows"])
    return tuple(rows.order_by("player_id"))


def pasted_addresses(line: AuditLine) -> QuerySet[Contact]:
    """Return the addresses of a list that were not changed since, which its undo deletes."""
    players = line.facts.get("addresses", [])
    return Contact.objects.filter(club=line.club_id, player__in=players, consent_at=line.at)


def is_undone(line: AuditLine) -> bool:
    later = AuditLine.objects.filter(club=line.club_id, act=UNDO, number__gt=line.number)
    return later.filter(facts__undoes=line.number).exists()
