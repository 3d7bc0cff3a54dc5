"""Moving a challenge from state to state: its row, its deadline, its step on the ladder.

Every move that a person or the clock makes is written here; the one other is of the log itself:
`sync_log.py` makes void what a correction took the game from. Who may, and whether the rules
allow it, is asked by `answer_challenge.py` and `challenge_results.py`; `deadlines.py` does what
the clock does.
"""

from datetime import datetime, timedelta
from typing import Final

from scoring.ladders.absence_and_deadlines import local_day
from scoring.ladders.challenges import due_at, is_win
from tournaments.models.ladders import Challenge, StepKind
from tournaments.models.outbox import Deadline
from tournaments.services.events.schedule_ladder_deadlines import (
    CHALLENGE_DEADLINE,
    CHALLENGE_REMINDER,
    scoring_challenge,
    set_challenge_deadlines,
)
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.ladders.challenge_games import places_at
from tournaments.services.ladders.log import add_step, winner_at
from tournaments.services.ladders.notify_challenges import notify_of_move
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.states import CHALLENGE, find_move

ENDS: Final = frozenset(
    {"confirmed", "declined", "expired", "withdrawn", "forfeited_c", "forfeited_d", "cancelled"}
)
"""States in which nothing is waited for any more; what is confirmed may still be deleted."""


def move_challenge(
    work: LadderTransaction,
    row: Challenge,
    to: str,
    *,
    at: datetime | None = None,
    confirmed_as: str = "",
    reason: str = "",
) -> None:
    """Take a challenge to the state `to`, and do all that follows from it.

    Args:
        at: when it happened, `work.now` where not given. A moment before the one that the
            challenge waits since (a clock stepped back) counts as that one, so that nothing ever
            took less than no time.
        confirmed_as: who confirmed the result.

    Raises:
        Conflict: state_not_allowed.
    """
    was = row.state
    find_move(CHALLENGE, was, to)
    moment = max([at or work.now, *_moments(row)])
    row.state = to
    if to == "accepted":
        # Withdrawn: the two have the whole time again, or a false result would run it out.
        row.accepted_at, row.played_at, row.game = moment, None, None
    elif to == "played":
        row.played_at = moment
    elif to in ENDS:
        row.closed_at = moment
    row.cancel_asked_by = None
    if to == "confirmed":
        row.confirmed_as = confirmed_as
        row.confirmed_by_id = work.actor.user_id
        row.confirmed_name = work.actor.name[:120] if work.actor.user_id is not None else ""
    row.save()
    schedule_challenge_deadline(work, row)
    notify_of_move(work, row, was)
    _step(work, row, reason)
    work.audit(
        "move_challenge", f"challenge:{row.number}", **{"from": was, "to": to, "reason": reason}
    )


def schedule_challenge_deadline(work: LadderTransaction, row: Challenge) -> None:
    """Put the deadline of a challenge where its state and its moments say that it is."""
    due = due_at(scoring_challenge(row), work.zone, work.rules)
    if due is None and work.by == "clock":
        deadlines = Deadline.objects.filter(event=work.event, kind=CHALLENGE_DEADLINE)
        there = deadlines.filter(key=str(row.number))
        there.update(done_at=work.now, ran_at=work.now, outcome=row.state)
        set_deadline(work.event, CHALLENGE_REMINDER, None, key=str(row.number))
        return
    set_challenge_deadlines(work.event, row, due)


def _moments(row: Challenge) -> list[datetime]:
    return [at for at in (row.issued_at, row.accepted_at, row.played_at) if at is not None]


def _step(work: LadderTransaction, row: Challenge, reason: str) -> None:
    """Say on the ladder what counts, where it counts: positions are read at this moment."""
    facts: dict[str, object] = {"challenge": row.number, "to": row.state}
    if row.state == "void":
        work.replay_anew()
        work.tell("void_challenge", reason, **facts)
        return
    if row.closed_at is None or not _counts(work, row):
        return
    on = local_day(row.closed_at - timedelta(microseconds=1), work.zone)
    winner = winner_at(row, places_at(row.game)) if row.state == "confirmed" and row.game else None
    confirmed = {"winner": winner} if winner else {}
    add_step(work.event, StepKind.CHALLENGE, on=on, challenge=row, facts=confirmed)
    work.tell("challenge", reason, **facts)


def _counts(work: LadderTransaction, row: Challenge) -> bool:
    if row.state == "confirmed":
        return True
    theirs = Challenge.objects.filter(event=work.event, challenged=row.challenged).exclude(
        pk=row.pk
    )
    closed = theirs.filter(closed_at__isnull=False).select_related("challenger", "challenged")
    earlier = [scoring_challenge(one) for one in closed.order_by("number")]
    return is_win(scoring_challenge(row), earlier, work.zone, work.rules)
