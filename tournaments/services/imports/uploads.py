"""A file that is kept: looked through, confirmed or thrown away, brought in by a worker.

Nothing of it is in the event until somebody confirms it; whoever sends it over REST may have done
so already. Each of these marks the file as due in the same transaction, so that a worker takes it
up whoever dies.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ColumnMap, Holds, ImportBatch, Upload
from tournaments.models.outbox import Dirty, import_scope
from tournaments.policy import Actor
from tournaments.services.db.transactions import atomic_act
from tournaments.services.imports.batches import (
    new_batch,
    require_importable,
    reread_state,
    stale_batch_problem,
)
from tournaments.services.jobs.enqueue import hint_import
from tournaments.services.jobs.queue import mark_due
from tournaments.services.permissions import require

LARGEST: Final = 20 * 1024 * 1024
"""Bytes of a file that is kept; the command reads files of any length."""

WORKED_ON: Final = (BatchState.READING, BatchState.RUNNING)
"""States in which a worker is at a file."""


@atomic_act
def store_upload(
    *,
    actor: Actor,
    event: Event,
    name: str,
    content: bytes,
    now: datetime,
    variant: str = "",
    day: date | None = None,
    given: Mapping[str, str] | None = None,
    is_confirmed: bool = False,
    holds: str = Holds.HANDS,
) -> ImportBatch:
    """Keep a file until it is confirmed, and have it looked through; or brought in, if it is.

    Args:
        given: the round and the table, where a foreign file has no column for them.
        holds: hands, or totals of whole games.

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
        state=BatchState.RUNNING if is_confirmed else BatchState.READING,
    )
    Upload.objects.create(
        club_id=event.club_id,
        batch=batch,
        content=content,
        holds=holds,
        variant=variant,
        day=day,
        given=dict(given or {}),
    )
    _put_before_the_workers(batch, now)
    return batch


def too_large(size: int) -> Problem:
    """Return the problem of a file of `size` bytes."""
    facts = {"found": f"{size / 1024 / 1024:.0f}", "expected": f"{LARGEST // 1024 // 1024}"}
    return Problem("file_too_large", ("file",), facts)


@atomic_act
def confirm_upload(*, actor: Actor, batch: ImportBatch, now: datetime) -> None:
    """Bring the hands of a file that was looked through into its event.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    event = _locked(batch.event)
    require_importable(actor, event)
    move_batch(batch, BatchState.PREVIEW, BatchState.RUNNING)
    ImportBatch.objects.filter(pk=batch.pk).update(
        made_by_id=actor.user_id, made_as=actor.name, started_at=now
    )
    Upload.objects.filter(batch=batch).update(rows_done=0, error="")
    _put_before_the_workers(batch, now)


@atomic_act
def discard_upload(*, actor: Actor, batch: ImportBatch) -> None:
    """Throw a file away of which nothing is in the event.

    Raises:
        Forbidden: import_sheets.
        Conflict: import_moved_on.
    """
    event = _locked(batch.event)
    require(actor, event.club, "import_sheets")
    gone = ImportBatch.objects.filter(
        pk=batch.pk,
        state__in=(BatchState.READING, BatchState.MAPPING, BatchState.PREVIEW),
        upload__isnull=False,
    )
    if not gone.exists():
        raise Conflict(stale_batch_problem(batch))
    gone.delete()
    Dirty.objects.filter(scope=import_scope(batch.pk)).delete()


@atomic_act
def retry_upload(*, actor: Actor, batch: ImportBatch, now: datetime) -> None:
    """Put a file before the workers again that they had given up.

    Raises:
        Forbidden: import_sheets.
    """
    require(actor, batch.club, "import_sheets")
    _take_over(actor, ImportBatch.objects.filter(pk=batch.pk, state__in=WORKED_ON))
    _put_before_the_workers(batch, now)


def note_progress(upload: Upload, *, done: int, total: int) -> None:
    """Say how far the work on a file is."""
    Upload.objects.filter(pk=upload.pk).update(rows_done=done, rows_total=total)


def note_end(batch_id: int, *, now: datetime) -> None:
    """Say when the work on a file was over: a worker may have been at it for minutes."""
    ImportBatch.objects.filter(pk=batch_id, ended_at__lt=now).update(ended_at=now)


@dataclass(frozen=True, slots=True)
class UploadColumns:
    """What a file has for columns: heads, a few rows, and the plan that it is read by.

    `plan` is None where the heads are ours; `column_map` is the row id of the club's mapping.
    """

    heads: Sequence[str]
    sample: Sequence[Sequence[str]]
    plan: Mapping[str, Any] | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    column_map: int | None = None


def note_columns(upload: Upload, columns: UploadColumns) -> None:
    """Keep the columns that a file was read by: what the club changes later does not reach it."""
    changed: dict[str, Any] = {"heads": _storable(columns.heads), "sample": list(columns.sample)}
    if columns.plan is not None:
        changed |= {
            "plan": dict(columns.plan),
            "given": dict(columns.given),
            "column_map": columns.column_map,
        }
    Upload.objects.filter(pk=upload.pk).update(**changed)


def _storable(heads: Sequence[str]) -> list[str]:
    return [head.replace("\0", "") for head in heads]


@atomic_act
def store_file(
    *,
    batch: ImportBatch,
    content: bytes,
    rows: int,
    columns: UploadColumns,
    variant: str = "",
    day: date | None = None,
    holds: Holds = Holds.HANDS,
) -> None:
    """Keep the file of an import that is over, so that what waits in it can be mended."""
    upload, _ = Upload.objects.get_or_create(
        batch=batch,
        defaults={
            "club_id": batch.club_id,
            "content": content,
            "holds": holds,
            "variant": variant,
            "day": day,
            "rows_done": rows,
            "rows_total": rows,
        },
    )
    note_columns(upload, columns)


@atomic_act
def request_columns(upload: Upload, columns: UploadColumns, reason: str) -> None:
    """Have a file wait until somebody says what its columns are.

    One that was thrown away, or taken further, while it was read is left alone.
    """
    read = ImportBatch.objects.filter(pk=upload.batch_id, state__in=WORKED_ON)
    if not read.update(state=BatchState.MAPPING):
        return
    note_columns(upload, columns)
    Upload.objects.filter(pk=upload.pk).update(error=reason)


@atomic_act
def map_upload(
    *,
    actor: Actor,
    batch: ImportBatch,
    plan: Mapping[str, object] | None,
    given: Mapping[str, str],
    day: date | None,
    column_map: ColumnMap | None,
    now: datetime,
) -> None:
    """Have a file read by a plan of its columns; by our own heads where there is none.

    Args:
        plan: as `importers.mapping.plan` writes it; it was judged there.
        given: what stands for the round and the table in this file.
        column_map: the club's mapping that the plan was kept as.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    require_importable(actor, _locked(batch.event))
    waits = ImportBatch.objects.filter(
        pk=batch.pk, state__in=(BatchState.MAPPING, BatchState.PREVIEW), upload__isnull=False
    )
    if not waits.update(state=BatchState.READING):
        raise Conflict(stale_batch_problem(batch))
    _take_over(actor, ImportBatch.objects.filter(pk=batch.pk))
    Upload.objects.filter(batch=batch).update(
        plan=plan,
        given=dict(given),
        day=day,
        column_map=column_map,
        rows_done=0,
        error="",
    )
    _put_before_the_workers(batch, now)


@atomic_act
def correct_upload(
    *,
    actor: Actor,
    batch: ImportBatch,
    lines: Mapping[int, Sequence[str]],
    added: Sequence[str] = (),
    now: datetime,
) -> None:
    """Mend lines of a file, and have it read again: what waited may stand now.

    It goes on in the name of who mends it.

    Args:
        lines: the cells of each mended line, as wide as the heads of the last reading and `added`.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open, import_moved_on.
    """
    require_importable(actor, _locked(batch.event))
    upload = Upload.objects.defer("content").filter(batch=batch).first()
    if upload is None:
        raise Conflict(stale_batch_problem(batch))
    reread_state(batch)
    if batch.state == BatchState.DONE:
        move_batch(batch, BatchState.DONE, BatchState.RUNNING)
    else:
        move_batch(batch, BatchState.PREVIEW, BatchState.READING)
    width = len(upload.heads) + len(added)
    _take_over(actor, ImportBatch.objects.filter(pk=batch.pk))
    mends = {**upload.mends, **{str(line): list(cells) for line, cells in lines.items()}}
    Upload.objects.filter(pk=upload.pk).update(
        mends={line: [*cells, *[""] * (width - len(cells))] for line, cells in mends.items()},
        added=[*upload.added, *added],
        rows_done=0,
        error="",
    )
    _put_before_the_workers(batch, now)


@atomic_act
def stop_upload(upload: Upload, reason: str) -> None:
    """Note why a file cannot be read or brought in (any further).

    One that somebody undoes meanwhile is left to them.
    """
    batch = upload.batch
    has_hands = batch.entries.exists()
    state = BatchState.DONE if has_hands else BatchState.PREVIEW
    if not ImportBatch.objects.filter(pk=batch.pk, state__in=WORKED_ON).update(state=state):
        return
    Upload.objects.filter(pk=upload.pk).update(error=reason)


def move_batch(batch: ImportBatch, old: str, new: str) -> None:
    """Bring a batch from one state to another, if nobody was first.

    Raises:
        Conflict: import_moved_on.
    """
    if not ImportBatch.objects.filter(pk=batch.pk, state=old).update(state=new):
        raise Conflict(stale_batch_problem(batch))
    batch.state = new


def _take_over(actor: Actor, batches: QuerySet[ImportBatch]) -> None:
    """Have files go on in the name of who works at them: whoever sent them may have no role now."""
    batches.update(made_by_id=actor.user_id, made_as=actor.name)


def _locked(event: Event) -> Event:
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    return events.get(pk=event.pk)


def _put_before_the_workers(batch: ImportBatch, now: datetime) -> None:
    mark_due(import_scope(batch.pk), now=now)
    transaction.on_commit(lambda: hint_import(batch.pk), robust=True)
