"""Retrying the jobs of an event that were given up after too many failures."""

from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.outbox import FIRST_TRY, PREFIXES_OF_EVENTS, event_scope
from tournaments.policy import Actor
from tournaments.selectors.jobs.queue import pending_deadlines, pending_scopes
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def retry_jobs(*, actor: Actor, event: Event, now: datetime) -> int:
    """Queue the failed jobs of an event again; returns how many there were.

    Raises:
        Forbidden: publish.
    """
    require(actor, event.club, "publish")
    event = lock_event(event)  # as the jobs of the clock take it, before their deadlines
    scopes = [f"{kind}{event.pk}" for kind in PREFIXES_OF_EVENTS]
    parked = pending_scopes().filter(scope__in=scopes, parked=True)
    # The event's own row before the others, as whoever publishes it takes them.
    for scope in sorted(scopes, key=lambda one: (one != event_scope(event.pk), one)):
        list(parked.select_for_update(no_key=True).filter(scope=scope).values_list("pk"))
    n_scopes = parked.update(due_at=None, marked_at=now, **FIRST_TRY)
    deadlines = pending_deadlines().filter(event=event, parked=True)
    n_deadlines = deadlines.update(due_at=now, **FIRST_TRY)
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
