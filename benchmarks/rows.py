"""Every row of the app's tables: read out, cleared away, and put back with nothing around it.

Putting back is what an import is measured against: COPY on PostgreSQL, one prepared INSERT a
table on SQLite, in one transaction, of exactly the rows that the import wrote.
"""

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db import connection, transaction

Rows = Mapping[str, Any]
"""Table → its rows: COPY's own text on PostgreSQL, tuples on SQLite."""


def on_postgresql() -> bool:
    """Whether this process measures PostgreSQL."""
    return connection.vendor == "postgresql"


def tables() -> list[str]:
    """Return the app's tables."""
    return [model._meta.db_table for model in apps.get_app_config("tournaments").get_models()]


def read_out() -> Rows:
    """Return every row of the app's tables that are not empty."""
    found = {table: _read(table) for table in tables()}
    return {table: content for table, content in found.items() if content}


def clear() -> None:
    """Empty the app's tables, and let the database write down what it put off."""
    with connection.cursor() as cursor:
        if on_postgresql():
            cursor.execute(f"TRUNCATE {', '.join(tables())} RESTART IDENTITY CASCADE")
            cursor.execute("CHECKPOINT")
            return
        cursor.execute("PRAGMA foreign_keys = OFF")
        for table in tables():
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@transaction.atomic
def put_back(rows: Rows) -> None:
    """Write the rows with nothing around them, constraints and indexes as they are."""
    with connection.cursor() as cursor:
        for table, content in rows.items():
            if on_postgresql():
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(content)
            else:
                marks = ", ".join(["%s"] * len(content[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", content)


def _read(table: str) -> Any:
    with connection.cursor() as cursor:
        if on_postgresql():
            with cursor.copy(f"COPY {table} TO STDOUT") as copy:
                return b"".join(bytes(part) for part in copy)
        cursor.execute(f"SELECT * FROM {table}")
        return [tuple(row) for row in cursor.fetchall()]
