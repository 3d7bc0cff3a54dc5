"""Rows of a club for its archive, numbered from 1 in each table, table by table.

Rows are streamed: what is held in memory is one file of rows, and the numbers of rows that others
point at.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.db import models
from django.db.models import QuerySet

from tournaments.domain.archives.format import (
    ROWS_IN_A_FILE,
    JobInArchive,
    TableInArchive,
    rows_file,
)
from tournaments.domain.archives.row_numbers import (
    Numbered,
    RowNumbers,
    deadline_key,
    renumbered,
    renumbers,
)
from tournaments.domain.archives.tables import (
    FILES,
    Field,
    fields_of,
    is_left_out,
    may_stay,
    table_of,
)
from tournaments.domain.archives.values import line_of
from tournaments.domain.people.public_names import erased_name
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.models.meetings import Meeting
from tournaments.models.outbox import Deadline, Dirty
from tournaments.models.photos import Picture
from tournaments.services.archives.table_order import JOBS, archive_order

Model: TypeAlias = type[models.Model]


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of an archive."""

    name: str
    content: bytes


@dataclass(slots=True)
class ClubRows:
    """The rows of one club, read table by table; `tables` has those that were read."""

    club: Club
    is_anonymous: bool
    tables: dict[str, TableInArchive] = field(default_factory=dict)
    _ids: dict[Model, Sequence[int]] = field(default_factory=dict)

    def files(self) -> Iterator[ArchiveFile]:
        """Yield the files of all tables."""
        for model in archive_order():
            if not is_left_out(model, anonymous=self.is_anonymous):
                yield from self._table(model)

    def _table(self, model: Model) -> Iterator[ArchiveFile]:
        fields = fields_of(model)
        columns = [self._column(model, one) for one in fields]
        lines: list[str] = []
        number = files = 0
        names = [one.attname for one in fields]
        for row in rows_of(model, self.club).values_list(*names).iterator(ROWS_IN_A_FILE):
            number += 1
            values: list[Any] = []
            for name, value, convert in zip(names, row, columns, strict=True):
                ending = FILES.get((table_of(model), name))
                if ending is not None:
                    own = f"files/{table_of(model)}/{number}.{ending}"
                    yield ArchiveFile(own, bytes(value))
                    values.append(own)
                else:
                    values.append(value if convert is None else convert(value))
            self._finish(model, names, values)
            lines.append(line_of(values))
            if len(lines) == ROWS_IN_A_FILE:
                files += 1
                yield ArchiveFile(rows_file(table_of(model), files), "".join(lines).encode())
                lines = []
        if lines:
            yield ArchiveFile(rows_file(table_of(model), files + 1), "".join(lines).encode())
        listed = tuple(one.name for one in fields)
        self.tables[table_of(model)] = TableInArchive(listed, number)

    def _column(self, model: Model, column: Field) -> Callable[[Any], Any] | None:
        """Return what is done to each value of a column; None where it stays."""
        if column.is_relation:
            target: Any = column.related_model
            return self._numbered(target)
        if self.is_anonymous and not may_stay(model, column):
            blank: Any = None if column.null else ""
            return lambda _value: blank
        if renumbers(table_of(model), column.name):
            return lambda value: renumbered(table_of(model), column.name, value, self.numbers())
        return None

    def _finish(self, model: Model, names: Sequence[str], values: list[Any]) -> None:
        """Write what depends on more than one column of a row."""
        if model is Deadline:
            kind, key = names.index("kind"), names.index("key")
            values[key] = deadline_key(values[kind], values[key], self.numbers())
        if self.is_anonymous and model in (Player, Entrant):
            code = values[names.index("player_id" if model is Player else "code")]
            for name in ("name", "public_name"):
                if name in names:
                    values[names.index(name)] = erased_name(code)

    def jobs(self) -> Iterator[JobInArchive]:
        """Yield the background jobs of the rows that were read, whether they are done or not."""
        for prefix, model in JOBS.items():
            number_of, table = self._numbered(model), table_of(model)
            if table not in self.tables:
                continue
            scopes = {f"{prefix}{pk}": pk for pk in self._ids[model]}
            for found in Dirty.objects.filter(scope__startswith=prefix).order_by("pk").iterator():
                number = number_of(scopes.get(found.scope, 0))
                if number is not None:
                    yield JobInArchive(prefix, number, found.version, found.done)

    def numbers(self) -> RowNumbers:
        """Return how an archive numbers the rows that JSON names."""
        return RowNumbers({one: self._numbered(one) for one in (Player, Entrant, Meeting)})

    def _numbered(self, model: Model) -> Numbered:
        if is_left_out(model, anonymous=self.is_anonymous):
            return lambda _pk: None
        if model not in self._ids:
            pks = rows_of(model, self.club).values_list("pk", flat=True)
            self._ids[model] = array("q", pks.iterator(ROWS_IN_A_FILE))
        ids = self._ids[model]

        def number(pk: int | None) -> int | None:
            if pk is None:
                return None
            at = bisect_left(ids, pk)
            return at + 1 if at < len(ids) and ids[at] == pk else None

        return number


def rows_of(model: Model, club: Club) -> QuerySet[Any]:
    """Return the rows of a table that are a club's, in the order in which they were made."""
    if model is Club:
        return Club.objects.filter(pk=club.pk)
    if model is Picture:
        return Picture.objects.filter(photo__club=club).order_by("pk")
    return model._default_manager.filter(club=club).order_by("pk")
