"""Working off an uploaded archive of a club, a piece at a time, by the worker that claimed it.

What is to be done stands in its state. One that a killed worker left is begun again; the rows that
it stored are below a hidden club, and are removed (services/archives/store_club.py).
"""

import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Any, Final

from scoring.errors import Refused
from tournaments.domain.archives.found import ArchiveFound
from tournaments.errors import Conflict, Forbidden
from tournaments.importers.archives.import_club import (
    ClubImportProgress,
    import_steps,
    repair_ladders,
)
from tournaments.importers.archives.read_archive import ArchiveReader, open_archive
from tournaments.models.club_imports import ClubImport, ClubImportState
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.clubs.club_imports import club_import_to_process, pieces_of
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.archives.club_imports import (
    free_slug_for,
    note_checked,
    note_imported,
    note_not_begun,
    note_refused,
    require_upload_size,
    store_club_import,
)

LARGEST_UNPACKED: Final = 1024**3
"""Bytes of all files of an uploaded archive together; any account may send one."""
PIECE: Final = 1024**2

Steps = Iterator[ClubImportProgress]
Clock = Callable[[], datetime]


def receive_archive(*, actor: Actor, file: IO[bytes], name: str, now: datetime) -> ClubImport:
    """Look at what an uploaded file says of itself, and keep it for a worker to check.

    Raises:
        Forbidden: make_club.
        Refused: archive_file_too_large, not_an_archive, archive_unsafe_name, archive_too_large,
            archive_damaged, archive_newer.
        Conflict: club_import_running.
    """
    size = file.seek(0, 2)
    require_upload_size(size)
    open_archive(file, largest=LARGEST_UNPACKED)

    def pieces() -> Iterator[bytes]:
        file.seek(0)
        return iter(lambda: file.read(PIECE), b"")

    return store_club_import(actor=actor, name=name, size=size, pieces=pieces, now=now)


def club_import_steps(pk: int, *, clock: Clock) -> Steps:
    """Check or import an uploaded archive, as its state says, yielding after each piece."""
    record = club_import_to_process(pk)
    if record is None:
        return
    if record.state == ClubImportState.DONE:
        if record.club is not None:
            for _ in repair_ladders(record.club, clock=clock):
                yield ClubImportProgress(1, 1)
        return
    is_check = record.state == ClubImportState.CHECKING
    try:
        with _as_file(record) as file:
            reader = open_archive(file, largest=LARGEST_UNPACKED)
            yield from _check(record, reader, clock) if is_check else _import(record, reader, clock)
    except Refused as refused:
        note_refused(record, refused.problems, now=clock())
    except Forbidden as forbidden:
        note_refused(record, [forbidden.problem], now=clock())
    except Conflict as conflict:
        if is_check:
            raise  # somebody took the address just now: the next try proposes another one
        note_not_begun(record, conflict.problem)


def _check(record: ClubImport, reader: ArchiveReader, clock: Clock) -> Steps:
    manifest = reader.manifest
    slug = free_slug_for(manifest.slug, manifest.name)
    actor = actor_of(record.made_by)
    rows = (yield from import_steps(reader, actor=actor, clock=clock, slug=slug, dry_run=True)).rows
    found = ArchiveFound(
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
    note_checked(record, found)


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
    """Write the archive where only this process reads it, for as long as it is read."""
    with tempfile.TemporaryFile(prefix="blacklady-") as file:
        for piece in pieces_of(record):
            file.write(piece)
        file.seek(0)
        yield file
