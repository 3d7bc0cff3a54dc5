"""The workers that are alive, by heartbeats and lock files; the clock that they share."""

import fcntl
import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import quote

from django.conf import settings
from django.db import connection
from django.db.models import Subquery

from tournaments.models.outbox import Heartbeat


def get_database_time(now: datetime) -> datetime:
    """Return the time of the PostgreSQL server; `now` with SQLite, which has no other clock."""
    if connection.vendor != "postgresql":
        return now
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


SILENT_AFTER: Final = timedelta(seconds=30)
"""A worker writes a heartbeat every few seconds; after so long without one it counts as dead."""


def is_worker_heard(now: datetime) -> bool:
    """Whether any worker is alive, so that pending work is done within seconds."""
    return Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER).exists()


def get_last_heartbeat() -> Subquery:
    """Return a database expression for when any worker was last heard; null: none ever was."""
    return Subquery(Heartbeat.objects.order_by("-seen_at").values("seen_at")[:1])


def is_heard(seen_at: datetime | None, now: datetime) -> bool:
    return seen_at is not None and seen_at > now - SILENT_AFTER


def list_workers() -> tuple[tuple[str, datetime], ...]:
    """Return every worker that has not been stopped, with its last heartbeat."""
    return tuple(Heartbeat.objects.order_by("name").values_list("name", "seen_at"))


_SAME_WORKER: Final = timedelta(seconds=15)
"""The file is touched with each heartbeat. One that is so much newer is of another worker."""


class WorkerPresence:
    """The lock that one worker holds as long as it lives."""

    def __init__(self, name: str) -> None:
        self._path = _path(name)
        self._file: int | None = None

    def renew(self) -> None:
        """Take the lock where it is not held yet, and touch its file."""
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                raise
            self._file = file
        os.utime(self._path)

    def end(self) -> None:
        """Remove the file when the worker is stopped."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None


def is_dead(name: str, seen_at: datetime) -> bool:
    """Whether a worker of this machine was killed; `seen_at` is its last heartbeat."""
    try:
        file = os.open(_path(name), os.O_RDONLY)
    except OSError:
        return False
    try:
        touched = datetime.fromtimestamp(os.fstat(file).st_mtime, UTC)
        if seen_at - touched > _SAME_WORKER:
            return False
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(file)


def _path(name: str) -> Path:
    """Return the file of the lock, of which each database has another one."""
    database = settings.DATABASES["default"]
    key = "|".join(str(database.get(part, "")) for part in ("HOST", "PORT", "NAME"))
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    return Path(settings.VAR_DIR) / "workers" / f"{quote(name, safe='@')}-{digest}.lock"


@dataclass(frozen=True, slots=True)
class WorkerState:
    """One worker process of Celery, by the name that it has in the log."""

    name: str
    seen_at: datetime
    is_alive: bool


def list_worker_states(now: datetime) -> tuple[WorkerState, ...]:
    """Return the workers by name.

    One is dead after `SILENT_AFTER` without a heartbeat, or as soon as the lock of its process is
    free.
    """
    return tuple(
        WorkerState(name, seen_at, now - seen_at <= SILENT_AFTER and not is_dead(name, seen_at))
        for name, seen_at in list_workers()
    )
