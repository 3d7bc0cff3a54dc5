"""When results become final: the correction window, and what it waits for."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import F, Q

from scoring.errors import Problem
from scoring.playoffs.progress import PLAYED
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.models.events import Event, Stage, StageKind
from tournaments.models.hands import Dispute, DisputeState
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.jobs import Dirty, event_scope, playoffs_scope
from tournaments.models.playoffs import LIVE, is_unanswered
from tournaments.models.rounds import Round
from tournaments.selectors.imports import is_interrupted
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.selectors.stages import valid_playoffs


def window_ends(event: Event, settings: Settings | None = None) -> datetime | None:
    """Return when the window of a closed event is over; None where no clock runs."""
    window = (settings or settings_of(event)).correction_window
    if event.state != "closed" or event.closed_at is None or not window:
        return None
    return event.closed_at + window


def finalization_problems(event: Event) -> Iterator[Problem]:
    """Return the problems that keep a closed event from being final, apart from the deadline."""
    yield from pending_imports(event)
    if is_recounted(event.pk):
        yield Problem("event_recounted", ("state",))
    disputed = Round.objects.filter(event=event, tables__game__hands__state="disputed")
    if (first := disputed.order_by("number").first()) is not None:
        yield Problem("hands_disputed", ("state",), {"round": first.number})
    n_open = Dispute.objects.filter(event=event, state=DisputeState.OPEN).count()
    if n_open:
        yield Problem("disputes_open", ("state",), {"n": n_open})
    questions = Stage.objects.filter(event=event).values_list("asked", flat=True)
    if n_asked := sum(question is not None for question in questions):
        yield Problem("cuts_asked", ("state",), {"n": n_asked})
    yield from _playoffs_wait(event)


def pending_imports(event: Event) -> Iterator[Problem]:
    """Say which import is on its way into an event, or out of it: so long it takes hands.

    One that was left behind brings nothing into an event that is not open, and could only be run
    again or undone while it is: there it is no obstacle.
    """
    codes = {BatchState.RUNNING: "import_running", BatchState.UNDOING: "import_undoing"}
    batches = ImportBatch.objects.filter(event=event, state__in=codes).order_by("number")
    for batch in batches:
        if event.is_open or not is_interrupted(batch):
            code = codes[BatchState(batch.state)]
            yield Problem(code, ("state",), {"number": batch.number})


def _playoffs_wait(event: Event) -> Iterator[Problem]:
    playoffs = valid_playoffs(event)
    live = playoffs.filter(state__in=LIVE)
    n_asked = sum(map(is_unanswered, playoffs.values_list("asked", flat=True)))
    if n_open := live.filter(is_waived=False).count() + n_asked:
        yield Problem("playoffs_undecided", ("state",), {"n": n_open})
        return
    settings = settings_of(event)
    cuts = Stage.objects.filter(Q(cut__isnull=False) | Q(kind=StageKind.KNOCKOUT), event=event)
    if (settings.boundaries and settings.playoff in PLAYED) or playoffs.exists() or cuts.exists():
        scopes = (event_scope(event.pk), playoffs_scope(event.pk))
        if Dirty.objects.filter(scope__in=scopes, done__lt=F("version")).exists():
            yield Problem("playoffs_looked_for", ("state",))
