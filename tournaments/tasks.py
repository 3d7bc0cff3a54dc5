"""What workers run. A message is a hint that carries an id: lost, doubled and late are harmless."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from celery import shared_task
from django.db import InterfaceError, connection
from django.utils import timezone

from tournaments import scheduled_jobs
from tournaments.database_faults import is_statement_timeout, is_unavailable
from tournaments.importers import work_upload
from tournaments.models.outbox import (
    companion_scope,
    event_scope,
    import_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
    season_scope,
)
from tournaments.publishing import publish_event as publishing_publish_event
from tournaments.publishing.history import build
from tournaments.publishing.ladders import publish
from tournaments.publishing.playoffs import detect_ties, review_cuts
from tournaments.publishing.standings import season_table
from tournaments.selectors.jobs.queue import done_of, events_behind, version_of
from tournaments.services.imports.uploads import note_end
from tournaments.services.jobs import queue
from tournaments.services.jobs.deadlines import fail_deadline, note_run
from tournaments.services.jobs.enqueue import (
    COMPANION_TASK,
    DEADLINE_TASK,
    IMPORT_TASK,
    LADDER_TASK,
    PLAYOFFS_TASK,
    PUBLISH_TASK,
    RECOUNT_TASK,
    SEASON_TASK,
    hint,
)
from tournaments.services.verification import recount
from tournaments.time_limits import TooLong, bounded

log = structlog.get_logger(__name__)

LIMIT_S = 20.0
"""The `solo` pool has no time limits, so a computation bounds itself."""


LADDER_LIMIT_S = 300.0
"""A correction far back has all later games of a ladder replayed, seconds for ten thousand."""

IMPORT_LIMIT_S = 1800
"""A file may take long; it is worked off in pieces, and begun again where it was left."""


@shared_task(name=PUBLISH_TASK)
def publish_event(event_id: int) -> None:
    """Publish an event that is behind; safe twice, late and out of order."""
    scope, changes = event_scope(event_id), 0
    if queue.claim(scope, now=timezone.now()):
        with failures_counted(scope), bounded(LIMIT_S):
            before, took_ms = done_of(scope), stopwatch()
            publishing_publish_event.publish(event_id, now=timezone.now())
            changes = done_of(scope) - before
            queue.rest(scope, changes=changes, now=timezone.now(), took_ms=took_ms())
        # Whoever marked it meanwhile sent no hint. The dispatcher gathers more.
        if changes == 1 and queue.is_free(scope, now=timezone.now()):
            hint(event_id)


@shared_task(name=IMPORT_TASK, soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def work_on_import(batch_id: int) -> None:
    """Bring in, or look through, an uploaded file; safe twice, late and after a kill.

    It is worked off in pieces, each committed; between two of them this worker publishes what
    waits, so that a large file keeps nobody's standings.
    """
    scope = import_scope(batch_id)
    if not queue.claim(scope, now=timezone.now()):
        return
    version, took_ms = version_of(scope), stopwatch()
    with failures_counted(scope):
        for _ in work_upload.pieces(batch_id, now=timezone.now()):
            queue.renew(scope, now=timezone.now())
            for behind in events_behind(timezone.now()):
                publish_event(behind.event_id)
        note_end(batch_id, now=timezone.now())
        queue.finish(scope, version, now=timezone.now(), took_ms=took_ms())


@shared_task(name=RECOUNT_TASK, soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def recount_event(event_id: int) -> None:
    """Count an event again; safe twice, late and after a kill.

    It is worked off in pieces, each committed; between two of them this worker publishes other
    events that wait. The event itself is published when it is counted.
    """
    scope = recount_scope(event_id)
    if not queue.claim(scope, now=timezone.now()):
        return
    version, took_ms = version_of(scope), stopwatch()
    with failures_counted(scope):
        for progress in recount.pieces(event_id):
            queue.renew(scope, now=timezone.now(), progress=progress)
            for behind in events_behind(timezone.now()):
                if behind.event_id != event_id:
                    publish_event(behind.event_id)
        recount.finish_recount(event_id, version, now=timezone.now(), took_ms=took_ms())


@shared_task(name=DEADLINE_TASK)
def run_deadline(deadline_id: int) -> None:
    """Do what the clock is there for; safe twice, early and late (scheduled_jobs.py)."""
    try:
        with bounded(LIMIT_S):
            took_ms = stopwatch()
            if scheduled_jobs.meet_deadline(deadline_id, now=timezone.now()):
                note_run(deadline_id, took_ms=took_ms())
    except Exception as fault:
        if is_nobodys(fault):
            log.warning("deadline_interrupted", deadline=deadline_id, fault=str(fault))
            return
        leave_statement(fault)
        parked = fail_deadline(deadline_id, fault, now=timezone.now())
        log.exception("deadline_failed", deadline=deadline_id, parked=parked)


@shared_task(name=COMPANION_TASK)
def make_companions(event_id: int) -> None:
    """Make a piece of what stands beside publications; safe twice, late and after a kill.

    Where something is left the scope is due again at once, behind whatever waits to be published.
    """
    scope = companion_scope(event_id)
    if not queue.claim(scope, now=timezone.now()):
        return
    version, took_ms = version_of(scope), stopwatch()
    with failures_counted(scope), bounded(LIMIT_S):
        if build.make_piece(event_id):
            queue.mark_due(scope, now=timezone.now())
        queue.finish(scope, version, now=timezone.now(), took_ms=took_ms())


@shared_task(name=SEASON_TASK)
def publish_season(season_id: int) -> None:
    """Publish a season's own table if it is behind; safe twice, late and out of order."""
    scope = season_scope(season_id)
    if queue.claim(scope, now=timezone.now()):
        with failures_counted(scope), bounded(LIMIT_S):
            took_ms = stopwatch()
            season_table.publish_season(season_id, now=timezone.now())
            queue.release(scope, took_ms=took_ms())


@shared_task(name=LADDER_TASK)
def publish_ladder(event_id: int) -> None:
    """Publish a ladder's positions and ratings if they are behind; safe twice and late."""
    scope = ladder_scope(event_id)
    if queue.claim(scope, now=timezone.now()):
        with failures_counted(scope), bounded(LADDER_LIMIT_S):
            took_ms = stopwatch()
            publish.publish_ladder(
                event_id,
                now=timezone.now(),
                tell=lambda done: queue.renew(
                    scope, now=timezone.now(), progress={"done": done, "of": publish.PARTS}
                ),
            )
            queue.release(scope, took_ms=took_ms())


@shared_task(name=PLAYOFFS_TASK)
def look_for_playoffs(event_id: int) -> None:
    """Look which ties of an event have to be played off; safe twice, late and out of order."""
    scope = playoffs_scope(event_id)
    if not queue.claim(scope, now=timezone.now()):
        return
    version = version_of(scope)
    with failures_counted(scope), bounded(LIMIT_S):
        took_ms = stopwatch()
        detect_ties.look_for_playoffs(event_id, now=timezone.now())
        review_cuts.review_cuts(event_id, now=timezone.now())
        queue.finish(scope, version, now=timezone.now(), took_ms=took_ms())


def stopwatch() -> Callable[[], int]:
    """Return what tells how many milliseconds have gone by since now."""
    start = time.monotonic()
    return lambda: round((time.monotonic() - start) * 1000)


@contextmanager
def failures_counted(scope: str) -> Iterator[None]:
    """The task runner: any fault counts against the scope and is kept with it, then parks it.

    A database that is away or locked is nobody's fault; the claim runs out and the dispatcher
    finds the row again.
    """
    try:
        yield
    except Exception as fault:
        if is_nobodys(fault):
            log.warning("publishing_interrupted", scope=scope, fault=str(fault))
            return
        leave_statement(fault)
        parked = queue.fail(scope, fault, now=timezone.now())
        log.exception("publishing_failed", scope=scope, parked=parked)


def is_nobodys(fault: Exception) -> bool:
    """Whether a fault is the database's alone, so that it does not count against the work.

    A statement that takes too long does count, and so does the use of a connection that is none:
    they would do so again, for ever.
    """
    counts = isinstance(fault, InterfaceError) or is_statement_timeout(fault)
    return is_unavailable(fault) and not counts


def leave_statement(fault: Exception) -> None:
    """Let go of a connection on which an alarm may have struck amid a statement.

    PostgreSQL's still waits for the answer and takes nothing else, not even why work was given up;
    the server is told that nobody waits.
    """
    if not isinstance(fault, TooLong) or connection.in_atomic_block:
        return
    if connection.vendor == "postgresql" and connection.connection is not None:
        connection.connection.cancel()
    connection.close()
