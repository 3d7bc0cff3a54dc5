"""Deleting boards that were made together, as long as no hand was entered with one of them."""

from collections.abc import Sequence
from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.deals import Board
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.boards.print_deals import deal_of
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running


@atomic_act
def delete_deals(*, actor: Actor, event: Event, commitment: str, now: datetime) -> Sequence[int]:
    """Delete a deal with its boards, and return their numbers, which may be used again.

    The rows of the boards are locked before hands are looked for: a host who enters one at this
    moment is before it, or finds no board.

    Raises:
        Forbidden: manage_event.
        Refused: unknown_deals.
        Conflict: event_is_over, deals_played.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    deal = deal_of(event, commitment)
    rows = Board.objects.select_for_update(of=("self",)).filter(deal=deal).order_by("pk")
    numbers = sorted(rows.values_list("number", flat=True))
    hands = Hand.objects.filter(game__event=event, board__deal=deal).order_by("board__number")
    played = hands.values_list("board__number", "game__table__code", "number").first()
    if played is not None:
        board, table, hand = played
        raise Conflict(Problem("deals_played", (), {"board": board, "table": table, "hand": hand}))
    facts = {
        "boards": len(numbers),
        "first": numbers[0],
        "last": numbers[-1],
        "commitment": deal.commitment,
    }
    deal.delete()
    append_audit(
        club=event.club,
        actor=actor,
        act="delete_deals",
        subject=f"event:{event.slug}",
        facts=facts,
        now=now,
    )
    return numbers
