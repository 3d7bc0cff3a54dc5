"""Store the rows of an archive: checked, with new ids, hidden until complete."""

import json
import secrets
import uuid
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from django.db import IntegrityError, connection, models, transaction

from scoring.errors import Problem, Refused
from tournaments.documents.club_archive import later_columns
from tournaments.documents.read.club_archive import ArchiveReader, damaged
from tournaments.domain.archives.format import BadValue, JobInArchive, TableInArchive, converter_of
from tournaments.domain.archives.tables import (
    FILES,
    Field,
    Numbered,
    RowNumbers,
    deadline_key,
    fields_of,
    renumbered,
    renumbers,
    table_of,
)
from tournaments.domain.colours import read_colour
from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.event_settings import read_settings
from tournaments.domain.name_matching import sort_key
from tournaments.domain.seating_preferences import preference_problems
from tournaments.domain.sheets.images import require_kept_picture
from tournaments.domain.standings.standings_documents import compact, headed
from tournaments.errors import Conflict, Forbidden, refuse_any
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Entrant, Event
from tournaments.models.imports import ClubImport, ClubImportState
from tournaments.models.jobs import Deadline, Dirty
from tournaments.models.publication_packs import DISCARDED
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication, StoredHistory
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import slug_problems, time_zones
from tournaments.services.clubs.names import require_not_former, taken_slugs
from tournaments.services.db.bulk import set_column, stored_time, take_ids, write_rows
from tournaments.services.db.locks import lock_account
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import may_make_club

Model: TypeAlias = type[models.Model]

LEASE: Final = timedelta(minutes=15)
"""After this time without a write an import counts as dead, and its rows are removed."""
PREFIX: Final = "import-"
"""Prefix of the slug of a club during its import."""


Rows: TypeAlias = Sequence[tuple[Any, ...]]
"""Some rows of one table; their columns are those of its `ArchiveRows`."""


class UnknownColumn(ValueError):
    """An archive has a column that this release does not know, or lacks one that it needs."""


_PICTURES: Final = {"jpeg": "JPEG", "png": "PNG"}
"""Ending of a picture's name → its required format, in which pages send it."""


def require_free_slug(actor: Actor, slug: str) -> None:
    if not may_make_club(actor):
        raise Forbidden("make_club")
    refuse_any(slug_problems(slug))
    if slug in taken_slugs():
        raise _taken(slug)


@transaction.atomic
def begin_import(*, actor: Actor, slug: str, values: Mapping[str, Any], now: datetime) -> Club:
    """Store a club under a hidden slug; `slug` is the final one, `values` has its columns."""
    require_free_slug(actor, slug)
    (pk,) = take_ids(Club, 1)
    hidden = {
        **values,
        "id": pk,
        "slug": f"{PREFIX}{secrets.token_hex(12)}",
        "is_public": False,
        "exported_at": None,
        "delete_after": stored_time(now + LEASE),
    }
    write_rows(Club, list(hidden), [tuple(hidden.values())])
    return Club.objects.get(pk=pk)


@transaction.atomic
def store_rows(club: Club, table: "ArchiveRows", rows: Rows, *, now: datetime) -> Sequence[int]:
    _keep_hidden(club, now)
    if isinstance(table.model._meta.pk, models.AutoField):
        return _write_numbered(table, rows)
    write_rows(table.model, table.columns, rows)
    return ()


def _write_numbered(table: "ArchiveRows", rows: Rows) -> Sequence[int]:
    ids = take_ids(table.model, len(rows))
    numbered = [(*row, pk) for row, pk in zip(rows, ids, strict=True)]
    write_rows(table.model, [*table.columns, "id"], numbered)
    return ids


@transaction.atomic
def store_later_column(
    club: Club, model: Model, column: str, values: Sequence[tuple[int, int]], *, now: datetime
) -> None:
    """Store a column that points at rows of its own table or of a later one: (row, value)."""
    _keep_hidden(club, now)
    set_column(model, column, values)


@atomic_step
def finish_import(
    *,
    actor: Actor,
    club: Club,
    slug: str,
    is_public: bool,
    deadlines: Sequence[tuple["ArchiveRows", Rows]],
    jobs: Sequence[tuple[JobInArchive, int]],
    facts: Mapping[str, object],
    also: Callable[[Club], None] | None = None,
    now: datetime,
) -> Club:
    """Show a club whose rows are stored: its slug, its deadlines, its jobs, its owner.

    Each job comes with the number of its row here; `also` is called in the same transaction.
    """
    lock_account(actor, "make_club")
    running = ClubImport.objects.filter(made_by=actor.user_id, state=ClubImportState.RUNNING)
    list(running.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # `also` ends one
    _keep_hidden(club, now)
    try:
        with transaction.atomic():
            Club.objects.filter(pk=club.pk).update(
                slug=slug, is_public=is_public, delete_after=None
            )
    except IntegrityError as slug_taken:
        raise _taken(slug) from slug_taken
    club.refresh_from_db()
    try:
        require_not_former(club)
    except Conflict as former:
        raise _taken(slug) from former
    for table, rows in deadlines:
        _write_numbered(table, rows)
    Dirty.objects.bulk_create(
        Dirty(scope=f"{job.prefix}{pk}", version=job.version, done=job.done, marked_at=now)
        for job, pk in jobs
    )
    if actor.user_id is not None:
        Membership.objects.create(club=club, user_id=actor.user_id, role="owner", joined_at=now)
    if also is not None:
        also(club)
    append_audit(club, actor, "import_club", f"club:{slug}", facts=facts, now=now)
    return club


@transaction.atomic
def mark_scopes(scopes: Sequence[str], *, now: datetime) -> None:
    for scope in scopes:
        mark_due(scope, now=now)


def _keep_hidden(club: Club, now: datetime) -> None:
    hidden = Club.objects.filter(pk=club.pk, delete_after__gt=now)
    if not hidden.update(delete_after=now + LEASE):
        raise Conflict(Problem("import_of_club_ended"))


def _taken(slug: str) -> Conflict:
    return Conflict(Problem("archive_slug_taken", ("slug",), {"slug": slug}))


Ids: TypeAlias = dict[Model, "array[int]"]
Convert: TypeAlias = Callable[[Any], Any]

_NOT_RIGHT: Final = (BadValue, KeyError, TypeError, AttributeError, ValueError, IndexError)
"""Exceptions of converting a value that does not fit its column."""

AT_ONCE: Final = 16 * 1024 * 1024
"""Bytes of files whose rows are stored together, so that memory does not grow with the photos."""


@dataclass(slots=True)
class ArchiveRows:
    """Turns rows of one table of an archive into rows to store.

    `columns` are those of the rows to store. `later` collects, by column, references to rows that
    come later: (index of the row, index that it refers to).
    """

    model: Model
    about: TableInArchive
    club_id: int
    ids: Ids
    new_slug: str = ""
    later: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    _done: int = 0
    _size: int = 0
    _converters: list[Convert | None] = field(default_factory=list)
    _defaults: list[Callable[[], Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        fields = {field_.name: field_ for field_ in fields_of(self.model)}
        if strange := set(self.about.columns) - set(fields):
            raise UnknownColumn(f"{table_of(self.model)}.{min(strange)}")
        later_names = {field_.name for field_ in later_columns(self.model)}
        for name in self.about.columns:
            self.columns.append(str(fields[name].column))
            self._converters.append(None if name in later_names else self._converter(fields[name]))
            if name in later_names:
                self.later[name] = []
        if self.model is Player:
            self.columns.append("sort_key")
        missing = [field_ for name, field_ in fields.items() if name not in self.about.columns]
        self.columns += [str(field_.column) for field_ in missing]
        self._defaults = [_default(field_) for field_ in missing]
        relations = [column for column in self.model._meta.concrete_fields if column.is_relation]
        if self.model is not Club and any(column.related_model is Club for column in relations):
            self.columns.append("club_id")
            self._defaults.append(lambda: self.club_id)

    def rows(self, reader: ArchiveReader, name: str, rows: Sequence[list[Any]]) -> Iterator[Rows]:
        """Yield the rows of one file to store, fewer at a time if they have large files."""
        converted: list[tuple[Any, ...]] = []
        for line, row in enumerate(rows, start=1):
            try:
                defaults = [default() for default in self._defaults]
                converted.append((*self._row(reader, row), *defaults))
            except _NOT_RIGHT as fault:
                raise damaged(name, line) from fault
            self._done += 1
            if self._size >= AT_ONCE:
                yield self._with_free_ids(converted)
                converted = []
                self._size = 0
        if converted:
            yield self._with_free_ids(converted)

    def _row(self, reader: ArchiveReader, row: list[Any]) -> Iterable[Any]:
        values = dict(zip(self.about.columns, row, strict=True))
        for name in self.about.columns:
            if (table_of(self.model), name) in FILES:
                values[name] = self._file(reader, name, values[name])
                self._size += len(values[name])
        if self.model is Club:
            _check_club(values)
        if self.model is Event:
            read_settings(values["settings"])
        if self.model is Deadline:
            values["key"] = deadline_key(values["kind"], values["key"], self._numbers())
        if self.model in (Publication, StoredHistory):
            self._publication(values)
        yield from self._converted(values)
        if self.model is Player:
            yield sort_key(values["name"])

    def _converted(self, values: Mapping[str, Any]) -> Iterator[Any]:
        for name, convert in zip(self.about.columns, self._converters, strict=True):
            if convert is None:
                if values[name] is not None:
                    self.later[name].append((self._done, _whole(values[name]) - 1))
                yield None
            else:
                yield convert(values[name])

    def _publication(self, values: dict[str, Any]) -> None:
        if values.get("pack") == DISCARDED:
            return
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

    def _with_free_ids(self, rows: Rows) -> Rows:
        """Return rows with new public ids if this installation has theirs already."""
        if "public_id" not in self.about.columns:
            return rows
        at = self.columns.index("public_id")
        rows_here = self.model._default_manager.filter(public_id__in=[row[at] for row in rows])
        ids_here = {str(public_id) for public_id in rows_here.values_list("public_id", flat=True)}
        if not ids_here:
            return rows
        convert = converter_of(models.UUIDField())
        return [
            (*row[:at], convert(str(uuid.uuid4())), *row[at + 1 :])
            if str(uuid.UUID(str(row[at]))) in ids_here
            else row
            for row in rows
        ]

    def _file(self, reader: ArchiveReader, column: str, name: object) -> bytes:
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

    def _numbers(self) -> RowNumbers:
        def numbered(model: Model) -> Numbered:
            return lambda number: self.ids[model][number - 1] if number else None

        return RowNumbers({model: numbered(model) for model in (Player, Entrant, Meeting)})

    def _converter(self, column: Field) -> Convert:
        if column.is_relation:
            return self._foreign_key(column)
        convert, table = converter_of(column), table_of(self.model)
        if renumbers(table, column.name):
            return lambda value: convert(renumbered(table, column.name, value, self._numbers()))
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
    """Refuse settings of a club that pages and jobs of the whole site cannot read."""
    if "time_zone" in values and values["time_zone"] not in time_zones():
        raise BadValue
    if values.get("colour") and read_colour(values["colour"]) != values["colour"]:
        raise BadValue
    if any(preference_problems(values.get("seating", {}))):
        raise BadValue


def _default(column: Field) -> Callable[[], Any]:
    """Return a maker of values for a column that the archive's release did not have yet."""
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
