"""Import a club from its archive, piece by piece; the worker continues where it stopped."""

import tempfile
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Final

from scoring.errors import Problem, Refused
from tournaments.documents.club_archive import JOBS, Model, archive_order
from tournaments.documents.read.club_archive import ArchiveReader, damaged
from tournaments.domain.archives.format import ArchiveFound
from tournaments.domain.archives.tables import table_of
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.imports import ClubImport, ClubImportState
from tournaments.models.jobs import (
    Deadline,
    event_scope,
    history_scope,
    ladder_scope,
    recount_scope,
    season_scope,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of, find_club_import_to_process, pieces_of
from tournaments.services.archives.club_imports import (
    free_slug_for,
    note_checked,
    note_imported,
    note_not_begun,
    note_refused,
    require_upload_size,
    store_club_import,
)
from tournaments.services.archives.store_club import (
    PREFIX,
    ArchiveRows,
    Ids,
    Rows,
    UnknownColumn,
    begin_import,
    finish_import,
    mark_scopes,
    require_free_slug,
    store_later_column,
    store_rows,
)
from tournaments.services.clubs.deletion import remove_piece
from tournaments.services.db.bulk import MANY, analyze_tables
from tournaments.services.operations import Operation
from tournaments.services.verification.event import verify_ladder, verify_totals
from tournaments.services.verification.games import Verification, verify_games

_CANNOT_BE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of comparing if an archive's JSON is not what this release writes."""


ClubImportProgress = tuple[int, int]
"""How many rows are stored, or checked, and of how many."""

Steps = Generator[ClubImportProgress, None, Club | None]

LARGEST_UNPACKED: Final = 1024**3
"""Bytes of all files of an uploaded archive together; any account may send one."""

Clock = Callable[[], datetime]


def import_steps(
    reader: ArchiveReader,
    *,
    actor: Actor,
    clock: Callable[[], datetime],
    slug: str = "",
    dry_run: bool = False,
    also: Callable[[Club], None] | None = None,
) -> Steps:
    """Import a club and return it, yielding after each piece, a transaction of its own.

    Args:
        slug: the club's slug here; by default the one in the archive.
        dry_run: everything is checked, and nothing is stored; there is no club then.
        also: called with the club in the transaction that shows it.
    """
    manifest = reader.manifest
    slug = slug or manifest.slug
    require_free_slug(actor, slug)
    n_rows = _count_rows(reader)
    if not {"club"} <= set(manifest.tables) <= set(map(table_of, archive_order())):
        raise _newer(manifest.format)
    yield 0, n_rows
    for _ in reader.check():
        yield 0, n_rows
    importing = _ClubImport(reader, actor, slug, clock, also)
    try:
        if dry_run:
            yield from importing.check_rows()
            return None
        club = yield from importing.store()
        yield from importing.compare()
        club = importing.finish(club)
    except (Refused, Conflict, Forbidden):
        yield from importing.abandon()
        raise
    for _ in repair_ladders(club, clock=clock):
        yield n_rows, n_rows
    return club


def repair_ladders(club: Club, *, clock: Callable[[], datetime]) -> Iterator[None]:
    """Compute the ladders of an imported club again, yielding after each; safe to repeat.

    A ladder names rows by number, and the rows have other numbers now.
    """
    for event in Event.objects.filter(club=club, kind=EventKind.LADDER).select_related("club"):
        verify_ladder(event, repair=True, now=clock())
        yield


@dataclass(slots=True)
class _ClubImport:
    reader: ArchiveReader
    actor: Actor
    slug: str
    clock: Callable[[], datetime]
    also: Callable[[Club], None] | None = None
    club: Club | None = None
    is_public: bool = False
    ids: Ids = field(default_factory=dict)
    deadlines: list[tuple[ArchiveRows, Rows]] = field(default_factory=list)
    later: list[tuple[Model, str, list[tuple[int, int]]]] = field(default_factory=list)

    def check_rows(self) -> Generator[ClubImportProgress, None, None]:
        """Convert all rows, with row numbers that are not used."""
        for model, table in self._tables(0):
            numbers = self.ids.setdefault(model, array("q"))
            for name, rows in self.reader.files_of_rows(table_of(model)):
                for _ in table.rows(self.reader, name, rows):
                    pass
                numbers.extend(range(len(numbers) + 1, len(numbers) + len(rows) + 1))
                yield self._progress()
            self._check_later(table)

    def store(self) -> Generator[ClubImportProgress, None, Club]:
        club = self.club = self._begin()
        for model, table in self._tables(club.pk):
            if model is Club:
                self.ids[Club] = array("q", [club.pk])
                continue
            numbers = self.ids.setdefault(model, array("q"))
            for name, rows in self.reader.files_of_rows(table_of(model)):
                for part in table.rows(self.reader, name, rows):
                    if model is Deadline:
                        # A worker claims due jobs, but not before the club exists.
                        self.deadlines.append((table, part))
                        continue
                    numbers.extend(store_rows(club, table, part, now=self.clock()))
                    yield self._progress()
            self._check_later(table)
            self.later += [(model, name, pairs) for name, pairs in table.later.items()]
        for model, name, pairs in self.later:
            column = model._meta.get_field(name)
            target: Any = column.related_model
            values = [(self.ids[model][at], self.ids[target][to]) for at, to in pairs]
            attname = str(getattr(column, "column", name))
            store_later_column(club, model, attname, values, now=self.clock())
            yield self._progress()
        tables = self.reader.manifest.tables
        models = [model for model in archive_order() if table_of(model) in tables]
        analyze_tables(model for model in models if tables[table_of(model)].rows >= MANY)
        return club

    def compare(self) -> Generator[ClubImportProgress, None, None]:
        if self.reader.manifest.is_anonymous:
            return
        for event in Event.objects.filter(club=self.club).select_related("club", "season"):
            verification = Verification()
            try:
                for _ in verify_games(event, verification, repair=False):
                    yield self._progress()
                verify_totals(event, verification, repair=False)
            except _CANNOT_BE as fault:
                raise _differs(event) from fault
            if verification.differing:
                raise _differs(event)
            yield self._progress()

    def finish(self, club: Club) -> Club:
        manifest = self.reader.manifest
        models = [(job, JOBS[job.prefix]) for job in manifest.jobs if job.prefix in JOBS]
        jobs = [
            (job, self.ids[model][job.number - 1])
            for job, model in models
            if 1 <= job.number <= len(self.ids.get(model, ()))
        ]
        now = self.clock()
        club = finish_import(
            actor=self.actor,
            club=club,
            slug=self.slug,
            is_public=self.is_public,
            deadlines=self.deadlines,
            jobs=jobs,
            facts={
                "release": manifest.release,
                "made_at": manifest.made_at,
                "was": manifest.slug,
                "rows": _count_rows(self.reader),
            },
            also=self.also,
            now=now,
        )
        if manifest.is_anonymous:
            mark_scopes(_all_scopes(club), now=now)
        return club

    def abandon(self) -> Generator[ClubImportProgress, None, None]:
        """Remove what was stored; a worker removes the rows of a killed import."""
        if self.club is None:
            return
        now = self.clock()
        hidden = Club.objects.filter(pk=self.club.pk, slug__startswith=PREFIX)
        if hidden.update(delete_after=now):
            while remove_piece(self.club.pk, now=now):
                yield self._progress()

    def _begin(self) -> Club:
        table = dict(self._tables(0))[Club]
        files = list(self.reader.files_of_rows(table_of(Club)))
        if len(files) != 1 or len(files[0][1]) != 1:
            raise damaged("rows/club/00001.jsonl")
        name, rows = files[0]
        ((row,),) = table.rows(self.reader, name, rows)
        values = dict(zip(table.columns, row, strict=True))
        self.is_public = bool(values["is_public"])
        return begin_import(actor=self.actor, slug=self.slug, values=values, now=self.clock())

    def _tables(self, club_id: int) -> Generator[tuple[Model, ArchiveRows], None, None]:
        manifest = self.reader.manifest
        new_slug = self.slug if self.slug != manifest.slug else ""
        for model in archive_order():
            columns = manifest.tables.get(table_of(model))
            if columns is None:
                self.ids[model] = array("q")
                continue
            try:
                yield model, ArchiveRows(model, columns, club_id, self.ids, new_slug)
            except UnknownColumn as strange:
                raise _newer(manifest.format) from strange

    def _check_later(self, table: ArchiveRows) -> None:
        for name, pairs in table.later.items():
            target: Any = table.model._meta.get_field(name).related_model
            most = self.reader.manifest.tables[table_of(target)].rows
            if any(to >= most for _, to in pairs):
                raise damaged(f"rows/{table_of(table.model)}")

    def _progress(self) -> ClubImportProgress:
        return sum(map(len, self.ids.values())), _count_rows(self.reader)


def _all_scopes(club: Club) -> Sequence[str]:
    scopes = []
    for pk, kind in Event.objects.filter(club=club).order_by("pk").values_list("pk", "kind"):
        scopes += [recount_scope(pk), event_scope(pk), history_scope(pk)]
        if kind == EventKind.LADDER:
            scopes.append(ladder_scope(pk))
    seasons = Season.objects.filter(club=club).order_by("pk")
    return scopes + [season_scope(pk) for pk in seasons.values_list("pk", flat=True)]


def _count_rows(reader: ArchiveReader) -> int:
    return sum(table.rows for table in reader.manifest.tables.values())


def _newer(archive_format: int) -> Refused:
    return Refused(Problem("archive_newer", ("file",), {"found": archive_format}))


def _differs(event: Event) -> Refused:
    return Refused(Problem("archive_differs", ("file",), {"event": event.slug}))


PIECE: Final = 1024**2


def receive_archive(op: Operation, *, file: IO[bytes], name: str) -> ClubImport:
    """Check the manifest of an uploaded archive, and store it for a worker to check."""
    size = file.seek(0, 2)
    require_upload_size(size)
    ArchiveReader(file, largest=LARGEST_UNPACKED)

    def pieces() -> Iterator[bytes]:
        file.seek(0)
        return iter(lambda: file.read(PIECE), b"")

    return store_club_import(op, name=name, size=size, pieces=pieces)


def club_import_steps(pk: int, *, clock: Clock) -> Iterator[ClubImportProgress]:
    """Check or import an uploaded archive, as its state says, yielding after each piece."""
    record = find_club_import_to_process(pk)
    if record is None:
        return
    if record.state == ClubImportState.DONE:
        if record.club is not None:
            for _ in repair_ladders(record.club, clock=clock):
                yield 1, 1
        return
    is_check = record.state == ClubImportState.CHECKING
    try:
        with _as_file(record) as file:
            reader = ArchiveReader(file, largest=LARGEST_UNPACKED)
            yield from _check(record, reader, clock) if is_check else _import(record, reader, clock)
    except Refused as refused:
        note_refused(record, refused.problems, now=clock())
    except Forbidden as forbidden:
        note_refused(record, [forbidden.problem], now=clock())
    except Conflict as conflict:
        if is_check:
            raise  # somebody took the address just now: the next try proposes another one
        note_not_begun(record, conflict.problem)


def _check(record: ClubImport, reader: ArchiveReader, clock: Clock) -> Iterator[ClubImportProgress]:
    manifest = reader.manifest
    slug = free_slug_for(manifest.slug, manifest.name)
    actor = actor_of(record.made_by)
    yield from import_steps(reader, actor=actor, clock=clock, slug=slug, dry_run=True)
    rows = {name: table.rows for name, table in manifest.tables.items()}
    summary = ArchiveFound(
        slug=manifest.slug,
        name=manifest.name,
        free_slug=slug,
        format=manifest.format,
        release=manifest.release,
        made_at=manifest.made_at,
        is_anonymous=manifest.is_anonymous,
        files=reader.n_files,
        events=rows.get("event", 0),
        players=rows.get("player", 0),
        hands=rows.get("hand", 0),
        publications=rows.get("publication", 0),
        photos=rows.get("sheetphoto", 0),
    )
    note_checked(record, summary)


def _import(
    record: ClubImport, reader: ArchiveReader, clock: Clock
) -> Generator[ClubImportProgress, Any, None]:
    def imported(club: Club) -> None:
        note_imported(record, club, now=clock())

    yield from import_steps(
        reader, actor=actor_of(record.made_by), clock=clock, slug=record.slug, also=imported
    )


@contextmanager
def _as_file(record: ClubImport) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile(prefix="blacklady-") as file:
        for piece in pieces_of(record):
            file.write(piece)
        file.seek(0)
        yield file
