"""Deadlines of an event: where they are put, and what becomes of a job that failed."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.outbox import Deadline
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.queue import BACK_OFF, TRIES

_ERROR_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class DeadlineOutcome:
    """What the job of a deadline did: `again` is when it is due next, None where it is done."""

    again: datetime | None
    outcome: str = ""


@atomic_act
def fail_deadline(deadline_id: int, fault: Exception, *, now: datetime) -> bool:
    """Count a failed try of a deadline; returns whether it is parked now."""
    row = Deadline.objects.select_for_update().filter(pk=deadline_id, done_at=None).first()
    if row is None:
        return False
    row.attempts += 1
    row.parked = row.attempts >= TRIES
    row.due_at = row.due_at if row.parked else now + BACK_OFF[row.attempts - 1]
    row.error = f"{type(fault).__name__}: {fault}"[:_ERROR_LENGTH]
    row.save(update_fields=["attempts", "parked", "due_at", "error"])
    return row.parked


def put_deadline(event: Event, kind: str, due_at: datetime | None, *, key: str = "") -> None:
    """Put a deadline of an event where it should be, in the transaction of the reason for it.

    Args:
        due_at: when its job runs; None: there is none (any more). One that is done and stays where
            it was is not begun again.
    """
    rows = Deadline.objects.filter(event=event, kind=kind, key=key)
    if due_at is None:
        rows.delete()
        return
    made = Deadline(club_id=event.club_id, event=event, kind=kind, key=key, due_at=due_at)
    Deadline.objects.bulk_create([made], ignore_conflicts=True)
    rows.exclude(due_at=due_at).update(
        due_at=due_at, done_at=None, attempts=0, parked=False, error=""
    )


def note_run(deadline_id: int, *, took_ms: int) -> None:
    """Keep how long the job of a deadline took, for whoever asks when it last ran."""
    Deadline.objects.filter(pk=deadline_id).update(took_ms=took_ms)
