"""Asking to be erased, by the person; an owner confirms (erase_player.py) or declines."""

from datetime import datetime

from django.db import IntegrityError, transaction

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.privacy import Erasure
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act


@atomic_act
def ask_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    """Ask that one's own name be erased in a club.

    Raises:
        Forbidden: edit_own_player; also for who is another player.
        Conflict: player_is_erased, erasure_asked.
    """
    require(actor, club, "edit_own_player")
    locked = Player.objects.select_for_update(no_key=True).filter(pk=player.pk).first()
    if locked is None or actor.user_id is None or locked.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    facts: dict[str, int | str] = {"player": locked.player_id}
    if locked.erased_at is not None:
        raise Conflict(Problem("player_is_erased", facts=facts))
    try:
        with transaction.atomic():
            asked = Erasure.objects.create(
                club=club, player=locked, asked_by_id=actor.user_id, asked_at=now
            )
    except IntegrityError as there:
        raise Conflict(Problem("erasure_asked", facts=facts)) from there
    _audit(actor, club, asked, "ask_erasure", now)
    return asked


@atomic_act
def withdraw_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    """Withdraw one's own request.

    Raises:
        Forbidden: edit_own_player; also for who is another player.
        Missing: unknown_erasure.
    """
    require(actor, club, "edit_own_player")
    if actor.user_id is None or player.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    return _decline(actor, club, player, "withdraw_erasure", now)


@atomic_act
def decline_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    """Decline a request, as an owner.

    Raises:
        Forbidden: erase_player.
        Missing: unknown_erasure.
    """
    require(actor, club, "erase_player")
    return _decline(actor, club, player, "decline_erasure", now)


def _decline(actor: Actor, club: Club, player: Player, act: str, now: datetime) -> Erasure:
    pending = Erasure.objects.select_for_update(no_key=True, of=("self",)).filter(
        club=club, player=player, erased_at=None, declined_at=None
    )
    asked = pending.select_related("player").first()
    if asked is None:
        raise Missing("erasure", {"player": player.player_id})
    asked.declined_at, asked.decided_by_id = now, actor.user_id
    asked.save(update_fields=["declined_at", "decided_by"])
    _audit(actor, club, asked, act, now)
    return asked


def _audit(actor: Actor, club: Club, asked: Erasure, act: str, now: datetime) -> None:
    append_audit(
        club=club,
        actor=actor,
        act=act,
        subject=f"player:{asked.player.player_id}",
        facts={"erasure": str(asked.public_id)},
        now=now,
    )
