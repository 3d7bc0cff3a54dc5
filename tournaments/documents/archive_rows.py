"""Rows of a club for its archive, in the order in which an import stores them."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.db import models
from django.db.models import QuerySet

from tournaments.domain.archives.format import (
    ROWS_IN_A_FILE,
    JobInArchive,
    TableInArchive,
    rows_file,
)
from tournaments.domain.archives.removal_order import removal_order
from tournaments.domain.archives.tables import (
    FILES,
    Field,
    Numbered,
    RowNumbers,
    deadline_key,
    fields_of,
    is_left_out,
    may_stay,
    renumbered,
    renumbers,
    table_of,
)
from tournaments.domain.archives.values import line_of
from tournaments.domain.people.public_names import erased_name
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting, Picture, SheetPhoto
from tournaments.models.outbox import (
    IMPORT_PREFIX,
    PREFIXES_OF_EVENTS,
    SEASON_PREFIX,
    SEATING_PREFIX,
    Deadline,
    Dirty,
)
from tournaments.models.seating_plans import SeatingPlan

Model: TypeAlias = type[models.Model]

JOBS: Final[Mapping[str, Model]] = {
    **dict.fromkeys(PREFIXES_OF_EVENTS, Event),
    SEASON_PREFIX: Season,
    IMPORT_PREFIX: ImportBatch,
    SEATING_PREFIX: SeatingPlan,
}
"""Prefix of a background job → whose row its number is."""

NAMED: Final[Mapping[Model, Sequence[Model]]] = {
    SeatingPlan: (Player, Entrant, Meeting),
    Deadline: (Meeting,),
}
"""Models whose JSON names rows of others (`RowNumbers`)."""


@lru_cache(maxsize=1)
def archive_order() -> Sequence[Model]:
    """Return the models of an archive, the club first, each after those that it refers to.

    Only columns of `later_columns` refer to later rows.
    """
    base: list[Model] = []
    for model, _emptied in reversed(removal_order()):
        base.append(model)
        if model is SheetPhoto:  # a picture has no column for its club
            base.append(Picture)
    order: list[Model] = [Club]
    for model in base:
        _place(model, base, order)
    return tuple(model_ for model_ in order if not is_left_out(model_, anonymous=False))


def _place(model: Model, base: Sequence[Model], order: list[Model]) -> None:
    """Put a model after those that it refers to, or names in JSON."""
    if model in order:
        return
    place = base.index(model)
    targets: list[Any] = [target_.related_model for target_ in model._meta.concrete_fields]
    pointed_at = [target_ for target_ in targets if target_ in base and base.index(target_) < place]
    for target in (*pointed_at, *NAMED.get(model, ())):
        _place(target, base, order)
    order.append(model)


def later_columns(model: Model) -> list[Field]:
    """Return the columns of a model that refer to rows of its own table, or of a later one."""
    order = archive_order()
    at = order.index(model)
    return [
        column
        for column in fields_of(model)
        if column.is_relation and column.related_model in order[at:]
    ]


class ClubRows:
    """The rows of one club, read table by table; `tables` has those that were read."""

    def __init__(self, club: Club, *, is_anonymous: bool) -> None:
        self.club = club
        self.is_anonymous = is_anonymous
        self.tables: dict[str, TableInArchive] = {}
        self._ids: dict[Model, Sequence[int]] = {}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of the files of all tables."""
        for model in archive_order():
            if not is_left_out(model, anonymous=self.is_anonymous):
                yield from self._table(model)

    def _table(self, model: Model) -> Iterator[tuple[str, bytes]]:
        fields = fields_of(model)
        columns = [self._column(model, column) for column in fields]
        lines: list[str] = []
        number = files = 0
        names = [column.attname for column in fields]
        for row in rows_of(model, self.club).values_list(*names).iterator(ROWS_IN_A_FILE):
            number += 1
            values: list[Any] = []
            for name, value, convert in zip(names, row, columns, strict=True):
                ending = FILES.get((table_of(model), name))
                if ending is not None:
                    file_name = f"files/{table_of(model)}/{number}.{ending}"
                    yield file_name, bytes(value)
                    values.append(file_name)
                else:
                    values.append(value if convert is None else convert(value))
            self._finish(model, names, values)
            lines.append(line_of(values))
            if len(lines) == ROWS_IN_A_FILE:
                files += 1
                yield rows_file(table_of(model), files), "".join(lines).encode()
                lines = []
        if lines:
            yield rows_file(table_of(model), files + 1), "".join(lines).encode()
        names_of_columns = tuple(column.name for column in fields)
        self.tables[table_of(model)] = TableInArchive(names_of_columns, number)

    def _column(self, model: Model, column: Field) -> Callable[[Any], Any] | None:
        """Return the conversion of a column's values; None if they stay as they are."""
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
        """Write the values that depend on more than one column of a row."""
        if model is Deadline:
            kind, key = names.index("kind"), names.index("key")
            values[key] = deadline_key(values[kind], values[key], self.numbers())
        if self.is_anonymous and model in (Player, Entrant):
            code = values[names.index("player_id" if model is Player else "code")]
            for name in ("name", "public_name"):
                if name in names:
                    values[names.index(name)] = erased_name(code)

    def jobs(self) -> Iterator[JobInArchive]:
        """Yield the background jobs of the rows that were read, done or not."""
        for prefix, model in JOBS.items():
            number_of, table = self._numbered(model), table_of(model)
            if table not in self.tables:
                continue
            scopes = {f"{prefix}{pk}": pk for pk in self._ids[model]}
            for row in Dirty.objects.filter(scope__startswith=prefix).order_by("pk").iterator():
                number = number_of(scopes.get(row.scope, 0))
                if number is not None:
                    yield JobInArchive(prefix, number, row.version, row.done)

    def numbers(self) -> RowNumbers:
        """Return the numbers in an archive of the rows that JSON names."""
        return RowNumbers({model: self._numbered(model) for model in (Player, Entrant, Meeting)})

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
    """Return a club's rows of a table, in the order in which they were created."""
    if model is Club:
        return Club.objects.filter(pk=club.pk)
    if model is Picture:
        return Picture.objects.filter(photo__club=club).order_by("pk")
    return model._default_manager.filter(club=club).order_by("pk")
