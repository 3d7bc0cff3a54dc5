"""Deleting an event that never began: a draft without hands, with all that was prepared for it."""

from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event, EventState
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting, Round, SitOut, Table
from tournaments.models.outbox import PREFIXES_OF_EVENTS, Dirty, import_scope
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def delete_event(*, actor: Actor, event: Event, now: datetime) -> None:
    """Delete a draft; the audit trail keeps that it was there.

    Raises:
        Forbidden: manage_event.
        Conflict: event_not_draft, event_holds_hands.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    if event.state != EventState.DRAFT:
        raise Conflict(Problem("event_not_draft", ("state",)))
    lock_games(Game.objects.filter(event=event))  # a first hand is in, or finds no event
    if Hand.objects.filter(game__event=event).exists():
        raise Conflict(Problem("event_holds_hands", ("state",)))
    batches = ImportBatch.objects.filter(event=event)
    scopes = [f"{prefix}{event.pk}" for prefix in PREFIXES_OF_EVENTS]
    scopes += [import_scope(pk) for pk in batches.values_list("pk", flat=True)]
    club, subject = event.club, f"event:{event.slug}"
    batches.delete()
    # What points at something protected goes first.
    for model in (Table, SitOut, Round, Meeting):
        model.objects.filter(event=event).delete()
    event.delete()
    Dirty.objects.filter(scope__in=scopes).delete()
    append_audit(club=club, actor=actor, act="delete_event", subject=subject, facts={}, now=now)
