"""The bulk writer: COPY on PostgreSQL, executemany on SQLite.

Rows are tuples in the order of the columns given; ids are taken up front, so that rows can point
at each other before any is written. Both ways store the same rows
(tests/tournaments/services/db/test_bulk.py).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import Max, Model, QuerySet

from tournaments.models.standings import Aggregate

MANY: Final = 1_000
"""With this many new rows in a table, earlier query plans are made again."""

Value = int | str | datetime | None
JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
T = TypeVar("T")
M = TypeVar("M", bound=Model)

SUMS: Final = tuple(
    str(field.column)
    for field in Aggregate._meta.concrete_fields
    if not field.primary_key and not field.is_relation and field.column != "kept"
)
_AGGREGATE: Final = Aggregate._meta.db_table


def in_parts(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def next_number(rows: QuerySet[M]) -> int:
    """Return the number after the highest; the caller holds the lock that it is given under."""
    return (rows.aggregate(last=Max("number"))["last"] or 0) + 1


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def take_ids(model: type[Model], number: int) -> Sequence[int]:
    """Reserve `number` ids of the model's table.

    On SQLite the caller's transaction holds the write lock (IMMEDIATE) until it has used them.
    """
    if number == 0:
        return ()
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if is_postgresql():
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table, number],
            )
            return [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = cursor.fetchone()
    first = 1 + (last[0] if last else 0)
    return range(first, first + number)


def write_rows(
    model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Value, ...]]
) -> None:
    """Write rows of a model; `columns` are those of its table, JSON is text already."""
    if not rows:
        return
    table = connection.ops.quote_name(model._meta.db_table)
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    with connection.cursor() as cursor:
        if is_postgresql():
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            if len(rows) >= MANY:
                # What a long-lived connection planned while the table was small (every look for
                # the row that a foreign key names) reads the whole table: 20,000 hands took 5 s
                # more at the commit, and as the square of their number.
                cursor.execute("DISCARD PLANS")
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - names of our own tables


def analyze_tables(models: Iterable[type[Model]]) -> None:
    """Update the statistics of tables that many rows were written to, on PostgreSQL.

    It plans by them. Where they say that tables are empty it joins each row with all others:
    comparing 5,000 games of an imported club did not end in four minutes, and takes a second now.
    By itself it updates them within a minute. SQLite plans by the indexes alone.
    """
    if not is_postgresql():
        return
    tables = sorted(model._meta.db_table for model in models)
    if tables:
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_regproc('blacklady_analyze')")
            if cursor.fetchone() != (None,):
                # The service's role owns no table (deploy/postgresql/service_role.sql).
                cursor.execute("SELECT blacklady_analyze(%s)", [tables])
                return
            names = map(connection.ops.quote_name, tables)
            # A table that is being analyzed or vacuumed is left out.
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(names)}")


def set_column(model: type[Model], column: str, values: Sequence[tuple[int, Value]]) -> None:
    """Give rows a value each in one column of whole numbers; `values` are (id, value)."""
    if not values:
        return
    table = connection.ops.quote_name(model._meta.db_table)
    name = connection.ops.quote_name(column)
    with connection.cursor() as cursor:
        if is_postgresql():
            cursor.execute(
                f"UPDATE {table} SET {name} = v.value "  # noqa: S608 - names of our own tables
                "FROM unnest(%s::bigint[], %s::bigint[]) AS v(id, value) "
                f"WHERE {table}.id = v.id",
                [[pk for pk, _ in values], [value for _, value in values]],
            )
        else:
            changes = [(value, pk) for pk, value in values]
            cursor.executemany(f"UPDATE {table} SET {name} = %s WHERE id = %s", changes)  # noqa: S608 - names of our own tables


def prepared(row: Model, *, without: Sequence[str]) -> tuple[list[str], list[Any]]:
    """Return the columns of an unsaved row but some, and what the database is given for them."""
    fields = [field for field in row._meta.concrete_fields if field.column not in without]
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    return [str(field.column) for field in fields], values


def insert_few(
    table: str, columns: Sequence[str], rows: Sequence[Sequence[Value]], *, otherwise: str = ""
) -> None:
    """Insert a few rows with one statement; `otherwise` is the action on a conflict.

    SQLite takes 32,766 values in one statement.
    """
    row = f"({', '.join(['%s'] * len(columns))})"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608 - names of our own tables
            f"VALUES {', '.join([row] * len(rows))} {otherwise}",
            [value for values in rows for value in values],
        )


def stored_time(moment: datetime) -> Value:
    return connection.ops.adapt_datetimefield_value(moment)


def add_to_aggregates(
    *, club_id: int, event_id: int, deltas: Mapping[int, Mapping[str, int]]
) -> None:
    """Add to the sums of entrants; `deltas` by entrant id, changes by column.

    One statement for all. Rows are locked as they are written, in ascending id of the entrant, so
    that two tables never wait for each other in a ring. Who has no row yet gets one, which another
    transaction may have made meanwhile.
    """
    entrants = sorted(deltas)
    touched = sorted({column for delta in deltas.values() for column in delta})
    if not touched:
        return
    untouched = [column for column in SUMS if column not in touched]
    columns = ", ".join(["club_id", "event_id", *untouched, "entrant_id", *touched])
    constants = ", ".join([str(int(club_id)), str(int(event_id)), *["0"] * len(untouched)])
    sets = ", ".join(f"{name} = {_AGGREGATE}.{name} + EXCLUDED.{name}" for name in touched)
    added = f"ON CONFLICT (event_id, entrant_id) DO UPDATE SET {sets}"
    changes = [[deltas[entrant].get(name, 0) for entrant in entrants] for name in touched]
    with connection.cursor() as cursor:
        if is_postgresql():
            arrays = ", ".join(["%s::bigint[]"] * (1 + len(touched)))
            cursor.execute(
                f"INSERT INTO {_AGGREGATE} ({columns}) "  # noqa: S608 - columns of our own model
                f"SELECT {constants}, d.* FROM unnest({arrays}) AS d {added}",
                [entrants, *changes],
            )
        else:
            marks = ", ".join(["%s"] * (1 + len(touched)))
            cursor.executemany(
                f"INSERT INTO {_AGGREGATE} ({columns}) VALUES ({constants}, {marks}) {added}",  # noqa: S608 - columns of our own model
                list(zip(entrants, *changes, strict=True)),
            )
