"""What the clock does on a ladder: deadlines of challenges, weekly sweeps, each once, in order.

Everything that is over counts from the moment it was over, whether its job has run or not. So each
job, and each person who comes, first lets happen what should have happened (`apply_due_deadlines`),
in the order of those moments; late, doubled and lost jobs end in the same state.
"""

from datetime import date, datetime
from typing import Final

from django.db.models import Q

from scoring.ladders.absence_and_deadlines import is_over, weeks_due
from scoring.ladders.challenges import due_at, due_state
from tournaments.models.events import Entrant, Event, EventState
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.outbox import Deadline
from tournaments.services.events.finalization import CLOCK
from tournaments.services.events.schedule_ladder_deadlines import (
    next_sweep,
    scoring_challenge,
    starts_at,
)
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.ladders.challenge_transitions import move_challenge
from tournaments.services.ladders.transaction import LadderTransaction, transaction_on
from tournaments.services.ladders.weekly_sweep import SweepCounts, sweep_week


def apply_due_deadlines(work: LadderTransaction) -> SweepCounts | None:
    """Let everything happen that is over by now; returns what its sweeps did, None without one.

    It is the clock's doing, whoever came.
    """
    actor, by = work.actor, work.by
    work.actor, work.by = CLOCK, "clock"
    done: SweepCounts | None = None
    for _moment, _kind, what in _over(work):
        if isinstance(what, Challenge):
            _move_on(work, what)
        else:
            done = (done or SweepCounts()) + sweep_week(work, what)
    work.actor, work.by = actor, by
    return done


def close_open_challenges(work: LadderTransaction, entrant: Entrant, reason: str) -> None:
    """Take out of the way what a member who withdraws from the event has open.

    Nobody wins by it: what was sent is withdrawn, what was accepted called off. What was played
    stays, to be confirmed.
    """
    if work.event.state == EventState.OPEN:
        apply_due_deadlines(work)
    theirs = Q(challenger=entrant) | Q(challenged=entrant)
    rows = Challenge.objects.filter(theirs, event=work.event, state__in=_LEFT)
    for row in rows.select_related("challenger", "challenged").order_by("number"):
        move_challenge(work, row, _LEFT[row.state], reason=reason)


_LEFT: Final = {"issued": "withdrawn", "accepted": "cancelled"}


def run_challenge_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Do what the deadline of a challenge is there for, and all that was over before it."""
    if event.state != EventState.OPEN:
        return DeadlineOutcome(None)  # `follow_ladder` puts it back when the event opens again
    work = transaction_on(event, actor=CLOCK, by="clock", now=now)
    apply_due_deadlines(work)
    work.finish()
    challenge = Challenge.objects.select_related("challenger", "challenged").filter(
        event=event, number=int(row.key)
    )
    found = challenge.first()
    due = due_at(scoring_challenge(found), work.zone, work.rules) if found is not None else None
    if due is not None:
        return DeadlineOutcome(due)
    return DeadlineOutcome(None, found.state if found is not None else "")


def run_weekly_sweep(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Sweep the weeks that are due, and be due again with the next one."""
    if event.state != EventState.OPEN:
        return DeadlineOutcome(None)
    work = transaction_on(event, actor=CLOCK, by="clock", now=now)
    swept = apply_due_deadlines(work)
    work.finish()
    return DeadlineOutcome(next_sweep(event, now), str(swept) if swept is not None else row.outcome)


def _over(work: LadderTransaction) -> list[tuple[datetime, int, Challenge | date]]:
    """Return what is over by now, in the order of its moments; challenges before a sweep."""
    rows = Challenge.objects.filter(event=work.event, state__in=OPEN_CHALLENGES)
    found: list[tuple[datetime, int, Challenge | date]] = []
    for row in rows.select_related("challenger", "challenged").order_by("number"):
        due = due_at(scoring_challenge(row), work.zone, work.rules)
        if due is not None and is_over(due, work.now):
            found.append((due, row.number, row))
    if work.state.swept_to is not None:
        found.extend(
            (moment, _AFTER_CHALLENGES, monday)
            for monday in weeks_due(work.state.swept_to, work.today)
            if is_over(moment := starts_at(monday, work.event), work.now)
        )
    return sorted(found, key=lambda one: one[:2])


_AFTER_CHALLENGES: Final = 10**9


def _move_on(work: LadderTransaction, row: Challenge) -> None:
    asked = scoring_challenge(row)
    to = due_state(asked, work.now, work.zone, work.rules)
    over = due_at(asked, work.zone, work.rules)
    if to is not None:
        confirmed_as = "clock" if to == "confirmed" else ""
        move_challenge(work, row, to, at=over, confirmed_as=confirmed_as)
