"""Mark a scope as changed: the database is the queue, a Celery message only a hint."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import structlog
from amqp.exceptions import AMQPError, MessageNacked
from celery import Celery, current_app
from django.conf import settings
from django.db import connection, transaction
from kombu import Producer
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from tournaments.domain.circuit_breaker import BROKER
from tournaments.models.events import Event
from tournaments.models.jobs import (
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


MOST_HINTS: Final = 8
"""Maximum number of hints at the broker. Processes that look at the same moment may each add
one."""
HINT_EXPIRES_S: Final = 60.0
CONFIRM_S: Final = 0.3
"""RabbitMQ confirms a hint within this time, or counts as away: with an alarm it takes messages
and does nothing."""
BROKER_FAULTS: Final = (KombuError, AMQPError, MessageNacked, RedisError, OSError)
NO_EVENT: Final = 0

PUBLISH_TASK = "tournaments.tasks.publish_event"

TASKS: Final = {
    EVENT_PREFIX: PUBLISH_TASK,
    IMPORT_PREFIX: "tournaments.tasks.work_on_import",
    RECOUNT_PREFIX: "tournaments.tasks.recount_event",
    DEADLINE_PREFIX: "tournaments.tasks.run_deadline",
    HISTORY_PREFIX: "tournaments.tasks.make_history",
    SEASON_PREFIX: "tournaments.tasks.publish_season",
    LADDER_PREFIX: "tournaments.tasks.publish_ladder",
    PLAYOFFS_PREFIX: "tournaments.tasks.schedule_event_playoffs",
    REMOVAL_PREFIX: "tournaments.tasks.remove_club",
    SEATING_PREFIX: "tournaments.tasks.plan_seating",
    CLUB_IMPORT_PREFIX: "tournaments.tasks.work_on_club_import",
}
"""Prefix of a scope → its task, whose argument is the number behind the prefix."""

_MARK: Final = """
    UPDATE tournaments_dirty SET version = version + %s, marked_at = %s,
        due_at = NULL, attempts = 0, parked = FALSE, error = ''
    WHERE scope = %s
    RETURNING version, COALESCE(claimed_until <= %s, done = version - %s)
"""
"""The second column: no worker has the event, and no hint was sent. Without IS NULL, which is wrong
here in SQLite 3.40."""


@dataclass(frozen=True, slots=True)
class DeadlineOutcome:
    """The outcome of a deadline's job; `again` is when it is due next, None where it is done."""

    again: datetime | None
    outcome: str = ""


def send_hint(app: Celery, task: str, number: int) -> bool:
    """Send one hint, unless enough of them wait: a worker that takes one looks at all due rows.

    Return false where the broker is away: then the dispatchers find the work. Only one hint in five
    seconds tries a broker that is away (`CircuitBreaker`).
    """

    def send(producer: Producer) -> int:
        waiting = _count_hints(app, producer)
        if waiting < MOST_HINTS:
            app.send_task(
                task,
                args=[number],
                producer=producer,
                retry=False,
                expires=HINT_EXPIRES_S,
                confirm_timeout=CONFIRM_S,
            )
        return waiting

    return _reach_broker(app, send) is not None


def probe_broker(app: Celery) -> None:
    """Send a hint for no event, to update the circuit breaker: a broker may accept connections and
    take no messages."""
    if not _is_embedded():
        send_hint(app, PUBLISH_TASK, NO_EVENT)


def count_hints(app: Celery) -> int | None:
    """Count the messages that wait at the broker; None if it is away or inside the worker."""
    if _is_embedded():
        return None
    return _reach_broker(app, lambda producer: _count_hints(app, producer))


def _count_hints(app: Celery, producer: Producer) -> int:
    """Count the messages of our queue. It is declared, as with each message; it may not exist."""
    queue: Any = app.amqp.queues[app.conf.task_default_queue]
    return int(queue(producer.channel).queue_declare().message_count)


def _reach_broker(app: Celery, operation: Callable[[Producer], int]) -> int | None:
    """Return the result of `operation`, or None while the broker is away."""
    if not BROKER.allows():
        return None
    try:
        result = _act_with_producer(app, operation)
    except BROKER_FAULTS as fault:
        BROKER.failed(fault)
        return None
    BROKER.succeeded()
    return result


def _act_with_producer(app: Celery, operation: Callable[[Producer], int]) -> int:
    """Try a new connection too where a kept one fails: RabbitMQ closes those that are idle."""
    with app.producer_or_acquire() as producer:
        connection = producer.connection
        if connection.connected:
            try:
                return operation(producer)
            except BROKER_FAULTS:
                connection.collect()
                producer.revive(connection)
        try:
            return operation(producer)
        except BROKER_FAULTS:
            connection.collect()  # a late confirmation would pass for that of the next hint
            raise


def _is_embedded() -> bool:
    return bool(settings.CELERY_BROKER_URL.startswith("memory:"))


def mark_changed(*, event: Event, by: int = 1, now: datetime) -> int:
    """Raise the event's version by `by` in this transaction and hint the workers after it; return
    the version with the change (`event_version` of docs/api.md).

    No hint is sent for an event that already waits to be published, or while a worker has it: the
    worker reads the version again at the end.
    """
    scope = event_scope(event.pk)
    if is_dry_run():
        version = Dirty.objects.filter(scope=scope).values_list("version", flat=True).first()
        return (version or 0) + by
    with connection.cursor() as cursor:
        moment = stored_time(now)
        cursor.execute(_MARK, [by, moment, scope, moment, by])
        row = cursor.fetchone()
    if row is None:
        Dirty.objects.create(scope=scope, version=by, marked_at=now)
    version, is_first = row or (by, True)
    if is_first:
        hint_after_commit(EVENT_PREFIX, event.pk)
    return int(version)


def mark_recount(*, event: Event, now: datetime) -> None:
    """Have all sums of `event` counted again, in the caller's transaction."""
    if is_dry_run():
        return
    mark_due(recount_scope(event.pk), now=now)
    hint_after_commit(RECOUNT_PREFIX, event.pk)


def hint_after_commit(prefix: str, number: int) -> None:
    """Send a hint of a scope after the commit; losing it costs a tenth of a second.

    With the embedded broker nothing is sent: the worker's dispatcher reads the queue.
    """

    def hint() -> None:
        if not _is_embedded():
            send_hint(current_app, TASKS[prefix], number)

    transaction.on_commit(hint, robust=True)


def set_deadline(event: Event, kind: str, due_at: datetime | None, *, key: str = "") -> None:
    """Set, move or remove a deadline of an event, in the transaction of the reason for it.

    A finished job with the same moment does not run again.
    """
    rows = Deadline.objects.filter(event=event, kind=kind, key=key)
    if due_at is None:
        rows.delete()
        return
    deadline = Deadline(club_id=event.club_id, event=event, kind=kind, key=key, due_at=due_at)
    Deadline.objects.bulk_create([deadline], ignore_conflicts=True)
    rows.exclude(due_at=due_at).update(due_at=due_at, done_at=None, **FIRST_TRY)
