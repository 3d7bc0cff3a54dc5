"""Faults of the database and the disk: temporary ones, bugs, and what requests met lately."""

import errno
import os
import re
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import (
    DatabaseError,
    DataError,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
)

from tournaments.domain.refusals import is_refusal

READ_ONLY: Final = "25006"
STATEMENT_TIMEOUT: Final = "57014"
LOCK_TIMEOUT: Final = "55P03"
GIVEN_UP: Final = frozenset({"40001", "40P01"})
"""A transaction that could not be serialised, and one that a deadlock ended."""
LONGEST_CAUSE: Final = 200
"""Characters of the server's words that are logged and shown."""
NUL_IN_JSON: Final = "22P05"
PREPARED_TWICE: Final = "42P05"
OF_A_POOLER: Final = frozenset({"26000", PREPARED_TWICE})
"""A prepared statement is missing or exists already: a pooler changed the session."""
_TEMPORARY: Final = frozenset({READ_ONLY, "25P03", PREPARED_TWICE})
"""States of PostgreSQL that Django takes for internal errors: it takes no writes (as after a
failover), and it ended a transaction in which nothing happened for too long."""

_IN_ADDRESS: Final = re.compile(r"//[^/@\s]*@")
"""User and password in the address of a service."""

_RELATION: Final = re.compile(
    r'while (?:locking|updating|deleting|rechecking|inserting index).* in relation "(\w+)"'
)

DIRECTORY = "faults"
"""Below `VAR_DIR`: an empty file for each code, whose time is when it was last met."""


def sqlstate(fault: BaseException | None) -> str:
    """Return PostgreSQL's code of a fault; empty if it has none."""
    return str(getattr(getattr(fault, "__cause__", None), "sqlstate", None) or "")


def is_unavailable(fault: BaseException | None) -> bool:
    """Whether the database is away, busy, read-only or was too slow: the same may succeed later."""
    if isinstance(fault, OperationalError | InterfaceError):
        return True
    is_temporary = isinstance(fault, DatabaseError) and sqlstate(fault) in _TEMPORARY
    return is_temporary or is_out_of_step(fault)


def is_out_of_step(fault: BaseException | None) -> bool:
    """Whether the driver got an answer too many: a pooler passed on the end of its session."""
    return isinstance(fault, InternalError) and getattr(fault.__cause__, "sqlstate", "") is None


def is_read_only(fault: BaseException | None) -> bool:
    return sqlstate(fault) == READ_ONLY or _sqlite_code(fault) == sqlite3.SQLITE_READONLY


def is_busy(fault: BaseException | None) -> bool:
    """Whether another transaction held the lock, or this one was ended in a deadlock."""
    codes = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    is_timeout = is_statement_timeout(fault) and bool(_tables(fault))
    states = {LOCK_TIMEOUT, *GIVEN_UP}
    return is_timeout or sqlstate(fault) in states or _sqlite_code(fault) in codes


def report_fault(log: Any, fault: BaseException) -> None:
    """Log why the database could not be used, and note it for health unless it was only busy.

    `database_busy` has the operations and the tables.
    """
    if is_disk_full(fault):
        code = "disk_full"
    elif is_read_only(fault):
        code = "database_read_only"
    elif is_busy(fault) or is_statement_timeout(fault):
        operations = getattr(fault, "__notes__", [])
        name = type(fault.__cause__ or fault).__name__
        log.warning("database_busy", fault=name, acts=operations, tables=_tables(fault))
        return
    else:
        code = fault_of_connection(fault)
    log.warning(code, fault=cause_of(fault))
    note_fault(code)


def fault_of_connection(fault: BaseException) -> str:
    """Return the code of a database that cannot be used: a pooler's fault, refused, or away."""
    if is_pooler_fault(fault):
        return "database_pooler"
    return "database_refused" if is_refusal(fault) else "database_away"


def cause_of(fault: BaseException) -> str:
    """Return the kind of a fault and the server's own words, on one line.

    >>> cause_of(ValueError("redis://:canary@cache/0 is no address"))
    'ValueError: redis://…@cache/0 is no address'
    """
    text = _IN_ADDRESS.sub("//…@", " ".join(str(fault).split()))[:LONGEST_CAUSE]
    name = type(fault.__cause__ or fault).__name__
    return f"{name}: {text}" if text else name


def is_pooler_fault(fault: BaseException | None) -> bool:
    """Whether a pooler refused the options of a connection, or gave it another session."""
    return sqlstate(fault) in OF_A_POOLER or "startup parameter" in str(fault)


def _tables(fault: BaseException | None) -> list[str]:
    diag = getattr(getattr(fault, "__cause__", None), "diag", None)
    return sorted(set(_RELATION.findall(getattr(diag, "context", None) or "")))


def _sqlite_code(fault: BaseException | None) -> int:
    code: int = getattr(getattr(fault, "__cause__", None), "sqlite_errorcode", 0)
    return code & 0xFF  # the higher bits tell kinds of it apart


def is_statement_timeout(fault: BaseException | None) -> bool:
    return sqlstate(fault) == STATEMENT_TIMEOUT


def is_nul(fault: BaseException | None) -> bool:
    """Whether PostgreSQL did not take a text because of a NUL character in it."""
    if not isinstance(fault, DataError):
        return False
    # The driver looks at texts before the server does; the server looks at JSON.
    return sqlstate(fault) == NUL_IN_JSON or "NUL (0x00)" in str(fault)


def reconnect_if_read_only(fault: BaseException | None) -> None:
    """Close a connection to a read-only server, since the next may reach the new primary, and a
    connection whose answers belong to no statement."""
    is_useless = sqlstate(fault) == READ_ONLY or is_out_of_step(fault)
    if is_useless and not connection.in_atomic_block:
        connection.close()


OF_POSTGRESQL: Final = "53100"
LEAST_FREE_BYTES: Final = 64 * 1024
"""Bytes without which SQLite cannot even open a database: the index of its log has half of them."""


_WITHOUT_ROOM: Final = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""SQLite errors of a full disk that have other causes too."""


def is_disk_full(fault: BaseException | None) -> bool:
    if isinstance(fault, OSError):
        return fault.errno in (errno.ENOSPC, errno.EDQUOT)
    if sqlstate(fault) == OF_POSTGRESQL:
        return True
    code = _sqlite_code(fault)
    if code in _WITHOUT_ROOM:
        disk = os.statvfs(Path(connection.settings_dict["NAME"]).parent)
        return disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES
    return code == sqlite3.SQLITE_FULL


LATELY_S: Final = 60.0
"""How long a fault counts as recent."""


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
