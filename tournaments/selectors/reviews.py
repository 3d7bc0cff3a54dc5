"""What an event's directors have to decide before its standings are published again."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event, Stage
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.playoffs import Playoff, PlayoffState, is_unanswered


@dataclass(frozen=True, slots=True)
class Review:
    """Since when the standings are under review, and which play-offs and stages are asked about.

    `playoffs` and `stages` are empty for a moment, until a worker has stored the question.
    """

    since: datetime
    playoffs: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()


def review_of(event: Event) -> Review | None:
    """Return what an event's standings wait for; None where they are published as they are."""
    rows = Dirty.objects.filter(scope=event_scope(event.pk), under_review_since__isnull=False)
    since = rows.values_list("under_review_since", flat=True).first()
    if since is None:
        return None
    playoffs = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    asked = playoffs.order_by("number").values_list("number", "asked")
    stages = Stage.objects.filter(event=event, cut__isnull=False).order_by("number")
    return Review(
        since,
        tuple(number for number, question in asked if is_unanswered(question)),
        tuple(n for n, question in stages.values_list("number", "asked") if question),
    )
