"""The end of a sheet: somebody compares it with the paper, and the table is complete."""

from datetime import datetime
from typing import Final

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand
from tournaments.models.read_backs import ReadBack
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.selectors.rounds.sheet_verification import digest_of
from tournaments.services.access.permissions import require_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_game
from tournaments.services.db.transactions import atomic_act
from tournaments.services.rounds.close_tables import complete_game
from tournaments.services.rounds.table_states import require_open
from tournaments.states import GAME, state_problem

READABLE: Final = ("playing", "complete", "checked", "final")
"""States of a game that has a sheet to compare."""


@atomic_act
def confirm_sheet(*, actor: Actor, game: Game, seen: str, now: datetime) -> ReadBack:
    """Keep that the sheet says what the paper says, and complete its game if it still goes on.

    Args:
        seen: the digest of the sheet that was compared; another one is refused.

    Raises:
        Forbidden: enter_hand; correct_closed once the round is closed.
        Conflict: event_not_open, round_is_draft, event_is_over, state_not_allowed, sheet_is_empty,
            sheet_changed.
    """
    game = lock_game(game)
    role = role_of(actor, game.club_id, table_id=game.table_id)
    require_role(actor, role, "enter_hand")
    require_open(actor, role, game)
    hands = list(Hand.objects.filter(game=game).values_list("number", "state", "revision"))
    if all(state == "void" for _number, state, _revision in hands):
        raise Conflict(Problem("sheet_is_empty", facts={"table": game.table.code}))
    if game.state not in READABLE:
        raise Conflict(state_problem(GAME, game.state, "checked"))
    if (sheet := digest_of(hands)) != seen:
        raise Conflict(Problem("sheet_changed", facts={"table": game.table.code}))
    if game.state == "playing" and game.counts:  # a play-off's goes on until it is decided
        complete_game(actor=actor, game=game, now=now)
    if earlier := ReadBack.objects.filter(game=game, sheet=sheet).first():
        return earlier
    made = ReadBack.objects.create(
        club=game.club, game=game, sheet=sheet, by_id=actor.user_id, by_as=actor.name, at=now
    )
    append_audit(
        club=game.club,
        actor=actor,
        act="read_back",
        subject=f"event:{game.event.slug}/table:{game.table.code}",
        facts={"sheet": sheet, "hands": len(hands)},
        now=now,
    )
    return made
