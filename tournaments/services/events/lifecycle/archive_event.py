"""Taking an event out of the club's lists, and putting it back; its addresses stay."""

from datetime import datetime

from scoring.errors import Refused
from tournaments.domain.reasons import reason_problems
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def archive_event(
    *, actor: Actor, event: Event, reason: str, now: datetime, archived: bool = True
) -> Event:
    """Hide an event from lists, or show it there again; one that is so already stays as it is.

    Raises:
        Forbidden: archive_event.
        Refused: reason_required, bad_text.
    """
    require(actor, event.club, "archive_event")
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    event = lock_event(event)
    if (event.archived_at is not None) == archived:
        return event
    event.archived_at = now if archived else None
    Event.objects.filter(pk=event.pk).update(archived_at=event.archived_at)
    append_audit(
        club=event.club,
        actor=actor,
        act="archive_event" if archived else "unarchive_event",
        subject=f"event:{event.slug}",
        facts={"reason": reason.strip()},
        now=now,
    )
    return event
