"""Whether a fault means that there is no room left for what should be kept."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

from django.db import connection

OF_POSTGRESQL: Final = "53100"
LEAST: Final = 64 * 1024
"""Bytes without which SQLite cannot even open a database: the index of its log has half of them."""

_WITHOUT_ROOM: Final = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""What SQLite also says where it finds no room, but not only there."""


def is_disk_full(fault: BaseException | None) -> bool:
    """Whether a fault, of the database or of a file, says that the disk is full."""
    if isinstance(fault, OSError):
        return fault.errno in (errno.ENOSPC, errno.EDQUOT)
    cause = fault.__cause__ if fault is not None else None
    if getattr(cause, "sqlstate", None) == OF_POSTGRESQL:
        return True
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the higher bits tell kinds of it apart
    return code == sqlite3.SQLITE_FULL or (code in _WITHOUT_ROOM and _room() < LEAST)


def _room() -> int:
    """Return how many bytes there are beside the database."""
    beside = os.statvfs(Path(connection.settings_dict["NAME"]).parent)
    return beside.f_bavail * beside.f_frsize
