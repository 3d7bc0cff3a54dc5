"""Hand-written SQL: prepared statements, their rows as models, pages of long lists, snapshots."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final, Generic, Protocol, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections, router, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Field, Model
from django.db.models.fields.related import ForeignKey

from tournaments.models.clubs import Club

_AT_ONCE: Final = 1000
"""Batch size: databases limit the number of parameters of a query."""


class SlicedRows(Protocol):
    """Rows that are asked for a part at a time; a queryset is one."""

    def order_by(self, *names: str) -> Any: ...

    def filter(self, **bounds: Any) -> Any: ...

    def __getitem__(self, part: slice, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


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


def one_row(
    statement: str, values: Sequence[Any], *, binary: bool = False
) -> tuple[Any, ...] | None:
    """Return the first row that a statement finds, or None.

    `binary` uses PostgreSQL's binary format: stored bytes are half as long and take a fifth of the
    time. JSON columns come back as objects then.
    """
    with _cursor(binary=binary) as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def all_rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with _cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


class _Bound(psycopg.Cursor[Any]):
    """A cursor with server-side binding that records its statement, also for a cached plan.

    Django's query log reads it there, and psycopg sets it only for statements sent in full.
    """

    def _convert_query(self, *asked: Any) -> Any:
        self._query = super()._convert_query(*asked)
        return self._query


@contextmanager
def _cursor(*, binary: bool = False) -> Iterator[CursorWrapper]:
    database = connections[router.db_for_read(Club)]
    with database.cursor() as cursor:
        if database.vendor == "postgresql":
            # Django's own writes the values into the text, which makes it another one every time.
            cursor.cursor = _Bound(database.connection)
            cursor.cursor.format = psycopg.pq.Format(binary)
        yield cursor


M = TypeVar("M", bound=Model)
Converter = Callable[[Any, Any, Any], Any]


class RowMapper(Generic[M]):
    """Columns of `model` under the name `alias`: all, `only` some, or all `without` some.

    An instance fetches its other fields on access.
    """

    def __init__(
        self, model: type[M], alias: str, *, only: Sequence[str] = (), without: Sequence[str] = ()
    ) -> None:
        self._model = model
        self._alias = alias
        self._fields: list[Field[Any, Any]] = [
            field
            for field in model._meta.concrete_fields
            if field.name not in without and (not only or field.name in only)
        ]
        self.names = [field.attname for field in self._fields]

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        return ", ".join(f"{self._alias}.{field.column}" for field in self._fields)

    def instance(self, values: Sequence[Any]) -> M:
        return self._model.from_db(connection.alias, self.names, self.converted(values))

    def converted(self, values: Sequence[object]) -> list[object]:
        """Return the values of a row as the model has them, in the order of `names`."""
        row = list(values)
        for position, column, converters in self._converted:
            for convert in converters:
                row[position] = convert(row[position], column, connection)
        return row

    def column(self, name: str) -> str:
        return f"{self._alias}.{self._fields[self.names.index(name)].column}"

    @cached_property
    def _converted(self) -> list[tuple[int, Any, list[Converter]]]:
        columns = []
        for position, field in enumerate(self._fields):
            column = field.get_col(self._alias)
            source = field.target_field if isinstance(field, ForeignKey) else field
            converters = [
                *connection.ops.get_db_converters(column),
                *source.get_db_converters(connection),
            ]
            if converters:
                columns.append((position, column, converters))
        return columns


def cut(row: Sequence[Any], *parts: RowMapper[Any]) -> list[Any]:
    """Return the instances of a row that has the columns of `parts` one after the other.

    A part that an outer join found nothing for is None; its first column is its primary key.
    """
    instances = []
    begin = 0
    for part in parts:
        values = row[begin : begin + len(part)]
        instances.append(None if values[0] is None else part.instance(values))
        begin += len(part)
    return instances


_ALL: Final = slice(0, None)
_COMPARED: Final = {"lt": "<", "gt": ">"}


@dataclass(frozen=True, slots=True)
class PagedRows:
    """Rows as mappings of the names in `columns`, or of `names`, where rows call them otherwise.

    `source` is the statement from its FROM on, a WHERE included; `values` are its parameters. If it
    finds no row, `otherwise` gives the next statement: a public list needs one statement, and the
    reader is authenticated only if that finds nothing.
    """

    columns: RowMapper[Any]
    source: str
    values: tuple[Any, ...]
    order: tuple[str, ...]
    bounds: tuple[tuple[str, Any], ...] = ()
    otherwise: "Callable[[], PagedRows] | None" = None
    names: tuple[str, ...] = ()

    def order_by(self, *names: str) -> "PagedRows":
        """Return the rows in another order; `-` before a name reverses it."""
        return replace(self, order=names)

    def filter(self, **bounds: Any) -> "PagedRows":
        """Return rows on one side of a value, `number__lt=51`, or of some: `number__in=[]`."""
        return replace(self, bounds=(*self.bounds, *bounds.items()))

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        rows = all_rows(*self._statement(part))
        if not rows and self.otherwise is not None:
            return replace(self.otherwise(), order=self.order, bounds=self.bounds)[part]
        names = self.names or self.columns.names
        return [dict(zip(names, self.columns.converted(row), strict=True)) for row in rows]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self[_ALL])

    def _statement(self, part: slice) -> tuple[str, Sequence[object]]:
        text = f"SELECT {self.columns} {self.source}"
        values = list(self.values)
        for bound, value in self.bounds:
            name, _, how = bound.rpartition("__")
            text += f" AND {self.columns.column(name)} "
            members = list(value) if how == "in" else [value]
            marks = ", ".join(["%s"] * len(members)) or "NULL"
            text += f"IN ({marks})" if how == "in" else f"{_COMPARED[how]} %s"
            values += members
        order = (
            self.columns.column(name.removeprefix("-")) + " DESC" * name.startswith("-")
            for name in self.order
        )
        text += f" ORDER BY {', '.join(order)}"
        if part.stop is not None:
            text += " LIMIT %s OFFSET %s"
            values += [part.stop - part.start, part.start]
        return text, values


@dataclass(frozen=True, slots=True)
class RenderedRows:
    """Rows of a query, rendered part by part when they are read.

    `dress` gets the rows of one part, so that related data is queried once for all.
    """

    rows: SlicedRows
    dress: Callable[[Sequence[Any]], list[Any]]

    def order_by(self, *names: str) -> "RenderedRows":
        return replace(self, rows=self.rows.order_by(*names))

    def filter(self, **bounds: Any) -> "RenderedRows":
        return replace(self, rows=self.rows.filter(**bounds))

    def __getitem__(self, part: slice) -> list[Any]:
        return self.dress(list(self.rows[part]))

    def __iter__(self) -> Iterator[Any]:
        rows = iter(self.rows)
        while batch := list(islice(rows, _AT_ONCE)):
            yield from self.dress(batch)
