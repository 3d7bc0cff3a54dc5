"""Printing the cards of secret boards, for whoever deals the packs and does not play.

See docs/decisions/0041-who-prints-secret-deals.md.
"""

from dataclasses import dataclass
from datetime import datetime

from scoring.duplicate.deals import DealtBoard
from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.deals import Board, Deal, DealPrinting
from tournaments.models.events import EntrantMember, Event
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.boards.open_boards import unsealed_boards
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running


@dataclass(frozen=True, slots=True)
class PrintedDeals:
    """The cards of all boards of a deal, by number, and the line that says who read them."""

    deal: Deal
    boards: tuple[DealtBoard, ...]
    printing: DealPrinting


@atomic_act
def print_deals(*, actor: Actor, event: Event, commitment: str, now: datetime) -> PrintedDeals:
    """Return the cards of boards that are secret, and write down who has read them.

    The boards page shows it from then on, and whoever printed cannot play one of the boards.

    Args:
        commitment: of the deal, whose boards are printed together.

    Raises:
        Forbidden: manage_event.
        Refused: unknown_deals.
        Conflict: event_is_over; printer_plays, where the actor is a player of the event;
            deals_unreadable, where the server has another key now.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    deal = deal_of(event, commitment)
    _require_does_not_play(actor, event)
    boards = list(Board.objects.filter(deal=deal).select_related("deal").order_by("number"))
    cards = unsealed_boards(boards)
    if len(cards) < len(boards):
        raise Conflict(Problem("deals_unreadable"))
    printing = DealPrinting.objects.create(
        club_id=event.club_id, deal=deal, printed_by_id=actor.user_id, printed_at=now
    )
    append_audit(
        club=event.club,
        actor=actor,
        act="print_deals",
        subject=f"event:{event.slug}",
        facts={
            "boards": len(boards),
            "first": boards[0].number,
            "last": boards[-1].number,
            "commitment": deal.commitment,
        },
        now=now,
    )
    return PrintedDeals(deal, tuple(cards[board.number] for board in boards), printing)


def deal_of(event: Event, commitment: str) -> Deal:
    """Return the deal of an event with a commitment; the oldest where a file was read twice.

    Raises:
        Refused: unknown_deals.
    """
    found = Deal.objects.filter(event=event, commitment=commitment).order_by("pk").first()
    if found is None:
        raise Refused(Problem("unknown_deals", ("commitment",)))
    return found


def _require_does_not_play(actor: Actor, event: Event) -> None:
    """Refuse somebody who is entered in the event, withdrawn or not: they may have to play yet."""
    if actor.user_id is None:
        return
    own = Player.objects.filter(club=event.club_id, user=actor.user_id)
    playing = EntrantMember.objects.filter(event=event, player__in=own).select_related("player")
    found = playing.order_by("pk").first()
    if found is not None:
        raise Conflict(Problem("printer_plays", (), {"player": found.player.name}))
