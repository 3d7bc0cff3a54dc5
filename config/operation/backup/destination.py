"""The directory of backups: names, one writer at a time, and how many are kept."""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from config.operation.backup.errors import BackupRefused
from config.operation.backup.files import create_private, sync

LOCK: Final = ".blacklady-backup.lock"
_STAGING: Final = ".blacklady-unfinished-"
_NAME: Final = re.compile(r"blacklady-(\d{8}T\d{6}Z)(?:-(\d+))?\.zip(?:\.age)?")
_KEY_END: Final = ".key"


@contextmanager
def reserved_directory(place: Path) -> Iterator[None]:
    """Make the directory where it is missing, and be the only backup that writes there.

    What a backup left that was killed is removed.

    Raises:
        BackupRefused: another backup is being written there.
        OSError: it cannot be made or written to.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (place / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise BackupRefused(f"Another backup is being written to {place}.") from held
        for left in place.glob(f"{_STAGING}*"):
            shutil.rmtree(left)
        yield


@contextmanager
def staging_directory(place: Path) -> Iterator[Path]:
    """A directory in `place`, for its owner only, which goes with all in it."""
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=place) as staging:
        yield Path(staging)


def free_name(place: Path, now: datetime) -> str:
    """A name without its end that no backup in `place` has: `blacklady-20260301T030007Z`."""
    stem = f"blacklady-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    taken = {path.name.partition(".")[0] for path in place.glob(f"{stem}*")}
    number, name = 1, stem
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name


def publish(file: Path, place: Path) -> Path:
    """Move a whole file from its staging directory to `place`, so that its name lasts."""
    target = place / file.name
    sync(file)
    file.rename(target)
    sync(place)
    return target


def write_private(path: Path, text: str) -> Path:
    """Write a new file that only its owner may read; return `path`."""
    create_private(path).write_text(text, encoding="utf-8")
    return path


def key_files(archive: Path) -> list[Path]:
    """The file with the secret key of an installation, beside its archive; at most one is there."""
    stem = archive.name.partition(".")[0]
    return [archive.with_name(f"{stem}{_KEY_END}{end}") for end in ("", ".age")]


def remove_old(place: Path, keep: int) -> list[Path]:
    """Delete all but the newest `keep` backups, with their keys; return the archives.

    Only files whose whole name is one that backups are given are looked at.
    """
    found = [
        (match[1], int(match[2] or 1), path)
        for path in place.iterdir()
        if (match := _NAME.fullmatch(path.name)) and path.is_file() and not path.is_symlink()
    ]
    old = [path for _, _, path in sorted(found)[: -keep or None]]
    for path in old:
        path.unlink()
        for key in key_files(path):
            key.unlink(missing_ok=True)
    if old:
        sync(place)
    return old


def free_bytes(place: Path) -> int:
    """How much room this account has in `place`."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize
