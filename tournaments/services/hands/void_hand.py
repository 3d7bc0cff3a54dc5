"""Deleting and undoing hands: they stop counting, their entries stay.

A deleted hand can be restored; an undone one can also be entered again as if it were new.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_at
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.domain.replay_game import TOTALS, HandRefused
from tournaments.errors import Conflict, Missing
from tournaments.models.hands import Game, Hand
from tournaments.selectors.clubs.clubs import role_from
from tournaments.selectors.hands.game_for_update import LockedGame, game_now
from tournaments.selectors.hands.games import hands_of_game
from tournaments.selectors.hands.undo import UNDO_TIME, undoable_hand
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_for_hand
from tournaments.services.hands.apply_game import apply_game, is_over
from tournaments.services.hands.hand_rows import audit_hand, note_correction, notify_of_correction
from tournaments.services.operations import Operation, operation
from tournaments.services.playoffs.playoffs import (
    AuditContext,
    require_takes_hands,
    update_after_hand,
)
from tournaments.states import HAND, find_move

UNDONE: Final = "Undone by its author."
"""The reason that is stored for it; nobody is asked for one."""
OF_A_DELETION: Final = (
    *("unknown_table", "unknown_hand", "state_not_allowed", "hand_needed_by", "playoff_void"),
)
"""Error codes of deleting or undoing a hand."""


@operation(
    "void_hand",
    refuses=(*OF_A_DELETION, "entry_outdated", *BAD_REASON),
    right_in_body=True,
)
def void_hand(op: Operation, game: Game, /, *, number: int, based_on: int, reason: str) -> Hand:
    """Delete a hand whose director looked at `based_on`, and rebuild its game without it."""
    locked, role, hand = _lock_hand(op, game, number, "void_hand")
    find_move(HAND, hand.state, "void")
    if not game.counts and hand.state == "accepted":  # what is disputed does not count there
        require_takes_hands(game, is_new=False)
    if hand.revision != based_on:
        facts = {"yours": based_on, "theirs": hand.revision}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)
    require_reason(reason)
    _make_void(game, [hand], locked)
    _note_deletion(op, role, game, hand, reason)
    notify_of_correction(op, game, hand, "void")
    return hand


@operation("undo_own_hand", refuses=(*OF_A_DELETION, "undo_over"), right_in_body=True)
def undo_hand(op: Operation, game: Game, /, *, number: int) -> Hand:
    """Undo the hand that the caller has just entered; undoing it twice undoes it once."""
    locked, role, hand = _lock_hand(op, game, number, "undo_own_hand", table_id=game.table_id)
    if hand.is_undone:
        return hand
    if not game.counts:
        require_takes_hands(game, is_new=False)
    length = hands_of_game(game)
    is_closed = game.state == "complete" and not is_over(
        game, rules_of(game.snapshot), settings_at(game), length
    )
    undoable = undoable_hand(op.actor, game, op.now)
    if is_closed or undoable is None or undoable.pk != hand.pk:
        facts = {"hand": number, "minutes": UNDO_TIME // timedelta(minutes=1)}
        raise Conflict(Problem("undo_over", facts=facts), there=hand)
    _make_void(game, [hand], locked, undone=True)
    _note_deletion(op, role, game, hand, UNDONE)
    return hand


def _lock_hand(
    op: Operation, game: Game, number: int, right: str, *, table_id: int | None = None
) -> tuple[LockedGame, str, Hand]:
    """Lock a game for a change of one of its hands; return it with the caller's role and the hand.

    Args:
        table_id: the table at which the caller may act by its link.
    """
    lock_for_hand(game)
    locked = game_now(game, user_id=op.actor.user_id)
    op.allow(right, role := role_from(op.actor, game.club_id, locked.role, table_id=table_id))
    hand = locked.hands.get(number)
    if hand is None:
        raise Missing("hand", {"table": game.table.code})
    return locked, role, hand


def _note_deletion(op: Operation, role: str, game: Game, hand: Hand, reason: str) -> None:
    if hand.number == TOTALS and game.state in ("complete", "checked"):
        # Its totals had ended it; without them it has still to be entered.
        Game.objects.filter(pk=game.pk).update(state="playing")
    version = op.mark(game.event)
    note_voids(role, game, [hand], version, reason, op.now)
    if not game.counts:
        by = AuditContext(op.actor, role, reason.strip())
        update_after_hand(game, hand, by=by, version=version, now=op.now)
    audit_void(op, game, [hand], reason)


def empty_hands(game: Game, hands: Sequence[Hand]) -> None:
    """Make `hands` void and rebuild the game from the others; the caller holds its lock."""
    locked = game_now(game)
    _make_void(game, [locked.hands[hand.number] for hand in hands], locked)
    for hand in hands:
        hand.state = "void"


def _make_void(
    game: Game, hands: Sequence[Hand], locked: LockedGame, *, undone: bool = False
) -> None:
    for hand in hands:
        hand.state = "void"
        hand.undone = undone
    Hand.objects.filter(pk__in=[hand.pk for hand in hands]).update(state="void", undone=undone)
    try:
        apply_game(game=game, stored=locked)
    except HandRefused as refused:
        facts = {"number": refused.number, "why": refused.problems[0].message}
        raise Conflict(Problem("hand_needed_by", facts=facts)) from refused


def note_voids(
    role: str, game: Game, hands: Iterable[Hand], version: int, reason: str, now: datetime
) -> None:
    for hand in hands:
        note_correction(game, hand, "void_hand", role, version, reason, now)


def audit_void(op: Operation, game: Game, hands: Iterable[Hand], reason: str) -> None:
    for hand in hands:
        facts = {"revision": hand.revision, "reason": reason.strip()}
        audit_hand(op, game, hand.number, "void_hand", facts)
