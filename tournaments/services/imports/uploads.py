"""Uploaded files: stored, previewed, confirmed or discarded, imported by a worker.

No hand is in the event until the file is confirmed, which a REST request may do at once. Each
operation queues the file in the same transaction, so that a worker takes it up if a process dies.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

from django.db.models import QuerySet

from scoring.errors import Problem, Refused, listed
from scoring.json_types import JsonDict
from tournaments.documents.read.apply_plan import NotMapped, SelectedPlan
from tournaments.documents.read.csv import SourceCorrections, Unreadable, refuse_other_kinds
from tournaments.documents.read.source_file import ZIP
from tournaments.domain.imports import alike
from tournaments.domain.imports.import_report import (
    LEFT_OUT_HIDDEN,
    NOTE,
    SHEET_ELSEWHERE,
    SKIP,
    WAITING,
    Finding,
    words_for_lines,
)
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, Holds, ImportBatch, Upload
from tournaments.models.jobs import IMPORT_PREFIX, Dirty, import_scope
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_step
from tournaments.services.imports.batches import (
    lock_batch,
    new_batch,
    require_open,
    reread_state,
    stale_batch_problem,
)
from tournaments.services.jobs.enqueue import hint_after_commit
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation

LARGEST: Final = 20 * 1024 * 1024
"""Bytes of a file that is kept; the command reads files of any length."""


WORKED_ON: Final = (BatchState.READING, BatchState.RUNNING)
"""States in which a worker is at a file."""

NOT_IMPORTED: Final = (BatchState.READING, BatchState.MAPPING, BatchState.PREVIEW)
UNCONFIRMED_FOR: Final = timedelta(days=90)
"""How long a file waits to be confirmed."""
MOST_REMOVED: Final = 100
"""Files that are removed in one night."""

ONE_SHEET: Final = "--one-sheet"
ANOTHER_GAME: Final = "--another-game"
"""Options of a command that answer the question about a sheet, by its first line."""

MOVED_ON: Final = ("event_not_open", "import_moved_on")
"""Error codes of reading a file again."""


@operation(
    "import_sheets",
    locks=lock_event,
    requires=require_open,
    refuses=("event_not_open", "file_too_large", "empty_file", "unreadable_file"),
)
def store_upload(
    op: Operation,
    event: Event,
    /,
    *,
    name: str,
    content: bytes,
    variant: str = "",
    day: date | None = None,
    values: Mapping[str, str] | None = None,
    is_confirmed: bool = False,
    holds: str = Holds.HANDS,
    sheet: str = "",
    hidden: bool = False,
) -> ImportBatch:
    """Store a file and have it read; its hands are imported at once if it is confirmed.

    `values` are the round and the table, if a foreign file has no column for them. `sheet` is the
    name of the one of a spreadsheet to read; with `hidden` its hidden sheets and rows are read too.
    """
    if len(content) > LARGEST:
        raise Refused(too_large(len(content)))
    if not content.strip():
        raise Refused(Problem("empty_file", ("file",)))
    if not content.startswith(ZIP):
        try:
            refuse_other_kinds(content)
        except Unreadable as fault:
            problem = Problem("unreadable_file", ("file",), {"why": str(fault)})
            raise Refused(problem) from fault
    batch = new_batch(
        op,
        event,
        file_name=name.replace("\0", ""),
        digest=hashlib.sha256(content).hexdigest(),
        state=BatchState.RUNNING if is_confirmed else BatchState.READING,
    )
    Upload.objects.create(
        club_id=event.club_id,
        batch=batch,
        content=content,
        holds=holds,
        sheet=sheet.replace("\0", ""),
        reads_hidden=hidden,
        variant=variant,
        day=day,
        given=dict(values or {}),
    )
    _enqueue(op, batch)
    return batch


def too_large(size: int) -> Problem:
    facts = {"found": f"{size / 1024 / 1024:.0f}", "expected": f"{LARGEST // 1024 // 1024}"}
    return Problem("file_too_large", ("file",), facts)


@operation("import_sheets", locks=lock_batch, requires=require_open, refuses=MOVED_ON)
def confirm_upload(op: Operation, batch: ImportBatch, /) -> None:
    """Import the hands of a checked file: its import goes from `preview` to `running`.

    The work goes on in the background; read the import until `finished` is true.
    """
    move_batch(batch, BatchState.PREVIEW, BatchState.RUNNING)
    ImportBatch.objects.filter(pk=batch.pk).update(
        made_by_id=op.actor.user_id, made_as=op.actor.name, started_at=op.now
    )
    Upload.objects.filter(batch=batch).update(rows_done=0, error="")
    _enqueue(op, batch)


@operation("import_sheets", locks=lock_batch, refuses=("import_moved_on",))
def discard_upload(op: Operation, batch: ImportBatch, /) -> None:
    """Discard an import without hands in the event: in `reading`, `mapping` or `preview`."""
    discarded = ImportBatch.objects.filter(
        pk=batch.pk, state__in=NOT_IMPORTED, upload__isnull=False
    )
    if not discarded.exists():
        raise Conflict(stale_batch_problem(batch))
    discarded.delete()
    Dirty.objects.filter(scope=import_scope(batch.pk)).delete()


@atomic_step
def remove_old_uploads(*, now: datetime) -> None:
    """Remove files that nobody confirmed for `UNCONFIRMED_FOR`, at most `MOST_REMOVED`."""
    old = ImportBatch.objects.filter(state__in=NOT_IMPORTED, started_at__lt=now - UNCONFIRMED_FOR)
    locked = old.filter(upload__isnull=False).select_for_update(no_key=True, of=("self",))
    # Locked: one that is being confirmed is running by then, and stays.
    ids = list(locked.order_by("pk").values_list("pk", flat=True)[:MOST_REMOVED])
    ImportBatch.objects.filter(pk__in=ids).delete()
    Dirty.objects.filter(scope__in=[import_scope(pk) for pk in ids]).delete()


@operation("import_sheets")
def retry_upload(op: Operation, batch: ImportBatch, /) -> None:
    """Retry an import that failed in the background; no hand is imported twice."""
    _take_over(op, ImportBatch.objects.filter(pk=batch.pk, state__in=WORKED_ON))
    _enqueue(op, batch)


def note_progress(upload: Upload, *, done: int, total: int) -> None:
    Upload.objects.filter(pk=upload.pk).update(rows_done=done, rows_total=total)


def note_end(batch_id: int, *, now: datetime) -> None:
    """Store when the work on a file ended: a worker may have been at it for minutes."""
    ImportBatch.objects.filter(pk=batch_id, ended_at__lt=now).update(ended_at=now)


@atomic_step
def request_columns(upload: Upload, columns: Mapping[str, object], reason: str) -> None:
    """Suspend a file until its columns are mapped.

    A file that was discarded, or confirmed, meanwhile is left alone.
    """
    read = ImportBatch.objects.filter(pk=upload.batch_id, state__in=WORKED_ON)
    if not read.update(state=BatchState.MAPPING):
        return
    Upload.objects.filter(pk=upload.pk).update(**columns, error=reason)


def map_upload(
    op: Operation,
    batch: ImportBatch,
    plan: Mapping[str, object],
    values: Mapping[str, str],
    day: date | None,
) -> None:
    """Read a file again by a checked plan of its columns, for this round and table.

    The caller has locked the batch.
    """
    _read_again(op, batch, plan=plan, given=dict(values), day=day)


@operation("import_sheets", locks=lock_batch, requires=require_open, refuses=MOVED_ON)
def correct_upload(
    op: Operation,
    batch: ImportBatch,
    /,
    *,
    lines: Mapping[int, Sequence[str]],
    added: Sequence[str] = (),
) -> None:
    """Correct the rows of a problem; the file is then read again with the correction.

    A file that was only checked is checked again (`reading`); an imported file is imported again,
    and its hands in the event stay. The work goes on in the background: read the import until
    `finished` is true. Its problems then have other positions.
    """
    # With the headings `added` every line is as wide as all headings.
    correct_lines(op, batch, lines, added)


def correct_lines(
    op: Operation,
    batch: ImportBatch,
    lines: Mapping[int, Sequence[str]],
    added: Sequence[str] = (),
) -> None:
    """Correct the file of a batch that the caller has locked."""
    upload = Upload.objects.defer("content").filter(batch=batch).first()
    if upload is None:
        raise Conflict(stale_batch_problem(batch))
    reread_state(batch)
    if batch.state == BatchState.DONE:
        move_batch(batch, BatchState.DONE, BatchState.RUNNING)
    else:
        move_batch(batch, BatchState.PREVIEW, BatchState.READING)
    width = len(upload.heads) + len(added)
    _take_over(op, ImportBatch.objects.filter(pk=batch.pk))
    mends = {**upload.mends, **{str(line): list(cells) for line, cells in lines.items()}}
    Upload.objects.filter(pk=upload.pk).update(
        mends={line: [*cells, *[""] * (width - len(cells))] for line, cells in mends.items()},
        added=[*upload.added, *added],
        rows_done=0,
        error="",
    )
    _enqueue(op, batch)


@atomic_step
def stop_upload(upload: Upload, reason: str) -> None:
    """Note why a file cannot be read or imported (any further).

    An import that is being undone meanwhile is left alone.
    """
    batch = upload.batch
    has_hands = batch.entries.exists()
    state = BatchState.DONE if has_hands else BatchState.PREVIEW
    if not ImportBatch.objects.filter(pk=batch.pk, state__in=WORKED_ON).update(state=state):
        return
    Upload.objects.filter(pk=upload.pk).update(error=reason)


def move_batch(batch: ImportBatch, from_state: str, to_state: str) -> None:
    if not ImportBatch.objects.filter(pk=batch.pk, state=from_state).update(state=to_state):
        raise Conflict(stale_batch_problem(batch))
    batch.state = to_state


@operation("import_sheets", locks=lock_batch, requires=require_open, refuses=MOVED_ON)
def change_kind(
    op: Operation,
    batch: ImportBatch,
    /,
    *,
    holds: str,
    sheet: str = "",
    hidden: bool = False,
) -> None:
    """Read a file that is not confirmed as one that holds something else, or another sheet.

    With `hidden` its hidden sheets and rows are read too. Another sheet has a date of its own.
    """
    columns: dict[str, object] = {}
    if not Upload.objects.filter(batch=batch, sheet=sheet).exists():
        columns["day"] = None
    _read_again(
        op,
        batch,
        holds=holds,
        sheet=sheet,
        reads_hidden=hidden,
        plan=None,
        given={},
        heads=[],
        sample=[],
        added=[],
        mends={},
        **columns,
    )


def _read_again(op: Operation, batch: ImportBatch, **columns: object) -> None:
    waits = ImportBatch.objects.filter(
        pk=batch.pk, state__in=(BatchState.MAPPING, BatchState.PREVIEW), upload__isnull=False
    )
    if not waits.update(state=BatchState.READING):
        raise Conflict(stale_batch_problem(batch))
    _take_over(op, ImportBatch.objects.filter(pk=batch.pk))
    Upload.objects.filter(batch=batch).update(**columns, column_map=None, rows_done=0, error="")
    _enqueue(op, batch)


def _take_over(op: Operation, batches: QuerySet[ImportBatch]) -> None:
    """Continue files for this actor, as the sender may have lost their role."""
    batches.update(made_by_id=op.actor.user_id, made_as=op.actor.name)


def _enqueue(op: Operation, batch: ImportBatch) -> None:
    mark_due(import_scope(batch.pk), now=op.now)
    hint_after_commit(IMPORT_PREFIX, batch.pk)


@dataclass(frozen=True, slots=True)
class Report:
    """The report of docs/import-columns.md: the content of a file and its outcome.

    `created` names the club, event and players that the import created; `outline` is that of
    `SheetImport`.
    """

    file: str
    dry_run: bool
    rows: int
    hands: int
    accepted: int
    added: int
    problems: tuple[Finding, ...]
    heads: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    noun: str = "hand"
    sample: Sequence[Sequence[str]] = ()
    chosen: SelectedPlan | None = None
    outline: JsonDict | None = None
    other_sheets: Sequence[str] = ()

    @property
    def hidden(self) -> Sequence[str]:
        """The sentences on what is hidden in the file and was not read."""
        return [each.message for each in self.problems if each.code in LEFT_OUT_HIDDEN]

    @property
    def waiting(self) -> int:
        return sum(1 for problem in self.problems if problem.waits)

    @property
    def already(self) -> int:
        return self.accepted - self.added

    def as_json(self) -> dict[str, object]:
        mapping = {"mapping": self.chosen.name} if self.chosen and self.chosen.name else {}
        return {
            "file": self.file,
            "dry_run": self.dry_run,
            "rows": self.rows,
            "hands": self.hands,
            "accepted": self.accepted,
            "already": self.already,
            "problems": [problem.as_json() for problem in self.problems],
            **mapping,
        }

    def lines(self) -> Iterator[str]:
        yield from problem_lines(self.problems)
        if self.chosen and self.chosen.name:
            yield f"Read with the mapping {self.chosen.name}."
        if self.created:
            yield f"{'Would make' if self.dry_run else 'Made'} {listed(self.created)}."
        yield self._counts()

    def _counts(self) -> str:
        pending = self.hands - self.accepted
        words = [f"{self.file}: {self.rows} rows, {counted(self.hands, self.noun)}."]
        if self.dry_run:
            would = "would be"
        elif self.accepted == 1:
            would = "is"
        else:
            would = "are"
        words.append(f"{self.accepted} {would} in the event, {self.added} of them new.")
        if self.already:
            were = "was" if self.already == 1 else "were"
            words.append(f"{counted(self.already, self.noun)} {were} already in the event.")
        if pending:
            waits = "waits" if pending == 1 else "wait"
            words.append(f"{counted(pending, self.noun)} {waits} for a person.")
        elif self.waiting:
            words.append(f"{counted(self.waiting, 'problem')} to look at.")
        if self.dry_run:
            words.append("Nothing was written: this was a dry run.")
        return " ".join(words)


def problem_lines(problems: Sequence[Finding]) -> Iterator[str]:
    for title, severities in (
        ("Pending:", WAITING),
        ("Read as intended:", (NOTE,)),
        ("Skipped:", (SKIP,)),
    ):
        lines: list[str] = []
        for problem in problems:
            if problem.severity in severities:
                lines.append(f"  {_line(problem)}")
                lines += [f"    {text}" for text in _answers(problem)]
        if lines:
            yield from (title, *lines, "")


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "hand"), counted(2, "hand")
    ('1 hand', '2 hands')
    """
    if number == 1:
        return f"{number} {noun}"
    return f"{number} {noun}s"


def _line(problem: Finding) -> str:
    lines = words_for_lines(problem.spot.lines)
    text = problem.message
    if not text.startswith(lines):
        text = f"{lines}: {text}"
    if problem.suggestion is None:
        return text
    return f"{text} Perhaps: {problem.suggestion.rstrip('?.')}?"


def _answers(problem: Finding) -> Iterator[str]:
    """Yield the answers to a question about a sheet, each with the option that gives it."""
    if problem.code == SHEET_ELSEWHERE:
        for offer in problem.offers:
            option = ONE_SHEET if offer[alike.ALIKE] == alike.ONE_SHEET else ANOTHER_GAME
            yield f"{option} {problem.spot.lines[0]}: {offer['text']}"


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings by the first line they concern."""
    return tuple(
        sorted(findings, key=lambda f: (f.spot.lines[:1] or (1,), len(f.spot.lines), f.code))
    )


@atomic_step
def store_file(
    batch: ImportBatch,
    report: Report,
    path: Path,
    *,
    variant: str,
    day: date | None,
    holds: Holds,
    sheet: str,
    reads_hidden: bool,
    corrections: SourceCorrections,
) -> None:
    """Store the file of an import that is over, so that its problems can be resolved."""
    values = {
        "club_id": batch.club_id,
        "content": path.read_bytes(),
        "holds": holds,
        "sheet": sheet,
        "reads_hidden": reads_hidden,
        "variant": variant,
        "day": day,
        "added": list(corrections.added),
        "mends": {str(line): list(cells) for line, cells in corrections.lines.items()},
        "rows_done": report.rows,
        "rows_total": report.rows,
    }
    upload, _ = Upload.objects.get_or_create(batch=batch, defaults=values)
    Upload.objects.filter(pk=upload.pk).update(**upload_columns(report))


def upload_columns(reading: Report | NotMapped) -> dict[str, object]:
    columns: dict[str, object] = {
        "heads": [head.replace("\0", "") for head in reading.heads],
        "sample": list(reading.sample),
        "other_sheets": [name.replace("\0", "") for name in reading.other_sheets],
        "hidden": [text.replace("\0", "") for text in reading.hidden],
    }
    if (chosen := reading.chosen) is not None:
        columns |= {
            "plan": chosen.plan.as_json(),
            "given": dict(chosen.values),
            "column_map": chosen.key,
        }
    return columns
