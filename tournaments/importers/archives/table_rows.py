"""Rows of one table of an archive as the rows of this database: checked, and numbered anew."""

import json
import uuid
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from django.db import connection, models

from scoring.errors import Refused
from tournaments.domain.archives.format import TableInArchive
from tournaments.domain.archives.row_numbers import (
    Numbered,
    RowNumbers,
    deadline_key,
    renumbered,
    renumbers,
)
from tournaments.domain.archives.tables import FILES, Field, fields_of, table_of
from tournaments.domain.archives.values import BadValue, converter_of
from tournaments.domain.colours import read_colour
from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.event_settings import read_settings
from tournaments.domain.seating.seating_preferences import preference_problems
from tournaments.domain.sheets.images import require_kept_picture
from tournaments.domain.standings.publication_head import compact, headed
from tournaments.importers.archives.read_archive import ArchiveReader, damaged
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event
from tournaments.models.meetings import Meeting
from tournaments.models.outbox import Deadline
from tournaments.models.standings import Publication, StoredHistory
from tournaments.services.archives.store_club import RowsToStore
from tournaments.services.archives.table_order import later_columns
from tournaments.services.clubs.clubs import time_zones

Model: TypeAlias = type[models.Model]
Ids: TypeAlias = dict[Model, "array[int]"]
Convert: TypeAlias = Callable[[Any], Any]

_NOT_RIGHT: Final = (BadValue, KeyError, TypeError, AttributeError, ValueError, IndexError)
"""What converting a value raises that is not what its column holds."""


AT_ONCE: Final = 16 * 1024 * 1024
"""Bytes of files whose rows are stored together, so that memory does not grow with the photos."""


class UnknownColumn(ValueError):
    """An archive has a column that this release does not know, or lacks one that it needs."""


@dataclass(slots=True)
class ArchiveRows:
    """Turns rows of one table of an archive into rows to store.

    `later` collects, by column, what points at rows that come later: (place of the row, its value
    in the archive), both from 0.
    """

    model: Model
    about: TableInArchive
    club_id: int
    ids: Ids
    new_slug: str = ""
    later: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _done: int = 0
    _size: int = 0
    _columns: list[str] = field(default_factory=list)
    _converters: list[Convert | None] = field(default_factory=list)
    _more: list[tuple[str, Callable[[], Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = {one.name: one for one in fields_of(self.model)}
        if strange := set(self.about.columns) - set(known):
            raise UnknownColumn(f"{table_of(self.model)}.{min(strange)}")
        late = {one.name for one in later_columns(self.model)}
        for name in self.about.columns:
            self._columns.append(str(known[name].column))
            self._converters.append(None if name in late else self._converter(known[name]))
            if name in late:
                self.later[name] = []
        missing = [one for name, one in known.items() if name not in self.about.columns]
        self._more = [(str(one.column), _default(one)) for one in missing]
        if self.model is not Club and _has_club(self.model):
            self._more.append(("club_id", lambda: self.club_id))

    @property
    def columns(self) -> list[str]:
        """The columns of the rows to store."""
        return [*self._columns, *(name for name, _ in self._more)]

    def rows(
        self, reader: ArchiveReader, name: str, rows: Sequence[list[Any]]
    ) -> Iterator[RowsToStore]:
        """Yield rows of one file as they are stored, fewer at a time where they have large files.

        Raises:
            Refused: archive_damaged, with the line.
        """
        found: list[tuple[Any, ...]] = []
        for line, row in enumerate(rows, start=1):
            try:
                more = (value() for _, value in self._more)
                found.append((*self._row(reader, row), *more))
            except _NOT_RIGHT as fault:
                raise damaged(name, line) from fault
            self._done += 1
            if self._size >= AT_ONCE:
                yield self._to_store(found)
                found, self._size = [], 0
        if found:
            yield self._to_store(found)

    def _to_store(self, found: list[tuple[Any, ...]]) -> RowsToStore:
        return RowsToStore(self.model, self.columns, self._with_own_ids(found))

    def _row(self, reader: ArchiveReader, row: list[Any]) -> Iterable[Any]:
        values = dict(zip(self.about.columns, row, strict=True))
        for name in self.about.columns:
            if (table_of(self.model), name) in FILES:
                values[name] = self._own_file(reader, name, values[name])
                self._size += len(values[name])
        if self.model is Club:
            _check_club(values)
        if self.model is Event:
            read_settings(values["settings"])
        if self.model is Deadline:
            values["key"] = deadline_key(values["kind"], values["key"], self.numbers())
        if self.model in (Publication, StoredHistory):
            self._publication(values)
        for name, convert in zip(self.about.columns, self._converters, strict=True):
            if convert is None:
                if values[name] is not None:
                    self.later[name].append((self._done, _whole(values[name]) - 1))
                yield None
            else:
                yield convert(values[name])

    def _publication(self, values: dict[str, Any]) -> None:
        """Compare a published document with its digest, and give it the slug of the import."""
        document = json.loads(values["body"])
        head = document.pop("publication", None)
        if digest_of(compact(document)) != values["digest"]:
            raise BadValue
        club = document.get("club")
        if not self.new_slug or not isinstance(club, dict):
            return
        club["slug"] = self.new_slug
        body = compact(document)
        values["digest"] = digest_of(body)
        values["body"] = body
        if head is not None:
            values["body"] = headed(body, head, redacted=head.get("redacted", False))
            values["etag"] = publication_etag(head["number"], values["digest"])

    def _with_own_ids(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return rows with ids of their own where this installation has these already."""
        if "public_id" not in self._columns:
            return rows
        at = self._columns.index("public_id")
        taken = self.model._default_manager.filter(public_id__in=[row[at] for row in rows])
        there = {str(one) for one in taken.values_list("public_id", flat=True)}
        if not there:
            return rows
        convert = converter_of(models.UUIDField())
        return [
            (*row[:at], convert(str(uuid.uuid4())), *row[at + 1 :])
            if str(uuid.UUID(str(row[at]))) in there
            else row
            for row in rows
        ]

    def _own_file(self, reader: ArchiveReader, column: str, name: object) -> bytes:
        """Return the file of the row that is read; no two rows have one file."""
        table = table_of(self.model)
        ending = FILES[table, column]
        if name != f"files/{table}/{self._done + 1}.{ending}":
            raise BadValue
        content = reader.content(name)
        if kind := _PICTURES.get(ending):
            try:
                require_kept_picture(content, kind=kind)
            except Refused as fault:
                raise BadValue from fault
        return content

    def numbers(self) -> RowNumbers:
        """Return how rows that JSON names are numbered here."""
        return RowNumbers({one: self._numbered(one) for one in (Player, Entrant, Meeting)})

    def _numbered(self, model: Model) -> Numbered:
        return lambda number: self.ids[model][number - 1] if number else None

    def _converter(self, column: Field) -> Convert:
        if column.is_relation:
            return self._foreign_key(column)
        convert, table = converter_of(column), table_of(self.model)
        if renumbers(table, column.name):
            return lambda value: convert(renumbered(table, column.name, value, self.numbers()))
        return convert

    def _foreign_key(self, column: Field) -> Convert:
        target: Any = column.related_model
        ids = self.ids.get(target, array("q"))

        def convert(value: Any) -> int | None:
            if value is None and column.null:
                return None
            return ids[_whole(value) - 1]

        return convert


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadValue
    return value


def _check_club(values: Mapping[str, Any]) -> None:
    """Let a club have no setting that pages and jobs of the whole site cannot read."""
    if "time_zone" in values and values["time_zone"] not in time_zones():
        raise BadValue
    if values.get("colour") and read_colour(values["colour"]) != values["colour"]:
        raise BadValue
    if any(preference_problems(values.get("seating", {}))):
        raise BadValue


_PICTURES: Final = {"jpeg": "JPEG", "png": "PNG"}
"""How names of pictures end → what such a file must be: pages send it as that."""


def _default(column: Field) -> Callable[[], Any]:
    """Return what makes the value of a column that the archive's release did not have yet."""
    if isinstance(column, models.UUIDField) and column.has_default():
        return lambda: column.get_db_prep_save(column.get_default(), connection)  # one for each row
    if column.has_default():
        value = column.get_db_prep_save(column.get_default(), connection)
        return lambda: value
    if column.null:
        return lambda: None
    if column.empty_strings_allowed and column.blank:
        return lambda: ""
    raise UnknownColumn(column.name)


def _has_club(model: Model) -> bool:
    return any(one.related_model is Club for one in model._meta.concrete_fields if one.is_relation)


def tables_known(tables: Mapping[str, TableInArchive], order: Sequence[Model]) -> bool:
    """Whether this release knows all tables of an archive."""
    return set(tables) <= {table_of(model) for model in order}
