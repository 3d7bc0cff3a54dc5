"""A file on its way through a page: kept, looked through, confirmed or thrown away.

Nothing of it is in the event until somebody confirms it. Each of these marks the file as due in the
same transaction, so that a worker takes it up whoever dies.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from django.db import transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportBatch, Upload
from tournaments.models.outbox import Dirty, import_scope
from tournaments.policy import Actor
from tournaments.services.dirty import mark_due
from tournaments.services.import_batches import new_batch
from tournaments.services.imports import require_importable
from tournaments.services.marks import hint_import
from tournaments.services.permissions import require

LARGEST: Final = 20 * 1024 * 1024
"""Bytes of a file that comes in on a page; the command reads files of any length."""


@transaction.atomic
def keep_upload(
    *,
    actor: Actor,
    event: Event,
    name: str,
    content: bytes,
    now: datetime,
    variant: str = "",
    day: date | None = None,
) -> ImportBatch:
    """Keep a file until it is confirmed, and have it looked through.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open.
        Refused: file_too_large, empty_file.
    """
    event = _locked(event)
    require_importable(actor, event)
    if len(content) > LARGEST:
        raise Refused(too_large(len(content)))
    if not content.strip():
        raise Refused(Problem("empty_file", ("file",)))
    batch = new_batch(
        actor=actor,
        event=event,
        file_name=name.replace("\0", ""),
        digest=hashlib.sha256(content).hexdigest(),
        now=now,
        state=BatchState.READING,
    )
    Upload.objects.create(
        club_id=event.club_id, batch=batch, content=content, variant=variant, day=day
    )
    _put_before_the_workers(batch, now)
    return batch


def too_large(size: int) -> Problem:
    """Return the problem of a file of `size` bytes."""
    facts = {"found": f"{size / 1024 / 1024:.0f}", "expected": f"{LARGEST // 1024 // 1024}"}
    return Problem("file_too_large", ("file",), facts)


@transaction.atomic
def confirm_upload(*, actor: Actor, batch: ImportBatch, now: datetime) -> None:
    """Bring the hands of a file that was looked through into its event.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    event = _locked(batch.event)
    require_importable(actor, event)
    move(batch, BatchState.PREVIEW, BatchState.RUNNING)
    ImportBatch.objects.filter(pk=batch.pk).update(
        made_by_id=actor.user_id, made_as=actor.name, started_at=now
    )
    Upload.objects.filter(batch=batch).update(rows_done=0, error="")
    _put_before_the_workers(batch, now)


@transaction.atomic
def discard_upload(*, actor: Actor, batch: ImportBatch) -> None:
    """Throw a file away of which nothing is in the event.

    Raises:
        Forbidden: import_sheets.
        Conflict: import_moved_on.
    """
    require(actor, batch.club, "import_sheets")
    gone = ImportBatch.objects.filter(
        pk=batch.pk, state__in=(BatchState.READING, BatchState.PREVIEW), upload__isnull=False
    )
    if not gone.exists():
        raise _moved_on(batch)
    gone.delete()
    Dirty.objects.filter(scope=import_scope(batch.pk)).delete()


@transaction.atomic
def try_again(*, actor: Actor, batch: ImportBatch, now: datetime) -> None:
    """Put a file before the workers again that they had given up.

    Raises:
        Forbidden: import_sheets.
    """
    require(actor, batch.club, "import_sheets")
    _put_before_the_workers(batch, now)


def note_progress(upload: Upload, *, done: int, total: int) -> None:
    """Say how far the work on a file is."""
    Upload.objects.filter(pk=upload.pk).update(rows_done=done, rows_total=total)


def note_heads(upload: Upload, heads: Sequence[str]) -> None:
    """Keep the column heads that a file was read by."""
    Upload.objects.filter(pk=upload.pk).update(heads=list(heads))


@transaction.atomic
def mend_upload(
    *,
    actor: Actor,
    batch: ImportBatch,
    lines: Mapping[int, Sequence[str]],
    added: Sequence[str] = (),
    now: datetime,
) -> None:
    """Mend lines of a file, and have it read again: what waited may stand now.

    Args:
        lines: the cells of each mended line, as wide as the heads of the last reading and `added`.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    require_importable(actor, _locked(batch.event))
    upload = Upload.objects.defer("content").filter(batch=batch).first()
    if upload is None:
        raise _moved_on(batch)
    if batch.state == BatchState.DONE:
        move(batch, BatchState.DONE, BatchState.RUNNING)
    else:
        move(batch, BatchState.PREVIEW, BatchState.READING)
    width = len(upload.heads) + len(added)
    mends = {**upload.mends, **{str(line): list(cells) for line, cells in lines.items()}}
    Upload.objects.filter(pk=upload.pk).update(
        mends={line: [*cells, *[""] * (width - len(cells))] for line, cells in mends.items()},
        added=[*upload.added, *added],
        rows_done=0,
        error="",
    )
    _put_before_the_workers(batch, now)


@transaction.atomic
def stop_upload(upload: Upload, reason: str) -> None:
    """Note why a file cannot be read or brought in (any further)."""
    batch = upload.batch
    has_hands = batch.entries.exists()
    state = BatchState.DONE if has_hands else BatchState.PREVIEW
    ImportBatch.objects.filter(pk=batch.pk).update(state=state)
    Upload.objects.filter(pk=upload.pk).update(error=reason)


def move(batch: ImportBatch, old: str, new: str) -> None:
    """Bring a batch from one state to another, if nobody was first.

    Raises:
        Conflict: import_moved_on.
    """
    if not ImportBatch.objects.filter(pk=batch.pk, state=old).update(state=new):
        raise _moved_on(batch)
    batch.state = new


def _moved_on(batch: ImportBatch) -> Conflict:
    return Conflict(Problem("import_moved_on", facts={"number": batch.number}))


def _locked(event: Event) -> Event:
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    return events.get(pk=event.pk)


def _put_before_the_workers(batch: ImportBatch, now: datetime) -> None:
    mark_due(import_scope(batch.pk), now=now)
    transaction.on_commit(lambda: hint_import(batch.pk), robust=True)
