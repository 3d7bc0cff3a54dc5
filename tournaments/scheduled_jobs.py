"""Jobs that the clock starts: which kind of deadline does what.

A deadline is a row that the dispatcher hands to a worker when its time has come. Its handler
reads from the rows whether it really is over, so that one that comes early, late, twice or under a
clock that stepped back does nothing wrong.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from tournaments.models.events import Event
from tournaments.models.outbox import FIRST_TRY, Deadline
from tournaments.services.attendance import notify_evenings
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events import finalization, schedule_ladder_deadlines, schedule_reminders
from tournaments.services.jobs.deadlines import DeadlineOutcome
from tournaments.services.ladders import deadlines, notify_challenges
from tournaments.services.rounds import notify_rounds

HANDLERS: Final[Mapping[str, Callable[[Event, Deadline, datetime], DeadlineOutcome]]] = {
    finalization.FINALISE: finalization.run_event_deadline,
    finalization.FINALISE_ROUND: finalization.run_round_deadline,
    schedule_ladder_deadlines.CHALLENGE_DEADLINE: deadlines.run_challenge_deadline,
    schedule_ladder_deadlines.WEEK: deadlines.run_weekly_sweep,
    schedule_ladder_deadlines.CHALLENGE_REMINDER: notify_challenges.run_challenge_reminder,
    notify_rounds.DIGEST: notify_rounds.run_digest,
    schedule_reminders.EVENING_REMINDER: notify_evenings.run_evening_reminder,
}
"""Kind of a deadline → what it does; the caller holds the row of the event."""
UNKNOWN_KIND_WAITS: Final = timedelta(minutes=10)
"""A deadline of a later release is left to that release, which may run beside this one."""


@atomic_act
def run_deadline_job(deadline_id: int, *, now: datetime) -> bool:
    """Do what a deadline is there for, if it is over; safe twice, early and late.

    Returns:
        Whether it ran and is done for this time; one that waits for somebody is looked at again.
    """
    found = Deadline.objects.filter(pk=deadline_id).values_list("event_id", flat=True).first()
    if found is None:
        return False
    event = lock_event(Event(pk=found))
    # Whoever moves a deadline holds the event's row, so this one stays as it is read here.
    row = Deadline.objects.filter(pk=deadline_id).first()
    if row is None or row.done_at is not None or row.due_at > now:
        return False
    rows = Deadline.objects.filter(pk=row.pk)
    if row.kind not in HANDLERS:
        rows.update(due_at=now + UNKNOWN_KIND_WAITS)
        return False
    met = HANDLERS[row.kind](event, row, now)
    rows.update(ran_at=now, outcome=met.outcome, **FIRST_TRY)
    if met.again is None:
        rows.update(done_at=now)
    else:
        rows.update(due_at=met.again)
    return met.again is None or bool(met.outcome)
