"""What became of a job that the clock started: tries, back-off, parking, and trying again."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from tournaments.models.events import Event
from tournaments.models.outbox import (
    COMPANION_PREFIX,
    EVENT_PREFIX,
    RECOUNT_PREFIX,
    Deadline,
    Dirty,
)
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.dirty import BACK_OFF, TRIES
from tournaments.services.permissions import require

_ERROR_LENGTH = 2000


@transaction.atomic
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


@transaction.atomic
def try_again(*, actor: Actor, event: Event, now: datetime) -> int:
    """Put back to work what was given up for an event; returns how much there was.

    Raises:
        Forbidden: publish.
    """
    require(actor, event.club, "publish")
    scopes = [f"{kind}{event.pk}" for kind in (EVENT_PREFIX, COMPANION_PREFIX, RECOUNT_PREFIX)]
    stopped = Dirty.objects.filter(scope__in=scopes, parked=True, done__lt=F("version"))
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
