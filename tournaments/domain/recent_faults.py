"""Faults of the database that requests met lately, shared by the processes of a machine."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings

LATELY_S: Final = 60.0
"""How long a fault counts as recent after it was last met."""
DIRECTORY = "faults"
"""Below `VAR_DIR`: an empty file for each code, whose time is when it was last met."""


def note_fault(code: str) -> None:
    """Note that a fault was met now; a directory that takes no file notes nothing."""
    with suppress(OSError):
        file = _directory() / code
        file.parent.mkdir(exist_ok=True)
        file.touch()


def list_recent_faults() -> list[str]:
    """Return the codes of the faults that were met within `LATELY_S`."""
    earliest = time.time() - LATELY_S
    files = _directory().glob("*")
    return sorted(file.name for file in files if file.stat().st_mtime >= earliest)


def _directory() -> Path:
    return Path(settings.VAR_DIR) / DIRECTORY
