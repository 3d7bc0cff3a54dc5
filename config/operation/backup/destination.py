"""The directory of backups: names, one writer at a time, how many are kept, the last good one."""

import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from django.conf import settings


class BackupRefused(Exception):
    """A refusal as one line: what was found and what to do. Nothing was written."""


LOCK: Final = ".blacklady-backup.lock"
_STAGING: Final = ".blacklady-unfinished-"
_NAME: Final = re.compile(r"blacklady-(\d{8}T\d{6}Z)(?:-(\d+))?\.zip(?:\.age)?")
FILE_NAME: Final = "last-backup.json"


@dataclass(frozen=True, slots=True)
class LastBackup:
    at: datetime
    """The moment that it holds, UTC."""
    size_bytes: int
    file: Path
    is_verified: bool
    """Whether it was restored into a scratch database and compared."""


def reason_in(text: str) -> str:
    """Return the line of a program's output that says why it failed.

    >>> reason_in("pg_dump: saving\\nERROR:  no such table\\nHINT:  make it\\n")
    'ERROR:  no such table'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if re.search(r"\b(error|fatal):", line, re.I)]
    return (faults or lines or ["no message"])[0]


def create_private(path: Path) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def sync(path: Path) -> None:
    """Flush a file's bytes, or the names in a directory, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def reserved_directory(place: Path) -> Iterator[None]:
    """Create the directory if it is missing, and lock it against other backups.

    Files left by a killed backup are removed.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (place / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise BackupRefused(f"Another backup is being written to {place}.") from held
        for unfinished in place.glob(f"{_STAGING}*"):
            shutil.rmtree(unfinished)
        yield


def list_unfinished(place: Path) -> list[Path]:
    """Return what killed backups left in a directory of backups; none while one is written."""
    try:
        with (place / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return sorted(place.glob(f"{_STAGING}*"))
    except OSError:
        return []


@contextmanager
def staging_directory(place: Path) -> Iterator[Path]:
    """A directory in `place`, for its owner only, deleted at the end with its contents."""
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=place) as staging:
        yield Path(staging)


def free_name(place: Path, now: datetime) -> str:
    """An unused name for a backup in `place`, without extension: `blacklady-20260301T030007Z`."""
    stem = f"blacklady-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    used_names = {path.name.partition(".")[0] for path in place.glob(f"{stem}*")}
    number = 1
    name = stem
    while name in used_names:
        number += 1
        name = f"{stem}-{number}"
    return name


def publish(file: Path, place: Path) -> Path:
    """Move a complete file from its staging directory to `place`, durably."""
    target = place / file.name
    sync(file)
    file.rename(target)
    sync(place)
    return target


def write_private(path: Path, text: str) -> Path:
    create_private(path).write_text(text, encoding="utf-8")
    return path


def remove_old(place: Path, keep: int) -> list[Path]:
    """Delete all but the newest `keep` backups, with their keys; return the archives.

    Only files named like backups are considered.
    """
    backups = [
        (match[1], int(match[2] or 1), path)
        for path in place.iterdir()
        if (match := _NAME.fullmatch(path.name)) and path.is_file() and not path.is_symlink()
    ]
    old = [path for _, _, path in sorted(backups)[: -keep or None]]
    for path in old:
        path.unlink()
        for end in (".key", ".key.age"):
            path.with_name(path.name.partition(".")[0] + end).unlink(missing_ok=True)
    if old:
        sync(place)
    return old


def read_last_backup() -> LastBackup | None:
    """Return the last good backup; None if there is none or its file cannot be read."""
    try:
        content = json.loads(_path().read_text(encoding="utf-8"))
        at = datetime.fromisoformat(content["at"])
        if at.tzinfo is None:
            return None
        size, file = int(content["size_bytes"]), Path(content["file"])
        return LastBackup(at, size, file, is_verified=bool(content["verified"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_last_backup(backup: LastBackup) -> None:
    path = _path()
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    text = json.dumps(
        {
            "at": backup.at.isoformat(),
            "size_bytes": backup.size_bytes,
            "file": str(backup.file),
            "verified": backup.is_verified,
        }
    )
    try:
        draft.touch(mode=0o600)
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _path() -> Path:
    return Path(settings.VAR_DIR) / FILE_NAME
