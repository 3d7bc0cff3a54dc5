"""Process an uploaded file, a piece at a time, in the process that has claimed it.

The batch's state says what to do. Each piece is committed, and a file that a killed process left is
begun again: hands that are stored already are recognised by their content."""

import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from scoring.errors import Problem, Refused
from tournaments.documents.read.apply_plan import NotMapped, PlanRequest
from tournaments.documents.read.column_plan import plan_from
from tournaments.documents.read.csv import SourceCorrections, Unreadable
from tournaments.documents.read.sheet_rows import day_in_names, day_in_title
from tournaments.documents.read.source_file import ZIP
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, Missing, problems_of
from tournaments.models.imports import BatchState, Holds, Upload
from tournaments.models.jobs import import_scope
from tournaments.policy import ANYBODY
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.imports import batch_to_undo, earlier_reading, upload_of
from tournaments.selectors.jobs.queue import get_database_time, get_version
from tournaments.services.imports.batches import store_preview
from tournaments.services.imports.column_mappings import only_plan
from tournaments.services.imports.import_file import import_steps
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import undo_steps
from tournaments.services.imports.uploads import (
    Report,
    note_progress,
    request_columns,
    stop_upload,
    upload_columns,
)
from tournaments.services.jobs import queue
from tournaments.services.operations import Operation

T = TypeVar("T")
SMALL: Final = 64 * 1024
"""Bytes of a file that is worked off while its sender waits; a worker does larger ones."""

UNFOLDS: Final = 8
"""A spreadsheet's content is taken to be this many times the size of its file."""

ROWS: Final = 1000
"""Rows of a file that is brought in or read again while somebody waits."""

FEW: Final = 60
"""Hands that are undone while somebody waits."""

PIECE_S: Final = 0.25
"""A piece ends with the first step that is over after this; a step takes a tenth of a second."""

CHUNK: Final = 25
CHUNK_ROWS: Final = 1000
"""Tables that are stored in one transaction, so that a step is short; no more once they have this
many rows."""


def is_small(content: bytes) -> bool:
    return len(content) * (UNFOLDS if content.startswith(ZIP) else 1) <= SMALL


def has_small_file(batch_id: int) -> bool:
    upload = upload_of(batch_id)
    return upload is not None and is_small(bytes(upload.content))


def process_upload(batch_id: int, *, now: datetime) -> None:
    """Process a file in this process, unless a worker has claimed it."""
    scope = import_scope(batch_id)
    if queue.claim_job(scope, now=get_database_time(now)):
        version = get_version(scope)
        for _ in upload_steps(batch_id, now=now):
            queue.renew_claim(scope, now=get_database_time(now))
        queue.finish_job(scope, version, now=now)


def upload_steps(batch_id: int, *, now: datetime) -> Iterator[None]:
    undone = batch_to_undo(batch_id)
    if undone is not None:
        yield from _in_pieces(undo_steps(undone, now=now))
        return
    upload = upload_of(batch_id)
    if upload is None or upload.batch.state not in (BatchState.READING, BatchState.RUNNING):
        return
    looks_at_all = upload.holds == Holds.AUTO
    try:
        report = yield from _read(upload, now)
    except NotMapped as fault:
        columns = _found_columns(upload, fault, now)
        is_read = yield from _is_read_as_before(upload, fault.heads, now)
        if not is_read and looks_at_all:
            is_read = yield from _is_read_one_way(upload, fault, columns, now)
        if not is_read:
            _request_columns(upload, fault, columns)
    except Unreadable as fault:
        stop_upload(upload, str(fault))
    except (Refused, Missing, Conflict) as refusal:
        stop_upload(upload, " ".join(map(sentence, problems_of(refusal))))
    except Forbidden as refused:
        is_closed = refused.problem.facts.get("act") == "correct_closed"
        code = "import_corrects_closed" if is_closed else "import_not_allowed"
        stop_upload(upload, sentence(Problem(code)))
    else:
        _store_report(upload, report)


def _store_report(upload: Upload, report: Report) -> None:
    Upload.objects.filter(pk=upload.pk).update(**upload_columns(report))
    note_progress(upload, done=report.rows, total=report.rows)
    if report.dry_run:
        store_preview(
            batch=upload.batch,
            findings=report.problems,
            counts=(report.rows, report.hands, report.accepted, report.added),
            outline=report.outline,
        )


def _found_columns(upload: Upload, fault: NotMapped, now: datetime) -> dict[str, object]:
    """Return what a file says of itself whose columns are not understood."""
    columns = upload_columns(fault)
    if upload.day is None:
        today = now.astimezone(upload.batch.club.zone).date()
        columns["day"] = day_in_title(fault.table, today) or day_in_names(
            fault.table, upload.batch.file_name, today
        )
    return columns


def _is_new(fault: NotMapped) -> bool:
    """Whether no mapping of the club was tried."""
    return fault.problem.code == "unknown_heads" and fault.chosen is None


def _request_columns(upload: Upload, fault: NotMapped, columns: Mapping[str, object]) -> None:
    """Ask for the columns of a file, or stop it if hands of it are in the event."""
    if upload.batch.entries.exists():
        stop_upload(upload, str(fault))
        return
    reason = "" if _is_new(fault) else str(fault)
    request_columns(upload, columns, reason)


def _is_read_as_before(
    upload: Upload, heads: Sequence[str], now: datetime
) -> Generator[None, None, bool]:
    """Store the preview of a file that was imported before, by the columns assigned then.

    False if it was not, or cannot be read so any more, or somebody entered another date.
    """
    if upload.batch.state != BatchState.READING:
        return False
    given = upload.given
    day = upload.day
    before = earlier_reading(upload, heads)
    if before is None or day not in (None, before.day) or given not in ({}, before.given):
        return False
    upload.plan = before.plan
    upload.given = before.given
    upload.day = before.day
    upload.named = {**before.named, **upload.named}
    try:
        report = yield from _read(upload, now)
    except (Unreadable, Refused, Missing, Conflict, Forbidden):
        upload.plan = None
        upload.given = given
        upload.day = day
        return False  # the page of the columns says what is missing
    Upload.objects.filter(pk=upload.pk).update(day=upload.day, named=upload.named)
    _store_report(upload, report)
    return True


def _is_read_one_way(
    upload: Upload, fault: NotMapped, columns: Mapping[str, object], now: datetime
) -> Generator[None, None, bool]:
    """Store the preview of a file that can be read in one way only; False if a question is left.

    All its hands are right by that reading, and everybody in it is known.
    """
    if upload.batch.state != BatchState.READING or not _is_new(fault):
        return False
    for name, value in columns.items():
        setattr(upload, name, value)
    selected = only_plan(upload, upload.batch.event)
    if selected is None:
        return False
    upload.plan = selected.plan.as_json()
    upload.given = dict(selected.values)
    try:
        report = yield from _read(upload, now)
    except (Unreadable, Refused, Missing, Conflict, Forbidden):
        return False  # the page of the columns says what is missing
    if report.waiting or not 0 < report.accepted == report.hands:
        return False
    Upload.objects.filter(pk=upload.pk).update(day=upload.day)
    _store_report(upload, report)
    return True


def _read(upload: Upload, now: datetime) -> Generator[None, None, Report]:
    progress, batch = ReadingProgress(), upload.batch
    op = Operation(actor_of(batch.made_by) if batch.made_by is not None else ANYBODY, now)
    target = find_target(actor=op.actor, club=batch.club.slug, event=batch.event.slug)

    def note_kind(holds: Holds) -> None:
        upload.holds = holds
        Upload.objects.filter(pk=upload.pk).update(holds=holds)

    with _as_request(upload) as request:
        steps = import_steps(
            op, target, request, Holds(upload.holds), progress=progress, note_kind=note_kind
        )
        return (yield from _in_pieces(steps, lambda: progress.store(upload)))


def _in_pieces(
    steps: Generator[object, None, T], store: Callable[[], object] = lambda: None
) -> Generator[None, None, T]:
    began = time.monotonic()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
        if time.monotonic() - began >= PIECE_S:
            store()
            yield
            began = time.monotonic()


class ReadingProgress:
    def __init__(self) -> None:
        self.done = 0
        self.total = 0

    def __call__(self, total: int) -> Callable[[int], object]:
        self.total = total
        return self._add

    def _add(self, rows: int) -> None:
        self.done += rows

    def store(self, upload: Upload) -> None:
        note_progress(upload, done=self.done, total=self.total)


@contextmanager
def _as_request(upload: Upload) -> Iterator[ImportRequest]:
    """Write the file where only this process reads it, for as long as it is read."""
    batch = upload.batch
    lines = {int(line): cells for line, cells in upload.mends.items()}
    plan_request = PlanRequest(values=upload.given, is_ours=bool(upload.heads))
    if upload.plan is not None:
        name = upload.column_map.name if upload.column_map is not None else ""
        plan_request = PlanRequest(plan_from(upload.plan), name, upload.column_map_id, upload.given)
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "sheets"
        path.write_bytes(bytes(upload.content))
        yield ImportRequest(
            path=path,
            name=batch.file_name,
            dry_run=batch.state == BatchState.READING,
            variant=upload.variant,
            sheet=upload.sheet,
            reads_hidden=upload.reads_hidden,
            day=upload.day,
            batch=batch,
            chunk=CHUNK,
            chunk_rows=CHUNK_ROWS,
            corrections=SourceCorrections(tuple(upload.added), lines),
            wanted=plan_request,
            named=upload.named,
            heads=_file_heads(upload.heads, upload.added),
        )


def _file_heads(heads: Sequence[str], added: Sequence[str]) -> Sequence[str]:
    """Return the heads of an earlier reading without those that corrections added until then."""
    n_added = next(
        n for n in range(len(added), -1, -1) if list(heads[len(heads) - n :]) == added[:n]
    )
    return heads[: len(heads) - n_added]
