"""Letting an event play a version of its club's house rules."""

from datetime import datetime

from django.db import transaction

from tournaments.models.events import Event
from tournaments.models.variants import HouseVersion
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event
from tournaments.services.events.comparability import require_comparable
from tournaments.services.events.states import require_running
from tournaments.services.permissions import require
from tournaments.services.rules.rule_sets import store_snapshot


@transaction.atomic
def use_version(*, actor: Actor, event: Event, version: HouseVersion, now: datetime) -> Event:
    """Let an event play a version from now on; tables that are there keep the rules they have.

    Raises:
        Forbidden: manage_event.
        Conflict: event_is_over.
        Refused: unknown_variant, where the version is of another club or archived; bad_option
            where the event's own options cannot stand over it; games_not_mixed where the event
            compares raw points of tables under another version.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    snapshot = store_snapshot(event=event, variant=version.code, options=event.options)
    if event.variant == snapshot.variant:
        return event
    require_comparable(event=event, rules=snapshot)
    facts = {"from": event.variant, "to": snapshot.variant, "rules": snapshot.content_hash}
    event.variant = snapshot.variant
    event.save(update_fields=["variant"])
    subject = f"event:{event.slug}"
    append_audit(
        club=event.club, actor=actor, act="use_version", subject=subject, facts=facts, now=now
    )
    return event
