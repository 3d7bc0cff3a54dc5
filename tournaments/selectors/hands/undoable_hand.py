"""The hand that its author may still undo."""

from datetime import datetime, timedelta
from typing import Final

from tournaments.models.hands import Entry, Game, GameState, Hand, HandState
from tournaments.models.meetings import RoundState
from tournaments.policy import Actor

UNDO_TIME: Final = timedelta(minutes=10)
"""For so long after it was entered, a hand may be undone."""


def undone_keys(game: Game) -> list[str]:
    """Return the keys of entries that were undone, which a phone may still have."""
    rows = Entry.objects.filter(hand__game=game, hand__state="void", hand__undone=True)
    return [key for key in rows.values_list("key", flat=True) if key]


def undoable_hand(actor: Actor, game: Game, now: datetime) -> Hand | None:
    """Return the hand that `actor` may undo at the table of `game`; one query.

    It is the last one of the table, just as `actor` entered it in the last `UNDO_TIME`, by its page
    or over REST; a file is undone as an import.
    """
    is_current = game.event.state == "open" or not game.counts
    is_open = game.table.round.state in (RoundState.POSTED, RoundState.PLAYING)
    if not (is_current and is_open and game.state in (GameState.PLAYING, GameState.COMPLETE)):
        return None
    hands = Hand.objects.filter(game=game).exclude(state=HandState.VOID)
    hand = hands.select_related("entry").order_by("-number").first()
    entry = hand.entry if hand is not None and hand.state == HandState.ACCEPTED else None
    if entry is None or entry.batch_id is not None:
        return None
    author = (actor.user_id, actor.at.link_id if actor.at is not None else None)
    is_own = author == (entry.entered_by_id, entry.link_id) and author != (None, None)
    is_uncorrected = entry.revision == 1 or not entry.reason
    return hand if is_own and is_uncorrected and now - entry.entered_at <= UNDO_TIME else None
