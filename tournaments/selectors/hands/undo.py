"""Which hand may be undone: the last one, by the same person, within `UNDO_TIME`."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from tournaments.models.hands import Entry, Game, Hand, HandState
from tournaments.models.rounds import RoundState
from tournaments.policy import Actor

UNDO_TIME: Final = timedelta(minutes=10)
"""How long a hand can be undone after it was entered."""


def undone_keys(game: Game) -> list[str]:
    """Return the keys of entries that were undone, which a phone may still have."""
    entries = Entry.objects.filter(hand__game=game, hand__state=HandState.VOID, hand__undone=True)
    return [key for key in entries.values_list("key", flat=True) if key]


def undoable_hand(actor: Actor, game: Game, now: datetime) -> Hand | None:
    """Return the hand that `actor` may undo at the table of `game`; one query.

    It is the one that was entered last, whatever its number, just as `actor` entered it in the last
    `UNDO_TIME`, by its page or over REST; a file is undone as an import.
    """
    if game.counts and not game.event.is_open:
        return None
    if game.table.round.state not in (RoundState.POSTED, RoundState.PLAYING):
        return None
    if game.state not in ("playing", "complete"):
        return None

    # Corrections are left out: they have a reason. A hand that was undone and entered again has
    # none, though its entry is not the first under its number.
    entries = Entry.objects.filter(Q(revision=1) | Q(reason=""), hand__game=game)
    entries = entries.exclude(hand__state=HandState.VOID).select_related("hand")
    entry = entries.order_by("-pk").first()
    if entry is None or entry.batch_id is not None:
        return None

    link_id = actor.at.link_id if actor.at is not None else None
    author = (actor.user_id, link_id)
    if author == (None, None) or author != (entry.entered_by_id, entry.link_id):
        return None
    hand = entry.hand
    if hand.state != HandState.ACCEPTED or hand.entry_id != entry.pk:
        return None
    if now - entry.entered_at > UNDO_TIME:
        return None
    return hand
