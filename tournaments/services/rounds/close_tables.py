"""Completing tables: one whose sheet was checked, or every table of a round."""

from datetime import datetime

from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.table_states import require_changeable, require_ordinary
from tournaments.states import GAME, find_move


def complete_game(*, actor: Actor, game: Game, now: datetime) -> None:
    """Take a game that is played to its end, because its sheet was checked against the paper.

    The caller holds its lock and has asked whether the actor may enter there: who types a sheet
    ends it so, the holder of a link included. Closing a table without it is `move_game`.

    Raises:
        Conflict: event_is_over, round_is_closed.
    """
    require_changeable(game)
    game.state = "complete"
    Game.objects.filter(pk=game.pk).update(state=game.state)
    mark_changed(event=game.event, now=now)
    audit_move(actor, game, "playing", game.state, "", now)


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
        require_changeable(game)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state="complete")
    mark_changed(event=games[0].event, by=len(games), now=now)
    for game in games:
        audit_move(actor, game, "playing", "complete", "", now)
    return len(games)


def audit_move(actor: Actor, game: Game, was: str, to: str, reason: str, now: datetime) -> None:
    """Append a line to the audit trail for a move of a game's state."""
    append_audit(
        club=game.club,
        actor=actor,
        act="move_game",
        subject=f"event:{game.event.slug}/table:{game.table.code}",
        facts={"from": was, "to": to, "reason": reason.strip()},
        now=now,
    )
