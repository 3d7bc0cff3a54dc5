"""Completing, reopening and abandoning tables, also by checking the sheet against the paper."""

from datetime import datetime

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_at
from tournaments.domain.reasons import require_some_reason
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand, ReadBack
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.hands.games import hands_of_game
from tournaments.selectors.rounds.table_sheets import digest_of
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_game, lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.hands.apply_game import is_over
from tournaments.services.hands.hand_rows import audit_hand
from tournaments.services.hands.void_hand import audit_void, empty_hands, note_voids
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.operations import Operation
from tournaments.services.permissions import require, require_role
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating_checks import (
    require_changeable,
    require_open,
    require_ordinary,
)
from tournaments.states import GAME, find_move, state_problem


@atomic_act
def close_tables(*, actor: Actor, round_: Round, now: datetime) -> int:
    """Close every table of a round that is being played; returns how many there were."""
    require(actor, round_.club, "enter_hand")
    lock_round(round_)
    playing = Game.objects.filter(table__round=round_, state="playing").order_by("pk")
    games = list(playing.select_related("event", "club", "table__round"))
    if not games:
        return 0
    require(actor, round_.club, find_move(GAME, "playing", "complete").act)
    for game in games:
        require_ordinary(game)
        require_changeable(game)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state="complete")
    mark_changed(event=games[0].event, by=len(games), now=now)
    for game in games:
        audit_move(actor, game, "playing", "complete", "", now)
    return len(games)


@atomic_act
def close_round(*, actor: Actor, round_: Round, now: datetime) -> Round:
    """Close a round together with its tables that are being played."""
    close_tables(actor=actor, round_=round_, now=now)
    return move_round(Operation(actor, now), round_, to="closed")


def audit_move(actor: Actor, game: Game, was: str, to: str, reason: str, now: datetime) -> None:
    facts = {"from": was, "to": to, "reason": reason.strip()}
    audit_hand(Operation(actor, now), game, None, "move_game", facts)


@atomic_act
def move_game(
    *, actor: Actor, game: Game, to: str, now: datetime, reason: str = "", hands_count: bool = True
) -> Game:
    """Take a game from its state to the state `to`, as the table of states allows.

    The hands of an abandoned game score, or with `hands_count=False` are deleted with its reason.
    """
    game = lock_game(game)
    if to == game.state:
        require(actor, game.club, "close_table")
        return game
    move = find_move(GAME, game.state, to)
    require(actor, game.club, move.act)
    if move.by:
        raise Conflict(state_problem(GAME, game.state, to))
    if move.needs_reason:
        require_some_reason(reason)
    require_ordinary(game)
    require_changeable(game)
    rules, settings = rules_of(game.snapshot), settings_at(game)
    if to == "playing" and is_over(game, rules, settings, hands_of_game(game)):
        raise Conflict(Problem("game_is_over", ("state",), {"table": game.table.code}))
    was, voided = game.state, list[Hand]()
    if to == "abandoned" and not hands_count:
        voided = list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
    game.state = to
    Game.objects.filter(pk=game.pk).update(state=to)
    if voided:
        empty_hands(game, voided)
    version = mark_changed(event=game.event, now=now)
    if voided:
        note_voids(get_role(actor, game.club_id), game, voided, version, reason, now)
    audit_void(Operation(actor, now), game, voided, reason)
    audit_move(actor, game, was, to, reason, now)
    return game


@atomic_act
def confirm_sheet(*, actor: Actor, game: Game, compared_digest: str, now: datetime) -> ReadBack:
    """Record that a sheet matches the paper, and complete its game if it is still running."""
    game = lock_game(game)
    role = get_role(actor, game.club_id, table_id=game.table_id)
    require_role(actor, role, "enter_hand")
    require_open(actor, role, game)
    hands = list(Hand.objects.filter(game=game).values_list("number", "state", "revision"))
    if all(state == "void" for _number, state, _revision in hands):
        raise Conflict(Problem("sheet_is_empty", facts={"table": game.table.code}))
    if game.state not in ("playing", "complete", "checked", "final"):
        raise Conflict(state_problem(GAME, game.state, "checked"))
    if (sheet := digest_of(hands)) != compared_digest:
        raise Conflict(Problem("sheet_changed", facts={"table": game.table.code}))
    if game.state == "playing" and game.counts:  # a play-off's goes on until it is decided
        require_changeable(game)
        game.state = "complete"
        Game.objects.filter(pk=game.pk).update(state=game.state)
        mark_changed(event=game.event, now=now)
        audit_move(actor, game, "playing", game.state, "", now)
    if earlier := ReadBack.objects.filter(game=game, sheet=sheet).first():
        return earlier
    read_back = ReadBack.objects.create(
        club=game.club, game=game, sheet=sheet, by_id=actor.user_id, by_as=actor.name, at=now
    )
    facts = {"sheet": sheet, "hands": len(hands)}
    audit_hand(Operation(actor, now), game, None, "read_back", facts)
    return read_back
