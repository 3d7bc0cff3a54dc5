"""Decides what becomes of a job after a fault: it is retried after a while, and parked at last.

The same for every kind of job: computations (`Dirty`) and jobs of the clock (`Deadline`).
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import InterfaceError, connection

from tournaments.database_faults import is_statement_timeout, is_unavailable
from tournaments.models.outbox import Dirty
from tournaments.selectors.jobs.clock import database_time
from tournaments.selectors.jobs.queue import LONGEST_WAIT, pending_job
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.queue import release_job
from tournaments.time_limits import TooLong

log = structlog.get_logger(__name__)

BACK_OFF: Final = (timedelta(seconds=1), LONGEST_WAIT)
"""Waits after the first and the second failure; after the third the job is parked."""
TRIES: Final = len(BACK_OFF) + 1
_ERROR_LENGTH: Final = 2000


def retry_after_fault(scope: str, fault: Exception, *, now: datetime) -> None:
    """Count a fault against the job of `scope`, and log it.

    A database that is away or locked is nobody's fault; the claim runs out and the dispatcher
    finds the row again.
    """
    if is_database_away(fault):
        log.warning("job_interrupted", scope=scope, fault=str(fault))
        return
    drop_interrupted_connection(fault)
    parked = record_failure(scope, fault, now=database_time(now))
    log.exception("job_failed", scope=scope, parked=parked)


@atomic_act
def record_failure(scope: str, fault: Exception, *, now: datetime) -> bool:
    """Count a failed try and release the job; returns whether it is parked now.

    A new change of the scope, or a moved deadline, begins again with the first try.
    """
    job = pending_job(scope).select_for_update().first()
    if job is None:
        return False
    job.attempts += 1
    job.parked = job.attempts >= TRIES
    if not job.parked:
        job.due_at = now + BACK_OFF[job.attempts - 1]
    elif isinstance(job, Dirty):
        job.due_at = None  # a deadline keeps the moment it was due
    job.error = f"{type(fault).__name__}: {fault}"[:_ERROR_LENGTH]
    job.save(update_fields=["attempts", "parked", "due_at", "error"])
    release_job(scope)
    return job.parked


def is_database_away(fault: Exception) -> bool:
    """Whether a fault is the database's alone, so that it does not count against the job.

    A statement that takes too long does count, and so does the use of a connection that is none:
    they would do so again, for ever.
    """
    counts = isinstance(fault, InterfaceError) or is_statement_timeout(fault)
    return is_unavailable(fault) and not counts


def drop_interrupted_connection(fault: Exception) -> None:
    """Close a connection on which a time limit may have struck amid a statement.

    PostgreSQL's still waits for the answer and takes nothing else, not even why work was given up;
    the server is told that nobody waits.
    """
    if not isinstance(fault, TooLong) or connection.in_atomic_block:
        return
    if connection.vendor == "postgresql" and connection.connection is not None:
        connection.connection.cancel()
    connection.close()
