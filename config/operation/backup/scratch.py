"""Directories for what a backup or a restore needs for a while, and what killed ones left.

Each holds a copy of the whole database, and a lock as long as its command runs: the kernel releases
it with the process.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

OF_BACKUP: Final = "blacklady-backup-"
OF_RESTORE: Final = "blacklady-restore-"
_LOCK: Final = ".lock"
JUST_MADE_S: Final = 60.0
"""A directory that is younger may be between its creation and its lock."""
WITHOUT_LOCK_S: Final = 86_400.0
"""A directory without a lock is of a release that made none, and left after so long."""

APPLICATION: Final = "blacklady-backup-"
SCRATCH: Final = "blacklady_verify_"
LEFT_DATABASES: Final = """
    SELECT d.datname::text FROM pg_database d
    WHERE d.datname ~ %(pattern)s AND pg_get_userbyid(d.datdba) = %(owner)s
    AND NOT EXISTS (
        SELECT FROM pg_stat_activity a
        WHERE a.datid = d.oid OR a.application_name = %(application)s || right(d.datname::text, 12)
    )
    ORDER BY d.datname
"""
"""Scratch databases on PostgreSQL of a role whose backup has ended. A backup holds a session from
before it creates its database until that is dropped; the names of both end with the same twelve
characters."""


def parameters_of_left(owner: str) -> dict[str, str]:
    pattern = f"^{SCRATCH}[0-9a-f]{{12}}$"
    return {"owner": owner, "pattern": pattern, "application": APPLICATION}


@contextmanager
def scratch_directory(prefix: str) -> Iterator[Path]:
    """Make a directory among the temporary files, for its owner only, deleted at the end."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        place = Path(name)
        with (place / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield place


def list_left_directories() -> list[Path]:
    """Return the scratch directories of killed backups and restores of this account."""
    root = Path(tempfile.gettempdir())
    places = [place for prefix in (OF_BACKUP, OF_RESTORE) for place in root.glob(f"{prefix}*")]
    return sorted(place for place in places if _is_ours(place) and _is_left(place))


def remove_left_directories() -> list[Path]:
    """Delete these directories with their contents; return them."""
    places = list_left_directories()
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    return places


def _is_ours(place: Path) -> bool:
    with suppress(OSError):
        status = place.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return False


def _is_left(place: Path) -> bool:
    try:
        with (place / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        age_s = time.time() - place.stat().st_mtime
    except FileNotFoundError:
        return _is_old_without_lock(place)
    except OSError:
        return False
    return age_s >= JUST_MADE_S


def _is_old_without_lock(place: Path) -> bool:
    try:
        return time.time() - place.stat().st_mtime >= WITHOUT_LOCK_S
    except OSError:
        return False
