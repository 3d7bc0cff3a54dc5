""" "This is me": an account claims a player without one; a director confirms or rejects it.

All acts lock the club's row first, as linking does: of two claims of one player one is confirmed.
"""

import uuid
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.invitations import ClaimState, PlayerClaim
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.link_player import (
    link_account,
    lock_club,
    require_linkable,
    require_no_player,
)
from tournaments.services.db.transactions import atomic_act


def claim_act() -> str:
    """Return the act of a claim: a member's; with open sign-up that of any account."""
    return "own_account" if settings.SIGN_UP == "open" else "edit_own_player"


@atomic_act
def claim_player(*, actor: Actor, club: Club, player: Player, now: datetime) -> PlayerClaim:
    """Claim a player for the actor's own account; the pending claim of that player stays.

    Raises:
        Forbidden: `claim_act`.
        Missing: unknown_player, where the player was removed meanwhile.
        Conflict: player_is_erased, player_is_merged, player_is_linked, account_is_linked,
            claim_pending.
    """
    require(actor, club, claim_act())
    if actor.user_id is None:
        raise Forbidden(claim_act())
    lock_club(club)
    found = Player.objects.select_related("merged_into").filter(club=club, pk=player.pk).first()
    if found is None:
        raise Missing("player", {"player": player.player_id})
    require_linkable(found)
    require_no_player(club, actor.user_id)
    own = PlayerClaim.objects.select_related("player").filter(club=club, user=actor.user_id)
    pending = own.filter(state=ClaimState.PENDING).first()
    if pending is not None:
        if pending.player_id == found.pk:
            return pending
        facts = {"player": pending.player.player_id}
        raise Conflict(Problem("claim_pending", ("player_id",), facts))
    claim = PlayerClaim.objects.create(
        club=club, player=found, user_id=actor.user_id, created_at=now
    )
    _audit(actor, club, claim, "claim_player", now)
    return claim


@atomic_act
def confirm_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Link the account of a claim to its player; other pending claims of the two are rejected.

    Raises:
        Forbidden: link_players.
        Missing: unknown_claim.
        Conflict: claim_is_decided, and as `link_account`.
    """
    require(actor, club, "link_players")
    lock_club(club)
    claim = _pending(PlayerClaim.objects.filter(club=club), claim_id)
    user = User.objects.get(pk=claim.user_id)
    link_account(actor=actor, club=club, player=claim.player, user=user, now=now)
    claim.refresh_from_db()
    return claim


@atomic_act
def reject_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Reject a claim; the account may claim another player, or this one again.

    Raises:
        Forbidden: link_players.
        Missing: unknown_claim.
        Conflict: claim_is_decided.
    """
    require(actor, club, "link_players")
    lock_club(club)
    claim = _pending(PlayerClaim.objects.filter(club=club), claim_id)
    return _decide(actor, club, claim, ClaimState.REJECTED, "reject_claim", now)


@atomic_act
def withdraw_claim(*, actor: Actor, club: Club, claim_id: uuid.UUID, now: datetime) -> PlayerClaim:
    """Withdraw one's own claim. That of anybody else is not there.

    Raises:
        Forbidden: own_account, by the scope of a token.
        Missing: unknown_claim.
        Conflict: claim_is_decided.
    """
    require(actor, club, "own_account")
    lock_club(club)
    own = PlayerClaim.objects.filter(club=club, user=actor.user_id)
    claim = _pending(own, claim_id)
    return _decide(actor, club, claim, ClaimState.WITHDRAWN, "withdraw_claim", now)


def _pending(claims: QuerySet[PlayerClaim], claim_id: uuid.UUID) -> PlayerClaim:
    """Return the pending one of these claims that has the id.

    Raises:
        Missing: unknown_claim.
        Conflict: claim_is_decided.
    """
    claim = claims.select_related("player").filter(public_id=claim_id).first()
    if claim is None:
        raise Missing("claim", {"claim": str(claim_id)})
    if claim.state != ClaimState.PENDING:
        raise Conflict(Problem("claim_is_decided", facts={"state": claim.state}))
    return claim


def _decide(
    actor: Actor, club: Club, claim: PlayerClaim, to: ClaimState, act: str, now: datetime
) -> PlayerClaim:
    claim.state, claim.decided_by_id, claim.decided_at = to, actor.user_id, now
    claim.save(update_fields=["state", "decided_by", "decided_at"])
    _audit(actor, club, claim, act, now)
    return claim


def _audit(actor: Actor, club: Club, claim: PlayerClaim, act: str, now: datetime) -> None:
    append_audit(
        club=club,
        actor=actor,
        act=act,
        subject=f"player:{claim.player.player_id}",
        facts={"claim": str(claim.public_id), "user": claim.user_id},
        now=now,
    )
