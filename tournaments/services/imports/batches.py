"""Import batches: opened with the first hand, closed with the problems that wait for a person."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Max

from scoring.errors import Problem
from tournaments.domain.imports.alike import ALIKE, WHOLE_NUMBER
from tournaments.domain.imports.import_report import WAITING, Finding, Offer
from tournaments.errors import Conflict
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import BROUGHT, BatchState, ImportBatch, ImportProblem, Upload
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.meetings import OLD_AFTER
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events.states import reopen_games, schedule_finalization
from tournaments.services.imports.table_changes import recorded_round_states
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.evening_hours import note_continued, set_hours


def require_open(subject: Event | ImportBatch) -> None:
    event = subject if isinstance(subject, Event) else subject.event
    if not event.is_open:
        raise Conflict(Problem("event_not_open", facts={"state": event.state}))


def lock_batch(batch: ImportBatch) -> ImportBatch:
    """Lock the event of a batch, and return the batch with the event's current state."""
    batch.event = lock_event(batch.event)
    return batch


def require_state(batch: ImportBatch, state: str) -> None:
    """Require that a batch still has this state; the caller holds the event's row."""
    if not ImportBatch.objects.filter(pk=batch.pk, state=state).exists():
        raise Conflict(stale_batch_problem(batch))


def reread_state(batch: ImportBatch) -> None:
    state = ImportBatch.objects.filter(pk=batch.pk).values_list("state", flat=True).first()
    if state is None:
        raise Conflict(stale_batch_problem(batch))
    batch.state = state


def stale_batch_problem(batch: ImportBatch) -> Problem:
    return Problem("import_moved_on", facts={"number": batch.number})


def new_batch(
    op: Operation, event: Event, *, file_name: str, digest: str, state: str = BatchState.RUNNING
) -> ImportBatch:
    """Create the next batch of an event, whose row the caller has locked."""
    return ImportBatch.objects.create(
        club_id=event.club_id,
        event=event,
        number=_take_number(event),
        file_name=file_name[:255],
        file_digest=digest,
        state=state,
        made_by_id=op.actor.user_id,
        made_as=op.actor.name,
        started_at=op.now,
    )


def _take_number(event: Event) -> int:
    """Return the number after the last import of an event, which may be deleted, and store it.

    The highest number that is there counts too: a process of 0.5.0 does not store the last one.
    """
    events = Event.objects.filter(pk=event.pk)
    last_import = events.values_list("last_import", flat=True).get()
    number = max(next_number(ImportBatch.objects.filter(event=event)), last_import + 1)
    events.update(last_import=number)
    return number


def note_rounds(batch: ImportBatch, rounds: Collection[int]) -> None:
    """Store the rounds that a file has sheets of: none is closed before these are in."""
    ImportBatch.objects.filter(pk=batch.pk).update(file_rounds=sorted(rounds))


@atomic_step
def store_preview(
    *,
    batch: ImportBatch,
    findings: Sequence[Finding],
    counts: tuple[int, int, int, int],
    outline: Mapping[str, object] | None,
) -> None:
    """Store the problems, counts and outline of a file before its hands are in the event.

    Problems that were resolved or dismissed stay so. Nothing is stored if the file was discarded,
    or confirmed, meanwhile.
    """
    reading = ImportBatch.objects.filter(pk=batch.pk, state=BatchState.READING)
    if not reading.update(state=BatchState.PREVIEW):
        return
    batch.state = BatchState.PREVIEW
    rows = {_row_identity(row): row for row in ImportProblem.objects.filter(batch=batch)}
    by_identity = {_identity(finding): finding for finding in findings}
    missing = [row for key, row in rows.items() if key not in by_identity]
    notes = [row.pk for row in missing if row.severity not in WAITING]
    ImportProblem.objects.filter(pk__in=notes).delete()
    open_ = [row.pk for row in missing if row.state == "open"]
    ImportProblem.objects.filter(pk__in=open_).update(state="settled")
    _refresh(rows, by_identity)
    _store_problems(batch, [finding for key, finding in by_identity.items() if key not in rows])
    batch.rows, batch.hands, batch.accepted, batch.added = counts
    batch.save(update_fields=["rows", "hands", "accepted", "added"])
    Upload.objects.filter(batch=batch).update(outline=outline)


@operation(
    "import_sheets",
    locks=lock_event,
    requires=require_open,
    refuses=("event_not_open", "import_moved_on"),
    name="import_sheets",
)
def close_batch(
    op: Operation,
    event: Event,
    /,
    *,
    batch: ImportBatch | None,
    file_name: str,
    digest: str,
    findings: Sequence[Finding],
    counts: tuple[int, int, int],
    rounds: Collection[int],
    unfinished: Collection[int] = (),
) -> ImportBatch | None:
    """Store the problems of an import, update the states of its rounds, write one audit line.

    A problem that an earlier import of the same file has is not stored again, or is moved to the
    newer one; one that is gone is resolved. Nothing is written if nothing is new. Rounds that are
    `unfinished` stay open although they have no open problem.
    """
    if batch is not None:
        require_state(batch, BatchState.RUNNING)
    stored_problems = ImportProblem.objects.filter(
        event=event, batch__file_digest=digest, batch__state__in=BROUGHT
    )
    batch_id = batch.pk if batch is not None else None
    by_identity = {_identity(finding): finding for finding in findings}
    # A run that stored no hand has no batch: problems then stay where earlier imports left them.
    is_in_batch = {row.pk: batch_id in (None, row.batch_id) for row in stored_problems}
    kept_rows = {
        _row_identity(row): row
        for row in stored_problems
        if is_in_batch[row.pk] or row.state == "dismissed"
    }
    fresh = [finding for key, finding in by_identity.items() if key not in kept_rows]
    resolved = [
        row
        for row in stored_problems
        if row.state == "open" and not (is_in_batch[row.pk] and _row_identity(row) in by_identity)
    ]
    batch = batch or find_interrupted_batch(event, digest)
    if batch is None and not fresh and not resolved:
        return None
    if batch is None:
        batch = new_batch(op, event, file_name=file_name, digest=digest)
    _store_problems(batch, fresh)
    ImportProblem.objects.filter(pk__in=[row.pk for row in resolved]).update(state="settled")
    batch_rows = {key: row for key, row in kept_rows.items() if row.batch_id == batch_id}
    _refresh(batch_rows, by_identity)
    _settle_accepted(event)
    rows, hands, accepted = counts
    batch.rows, batch.hands, batch.accepted = rows, hands, accepted
    batch.added = Hand.objects.filter(entries__batch=batch).distinct().count()
    batch.state, batch.ended_at, batch.stopped = "done", op.now, None
    batch.save(update_fields=["rows", "hands", "accepted", "added", "state", "ended_at", "stopped"])
    entries = batch.entries.values_list("hand__game__table__round__number", flat=True)
    waiting = [row for row in batch_rows.values() if row.state == "open"]
    touched = {*rounds, *entries.distinct()}  # those of an interrupted run of the batch too
    touched |= {row.round for row in [*resolved, *waiting] if row.round is not None}
    touched |= {finding.spot.round for finding in fresh if finding.spot.round is not None}
    recorded_round_states(
        batch,
        event,
        touched,
        lambda: close_rounds(event, touched, unfinished=unfinished, now=op.now),
    )
    facts = {
        "file": digest,
        "rows": rows,
        "hands": hands,
        "accepted": accepted,
        "added": batch.added,
        "problems": len(fresh),
    }
    op.audit(event, facts, subject=f"{event.audit_subject}/import:{batch.number}")
    return batch


def find_interrupted_batch(event: Event, digest: str) -> ImportBatch | None:
    """Return the batch that a killed command left; those of pages continue by themselves."""
    batches = ImportBatch.objects.filter(event=event, file_digest=digest, state="running")
    return batches.filter(upload__isnull=True).order_by("number").first()


def _refresh(
    problems: Mapping[tuple[object, ...], ImportProblem],
    findings: Mapping[tuple[object, ...], Finding],
) -> None:
    """Update problems that remain: their rows as read now, open again."""
    changed = []
    for key, row in problems.items():
        finding = findings.get(key)
        if finding is None or not finding.waits:
            continue
        rows = _rows(finding)
        offers = offers_of_finding(finding)
        state = "dismissed" if row.state == "dismissed" else "open"
        if (row.rows, row.offers, row.state) != (rows, offers, state):
            row.rows, row.offers, row.state = rows, offers, state
            changed.append(row)
    ImportProblem.objects.bulk_update(changed, ["rows", "offers", "state"], batch_size=200)


def _rows(finding: Finding) -> list[list[object]]:
    visible = "\N{REPLACEMENT CHARACTER}"
    return [[line, [cell.replace("\0", visible) for cell in cells]] for line, cells in finding.rows]


WITH_DECIMALS: Final = re.compile(r"(-?[0-9]+)[.,]0+")
WITH_LETTER_O: Final = re.compile(r"-?(?:[0-9]+[Oo][0-9Oo]*|[Oo][0-9]+)")


def offers_of_finding(finding: Finding) -> list[Offer]:
    """Return the offers of a finding; without any, a number like 10.000 or 1O is offered as 10."""
    text = finding.found.strip('"')
    if match := WITH_DECIMALS.fullmatch(text):
        number = match[1]
    else:
        number = re.sub("[Oo]", "0", text) if WITH_LETTER_O.fullmatch(text) else ""
    if finding.offers or not number:
        return [dict(offer) for offer in finding.offers]
    cells = {
        str(line): {f"#{at}": number for at, cell in enumerate(row) if cell.strip() == text}
        for line, row in finding.rows
    }
    if not cells:
        return []
    return [{"text": f"{text} → {number}", ALIKE: WHOLE_NUMBER, "cells": cells}]


def _row_identity(row: ImportProblem) -> tuple[object, ...]:
    return (row.code, row.found, tuple(row.lines), row.round, row.table, row.hand)


def _identity(finding: Finding) -> tuple[object, ...]:
    spot = finding.spot
    return (finding.code, finding.found, spot.lines, spot.round, spot.table, spot.hand)


def _store_problems(batch: ImportBatch, findings: Sequence[Finding]) -> None:
    start = ImportProblem.objects.filter(batch=batch).aggregate(last=Max("position"))["last"] or 0
    ImportProblem.objects.bulk_create(
        [
            ImportProblem(
                club_id=batch.club_id,
                event_id=batch.event_id,
                batch=batch,
                position=position,
                code=finding.code,
                severity=finding.severity,
                lines=list(finding.spot.lines),
                places=finding.places_as_json,
                round=finding.spot.round,
                table=finding.spot.table,
                hand=finding.spot.hand,
                found=finding.found,
                expected=finding.expected,
                message=finding.message,
                suggestion=finding.suggestion or "",
                rows=_rows(finding),
                offers=offers_of_finding(finding),
                state="open" if finding.waits else "settled",
            )
            for position, finding in enumerate(findings, start=start + 1)
        ],
        batch_size=200,
    )


def _settle_accepted(event: Event) -> None:
    waiting = ImportProblem.objects.filter(
        event=event, state="open", hand__isnull=False, batch__state__in=BROUGHT
    )
    rounds = {row.round for row in waiting if row.round is not None}
    if not rounds:
        return
    hands = Hand.objects.filter(
        state="accepted", game__event=event, game__table__round__number__in=rounds
    )
    accepted = set(hands.values_list("game__table__round__number", "game__table__number", "number"))
    resolved = [row.pk for row in waiting if (row.round, row.table, row.hand) in accepted]
    waiting.filter(pk__in=resolved).exclude(code="hand_exists").update(state="settled")


def close_rounds(
    event: Event, numbers: Collection[int], *, now: datetime, unfinished: Collection[int] = ()
) -> None:
    """Close rounds whose games are all over and that have no open problem, or `unfinished` hands.

    A round that opens again makes its games provisional again. Rounds of play-offs are left to the
    play-off. The caller holds the event's row.
    """
    games = Game.objects.filter(event=event, table__round__number__in=numbers)
    lock_games(games)
    waiting = ImportProblem.objects.filter(
        event=event, state="open", round__in=numbers, batch__state__in=BROUGHT
    )
    playing = games.filter(state__in=("seated", "playing"))
    open_ = {
        *(number for number in waiting.values_list("round", flat=True) if number is not None),
        *playing.values_list("table__round__number", flat=True),
        *unfinished,
    }
    all_rounds = Round.objects.filter(event=event, number__in=numbers)
    rounds = all_rounds.exclude(stage__kind=StageKind.PLAYOFF)
    opened = rounds.filter(number__in=open_).exclude(state="draft")
    for round_ in opened.filter(state="closed").order_by("number"):
        reopen_games(round_)
    evenings_on = set(opened.values_list("meeting", flat=True))
    opened.update(state="playing", closed_at=None)
    finished = rounds.exclude(number__in=open_).exclude(state="closed", closed_at__isnull=False)
    evenings = set(finished.values_list("meeting", flat=True))
    finished.update(state="closed", closed_at=now)
    # What a file adds to an evening of long ago does not begin it again.
    old = Meeting.objects.filter(pk__in=evenings, date__lt=(now - OLD_AFTER).date())
    old.filter(ended_at__isnull=False).update(ended_at=now)
    set_hours(event, evenings | evenings_on, now)
    schedule_finalization(event)
    note_continued(event, evenings | evenings_on, now=now)
