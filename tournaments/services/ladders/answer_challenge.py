"""What people do with a challenge that was sent: answer it, put it off, call it off, confirm it."""

from datetime import datetime

from scoring.errors import Problem, Refused
from scoring.ladders.challenges import confirmation_problems, postponement_problems, winner
from tournaments.domain.reasons import LONGEST_REASON, reason_problems
from tournaments.errors import Forbidden
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.policy import LINK, Actor
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.schedule_ladder_deadlines import scoring_challenge
from tournaments.services.ladders.challenge_games import places_at, void_totals_game
from tournaments.services.ladders.challenge_permissions import (
    challenge_row,
    require_allowed_to_move,
    require_part,
    side_of,
)
from tournaments.services.ladders.challenge_preconditions import require_in_time, require_step
from tournaments.services.ladders.challenge_transitions import (
    move_challenge,
    schedule_challenge_deadline,
)
from tournaments.services.ladders.deadlines import apply_due_deadlines
from tournaments.services.ladders.transaction import (
    LadderActor,
    begin_transaction,
    require_role_for,
)
from tournaments.states import CHALLENGE


@atomic_act
def answer_challenge(
    *, actor: Actor, event: Event, number: int, to: str, now: datetime, reason: str = ""
) -> Challenge:
    """Take a challenge to the state `to`: every move but its result, which is `give_result`.

    `cancelled` is asked for by the first of the two and agreed to by the second; a director does it
    at once. `confirmed` reads the positions as they are now.

    Raises:
        Forbidden: the move's act, by role; by a player who is no member of the ladder.
        Missing: challenge, ladder.
        Conflict: event_not_open.
        Refused: challenge_state, challenge_too_late, challenge_stranger, challenge_not_yours,
            challenge_not_the_loser, challenge_cancel_asked, challenge_result_missing,
            challenge_player_missing, reason_required, bad_text.
    """
    row = challenge_row(event, number)
    who = require_allowed_to_move(actor, row, to)
    work = begin_transaction(actor=actor, event=event, by=who.role, now=now)
    require_in_time(work, challenge_row(work.event, number), to)
    apply_due_deadlines(work)
    row = challenge_row(work.event, number)
    require_step(row, to)
    who = require_allowed_to_move(actor, row, to)  # its game may be another one by now
    require_part(actor, who, row, to)
    _require_reason(row, to, reason)
    if to == "played":
        raise Refused(Problem("challenge_result_missing", ("to",)))
    if to == "cancelled" and not _is_agreed(who, row):
        row.cancel_asked_by = who.own
        row.save(update_fields=["cancel_asked_by"])
        work.audit("ask_to_cancel", f"challenge:{number}", by=who.own.code if who.own else "")
        work.finish()
        return row
    confirmed_as = _confirmed_as(who, row) if to == "confirmed" else ""
    if to == "accepted":
        void_totals_game(work, row)
    move_challenge(work, row, to, confirmed_as=confirmed_as, reason=reason.strip())
    work.finish()
    return row


@atomic_act
def postpone_challenge(
    *, actor: Actor, event: Event, number: int, now: datetime, by: str = ""
) -> Challenge:
    """Put the game off, which each of the two may once.

    Args:
        by: `challenger` or `challenged`, where a host says it for one of them.

    Raises:
        Forbidden: challenge.
        Missing: challenge, ladder.
        Conflict: event_not_open.
        Refused: challenge_state, challenge_too_late, challenge_stranger, challenge_postponed,
            challenge_side_needed.
    """
    row = challenge_row(event, number)
    who = require_role_for(actor, event, "challenge")
    work = begin_transaction(actor=actor, event=event, by=who.role, now=now)
    require_in_time(work, challenge_row(work.event, number), "played")
    apply_due_deadlines(work)
    row = challenge_row(work.event, number)
    side = _side(who, row, by)
    code = (row.challenger if side == "challenger" else row.challenged).code
    if problems := postponement_problems(scoring_challenge(row), code):
        raise Refused(*problems)
    if side == "challenger":
        row.postponed_c = True
    else:
        row.postponed_d = True
    row.save(update_fields=["postponed_c", "postponed_d"])
    schedule_challenge_deadline(work, row)
    work.audit("postpone_challenge", f"challenge:{number}", by=code)
    work.finish()
    return row


def _side(who: LadderActor, row: Challenge, by: str) -> str:
    """Return for which of the two somebody acts."""
    own = {row.challenger_id: "challenger", row.challenged_id: "challenged"}
    if who.is_host and (by or who.own is None or who.own.pk not in own):
        if by not in own.values():
            raise Refused(Problem("challenge_side_needed", ("by",), {"found": by[:40]}))
        return by
    side = side_of(who, row)
    if by not in ("", side):
        raise Forbidden("challenge")
    return side


def _is_agreed(who: LadderActor, row: Challenge) -> bool:
    """Whether a challenge may be called off now: both of the two want it, or a director does."""
    if who.is_director:
        return True
    if who.own is None or who.own.pk not in (row.challenger_id, row.challenged_id):
        raise Forbidden("manage_event")
    if row.cancel_asked_by_id == who.own.pk:
        raise Refused(Problem("challenge_cancel_asked", facts={"member": who.own.code}))
    return row.cancel_asked_by_id is not None


def _confirmed_as(who: LadderActor, row: Challenge) -> str:
    """Return as what somebody confirms a result: a role, or who lost.

    Raises:
        Refused: challenge_player_missing, challenge_not_the_loser.
    """
    places = places_at(row.game) if row.game is not None else {}
    asked = scoring_challenge(row)
    two = (asked.challenger, asked.challenged)
    if missing := [one for one in two if one not in places]:
        raise Refused(
            *(Problem("challenge_player_missing", facts={"member": one}) for one in missing)
        )
    if who.is_host or who.role == LINK:
        return who.role
    won = winner(*two, places)
    loser = two[1] if won == two[0] else two[0]
    if problems := confirmation_problems(asked, who.own.code if who.own else "", loser):
        raise Refused(*problems)
    return "loser"


def _require_reason(row: Challenge, to: str, reason: str) -> None:
    if CHALLENGE[row.state, to].needs_reason:
        problems = list(reason_problems(reason))
    elif len(reason.strip()) > LONGEST_REASON or "\x00" in reason:
        problems = [Problem("bad_text", ("reason",), {"field": "reason", "most": LONGEST_REASON})]
    else:
        problems = []
    if problems:
        raise Refused(*problems)
