"""Hand-written statements that are asked over and over: PostgreSQL plans them once a connection.

Planning a statement that joins a few tables takes PostgreSQL several times as long as answering it.
With values bound by the server it keeps the plan from the second time on (`prepare_threshold` in
the settings). What the ORM makes goes on as before, its values written into its text.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


def one_row(
    statement: str, values: Sequence[Any], *, binary: bool = False
) -> tuple[Any, ...] | None:
    """Return the first row that a statement finds, or None.

    `binary` has PostgreSQL send values as they are rather than written out, which for stored bytes
    is half the length and a fifth of the time. Columns of JSON would come back as objects then.
    """
    with _cursor(binary=binary) as cursor:
        cursor.execute(statement, values)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def all_rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows that a statement finds."""
    with _cursor() as cursor:
        cursor.execute(statement, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


class _Bound(psycopg.Cursor[Any]):
    """A cursor whose values the server binds; it knows what it asked, also of a kept plan.

    Django's log of statements looks there, and psycopg notes only those that it sent whole.
    """

    def _convert_query(self, *asked: Any) -> Any:
        self._query = super()._convert_query(*asked)
        return self._query


@contextmanager
def _cursor(*, binary: bool = False) -> Iterator[CursorWrapper]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Django's own writes the values into the text, which makes it another one every time.
            cursor.cursor = _Bound(connection.connection)
            cursor.cursor.format = psycopg.pq.Format(binary)
        yield cursor
