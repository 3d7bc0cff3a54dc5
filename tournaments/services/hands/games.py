"""Closing a table's game by hand, going on with it, abandoning it."""

from datetime import datetime

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_at
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.selectors.rounds.game_length import hands_of_game
from tournaments.services.access.permissions import require
from tournaments.services.db.event_lock import lock_game
from tournaments.services.db.transactions import atomic_act
from tournaments.services.hands.apply_game import is_over
from tournaments.services.hands.void_hand import audit_void, empty_hands, note_voids
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.close_tables import audit_move
from tournaments.services.rounds.table_states import require_changeable, require_ordinary
from tournaments.services.rules.rule_sets import rules_of
from tournaments.states import GAME, find_move, state_problem


@atomic_act
def move_game(
    *,
    actor: Actor,
    game: Game,
    to: str,
    now: datetime,
    reason: str = "",
    hands_count: bool = True,
) -> Game:
    """Take a game from its state to the state `to`, as the table of states allows.

    Nothing happens where it has that state.

    Args:
        hands_count: for an abandoned game, whether the hands that were played score; else they
            are deleted, with the same reason.

    Raises:
        Forbidden: the move's act.
        Refused: reason_required.
        Conflict: state_not_allowed, table_of_a_playoff, event_is_over, round_is_closed,
            game_is_over.
    """
    game = lock_game(game)
    if to == game.state:
        require(actor, game.club, "close_table")
        return game
    move = find_move(GAME, game.state, to)
    require(actor, game.club, move.act)
    if move.by:
        raise Conflict(state_problem(GAME, game.state, to))
    if move.needs_reason and not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))
    require_ordinary(game)
    require_changeable(game)
    rules, settings = rules_of(game.snapshot), settings_at(game)
    if to == "playing" and is_over(game, rules, settings, hands_of_game(game)):
        raise Conflict(Problem("game_is_over", ("state",), {"table": game.table.code}))
    was, gone = game.state, [] if to != "abandoned" or hands_count else _counting(game)
    game.state = to
    Game.objects.filter(pk=game.pk).update(state=to)
    if gone:
        empty_hands(game, gone)
    version = mark_changed(event=game.event, now=now)
    if gone:
        note_voids(role_of(actor, game.club_id), game, gone, version, reason, now)
    audit_void(actor, game, gone, reason, now)
    audit_move(actor, game, was, to, reason, now)
    return game


def _counting(game: Game) -> list[Hand]:
    return list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
