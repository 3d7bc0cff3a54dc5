"""The last good backup of this installation: when it began, its size, its file.

It is kept in `last-backup.json` in the installation's state directory, and written by
`manage.py backup` once a backup is whole. Monitoring reads it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings

FILE_NAME: Final = "last-backup.json"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """A backup that was written whole."""

    at: datetime
    """The moment that it holds, UTC."""
    size_bytes: int
    file: Path
    is_verified: bool
    """Whether it was restored into a scratch database and compared."""


def read_last_backup() -> LastBackup | None:
    """Return the last good backup; None where there is none or its file cannot be read."""
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
        return _from_json(found)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_last_backup(backup: LastBackup) -> None:
    """Store `backup` as the last good one, whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
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


def _from_json(found: Mapping[str, Any]) -> LastBackup:
    at = datetime.fromisoformat(found["at"])
    if at.tzinfo is None:
        raise ValueError(found["at"])
    return LastBackup(
        at=at,
        size_bytes=int(found["size_bytes"]),
        file=Path(found["file"]),
        is_verified=bool(found["verified"]),
    )
