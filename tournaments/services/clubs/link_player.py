"""Linking an account to a player of a club, so that the person acts for themselves.

Each act locks the club's row first, so that two of them in one club follow each other, and finds
accounts, players and claims as they are then.
"""

from datetime import datetime

from django.contrib.auth.models import User

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.models.invitations import ClaimState, PlayerClaim
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.pending_invitations import revoke_of_players
from tournaments.services.db.transactions import atomic_act


@atomic_act
def link_player(*, actor: Actor, club: Club, player: Player, user: User, now: datetime) -> Player:
    """Link a member's account to a player, by a director or an owner.

    Raises:
        Forbidden: link_players.
        Refused: not_a_member.
        Missing, Conflict: as `link_account`.
    """
    require(actor, club, "link_players")
    lock_club(club)
    if not Membership.objects.filter(club=club, user=user).exists():
        raise Refused(Problem("not_a_member", ("member",)))
    return link_account(actor=actor, club=club, player=player, user=user, now=now)


@atomic_act
def unlink_player(*, actor: Actor, club: Club, player: Player, now: datetime) -> Player:
    """Unlink the account of a player; the member keeps their role. Without one, nothing happens.

    Raises:
        Forbidden: link_players.
        Missing: unknown_player, where the player was removed meanwhile.
    """
    require(actor, club, "link_players")
    lock_club(club)
    locked = _locked(club, player)
    if locked.user_id is not None:
        unlink_account(actor=actor, club=club, user_id=locked.user_id, now=now)
        locked.user_id = None
    return locked


@atomic_act
def link_account(*, actor: Actor, club: Club, player: Player, user: User, now: datetime) -> Player:
    """Link an account to a player and make it a member, for callers that checked the right.

    Whoever has a role in the club keeps it. Pending claims that this answers are decided: the
    account's own claim of this player is confirmed, all others of the two are rejected; a pending
    invitation of the player is revoked. An account that is this player already stays so, and
    nothing is written.

    Raises:
        Missing: unknown_player, where the player was removed meanwhile.
        Conflict: player_is_erased, player_is_merged, player_is_linked, account_is_linked.
    """
    lock_club(club)
    locked = _locked(club, player)
    if locked.user_id == user.pk:
        return locked
    require_linkable(locked)
    require_no_player(club, user.pk)
    facts: dict[str, object] = {"user": user.pk}
    _member, joined = Membership.objects.get_or_create(
        club=club, user=user, defaults={"role": Role.PLAYER, "joined_at": now}
    )
    if joined:
        facts["role"] = Role.PLAYER.value
    Player.objects.filter(pk=locked.pk).update(user=user)
    locked.user = user
    if decided := _decide_claims(actor, locked, now):
        facts["claims"] = decided
    if revoked := revoke_of_players([locked], now):
        facts["invitations"] = revoked
    _audit(actor, locked, "link_player", facts, now)
    return locked


@atomic_act
def unlink_account(*, actor: Actor, club: Club, user_id: int, now: datetime) -> Player | None:
    """Unlink an account from its player in a club, for callers that checked the right.

    Returns:
        The player it was, if any.
    """
    lock_club(club)
    own = Player.objects.select_for_update(no_key=True).filter(club=club, user=user_id).first()
    if own is not None:
        Player.objects.filter(pk=own.pk).update(user=None)
        own.user = None
        _audit(actor, own, "unlink_player", {"user": user_id}, now)
    return own


def lock_club(club: Club) -> None:
    """Lock the row of a club, so that acts about its people follow each other."""
    list(Club.objects.select_for_update(no_key=True).filter(pk=club.pk).values_list("pk"))


def require_linkable(player: Player) -> None:
    """Refuse a player who cannot be given an account.

    Raises:
        Conflict: player_is_erased, player_is_merged, player_is_linked.
    """
    facts: dict[str, int | str] = {"player": player.player_id}
    if player.erased_at is not None:
        raise Conflict(Problem("player_is_erased", ("player_id",), facts))
    if player.merged_into is not None:
        facts["into"] = player.merged_into.player_id
        raise Conflict(Problem("player_is_merged", ("player_id",), facts))
    if player.user_id is not None:
        raise Conflict(Problem("player_is_linked", ("player_id",), facts))


def require_no_player(club: Club, user_id: int) -> None:
    """Refuse an account that is a player of the club already.

    Raises:
        Conflict: account_is_linked.
    """
    own = Player.objects.filter(club=club, user=user_id).first()
    if own is not None:
        facts = {"player": own.player_id}
        raise Conflict(Problem("account_is_linked", ("member",), facts))


def _locked(club: Club, player: Player) -> Player:
    """Return a player with the row locked, as it is now.

    Raises:
        Missing: unknown_player.
    """
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    found = rows.select_related("merged_into").filter(club=club, pk=player.pk).first()
    if found is None:
        raise Missing("player", {"player": player.player_id})
    return found


def _decide_claims(actor: Actor, player: Player, now: datetime) -> list[str]:
    """Decide the pending claims of a linked player and of their account; returns their ids."""
    claims = PlayerClaim.objects.filter(club_id=player.club_id, state=ClaimState.PENDING)
    about = claims.filter(player=player) | claims.filter(user=player.user_id)
    decided = []
    for claim in about.order_by("pk"):
        is_theirs = (claim.player_id, claim.user_id) == (player.pk, player.user_id)
        state = ClaimState.CONFIRMED if is_theirs else ClaimState.REJECTED
        changes = {"state": state, "decided_by": actor.user_id, "decided_at": now}
        PlayerClaim.objects.filter(pk=claim.pk).update(**changes)
        decided.append(str(claim.public_id))
    return decided


def _audit(actor: Actor, player: Player, act: str, facts: dict[str, object], now: datetime) -> None:
    subject = f"player:{player.player_id}"
    append_audit(club=player.club, actor=actor, act=act, subject=subject, facts=facts, now=now)
