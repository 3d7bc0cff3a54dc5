"""Which faults of the database say "come back in a while", and which are mistakes of ours."""

import sqlite3
from typing import Final

from django.db import DatabaseError, DataError, InterfaceError, OperationalError, connection

READ_ONLY: Final = "25006"
STATEMENT_TIMEOUT: Final = "57014"
LOCK_TIMEOUT: Final = "55P03"
NUL_IN_JSON: Final = "22P05"
_TEMPORARY: Final = frozenset({READ_ONLY, "25P03"})
"""States of PostgreSQL that Django takes for internal errors: it takes no writes (as after a
failover), and it ended a transaction in which nothing happened for too long."""


def sqlstate(fault: BaseException | None) -> str:
    """Return PostgreSQL's code of a fault, empty where it has none."""
    return str(getattr(getattr(fault, "__cause__", None), "sqlstate", None) or "")


def is_unavailable(fault: BaseException | None) -> bool:
    """Whether the database is away, busy, read-only or was too slow: the same may succeed later."""
    if isinstance(fault, OperationalError | InterfaceError):
        return True
    return isinstance(fault, DatabaseError) and sqlstate(fault) in _TEMPORARY


def is_read_only(fault: BaseException | None) -> bool:
    """Whether the database can be read only."""
    return sqlstate(fault) == READ_ONLY or _sqlite_code(fault) == sqlite3.SQLITE_READONLY


def is_busy(fault: BaseException | None) -> bool:
    """Whether somebody else held what was waited for."""
    held = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return sqlstate(fault) == LOCK_TIMEOUT or _sqlite_code(fault) in held


def _sqlite_code(fault: BaseException | None) -> int:
    code: int = getattr(getattr(fault, "__cause__", None), "sqlite_errorcode", 0)
    return code & 0xFF  # the higher bits tell kinds of it apart


def is_statement_timeout(fault: BaseException | None) -> bool:
    """Whether a statement took longer than this process lets it."""
    return sqlstate(fault) == STATEMENT_TIMEOUT


def is_nul(fault: BaseException | None) -> bool:
    """Whether PostgreSQL did not take a text because of a NUL character in it."""
    if not isinstance(fault, DataError):
        return False
    # The driver looks at texts before the server does; the server looks at JSON.
    return sqlstate(fault) == NUL_IN_JSON or "NUL (0x00)" in str(fault)


def reconnect_if_read_only(fault: BaseException | None) -> None:
    """Give up a connection to a server that takes no writes: the next one may find the new one."""
    if sqlstate(fault) == READ_ONLY and not connection.in_atomic_block:
        connection.close()
