"""Makes the file of a publication once, at the first request, and stores it.

One process makes a file: it holds the row's claim for the time limit of making one, so that the
claim of a failed process expires. Concurrent requests wait a little for the result. Publishing
never waits for any of this. See docs/decisions/0042-publication-files-on-first-request.md.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import BoundedSemaphore
from typing import Final

from django.db import IntegrityError, transaction

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.time_limits import bounded
from tournaments.errors import Missing, first_or_missing
from tournaments.models.publication_packs import OWNERS
from tournaments.models.standings import Publication, PublicationFile
from tournaments.selectors.standings.publication_bytes import (
    FileKind,
    FoundFile,
    file_as_stored,
    key_of,
)
from tournaments.services.db.transactions import atomic_step

MOST_S: Final = 20.0
"""Seconds that making a file may take; its claim ends after them."""
WAIT_S: Final = 3.0
"""Seconds for which a request waits while somebody else makes the file."""
FILES_KEPT: Final = 40
"""Files of an event, a season, a ladder or an evening that stay; the ones made first go."""
_AT_ONCE: Final = BoundedSemaphore(1)
"""A process makes one file at a time, so that its other threads go on serving."""
Make = Callable[[Publication], bytes]
Clock = Callable[[], datetime]


class FileIsBeingMade(Exception):
    """Somebody else still makes the file, or makes another one."""


def publication_file(
    found_file: FoundFile, kind: FileKind, make: Make, *, clock: Clock
) -> FoundFile:
    """Return the file of a publication with its bytes, creating it if it is not stored.

    Args:
        make: makes the bytes of the file from the publication as the reader may see it.
        clock: returns the time, called again at each try.
    """
    ends = time.monotonic() + WAIT_S
    while True:
        stored = file_as_stored(found_file, kind)
        file = stored or _make_file(found_file, kind, make, clock())
        if file is not None:
            return file
        if time.monotonic() >= ends:
            raise FileIsBeingMade
        time.sleep(0.05)


def drop_files(publication_id: int) -> None:
    """Delete the files of a publication whose names have changed.

    The caller has written the publication's row in the same transaction: who still makes a file of
    the earlier names finds that, and stores nothing.
    """
    PublicationFile.objects.filter(publication_id=publication_id).delete()


def _make_file(
    found_file: FoundFile, kind: FileKind, make: Make, now: datetime
) -> FoundFile | None:
    if not _AT_ONCE.acquire(blocking=False):
        return None
    try:
        with _claim_file(found_file, kind, now) as claim:
            document = found_file.document or _get_unchanged(found_file) if claim else None
            if claim is None or document is None:
                return None
            with bounded(MOST_S):
                content = make(document)
            etag = publication_etag(document.number, digest_of(content))
            is_stored = _store(found_file, claim, etag, content)
    finally:
        _AT_ONCE.release()
    if not is_stored:
        return None
    return replace(found_file, etag=etag, content=content)


def _get_unchanged(found_file: FoundFile) -> Publication | None:
    stored = first_or_missing(Publication.objects.filter(pk=found_file.publication), "publication")
    return stored if stored.etag == found_file.source else None


@contextmanager
def _claim_file(found_file: FoundFile, kind: FileKind, now: datetime) -> Iterator[uuid.UUID | None]:
    """Hold the claim of a file; None where somebody holds it. It goes where nothing was stored."""
    claim = uuid.uuid4()
    columns = {"claim": claim, "claimed_until": now + timedelta(seconds=MOST_S)}
    rows = PublicationFile.objects.filter(**key_of(found_file, kind), content=None)
    # A time further ahead than anybody sets was written before the clock stepped back.
    over = rows.exclude(claimed_until__gt=now, claimed_until__lte=columns["claimed_until"])
    if not over.update(**columns) and not _insert(found_file, kind, columns):
        yield None
        return
    try:
        yield claim
    finally:
        rows.filter(claim=claim).delete()


def _insert(found_file: FoundFile, kind: FileKind, columns: dict[str, object]) -> bool:
    key = key_of(found_file, kind)
    if PublicationFile.objects.filter(**key).exists():
        return False
    try:
        with transaction.atomic():
            PublicationFile.objects.create(club_id=found_file.club, **key, **columns)
    except IntegrityError:
        if not Publication.objects.filter(pk=found_file.publication).exists():
            raise Missing("publication") from None
        return False
    return True


@atomic_step
def _store(found_file: FoundFile, claim: uuid.UUID, etag: str, content: bytes) -> bool:
    """Store a file whose publication is what it was made of, and delete the ones made long ago.

    The publication's row is locked first, as an erasure of a name locks it.
    """
    same = Publication.objects.select_for_update(no_key=True).filter(
        pk=found_file.publication, etag=found_file.stored_etag
    )
    publication = same.first()
    mine = PublicationFile.objects.filter(claim=claim, content=None)
    if publication is None or not mine.update(etag=etag, content=content):
        return False
    of = [f"{owner}_id" for owner in OWNERS]
    owner = {f"publication__{name}": key for name in of if (key := getattr(publication, name))}
    rows = PublicationFile.objects.filter(**owner).order_by("-pk")
    if old_files := list(rows.values_list("pk", flat=True)[FILES_KEPT:]):
        PublicationFile.objects.filter(pk__in=old_files).delete()
    return True
