"""Closing a table's game by hand, going on with it, abandoning it."""

from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.selectors.clubs import role_of
from tournaments.services.audit import append_audit
from tournaments.services.event_locks import lock_round
from tournaments.services.event_settings import settings_at
from tournaments.services.marks import mark_changed
from tournaments.services.permissions import require
from tournaments.services.rounds import require_ordinary, require_running
from tournaments.services.rule_sets import rules_of
from tournaments.services.settling import is_over
from tournaments.services.transactions import atomic_act
from tournaments.services.voiding import audit_void, empty_hands, lock_game, note_voids
from tournaments.states import GAME, find_move

BY_HAND: Final = frozenset(
    {
        ("playing", "complete"),
        ("playing", "abandoned"),
        ("complete", "playing"),
        ("checked", "playing"),
    }
)
"""The moves of a game that a person makes; the others follow from hands, or from the clock."""


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

    Args:
        hands_count: for an abandoned game, whether the hands that were played score; else they
            are made void, with the same reason.

    Raises:
        Forbidden: the move's act.
        Refused: reason_required.
        Conflict: state_not_allowed, table_of_a_playoff, event_is_over, round_is_closed,
            game_is_over.
    """
    game = lock_game(game)
    move = find_move(GAME, game.state, to)
    require(actor, game.club, move.act)
    if (game.state, to) not in BY_HAND:
        facts = {"state": game.state, "wanted": to}
        raise Conflict(Problem("state_not_allowed", ("state",), facts))
    if move.needs_reason and not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))
    require_ordinary(game)
    _require_open(game)
    if to == "playing" and is_over(game, rules_of(game.snapshot), settings_at(game)):
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
    _audit_move(actor, game, was, to, reason, now)
    return game


def complete_game(*, actor: Actor, game: Game, now: datetime) -> None:
    """Take a game that is played to its end, because its sheet was read back beside the paper.

    The caller holds its lock and has asked whether the actor may enter there: who types a sheet
    ends it so, the holder of a link included. Closing a table without it is `move_game`.

    Raises:
        Conflict: event_is_over, round_is_closed.
    """
    _require_open(game)
    game.state = "complete"
    Game.objects.filter(pk=game.pk).update(state=game.state)
    mark_changed(event=game.event, now=now)
    _audit_move(actor, game, "playing", game.state, "", now)


@atomic_act
def close_tables(*, actor: Actor, round_: Round, now: datetime) -> int:
    """Close every table of a round that is being played; returns how many there were.

    All of them are locked before any is changed, for hosts save hands there meanwhile.

    Raises:
        Forbidden: enter_hand, close_table.
        Conflict: event_is_over, round_is_closed, table_of_a_playoff.
    """
    require(actor, round_.club, "enter_hand")
    lock_round(round_)
    found = Game.objects.filter(table__round=round_, state="playing").order_by("pk")
    games = list(found.select_related("event", "club", "table__round"))
    if not games:
        return 0
    require(actor, round_.club, find_move(GAME, "playing", "complete").act)
    for game in games:
        require_ordinary(game)
        _require_open(game)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state="complete")
    mark_changed(event=games[0].event, by=len(games), now=now)
    for game in games:
        _audit_move(actor, game, "playing", "complete", "", now)
    return len(games)


def _audit_move(actor: Actor, game: Game, was: str, to: str, reason: str, now: datetime) -> None:
    append_audit(
        club=game.club,
        actor=actor,
        act="move_game",
        subject=f"event:{game.event.slug}/table:{game.table.code}",
        facts={"from": was, "to": to, "reason": reason.strip()},
        now=now,
    )


def _require_open(game: Game) -> None:
    require_running(game.event)
    if game.table.round.state == "closed":
        facts = {"round": game.table.round.number}
        raise Conflict(Problem("round_is_closed", ("state",), facts))


def _counting(game: Game) -> list[Hand]:
    return list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
