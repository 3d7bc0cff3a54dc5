"""One `serve` a database: a lock that the system releases when its holder dies, however."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import DatabaseError, connection, connections

_ADVISORY_KEY = 0x426C61636B  # any constant of our own; PostgreSQL keeps these apart by database


class AlreadyServed(Exception):
    """Another process serves this database."""


@contextmanager
def only_one_serve() -> Iterator[None]:
    """Hold the database's lock for the block.

    Raises:
        AlreadyServed: somebody else holds it.
    """
    with _advisory_lock() if connection.vendor == "postgresql" else _file_lock():
        yield


@contextmanager
def _file_lock() -> Iterator[None]:
    path = Path(f"{connection.settings_dict['NAME']}.serve-lock")
    with path.open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            file.seek(0)
            raise AlreadyServed(
                f"{connection.settings_dict['NAME']} is being served already, by process "
                f"{file.read().strip() or '?'}."
            ) from held
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


@contextmanager
def _advisory_lock() -> Iterator[None]:
    """A session of its own holds the lock, so that nothing else closes it."""
    session = connections.create_connection("default")
    try:
        with session.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ADVISORY_KEY])
            if not cursor.fetchone()[0]:
                raise AlreadyServed(
                    f"Database {connection.settings_dict['NAME']} is being served already."
                )
        yield
    finally:
        with suppress(DatabaseError):  # the server may be gone by now
            session.close()
