"""Rows of several models from one hand-written statement, as the instances that the ORM would make.

Putting a long statement together with the ORM takes several times as long as answering it, so what
every request asks is written down as SQL; this names its columns and makes models of its rows.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Field, Model
from django.db.models.fields.related import ForeignKey

M = TypeVar("M", bound=Model)
Converter = Callable[[Any, Any, Any], Any]


class RowMapper(Generic[M]):
    """Columns of `model` under the name `alias`: all, `only` some, or all `without` some.

    An instance fetches what it lacks when it is asked for it.
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
        """Return the columns as a statement lists them."""
        return ", ".join(f"{self._alias}.{field.column}" for field in self._fields)

    def instance(self, values: Sequence[Any]) -> M:
        """Return the instance that a row's values of these columns stand for."""
        return self._model.from_db(connection.alias, self.names, self.converted(values))

    def converted(self, values: Sequence[object]) -> list[object]:
        """Return the values of a row as the model has them, in the order of `names`."""
        made = list(values)
        for position, column, converters in self._converted:
            for convert in converters:
                made[position] = convert(made[position], column, connection)
        return made

    def column(self, name: str) -> str:
        """Return how a statement calls a column."""
        return f"{self._alias}.{self._fields[self.names.index(name)].column}"

    @cached_property
    def _converted(self) -> list[tuple[int, Any, list[Converter]]]:
        """Positions of the columns whose values the database gives in a form of its own."""
        found = []
        for position, field in enumerate(self._fields):
            column = field.get_col(self._alias)
            own = field.target_field if isinstance(field, ForeignKey) else field
            converters = [
                *connection.ops.get_db_converters(column),
                *own.get_db_converters(connection),
            ]
            if converters:
                found.append((position, column, converters))
        return found


def cut(row: Sequence[Any], *parts: RowMapper[Any]) -> list[Any]:
    """Return the instances of a row that has the columns of `parts` one after the other.

    A part that an outer join found nothing for is None; its first column is its primary key.
    """
    made, begin = [], 0
    for part in parts:
        values = row[begin : begin + len(part)]
        made.append(None if values[0] is None else part.instance(values))
        begin += len(part)
    return made
