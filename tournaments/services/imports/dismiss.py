"""Dismissing what an import asks: its rows stay out, and why is kept."""

from datetime import datetime

from django.db import transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.imports import BROUGHT, BatchState, ImportProblem, ProblemState
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.imports.batches import close_rounds
from tournaments.services.imports.table_states import recorded_round_states


@transaction.atomic
def dismiss_problem(*, actor: Actor, problem: ImportProblem, reason: str, now: datetime) -> None:
    """Leave the rows of a problem out of the event; its round no longer waits for them.

    Raises:
        Forbidden: import_sheets.
        Conflict: import_moved_on.
        Refused: reason_required.
    """
    batch = problem.batch
    require(actor, batch.club, "import_sheets")
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    event = events.get(pk=problem.event_id)
    words = " ".join(reason.split())
    if not words:
        raise Refused(Problem("reason_required", ("reason",)))
    open_ = ImportProblem.objects.filter(pk=problem.pk, state=ProblemState.OPEN)
    is_there = batch.state in (*BROUGHT, BatchState.PREVIEW)
    if not is_there or not open_.update(state=ProblemState.DISMISSED, reason=words[:500]):
        raise Conflict(Problem("import_moved_on", facts={"number": batch.number}))
    if batch.state in BROUGHT and problem.round is not None:
        own = {problem.round}
        recorded_round_states(batch, event, own, lambda: close_rounds(event, own, now=now))
    append_audit(
        club=event.club,
        actor=actor,
        act="dismiss_problem",
        subject=f"event:{event.slug}/import:{batch.number}/problem:{problem.position}",
        facts={"code": problem.code},
        now=now,
    )
