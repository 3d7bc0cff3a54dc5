"""Accounts of a club and the players that they are linked to, and pending claims.

For directors, and for whoever asks about their own account: the views check that first.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from tournaments.domain.imports.name_matching import folded
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.invitations import ClaimState, PlayerClaim
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.db.raw_pagination import RenderedRows


@dataclass(frozen=True, slots=True)
class MemberAccount:
    """A member of a club as directors choose one."""

    id: uuid.UUID
    username: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim of a player, with the name of the account that made it."""

    id: uuid.UUID
    player_id: str
    player: str
    username: str
    name: str
    state: str
    created_at: datetime
    decided_at: datetime | None


def account_name(user: User) -> str:
    """Return what a member is called on pages: the full name where there is one, else the login."""
    return user.get_full_name() or user.get_username()


def unlinked_members(club: Club) -> Sequence[MemberAccount]:
    """Return the members of a club whose account is no player of it, by name; one query."""
    own = Player.objects.filter(club=club, user=OuterRef("user"))
    rows = Membership.objects.filter(~Exists(own), club=club, user__is_active=True)
    found = [_account(row) for row in rows.select_related("user")]
    return sorted(found, key=lambda one: (folded(one.name), one.username))


def linked_member(player: Player) -> MemberAccount | None:
    """Return the member that a player is, if any; one query."""
    if player.user_id is None:
        return None
    rows = Membership.objects.filter(club=player.club_id, user=player.user_id)
    row = rows.select_related("user").first()
    return _account(row) if row is not None else None


def user_of_member(club: Club, member_id: str) -> User | None:
    """Return the account of the member of a club with this id, if there is one."""
    try:
        wanted = uuid.UUID(member_id)
    except ValueError:
        return None
    row = Membership.objects.filter(club=club, public_id=wanted).select_related("user").first()
    return row.user if row is not None else None


def account_of(actor: Actor) -> User:
    """Return the account of an actor who has one."""
    return User.objects.get(pk=actor.user_id or 0)


def own_player(actor: Actor, club: Club) -> Player | None:
    """Return the player of a club that the actor's account is linked to; one query."""
    if actor.user_id is None or actor.club_id not in (None, club.pk):
        return None
    return Player.objects.filter(club=club, user=actor.user_id).first()


def linked_name(actor: Actor, club: Club | None = None) -> str:
    """Return the name of the player that the actor's account is: in `club`, or in the first club
    by its name; "" where it is none. At most one query."""
    if actor.user_id is None:
        return ""
    found = Player.objects.filter(user=actor.user_id, merged_into=None, erased_at=None)
    if club is not None:
        found = found.filter(club=club)
    return found.order_by("club__name", "pk").values_list("name", flat=True).first() or ""


def players_of_account(actor: Actor) -> Sequence[Player]:
    """Return the players that the actor's account is, each with its club, by the club's name."""
    if actor.user_id is None:
        return ()
    found = Player.objects.filter(user=actor.user_id, merged_into=None)
    return tuple(found.select_related("club").order_by("club__name", "pk"))


def own_pending_claim(actor: Actor, club: Club) -> ClaimRow | None:
    """Return the actor's own claim that waits for an answer; one query."""
    if actor.user_id is None or actor.club_id not in (None, club.pk):
        return None
    rows = PlayerClaim.objects.filter(club=club, user=actor.user_id, state=ClaimState.PENDING)
    claims = claim_rows(rows.select_related("player", "user"), is_member=_is_member(club))
    return claims[0] if claims else None


def pending_claims(club: Club) -> Sequence[ClaimRow]:
    """Return the claims that wait for a director, oldest first; none for who may not decide.

    `club` comes from `selectors.clubs.clubs.club_at`. One query for who may, none for others.
    """
    if not may_do(club, "link_players"):
        return ()
    rows = PlayerClaim.objects.filter(club=club, state=ClaimState.PENDING)
    found = rows.select_related("player", "user").order_by("created_at", "pk")
    return claim_rows(found, is_member=True)


def claims_for(actor: Actor, club: Club) -> RenderedRows:
    """Return the claims of a club that the actor may read, oldest first.

    Directors and owners read all, anybody else their own.
    """
    rows = PlayerClaim.objects.filter(club=club).order_by("created_at", "public_id")
    if not may_do(club, "link_players"):
        rows = rows.filter(user=actor.user_id) if actor.user_id is not None else rows.none()
    named = partial(claim_rows, is_member=_is_member(club))
    return RenderedRows(rows.select_related("player", "user"), named)


def claim_rows(claims: Iterable[PlayerClaim], *, is_member: bool) -> list[ClaimRow]:
    """Return claims as pages and REST show them, read with player and user.

    Args:
        is_member: whether the reader is in the club, and reads full names of its players.
    """
    return [
        ClaimRow(
            id=claim.public_id,
            player_id=claim.player.player_id,
            player=claim.player.name if is_member else claim.player.public_name,
            username=claim.user.get_username(),
            name=account_name(claim.user),
            state=claim.state,
            created_at=claim.created_at,
            decided_at=claim.decided_at,
        )
        for claim in claims
    ]


def _is_member(club: Club) -> bool:
    return may_do(club, "read_members")


def _account(row: Membership) -> MemberAccount:
    user = row.user
    return MemberAccount(row.public_id, user.get_username(), account_name(user), row.role)
