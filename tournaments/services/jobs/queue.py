"""The work list: mark jobs as due, claim, release, retry and park them; heartbeats and sweeps."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import F

from tournaments.domain.faults import is_busy, is_statement_timeout, is_unavailable
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.time_limits import TooLong
from tournaments.models.jobs import DEADLINE_PREFIX, FIRST_TRY, Deadline, Dirty, Heartbeat
from tournaments.selectors.jobs.queue import (
    LEASE,
    LONGEST_WAIT,
    find_pending_job,
    get_database_time,
    has_place,
    is_ahead,
    list_due_deadlines,
    list_free_rows,
)
from tournaments.services.db.transactions import atomic_step

FEW: Final = 10
"""Fewer changes than this are no burst."""
REST_A_CHANGE: Final = timedelta(milliseconds=25)
LONGEST_REST: Final = timedelta(milliseconds=800)
"""The last change of a burst is still published within about a second."""

log = structlog.get_logger(__name__)

BACK_OFF: Final = (timedelta(seconds=1), LONGEST_WAIT)
"""Waits after the first and the second failure; after the third the job is parked."""

_FORGOTTEN_AFTER = timedelta(days=1)


def claim_job(scope: str, *, now: datetime) -> bool:
    """Claim `scope` for LEASE; return false where it is not due, or another worker has it.

    Deadlines are not claimed: their jobs lock the event's row and read it again.
    """
    if scope.startswith(DEADLINE_PREFIX):
        return list_due_deadlines(now).filter(pk=scope.removeprefix(DEADLINE_PREFIX)).exists()
    return bool(list_free_rows(now).filter(scope=scope).update(claimed_until=now + LEASE))


IMPORTS_SCOPE: Final = "imports"
"""A row that is locked while the work on a file is claimed; it is never due itself."""


@atomic_step
def claim_import(scope: str, *, now: datetime) -> bool:
    """Claim the work on a file, unless other files have to come first (`has_place`)."""
    Dirty.objects.select_for_update().get_or_create(scope=IMPORTS_SCOPE)
    return has_place(scope, now) and claim_job(scope, now=now)


def renew_claim(scope: str, *, now: datetime, progress: Mapping[str, int] | None = None) -> None:
    """Claim `scope` for another LEASE and store its progress, after each piece of long work."""
    Dirty.objects.filter(scope=scope).update(claimed_until=now + LEASE, progress=progress)


def mark_due(scope: str, *, now: datetime, apart: timedelta = timedelta(0)) -> None:
    """Mark `scope` as due, in the transaction of the reason for it.

    `apart` is the least time between two runs of the work.
    """
    is_known = Dirty.objects.filter(scope=scope).update(
        version=F("version") + 1, marked_at=now, due_at=None, **FIRST_TRY
    )
    if not is_known:
        Dirty.objects.create(scope=scope, version=1, marked_at=now)
    elif apart:
        lately = Dirty.objects.filter(scope=scope, done_at__gt=now - apart, done_at__lte=now)
        lately.filter(claimed_until__isnull=True).update(claimed_until=now + apart)


def finish_job(scope: str, version: int, *, now: datetime, took_ms: int | None = None) -> None:
    """Note that the work on `scope` is done up to `version`, and release it."""
    Dirty.objects.filter(scope=scope, done__lt=version).update(done=version, done_at=now)
    release_job(scope, took_ms=took_ms)


def release_job(scope: str, *, took_ms: int | None = None) -> None:
    took = {} if took_ms is None else {"took_ms": took_ms}
    if not scope.startswith(DEADLINE_PREFIX):
        Dirty.objects.filter(scope=scope).update(claimed_until=None, **took)
    elif took:
        Deadline.objects.filter(pk=scope.removeprefix(DEADLINE_PREFIX)).update(**took)


def release_after_changes(scope: str, *, changes: int, now: datetime, took_ms: int | None) -> None:
    """Release `scope` after work on so many changes at once, later if they were many.

    In a burst each computation would soon be behind again (docs/performance, "Limits").
    """
    if changes < FEW:
        release_job(scope, took_ms=took_ms)
        return
    until = now + min(changes * REST_A_CHANGE, LONGEST_REST)
    Dirty.objects.filter(scope=scope).update(claimed_until=until, took_ms=took_ms)


TRIES: Final = len(BACK_OFF) + 1
_ERROR_LENGTH: Final = 2000


def retry_after_fault(scope: str, fault: Exception, *, now: datetime) -> None:
    """Count a failed try of the job of `scope`, and log its fault.

    A database that is away or locked does not count; the claim runs out and the dispatcher finds
    the row again. A locked row lets others go first: whoever holds the lock may stand still.
    """
    if is_database_away(fault):
        log.warning("job_interrupted", scope=scope, fault=str(fault))
        if is_busy(fault):
            with suppress(DatabaseError):
                find_pending_job(scope).update(due_at=get_database_time(now) + LONGEST_WAIT)
        return
    drop_interrupted_connection(fault)
    parked = record_failure(scope, fault, now=get_database_time(now))
    log.exception("job_failed", scope=scope, parked=parked)


@atomic_step
def record_failure(scope: str, fault: Exception, *, now: datetime) -> bool:
    """Count a failed try and release the job; return whether it is parked now.

    A new change of the scope, or a moved deadline, starts again with the first try.
    """
    job = find_pending_job(scope).select_for_update().first()
    if job is None:
        return False
    job.attempts += 1
    job.parked = job.attempts >= TRIES
    if not job.parked:
        job.due_at = now + BACK_OFF[job.attempts - 1]
    elif isinstance(job, Dirty):
        job.due_at = None  # a deadline keeps its moment
    job.error = f"{type(fault).__name__}: {fault}"[:_ERROR_LENGTH]
    job.save(update_fields=["attempts", "parked", "due_at", "error"])
    release_job(scope)
    return job.parked


def is_database_away(fault: Exception) -> bool:
    """Whether a fault is the database's, so that it does not count as a failed try.

    A statement that takes too long does count, and so does the use of a closed connection: they
    would fail again.
    """
    counts = isinstance(fault, InterfaceError) or is_statement_timeout(fault)
    return is_unavailable(fault) and not counts


def drop_interrupted_connection(fault: Exception) -> None:
    """Close a connection on which a time limit may have interrupted a statement.

    PostgreSQL's still waits for the answer and takes nothing else, not even the record of the
    fault; the statement is cancelled on the server.
    """
    if not isinstance(fault, TooLong) or connection.in_atomic_block:
        return
    if connection.vendor == "postgresql" and connection.connection is not None:
        connection.connection.cancel()
    connection.close()


def record_heartbeat(
    *,
    name: str,
    now: datetime,
    processes: int | None = None,
    without_process_since: datetime | None = None,
) -> None:
    """Note that a worker is alive, and how many jobs it does at once."""
    state = {
        "seen_at": now,
        "counting": COUNTING,
        "processes": processes,
        "without_process_since": without_process_since,
    }
    Heartbeat.objects.update_or_create(name=name, defaults=state)


def end_heartbeat(*, name: str) -> None:
    Heartbeat.objects.filter(name=name).delete()


def forget_silent_workers(*, now: datetime) -> None:
    """Remove the heartbeats of workers that were killed long ago."""
    Heartbeat.objects.filter(seen_at__lt=now - _FORGOTTEN_AFTER).delete()


PERIOD: Final = timedelta(seconds=10)
SCOPE: Final = "sweep"
"""Its claim row: `claimed_until` is when the next one is due, `version` counts them."""


def claim_sweep(*, now: datetime) -> bool:
    """Claim the next sweep, if it is due; of several workers one gets it.

    Two periods, since this worker may have read its clock before the one that got the last sweep.
    """
    rows = Dirty.objects.filter(scope=SCOPE)
    claim = {"claimed_until": now + PERIOD, "done_at": now}
    due = rows.filter(~is_ahead("claimed_until", now, 2 * PERIOD))
    if due.update(version=F("version") + 1, done=F("version") + 1, **claim):
        return True
    if rows.exists():
        return False
    _row, is_ours = Dirty.objects.get_or_create(
        scope=SCOPE, defaults={"version": 1, "done": 1, **claim}
    )
    return is_ours
