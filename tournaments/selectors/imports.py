"""Import batches of an event and what waits in them for a person; for hosts and directors."""

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch, ImportProblem, ProblemState
from tournaments.policy import may

ACT = "import_sheets"


def may_import(event: Event) -> bool:
    """Whether the actor that `event` was read for may import into it, and so see its imports."""
    return may(str(getattr(event, "role", "public")), ACT)


def batches_of(event: Event) -> QuerySet[ImportBatch]:
    """Return an event's imports, the newest first, each with `n_open` problems.

    Raises:
        Missing: the actor may not import here; that there are imports is not told.
    """
    if not may_import(event):
        raise Missing("import")
    is_open = Q(problems__state=ProblemState.OPEN)
    batches = ImportBatch.objects.filter(event=event)
    return batches.annotate(n_open=Count("problems", filter=is_open)).order_by("-number")


def batch_at(event: Event, number: int) -> ImportBatch:
    """Return one import of `event`.

    Raises:
        Missing: no such import, or the actor may not import here.
    """
    batch = batches_of(event).filter(number=number).first()
    if batch is None:
        raise Missing("import", {"import": number})
    return batch


def problems_of(batch: ImportBatch) -> Sequence[ImportProblem]:
    """Return the problems of an import in the order of the file, those that wait first."""
    problems = list(ImportProblem.objects.filter(batch=batch).order_by("position"))
    return sorted(problems, key=lambda problem: problem.state != ProblemState.OPEN)
