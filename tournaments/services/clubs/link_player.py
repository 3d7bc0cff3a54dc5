"""Link an account to a player of a club: by a director, or by a claim that a director confirms."""

import uuid
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import ClaimState, PlayerClaim
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.pending_invitations import revoke_of_players
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def link_player(*, actor: Actor, club: Club, player: Player, user: User, now: datetime) -> Player:
    require(actor, club, "link_players")
    lock_club(club)
    if not Membership.objects.filter(club=club, user=user).exists():
        raise Refused(Problem("not_a_member", ("member",)))
    return link_account(actor=actor, club=club, player=player, user=user, now=now)


@atomic_act
def unlink_player(*, actor: Actor, club: Club, player: Player, now: datetime) -> Player:
    """Unlink the account of a player; the member keeps their role. Without one, nothing happens."""
    require(actor, club, "link_players")
    lock_club(club)
    locked = lock_player(club, player)
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
    """
    lock_club(club)
    locked = lock_player(club, player)
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
    player = Player.objects.select_for_update(no_key=True).filter(club=club, user=user_id).first()
    if player is not None:
        Player.objects.filter(pk=player.pk).update(user=None)
        player.user = None
        _audit(actor, player, "unlink_player", {"user": user_id}, now)
    return player


def lock_club(club: Club) -> None:
    """Lock the row of a club, so that acts about its people follow each other."""
    list(Club.objects.select_for_update(no_key=True).filter(pk=club.pk).values_list("pk"))


def require_whole(player: Player) -> None:
    facts: dict[str, int | str] = {"player": player.player_id}
    if player.erased_at is not None:
        raise Conflict(Problem("player_is_erased", ("player_id",), facts))
    if player.merged_into is not None:
        facts["into"] = player.merged_into.player_id
        raise Conflict(Problem("player_is_merged", ("player_id",), facts))


def require_linkable(player: Player) -> None:
    require_whole(player)
    if player.user_id is not None:
        raise Conflict(Problem("player_is_linked", ("player_id",), {"player": player.player_id}))


def require_no_player(club: Club, user_id: int) -> None:
    for player in Player.objects.filter(club=club, user=user_id):
        raise Conflict(Problem("account_is_linked", ("member",), {"player": player.player_id}))


def lock_player(club: Club, player: Player) -> Player:
    """Return a player of a club as it is now, locked, with the one it was merged into."""
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("merged_into").filter(club=club, pk=player.pk).first()
    if locked is None:
        raise Missing("player", {"player": player.player_id})
    return locked


def _decide_claims(actor: Actor, player: Player, now: datetime) -> list[str]:
    """Decide the pending claims of a linked player and of their account; returns their ids."""
    claims = PlayerClaim.objects.filter(club_id=player.club_id, state=ClaimState.PENDING)
    about = claims.filter(player=player) | claims.filter(user=player.user_id)
    decided = list(about.order_by("pk"))
    for claim in decided:
        is_theirs = (claim.player_id, claim.user_id) == (player.pk, player.user_id)
        claim.state = ClaimState.CONFIRMED if is_theirs else ClaimState.REJECTED
        claim.decided_by_id, claim.decided_at = actor.user_id, now
    PlayerClaim.objects.bulk_update(decided, ["state", "decided_by", "decided_at"])
    return [str(claim.public_id) for claim in decided]


def _audit(actor: Actor, player: Player, act: str, facts: dict[str, object], now: datetime) -> None:
    subject = f"player:{player.player_id}"
    append_audit(player.club, actor, act, subject, facts=facts, now=now)


def claim_act() -> str:
    """Return the act of a claim: a member's; with open sign-up that of any account."""
    return "own_account" if settings.SIGN_UP == "open" else "edit_own_player"


@atomic_act
def claim_player(*, actor: Actor, club: Club, player: Player, now: datetime) -> PlayerClaim:
    """Claim a player for the actor's own account; the pending claim of that player stays."""
    require(actor, club, claim_act())
    if actor.user_id is None:
        raise Forbidden(claim_act())
    lock_club(club)
    rows = Player.objects.select_related("merged_into").filter(club=club, pk=player.pk)
    claimed = rows.first()
    if claimed is None:
        raise Missing("player", {"player": player.player_id})
    require_linkable(claimed)
    require_no_player(club, actor.user_id)
    claims = PlayerClaim.objects.select_related("player").filter(club=club, user=actor.user_id)
    pending = claims.filter(state=ClaimState.PENDING).first()
    if pending is not None:
        if pending.player_id == claimed.pk:
            return pending
        facts = {"player": pending.player.player_id}
        raise Conflict(Problem("claim_pending", ("player_id",), facts))
    claim = PlayerClaim.objects.create(
        club=club, player=claimed, user_id=actor.user_id, created_at=now
    )
    _audit_claim(actor, claim, "claim_player", now)
    return claim


@atomic_act
def confirm_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Link the account of a claim to its player; other pending claims of the two are rejected."""
    require(actor, club, "link_players")
    lock_club(club)
    claim = _get_pending(PlayerClaim.objects.filter(club=club), claim_id)
    user = User.objects.get(pk=claim.user_id)
    link_account(actor=actor, club=club, player=claim.player, user=user, now=now)
    claim.refresh_from_db()
    return claim


@atomic_act
def reject_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Reject a claim; the account may claim another player, or this one again."""
    require(actor, club, "link_players")
    lock_club(club)
    claim = _get_pending(PlayerClaim.objects.filter(club=club), claim_id)
    return _decide(actor, claim, ClaimState.REJECTED, "reject_claim", now)


@atomic_act
def withdraw_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Withdraw one's own claim. That of anybody else is not there."""
    require(actor, club, "own_account")
    lock_club(club)
    claim = _get_pending(PlayerClaim.objects.filter(club=club, user=actor.user_id), claim_id)
    return _decide(actor, claim, ClaimState.WITHDRAWN, "withdraw_claim", now)


def _get_pending(claims: QuerySet[PlayerClaim], claim_id: uuid.UUID) -> PlayerClaim:
    claim = claims.select_related("player", "club").filter(public_id=claim_id).first()
    if claim is None:
        raise Missing("claim", {"claim": str(claim_id)})
    if claim.state != ClaimState.PENDING:
        raise Conflict(Problem("claim_is_decided", facts={"state": claim.state}))
    return claim


def _decide(
    actor: Actor, claim: PlayerClaim, to: ClaimState, act: str, now: datetime
) -> PlayerClaim:
    claim.state, claim.decided_by_id, claim.decided_at = to, actor.user_id, now
    claim.save(update_fields=["state", "decided_by", "decided_at"])
    _audit_claim(actor, claim, act, now)
    return claim


def _audit_claim(actor: Actor, claim: PlayerClaim, act: str, now: datetime) -> None:
    append_audit(
        claim.club,
        actor,
        act,
        f"player:{claim.player.player_id}",
        facts={"claim": str(claim.public_id), "user": claim.user_id},
        now=now,
    )
