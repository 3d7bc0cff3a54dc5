"""What an event's directors have to decide before its standings are published again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tournaments.models.events import Event, Stage
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.playoffs import Playoff, PlayoffState, is_unanswered
from tournaments.models.standings import Change, Publication
from tournaments.selectors.events.change_log import CHANGE_KIND, OF_HANDS

CORRECTIONS: Final = (*OF_HANDS, CHANGE_KIND, "penalty", "bonus", "withdrawn_line")
"""Kinds of lines of the change log that make other results."""


@dataclass(frozen=True, slots=True)
class Review:
    """Since when the standings are under review, and which play-offs and stages are asked about.

    `playoffs` and `stages` are empty for a moment, until a worker has stored the question.
    `waiting` counts the corrections that no publication holds yet: all of them wait, also those
    that have nothing to do with the question, for one publication holds the whole table.
    """

    since: datetime
    playoffs: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()
    waiting: int = 0


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
        _waiting(event),
    )


def _waiting(event: Event) -> int:
    published = Publication.objects.filter(event=event).order_by("-number")
    since = published.values_list("version", flat=True).first() or 0
    return Change.objects.filter(event=event, version__gt=since, kind__in=CORRECTIONS).count()
