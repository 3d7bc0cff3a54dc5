"""What became of a job that the clock started: tries, back-off, parking, and trying again."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from tournaments.models.events import Event
from tournaments.models.outbox import PREFIXES_OF_EVENTS, Deadline, Dirty, event_scope
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.dirty import BACK_OFF, TRIES
from tournaments.services.event_locks import lock_event
from tournaments.services.permissions import require
from tournaments.services.transactions import atomic_act

_ERROR_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Met:
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


@atomic_act
def try_again(*, actor: Actor, event: Event, now: datetime) -> int:
    """Put back to work what was given up for an event; returns how much there was.

    Raises:
        Forbidden: publish.
    """
    require(actor, event.club, "publish")
    event = lock_event(event)  # as the jobs of the clock take it, before their deadlines
    scopes = [f"{kind}{event.pk}" for kind in PREFIXES_OF_EVENTS]
    parked = Dirty.objects.filter(scope__in=scopes, parked=True)
    # The event's own row before the others, as whoever publishes it takes them.
    for scope in sorted(scopes, key=lambda one: (one != event_scope(event.pk), one)):
        list(parked.select_for_update(no_key=True).filter(scope=scope).values_list("pk"))
    stopped = parked.filter(done__lt=F("version"))
    n_scopes = stopped.update(parked=False, attempts=0, due_at=None, error="", marked_at=now)
    deadlines = Deadline.objects.filter(event=event, parked=True, done_at=None)
    n_deadlines = deadlines.update(parked=False, attempts=0, error="", due_at=now)
    if n_scopes or n_deadlines:
        append_audit(
            club=event.club,
            actor=actor,
            act="try_again",
            subject=f"event:{event.slug}",
            facts={"scopes": n_scopes, "deadlines": n_deadlines},
            now=now,
        )
    return n_scopes + n_deadlines
