"""A lock file of each worker of this machine: the kernel releases it when the process ends.

A heartbeat tells of a dead worker after 30 s; the lock tells at once, where the worker runs on the
machine (or with the state directory) of whoever asks. Elsewhere the heartbeat alone counts.
"""

import fcntl
import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import quote

from django.conf import settings

_SAME_WORKER: Final = timedelta(seconds=15)
"""The file is touched with each heartbeat. A heartbeat that is so much newer is of another one."""


class WorkerPresence:
    """The lock that one worker holds as long as it lives."""

    def __init__(self, name: str) -> None:
        self._path = _path(name)
        self._held: int | None = None

    def renew(self) -> None:
        """Take the lock where it is not held yet, and touch its file.

        Raises:
            OSError: the file cannot be written.
        """
        if self._held is None:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            opened = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(opened)
                raise
            self._held = opened
        os.utime(self._path)

    def end(self) -> None:
        """Remove the file: the worker ends in order."""
        if self._held is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._held)
            self._held = None


def is_dead(name: str, seen_at: datetime) -> bool:
    """Return whether a worker of this machine has ended without saying so.

    Args:
        seen_at: its last heartbeat.
    """
    try:
        opened = os.open(_path(name), os.O_RDONLY)
    except OSError:
        return False
    try:
        touched = datetime.fromtimestamp(os.fstat(opened).st_mtime, UTC)
        if seen_at - touched > _SAME_WORKER:
            return False
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(opened)


def _path(name: str) -> Path:
    """The lock's file; workers of another database with the same name have another one."""
    database = settings.DATABASES["default"]
    key = "|".join(str(database.get(part, "")) for part in ("HOST", "PORT", "NAME"))
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    return Path(settings.VAR_DIR) / "workers" / f"{quote(name, safe='@')}-{digest}.lock"
