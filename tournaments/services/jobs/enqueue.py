"""Mark a scope as changed: the database is the queue, a Celery message only a hint."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from celery import Celery, current_app
from django.conf import settings
from django.db import connection, transaction
from kombu.exceptions import ChannelError
from kombu.exceptions import OperationalError as BrokerDown

from tournaments.domain.circuit_breaker import BROKER
from tournaments.models.events import Event
from tournaments.models.outbox import (
    CLUB_IMPORT_PREFIX,
    DEADLINE_PREFIX,
    EVENT_PREFIX,
    FIRST_TRY,
    HISTORY_PREFIX,
    IMPORT_PREFIX,
    LADDER_PREFIX,
    PLAYOFFS_PREFIX,
    RECOUNT_PREFIX,
    REMOVAL_PREFIX,
    SEASON_PREFIX,
    SEATING_PREFIX,
    Deadline,
    Dirty,
    event_scope,
    recount_scope,
)
from tournaments.services.db.bulk import stored_time
from tournaments.services.db.transactions import is_dry_run
from tournaments.services.jobs.queue import mark_due

log = structlog.get_logger(__name__)


def send_hint(app: Celery, task: str, number: int) -> bool:
    """Send one hint; false where the broker is away, which the dispatchers of the workers mend.

    While the broker is away only one hint in five seconds tries it (`CircuitBreaker`), without a
    retry and with short time-outs.
    """
    if not BROKER.allows():
        return False
    try:
        app.send_task(task, args=[number], retry=False)
    except (BrokerDown, OSError) as fault:
        BROKER.failed(fault)
        return False
    BROKER.succeeded()
    return True


def hints_wait(app: Celery) -> bool:
    """Whether the worker of this process has yet to take hints that were sent to it.

    What waits at a broker is not looked at, for other workers may take it.
    """
    if not str(app.conf.broker_url).startswith("memory:"):
        return False
    with app.producer_or_acquire() as producer, suppress(ChannelError):  # there is no queue yet
        queue = producer.channel.queue_declare(app.conf.task_default_queue, passive=True)
        return bool(queue.message_count)
    return False


def connect_to_broker(app: Celery) -> None:
    """Connect to the broker, as a hint would, so that its circuit breaker knows how it is."""
    if settings.CELERY_BROKER_URL.startswith("memory:") or not BROKER.allows():
        return
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0, interval_start=0)
    except (BrokerDown, OSError) as fault:
        BROKER.failed(fault)
    else:
        BROKER.succeeded()


PUBLISH_TASK = "tournaments.tasks.publish_event"
IMPORT_TASK = "tournaments.tasks.work_on_import"
RECOUNT_TASK = "tournaments.tasks.recount_event"
HISTORY_TASK = "tournaments.tasks.make_history"
SEASON_TASK = "tournaments.tasks.publish_season"
LADDER_TASK = "tournaments.tasks.publish_ladder"
PLAYOFFS_TASK = "tournaments.tasks.schedule_event_playoffs"
DEADLINE_TASK = "tournaments.tasks.run_deadline"
REMOVAL_TASK = "tournaments.tasks.remove_club"
SEATING_TASK = "tournaments.tasks.plan_seating"
CLUB_IMPORT_TASK = "tournaments.tasks.work_on_club_import"
TASKS: Final = {
    EVENT_PREFIX: PUBLISH_TASK,
    IMPORT_PREFIX: IMPORT_TASK,
    RECOUNT_PREFIX: RECOUNT_TASK,
    DEADLINE_PREFIX: DEADLINE_TASK,
    HISTORY_PREFIX: HISTORY_TASK,
    SEASON_PREFIX: SEASON_TASK,
    LADDER_PREFIX: LADDER_TASK,
    PLAYOFFS_PREFIX: PLAYOFFS_TASK,
    REMOVAL_PREFIX: REMOVAL_TASK,
    SEATING_PREFIX: SEATING_TASK,
    CLUB_IMPORT_PREFIX: CLUB_IMPORT_TASK,
}
"""Prefix of a scope → the task that works on it; the number behind the prefix is its argument."""


def mark_changed(*, event: Event, by: int = 1, now: datetime) -> int:
    """Raise the event's version by `by` in this transaction and hint the workers after it.

    A hint is sent where none is under way: not for an event that waits to be published already, and
    not while a worker has it, which looks once more at the end.

    Returns:
        The version that contains the change (`event_version` of docs/api.md).
    """
    scope = event_scope(event.pk)
    if is_dry_run():
        stands = Dirty.objects.filter(scope=scope).values_list("version", flat=True).first()
        return (stands or 0) + by
    with connection.cursor() as cursor:
        moment = stored_time(now)
        cursor.execute(_MARK, [by, moment, scope, moment, by])
        found = cursor.fetchone()
    if found is None:
        Dirty.objects.create(scope=scope, version=by, marked_at=now)
    version, is_first = found or (by, True)
    if is_first:
        transaction.on_commit(lambda: hint(event.pk), robust=True)
    return int(version)


_MARK: Final = """
    UPDATE tournaments_dirty SET version = version + %s, marked_at = %s,
        due_at = NULL, attempts = 0, parked = FALSE, error = ''
    WHERE scope = %s
    RETURNING version, COALESCE(claimed_until <= %s, done = version - %s)
"""
"""The second column: nobody has the event, and nobody was told of it. Not written with IS NULL, of
which SQLite 3.40 returns the wrong answer here."""


def mark_recount(*, event: Event, now: datetime) -> None:
    """Have all that `event` has counted be counted again; the caller's transaction says why."""
    if is_dry_run():
        return
    mark_due(recount_scope(event.pk), now=now)
    transaction.on_commit(lambda: hint_recount(event.pk), robust=True)


def hint(event_id: int) -> None:
    """Tell the workers that an event is behind; losing this costs a tenth of a second.

    With the embedded broker nothing is sent: the worker's dispatcher reads the queue.
    """
    _send(PUBLISH_TASK, event_id)


def hint_import(batch_id: int) -> None:
    """Tell the workers that a file waits; losing this costs as little."""
    _send(IMPORT_TASK, batch_id)


def hint_club_import(pk: int) -> None:
    """Tell the workers that an archive of a club waits; losing this costs as little."""
    _send(CLUB_IMPORT_TASK, pk)


def hint_recount(event_id: int) -> None:
    """Tell the workers that an event is to be counted again; losing this costs as little."""
    _send(RECOUNT_TASK, event_id)


def hint_seating(plan_id: int) -> None:
    """Tell the workers, after the commit, that a seating plan is to be computed."""
    transaction.on_commit(lambda: _send(SEATING_TASK, plan_id), robust=True)


def _send(task: str, number: int) -> None:
    if settings.CELERY_BROKER_URL.startswith("memory:"):
        return
    send_hint(current_app, task, number)


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
    deadline = Deadline(club_id=event.club_id, event=event, kind=kind, key=key, due_at=due_at)
    Deadline.objects.bulk_create([deadline], ignore_conflicts=True)
    rows.exclude(due_at=due_at).update(due_at=due_at, done_at=None, **FIRST_TRY)
