"""Reading as of one moment: what is read in a block is of one snapshot, and nobody is kept waiting.

For whatever is computed from many rows while others go on writing. The version that was read in
the block says which rows it is made of; whoever stores the outcome locks, and looks at the version
again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction


@contextmanager
def snapshot_read() -> Iterator[None]:
    """Read in a block what had been committed when its first statement began; take no lock.

    On PostgreSQL a transaction at REPEATABLE READ, on SQLite one that is DEFERRED, so that it never
    holds the write lock. Nothing is to be written in the block. Within a transaction that is open
    already the block reads as that does.
    """
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                # The level holds from the first statement on; afterwards it cannot be changed.
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
        return
    sqlite: Any = connections[DEFAULT_DB_ALIAS]
    sqlite.ensure_connection()  # it is opened with the usual mode
    usual, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        with transaction.atomic():
            yield
    finally:
        sqlite.transaction_mode = usual
