"""Issue, answer, postpone and withdraw challenges, and enter their results."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused
from scoring.ladders.challenges import (
    answer_problems,
    challenge_problems,
    confirmation_problems,
    postponement_problems,
    step_problems,
    winner,
)
from tournaments.domain.reasons import BAD_REASON, LONGEST_REASON, require_reason
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden, first_or_missing, refuse_any
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.policy import LINK
from tournaments.selectors.ladders.challenge_results import NO_PROBLEMS, problems_of_results
from tournaments.selectors.ladders.challenges import (
    BOTH,
    PART,
    LadderActor,
    challenges_with,
    is_withdrawal_from_host,
    scoring_challenge,
)
from tournaments.selectors.ladders.log import places_at
from tournaments.services.db.bulk import next_number
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.ladders.challenge_transitions import (
    finish_game,
    finished_game,
    move_challenge,
    notify_of_challenge,
    notify_of_result,
    place_game,
    schedule_challenge_deadline,
    withdraw_game,
)
from tournaments.services.ladders.run_deadlines import apply_due_deadlines
from tournaments.services.ladders.transaction import (
    NOT_BEGUN,
    LadderTransaction,
    begin_as_member,
    begin_transaction,
    entrant_of,
    member_of,
    require_role_for,
)
from tournaments.services.operations import Operation, operation
from tournaments.states import CHALLENGE

NOT_MOVED: Final = (
    *(*NOT_BEGUN, "unknown_challenge", "challenge_too_late", "challenge_state"),
    *("challenge_stranger", "challenge_not_yours"),
)
"""Error codes of every change of a challenge."""


def challenge_row(event: Event, number: int) -> Challenge:
    rows = event.challenges.select_related("challenger", "challenged", "game__table")
    return first_or_missing(rows.filter(number=number), "challenge", challenge=number)


def require_allowed_to_move(op: Operation, row: Challenge, to: str) -> LadderActor:
    """Return the actor's role and member, if the table of states allows the role this move."""
    move = CHALLENGE.get((row.state, to))
    right = move.right if move is not None else "challenge"
    who = require_role_for(op, row.event, right, table_id=row.game.table_id if row.game else None)
    if who.role == LINK and to != "confirmed":
        raise Forbidden(right)
    return who


def require_part(op: Operation, who: LadderActor, row: Challenge, to: str) -> None:
    """Refuse a move of the other side; hosts and the holder of a link may make any."""
    op.allow(CHALLENGE[row.state, to].right, who.role)
    if who.is_host or who.role == LINK:
        return
    side = side_of(who, row)
    if side not in PART.get((row.state, to), BOTH):
        other = row.challenged if side == "challenger" else row.challenger
        code = who.own.code if who.own else ""
        raise Refused(Problem("challenge_not_yours", facts={"member": code, "other": other.code}))


def side_of(who: LadderActor, row: Challenge) -> str:
    if who.own is not None and who.own.pk == row.challenger_id:
        return "challenger"
    if who.own is not None and who.own.pk == row.challenged_id:
        return "challenged"
    raise Refused(Problem("challenge_stranger", facts={"member": who.own.code if who.own else "?"}))


def is_stranger(who: LadderActor, row: Challenge) -> bool:
    return who.own is None or who.own.pk not in (row.challenger_id, row.challenged_id)


def require_in_time(work: LadderTransaction, row: Challenge, to: str) -> None:
    for problem in answer_problems(scoring_challenge(row), to, work.now, work.zone, work.rules):
        if problem.code == "challenge_too_late":
            raise Refused(problem)
    if row.state == "expired" and to in ("accepted", "declined") and row.closed_at is not None:
        raise Refused(Problem("challenge_too_late", facts={"over": row.closed_at.isoformat()}))


@operation(
    "challenge",
    refuses=(
        *NOT_BEGUN,
        *("challenger_needed", "challenged_needed", "unknown_entrant", "bad_text"),
        *("challenge_self", "not_on_ladder", "challenge_inactive", "challenge_absent"),
        *("challenge_out_open", "challenge_in_open", "challenge_rematch"),
        *("challenge_downwards", "challenge_beyond_reach"),
    ),
    right_in_body=True,
)
def issue_challenge(
    op: Operation, event: Event, /, *, challenged: str, challenger: str = "", words: str = ""
) -> Challenge:
    """Challenge a member above you. A refusal lists all problems at once."""
    who, work = begin_as_member(op, event)
    low = entrant_of(work.event, challenger, "challenger") if challenger else who.own
    if low is None:
        raise Refused(Problem("challenger_needed", ("challenger",)))
    if not who.is_host and low != who.own:
        raise Forbidden("challenge")
    if not challenged:
        raise Refused(Problem("challenged_needed", ("challenged",)))
    high = entrant_of(work.event, challenged, "challenged")
    if len(words.strip()) > LONGEST_REASON or "\x00" in words:
        raise Refused(Problem("bad_text", ("words",), {"field": "words", "most": LONGEST_REASON}))
    apply_due_deadlines(work)
    refuse_any(_problems(work, low, high))
    row = Challenge.objects.create(
        club_id=work.event.club_id,
        event=work.event,
        number=next_number(Challenge.objects.filter(event=work.event)),
        challenger=low,
        challenged=high,
        issued_at=op.now,
        words=words.strip(),
    )
    schedule_challenge_deadline(work, row)
    notify_of_challenge(work, row)
    work.audit(
        "issue_challenge", f"challenge:{row.number}", challenger=low.code, challenged=high.code
    )
    work.finish()
    return row


def _problems(work: LadderTransaction, low: Entrant, high: Entrant) -> tuple[Problem, ...]:
    problems = challenge_problems(
        member_of(low),
        member_of(high),
        ladder=work.ladder(),
        before=[scoring_challenge(row) for row in challenges_with(work.event, (low, high))],
        now=work.now,
        zone=work.zone,
        rules=work.rules,
    )
    return tuple(
        Problem(problem.code, ("challenged",), problem.facts) if not problem.at else problem
        for problem in problems
    )


def _begin_move(
    op: Operation, challenge: Challenge, to: str
) -> tuple[LadderTransaction, Challenge, LadderActor]:
    who = require_allowed_to_move(op, challenge, to)
    work = begin_transaction(op, challenge.event, by=who.role)
    require_in_time(work, challenge_row(work.event, challenge.number), to)
    apply_due_deadlines(work)
    row = challenge_row(work.event, challenge.number)
    refuse_any(step_problems(scoring_challenge(row), to))
    who = require_allowed_to_move(op, row, to)  # its game may have changed
    require_part(op, who, row, to)
    return work, row, who


@operation(
    "challenge",
    refuses=(
        *(*NOT_MOVED, "reason_required", "bad_text", "challenge_result_missing"),
        *("challenge_cancel_asked", "challenge_player_missing", "challenge_not_the_loser"),
        *("result_of_a_director", "result_is_disputed"),
    ),
    right_in_body=True,
)
def answer_challenge(
    op: Operation, challenge: Challenge, /, *, to: str, reason: str = ""
) -> Challenge:
    """Accept, decline, withdraw, forfeit or cancel a challenge; confirm its result or withdraw it.

    When one of the two players sends `cancelled`, the other is asked to agree. Results that a
    host or director entered are not withdrawn by the two players, who report what is wrong
    (`dispute`).
    """
    work, row, who = _begin_move(op, challenge, to)
    if CHALLENGE[row.state, to].needs_reason or reason.strip():
        require_reason(reason)
    if to == "played":
        raise Refused(Problem("challenge_result_missing", ("to",)))
    if to == "cancelled" and not _is_agreed(who, row):
        row.cancel_asked_by = who.own
        row.save(update_fields=["cancel_asked_by"])
        work.audit("ask_to_cancel", f"challenge:{row.number}", by=who.own.code if who.own else "")
        work.finish()
        return row
    if to == "confirmed":
        _require_undisputed(row)
    confirmed_as = _confirmed_as(who, row) if to == "confirmed" else ""
    is_withdrawal = (row.state, to) == ("played", "accepted")
    if is_withdrawal and not who.is_host and is_withdrawal_from_host(row, to):
        raise Refused(Problem("result_of_a_director", ("to",)))
    if is_withdrawal:
        withdraw_game(work, row, reason.strip())
    move_challenge(work, row, to, confirmed_as=confirmed_as, reason=reason.strip())
    if is_withdrawal:
        key = f"withdrawn:{op.now:%Y%m%d%H%M%S%f}"
        by = "" if who.own is None or is_stranger(who, row) else who.own.code
        notify_of_result(work, row, "withdrawn_result", by=by, key=key)
    work.finish()
    return row


@operation(
    "challenge",
    refuses=(*NOT_MOVED, "challenge_postponed", "challenge_side_needed"),
    right_in_body=True,
)
def postpone_challenge(op: Operation, challenge: Challenge, /, *, by: str = "") -> Challenge:
    """Postpone the game of a challenge; each of the two players may do so once."""
    who, work = begin_as_member(op, challenge.event)
    require_in_time(work, challenge_row(work.event, challenge.number), "played")
    apply_due_deadlines(work)
    row = challenge_row(work.event, challenge.number)
    side = _postponing_side(who, row, by)
    code = (row.challenger if side == "challenger" else row.challenged).code
    refuse_any(postponement_problems(scoring_challenge(row), code))
    row.postponed_c |= side == "challenger"
    row.postponed_d |= side == "challenged"
    row.save(update_fields=["postponed_c", "postponed_d"])
    schedule_challenge_deadline(work, row)
    work.audit("postpone_challenge", f"challenge:{row.number}", by=code)
    work.finish()
    return row


def _postponing_side(who: LadderActor, row: Challenge, by: str) -> str:
    sides = {row.challenger_id: "challenger", row.challenged_id: "challenged"}
    if who.is_host and (by or who.own is None or who.own.pk not in sides):
        if by not in sides.values():
            raise Refused(Problem("challenge_side_needed", ("by",), {"found": by[:40]}))
        return by
    side = side_of(who, row)
    if by not in ("", side):
        raise Forbidden("challenge")
    return side


def _is_agreed(who: LadderActor, row: Challenge) -> bool:
    if who.is_director:
        return True
    if who.own is None or who.own.pk not in (row.challenger_id, row.challenged_id):
        raise Forbidden("manage_event")
    if row.cancel_asked_by_id == who.own.pk:
        raise Refused(Problem("challenge_cancel_asked", facts={"member": who.own.code}))
    return row.cancel_asked_by_id is not None


def _require_undisputed(row: Challenge) -> None:
    """Refuse to confirm a result while a director has to rule on a problem of it, or to mend it."""
    number = problems_of_results([row]).get(row.game_id or 0, NO_PROBLEMS).open_number
    if number is not None:
        raise Conflict(Problem("result_is_disputed", (), {"dispute": number}))


def _confirmed_as(who: LadderActor, row: Challenge) -> str:
    """Return the part in which the actor confirms a result: a role, or `loser`."""
    places = places_at(row.game) if row.game is not None else {}
    challenge = scoring_challenge(row)
    low, high = challenge.challenger, challenge.challenged
    if missing := [code for code in (low, high) if code not in places]:
        raise Refused(
            *(Problem("challenge_player_missing", facts={"member": code}) for code in missing)
        )
    if who.is_host or who.role == LINK:
        return who.role
    loser = high if winner(low, high, places) == low else low
    refuse_any(confirmation_problems(challenge, who.own.code if who.own else "", loser))
    return "loser"


@operation(
    "challenge",
    refuses=(
        *(*NOT_MOVED, *OF_THE_SCORER, "challenge_result_needed", "challenge_player_missing"),
        *("unknown_table", "challenge_game_open", "challenge_game_taken", "challenge_game_early"),
        *("challenge_bad_day", "unknown_player", "not_on_ladder", "challenge_game_exists"),
        *("adds_up", *BAD_REASON),
    ),
    right_in_body=True,
)
def enter_result(
    op: Operation,
    challenge: Challenge,
    /,
    *,
    source: str = "host",
    table: str = "",
    points: Mapping[str, object] | None = None,
    played_on: date | None = None,
    disputed: str | None = None,
) -> Challenge:
    """Enter a challenge's result; it counts once the loser, a host or the clock confirms it.

    Totals that no hands can make are stored at their table as disputed, for the reason `disputed`,
    by directors. The challenge goes on; once they are corrected, the table is its result.
    """
    # `points` make a table with totals only; the rules must allow so many seats.
    work, row, who = _begin_move(op, challenge, "played")
    if bool(table) == bool(points) or (disputed is not None and not points):
        raise Refused(Problem("challenge_result_needed"))
    by = None if who.is_host or who.own is None else who.own.code
    if points:
        game = place_game(work, row, points, played_on, by)
        entry = {"points": [*points.values()]}
        if disputed is not None:
            file_disputed(op, game, number=TOTALS, entry=entry, key=None, reason=disputed)
            work.finish()
            return row
        row.game = finish_game(work, row, game, entry, source)
    else:
        row.game = finished_game(work, row, table, by)
        if LadderStep.objects.filter(game=row.game).exists():
            work.replay_anew()  # it counted as a table of its own
    row.result_as = who.role
    move_challenge(work, row, "played")
    work.finish()
    return row
