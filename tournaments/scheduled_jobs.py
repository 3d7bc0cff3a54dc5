"""Jobs that the clock starts: which kind of deadline does what.

A deadline is a row that the dispatcher hands to a worker when its time has come. Its handler
reads from the rows whether it really is over, so that one that comes early, late, twice or under a
clock that stepped back does nothing wrong.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from tournaments.models.events import Event
from tournaments.models.outbox import FIRST_TRY, Deadline
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events import finalization, schedule_ladder_deadlines
from tournaments.services.jobs.deadlines import DeadlineOutcome
from tournaments.services.ladders import deadlines

HANDLERS: Final[Mapping[str, Callable[[Event, Deadline, datetime], DeadlineOutcome]]] = {
    finalization.FINALISE: finalization.run_event_deadline,
    finalization.FINALISE_ROUND: finalization.run_round_deadline,
    schedule_ladder_deadlines.CHALLENGE_DEADLINE: deadlines.run_challenge_deadline,
    schedule_ladder_deadlines.WEEK: deadlines.run_weekly_sweep,
}
"""Kind of a deadline → what it does; the caller holds the row of the event."""


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
    met = HANDLERS[row.kind](event, row, now)
    rows = Deadline.objects.filter(pk=row.pk)
    rows.update(ran_at=now, outcome=met.outcome, **FIRST_TRY)
    if met.again is None:
        rows.update(done_at=now)
    else:
        rows.update(due_at=met.again)
    return met.again is None or bool(met.outcome)
