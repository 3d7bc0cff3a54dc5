"""Tells who sat at a table what others did with its hands."""

from datetime import datetime

from tournaments.models.disputes import Dispute
from tournaments.models.hands import Game, Hand
from tournaments.policy import Actor
from tournaments.selectors.events.accounts import accounts_at_table
from tournaments.services.notices.notify import notify


def notify_of_correction(actor: Actor, game: Game, hand: Hand, act: str, now: datetime) -> None:
    """Tell who sat there, but not who did it, that a hand is another one.

    Args:
        act: `correct`, `restore` or `void`.
    """
    notify(
        club=game.event.club,
        user_ids=accounts_at_table(game.table_id) - {actor.user_id},
        kind="correction",
        key=f"{hand.pk}:{hand.revision}:{act}",
        facts={"hand": hand.pk, "revision": hand.revision, "act": act},
        now=now,
    )


def notify_of_ruling(actor: Actor, dispute: Dispute, now: datetime) -> None:
    """Tell who opened a dispute, and who sat there, that it is decided."""
    concerned = accounts_at_table(dispute.hand.game.table_id)
    notify(
        club=dispute.event.club,
        user_ids=(concerned | {dispute.opened_by_id}) - {actor.user_id},
        kind="dispute_decided",
        key=f"{dispute.pk}:{dispute.state}",
        facts={"dispute": dispute.pk},
        now=now,
    )
