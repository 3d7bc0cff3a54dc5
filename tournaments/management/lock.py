"""One `serve` a database: a lock that the system releases when its holder dies, however."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

_ADVISORY_KEY = 0x426C61636B  # any constant of our own; PostgreSQL keeps these apart by database


class AlreadyServed(Exception):
    """Another process serves this database."""


@contextmanager
def only_one_serve(address: str, *, on: BaseDatabaseWrapper | None = None) -> Iterator[None]:
    """Hold the lock of a database for the block, in which the site is at `address`.

    Args:
        address: empty where no site is served: a backup is restored.
        on: the database; the installation's own by default.

    Raises:
        AlreadyServed: somebody else holds it.
    """
    database = on or connection.copy()
    is_server = database.vendor == "postgresql"
    with _advisory_lock(database) if is_server else _file_lock(database, address):
        yield


def served_address() -> str:
    """Return the address that `serve` has on this SQLite database now; empty if none is known."""
    if connection.vendor == "postgresql":
        return ""
    try:
        with _lock_path(connection).open(encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return "".join(file.read().split("\n")[1:2])
    except FileNotFoundError:
        pass
    return ""


def _lock_path(database: BaseDatabaseWrapper) -> Path:
    return Path(f"{database.settings_dict['NAME']}.serve-lock")


@contextmanager
def _file_lock(database: BaseDatabaseWrapper, address: str) -> Iterator[None]:
    with _lock_path(database).open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            file.seek(0)
            raise AlreadyServed(
                f"{database.settings_dict['NAME']} is being served already, by process "
                f"{file.readline().strip() or '?'}."
            ) from held
        file.truncate(0)
        file.write(f"{os.getpid()}\n{address}\n")
        file.flush()
        yield


@contextmanager
def _advisory_lock(database: BaseDatabaseWrapper) -> Iterator[None]:
    """A session of its own holds the lock, so that nothing else closes it."""
    session = database.copy()
    try:
        with session.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ADVISORY_KEY])
            if not cursor.fetchone()[0]:
                raise AlreadyServed(
                    f"Database {database.settings_dict['NAME']} is being served already."
                )
        yield
    finally:
        with suppress(DatabaseError):  # the server may be gone by now
            session.close()
