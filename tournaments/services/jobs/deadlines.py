"""Deadlines of an event: jobs that the clock starts."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.outbox import FIRST_TRY, Deadline


@dataclass(frozen=True, slots=True)
class DeadlineOutcome:
    """What the job of a deadline did: `again` is when it is due next, None where it is done."""

    again: datetime | None
    outcome: str = ""


def set_deadline(event: Event, kind: str, due_at: datetime | None, *, key: str = "") -> None:
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
    rows.exclude(due_at=due_at).update(due_at=due_at, done_at=None, **FIRST_TRY)
