"""Completing, reopening and abandoning tables, also by checking the sheet against the paper."""

from typing import Final

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_at
from tournaments.domain.reasons import require_some_reason
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand, ReadBack
from tournaments.models.rounds import Round
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.hands.games import hands_of_game
from tournaments.selectors.rounds.table_sheets import digest_of_hands
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_game, lock_round
from tournaments.services.hands.apply_game import is_over
from tournaments.services.hands.hand_rows import audit_hand
from tournaments.services.hands.void_hand import audit_void, empty_hands, note_voids
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.rounds import NOT_MOVED, move_round
from tournaments.services.rounds.seating_checks import (
    require_changeable,
    require_open,
    require_ordinary,
)
from tournaments.states import GAME, find_move, state_problem

UNCHANGEABLE: Final = ("table_of_a_playoff", "event_is_over", "round_is_closed")
"""Error codes of a change of a table's state."""


@operation("enter_hand", locks=lock_round, refuses=("unknown_round", *UNCHANGEABLE))
def close_tables(op: Operation, round_: Round, /) -> int:
    """Close every table of a round that is being played."""
    playing = Game.objects.filter(table__round=round_, state="playing").order_by("pk")
    games = list(playing.select_related("event", "club", "table__round"))
    if not games:
        return 0
    op.require(find_move(GAME, "playing", "complete").right, round_)
    for game in games:
        require_ordinary(game)
        require_changeable(game)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state="complete")
    op.mark(games[0].event, by=len(games))
    for game in games:
        audit_move(op, game, "playing", "complete", "")
    return len(games)


@operation("close_table", refuses=(*UNCHANGEABLE, *NOT_MOVED), right_in_body=True)
def close_round(op: Operation, round_: Round, /) -> Round:
    """Close a round together with its tables that are being played."""
    close_tables(op, round_)
    return move_round(op, round_, to="closed")


def audit_move(op: Operation, game: Game, was: str, to: str, reason: str) -> None:
    facts = {"from": was, "to": to, "reason": reason.strip()}
    audit_hand(op, game, None, "move_game", facts)


@operation(
    "close_table",
    locks=lock_game,
    refuses=(
        *("unknown_table", "state_not_allowed", "reason_required", "game_is_over"),
        *("hand_needed_by", *UNCHANGEABLE),
    ),
    right_in_body=True,
)
def move_game(
    op: Operation, game: Game, /, *, to: str, reason: str = "", hands_count: bool = True
) -> Game:
    """Close a table, open it again, or abandon it with a reason.

    `complete` closes a table that is being played; `playing` opens it again; `abandoned` ends it
    permanently, and its hands count unless `hands_count` is false.
    """
    if to == game.state:
        op.require("close_table", game)
        return game
    move = find_move(GAME, game.state, to)
    op.require(move.right, game)
    if move.by:
        raise Conflict(state_problem(GAME, game.state, to))
    if move.needs_reason:
        require_some_reason(reason)
    require_ordinary(game)
    require_changeable(game)
    rules = rules_of(game.snapshot)
    settings = settings_at(game)
    if to == "playing" and is_over(game, rules, settings, hands_of_game(game)):
        raise Conflict(Problem("game_is_over", ("state",), {"table": game.table.code}))
    was = game.state
    voided = list[Hand]()
    if to == "abandoned" and not hands_count:
        voided = list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
    game.state = to
    Game.objects.filter(pk=game.pk).update(state=to)
    if voided:
        empty_hands(game, voided)
    version = op.mark(game.event)
    if voided:
        note_voids(get_role(op.actor, game.club_id), game, voided, version, reason, op.now)
    audit_void(op, game, voided, reason)
    audit_move(op, game, was, to, reason)
    return game


@operation(
    "enter_hand",
    locks=lock_game,
    refuses=(
        *("unknown_table", "event_not_open", "round_is_draft", "sheet_is_empty"),
        *("state_not_allowed", "sheet_changed", "event_is_over", "round_is_closed"),
    ),
    right_in_body=True,
)
def confirm_sheet(op: Operation, game: Game, /, *, compared_digest: str) -> ReadBack:
    """Record that a table's sheet agrees with the paper; a game that is playing is completed.

    `sheet` names the hands that were compared. If one was entered or changed since, the answer is
    409 (`sheet_changed`).
    """
    role = get_role(op.actor, game.club_id, table_id=game.table_id)
    op.allow("enter_hand", role)
    require_open(op.actor, role, game)
    hands = list(Hand.objects.filter(game=game).values_list("number", "state", "revision"))
    if all(state == "void" for _number, state, _revision in hands):
        raise Conflict(Problem("sheet_is_empty", facts={"table": game.table.code}))
    if game.state not in ("playing", "complete", "checked", "final"):
        raise Conflict(state_problem(GAME, game.state, "checked"))
    if (sheet := digest_of_hands(hands)) != compared_digest:
        raise Conflict(Problem("sheet_changed", facts={"table": game.table.code}))
    if game.state == "playing" and game.counts:  # a play-off's goes on until it is decided
        require_changeable(game)
        game.state = "complete"
        Game.objects.filter(pk=game.pk).update(state=game.state)
        op.mark(game.event)
        audit_move(op, game, "playing", game.state, "")
    if earlier := ReadBack.objects.filter(game=game, sheet=sheet).first():
        return earlier
    by = {"by_id": op.actor.user_id, "by_as": op.actor.name, "at": op.now}
    read_back = ReadBack.objects.create(club=game.club, game=game, sheet=sheet, **by)
    audit_hand(op, game, None, "read_back", {"sheet": sheet, "hands": len(hands)})
    return read_back
