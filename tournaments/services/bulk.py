"""The bulk writer: COPY on PostgreSQL, executemany on SQLite; the only module with SQL of its own.

Rows are tuples in the order of the columns given; ids are taken up front, so that rows can point
at each other before any is written. Both ways store the same rows (tests/tournaments/importers).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import Model

from tournaments.models.standings import Aggregate

Value = int | str | datetime | None
JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def is_postgresql() -> bool:
    """Whether rows are copied."""
    return connection.vendor == "postgresql"


def take_ids(model: type[Model], number: int) -> Sequence[int]:
    """Take `number` ids of the model's table that nobody else gets.

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
        found = cursor.fetchone()
    first = 1 + (found[0] if found else 0)
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
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - names of our own tables


def stored_time(moment: datetime) -> Value:
    """Return a moment as `write_rows` takes it."""
    return connection.ops.adapt_datetimefield_value(moment)


def add_to_aggregates(
    *, club_id: int, event_id: int, deltas: Mapping[int, Mapping[str, int]]
) -> None:
    """Add to the sums of many entrants at once; `deltas` by entrant id, changes by column.

    The rows are locked in ascending entrant id first, as single entries lock them.
    """
    wanted = sorted(deltas)
    sums = Aggregate.objects.filter(event_id=event_id, entrant_id__in=wanted)
    locked = sums.order_by("entrant_id").select_for_update().values_list("entrant_id", flat=True)
    missing = set(wanted) - set(locked)
    if missing:
        Aggregate.objects.bulk_create(
            [
                Aggregate(club_id=club_id, event_id=event_id, entrant_id=entrant_id)
                for entrant_id in sorted(missing)
            ],
            ignore_conflicts=True,
        )
    if wanted:
        _add(event_id, wanted, deltas)


def _add(event_id: int, entrants: Sequence[int], deltas: Mapping[int, Mapping[str, int]]) -> None:
    columns = sorted({column for entrant in entrants for column in deltas[entrant]})
    table = connection.ops.quote_name(Aggregate._meta.db_table)
    with connection.cursor() as cursor:
        if is_postgresql():
            sets = ", ".join(f"{column} = a.{column} + d.{column}" for column in columns)
            arrays = ", ".join(["%s::bigint[]"] * (len(columns) + 1))
            names = ", ".join(["entrant_id", *columns])
            lists = [list(entrants), *_columns(columns, entrants, deltas)]
            cursor.execute(
                f"UPDATE {table} a SET {sets} FROM unnest({arrays}) AS d({names}) "  # noqa: S608 - columns of our own model
                "WHERE a.event_id = %s AND a.entrant_id = d.entrant_id",
                [*lists, event_id],
            )
        else:
            sets = ", ".join(f"{column} = {column} + %s" for column in columns)
            rows = zip(*_columns(columns, entrants, deltas), entrants, strict=True)
            cursor.executemany(
                f"UPDATE {table} SET {sets} WHERE event_id = {int(event_id)} AND entrant_id = %s",  # noqa: S608 - columns of our own model
                list(rows),
            )


def _columns(
    columns: Sequence[str], entrants: Sequence[int], deltas: Mapping[int, Mapping[str, int]]
) -> Iterable[list[int]]:
    for column in columns:
        yield [deltas[entrant].get(column, 0) for entrant in entrants]
