"""The result of a challenge: a game of the event that is over, or everybody's totals as typed."""

from collections.abc import Mapping
from datetime import date, datetime

from scoring.errors import Problem, Refused
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.policy import Actor
from tournaments.services.db.transactions import atomic_act
from tournaments.services.ladders.challenge_games import finished_game, game_from_totals
from tournaments.services.ladders.challenge_permissions import (
    challenge_row,
    require_allowed_to_move,
    require_part,
)
from tournaments.services.ladders.challenge_preconditions import require_in_time, require_step
from tournaments.services.ladders.challenge_transitions import move_challenge
from tournaments.services.ladders.deadlines import apply_due_deadlines
from tournaments.services.ladders.transaction import begin_transaction


@atomic_act
def enter_result(
    *,
    actor: Actor,
    event: Event,
    number: int,
    now: datetime,
    source: str = "host",
    table: str = "",
    points: Mapping[str, object] | None = None,
    played_on: date | None = None,
) -> Challenge:
    """Say how a challenge was played; it counts when the loser or a host confirms it, or the clock.

    Args:
        table: code of a table of the event whose game is over and where both sat; or
        points: the totals of everybody at the table by player id, in the order in which they sat.
            They make a table of their own, with totals only; the rules must seat so many.
        played_on: the local day of typed totals, today where not given.

    Raises:
        Forbidden: challenge.
        Missing: challenge, table, ladder.
        Conflict: event_not_open.
        Refused: challenge_result_needed, challenge_too_late, challenge_state, challenge_stranger,
            challenge_player_missing, challenge_game_open, challenge_game_taken,
            challenge_game_early, challenge_bad_day, not_on_ladder, unknown_player, seat_count and
            everything that the scorer finds.
    """
    row = challenge_row(event, number)
    who = require_allowed_to_move(actor, row, "played")
    work = begin_transaction(actor=actor, event=event, by=who.role, now=now)
    require_in_time(work, challenge_row(work.event, number), "played")
    apply_due_deadlines(work)
    row = challenge_row(work.event, number)
    require_step(row, "played")
    who = require_allowed_to_move(actor, row, "played")
    require_part(actor, who, row, "played")
    if bool(table) == bool(points):
        raise Refused(Problem("challenge_result_needed"))
    by = None if who.is_host or who.own is None else who.own.code
    if points:
        row.game = game_from_totals(work, row, points, played_on, by, source)
    else:
        row.game = finished_game(work, row, table, by)
        if LadderStep.objects.filter(game=row.game).exists():
            work.replay_anew()  # it counted as a table of its own
    move_challenge(work, row, "played")
    work.finish()
    return row
