"""Each worker that did not end in order: when it was last heard, and whether it is alive."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.selectors.jobs.heartbeats import SILENT_AFTER, workers
from tournaments.worker_presence import is_dead


@dataclass(frozen=True, slots=True)
class WorkerState:
    """One worker process of Celery, by the name that it has in the log."""

    name: str
    seen_at: datetime
    is_alive: bool


def worker_states(now: datetime) -> tuple[WorkerState, ...]:
    """Return the workers by name.

    One is dead after `SILENT_AFTER` without a heartbeat, or as soon as the lock of its process is
    free.
    """
    return tuple(
        WorkerState(name, seen_at, now - seen_at <= SILENT_AFTER and not is_dead(name, seen_at))
        for name, seen_at in workers()
    )
