"""Shared parts of changes of an event, and the deadlines of its correction window.

The window starts when a round or the event was closed last. Its end is a `Deadline` row that the
dispatcher gives to a worker; closing, reopening or changing the window moves it. A window of 0 has
no end: a director finalizes the event. Finalizing is in services/events/finalise.py.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from scoring.errors import Problem
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.jobs import FINALISE, FINALISE_ROUND, Deadline
from tournaments.models.rounds import Round
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.imports import is_interrupted
from tournaments.selectors.standings.correction_window import (
    window_ends,
)
from tournaments.services.audit.audit import append_audit, note_change
from tournaments.services.jobs.enqueue import set_deadline


def require_running(event: Event) -> None:
    """Let rounds, tables and entrants change while their event is a draft or open."""
    if event.is_over:
        raise Conflict(Problem("event_is_over", facts={"state": event.state}))


def record_change(
    event: Event,
    actor: Actor,
    operation: str,
    facts: Mapping[str, object],
    now: datetime,
    *,
    by: str = "",
    kind: str = "",
    noted: Mapping[str, object] | None = None,
    reason: str = "",
    table: str = "",
    part: str = "",
    version: int | None = None,
) -> None:
    """Mark an event, and write a change into its log and the audit trail.

    Args:
        by: the role that did it; empty = that of the actor.
        kind: of the line of the log; empty = `operation`.
        noted: facts of the line of the log; None = `facts`.
        part: what of the event it is about, as `/stage:2`.
        version: of the line of the log; None = the event is marked.
    """
    note_change(
        event=event,
        version=version,
        kind=kind or operation,
        by=by or get_role(actor, event.club_id),
        table=table,
        reason=reason,
        now=now,
        facts=facts if noted is None else noted,
    )
    facts = {**facts, "reason": reason.strip()}
    append_audit(event.club, actor, operation, f"event:{event.slug}{part}", facts=facts, now=now)


def schedule_finalization(event: Event) -> None:
    """Schedule the deadlines of an event by its state and its settings.

    Called in the transaction that closes, reopens, or changes `correction_window_h`.
    """
    # First what is there, then what should be: a round that another transaction closes meanwhile
    # has made its own deadline, and keeps it.
    deadlines = Deadline.objects.filter(event=event, kind__in=(FINALISE, FINALISE_ROUND))
    stored = {(deadline.kind, deadline.key): deadline for deadline in deadlines}
    due: dict[tuple[str, str], datetime] = {}
    if (end := window_ends(event)) is not None:
        due[FINALISE, ""] = end
    window = settings_of(event).correction_window
    if window and event.state in ("open", "closed"):
        closed = Round.objects.filter(event=event, state="closed", closed_at__isnull=False)
        for number, closed_at in closed.values_list("number", "closed_at"):
            if closed_at is not None:
                due[FINALISE_ROUND, str(number)] = closed_at + window
    outdated = [deadline.pk for place, deadline in stored.items() if place not in due]
    Deadline.objects.filter(pk__in=outdated).delete()
    for (kind, key), due_at in due.items():
        row = stored.get((kind, key))
        if row is None or row.due_at != due_at:
            set_deadline(event, kind, due_at, key=key)


def pending_imports_of_round(round_: Round) -> Iterator[Problem]:
    """Say which import is about to bring hands into a round, or to take them out of it.

    One that waits to be confirmed counts too. One whose file was not read yet may be about any
    round, unless it was left behind.
    """
    codes = {
        BatchState.PREVIEW: "import_waits",
        BatchState.RUNNING: "import_running",
        BatchState.UNDOING: "import_undoing",
    }
    batches = ImportBatch.objects.filter(event=round_.event_id, state__in=codes)
    for batch in batches.exclude(state=BatchState.PREVIEW, added=0).order_by("number"):
        if batch.file_rounds is None:
            concerns = batch.state == BatchState.RUNNING and not is_interrupted(batch)
        else:
            concerns = round_.number in batch.file_rounds
        if concerns:
            facts = {"number": batch.number, "round": round_.number}
            yield Problem(codes[BatchState(batch.state)], ("state",), facts)


def reopen_games(round_: Round) -> None:
    """Take the games of a round that opens again back from final: they are played on."""
    Game.objects.filter(table__round=round_, state="final").update(state="complete")
