"""What an event holds that readers can be let in to, or kept from."""

from dataclasses import dataclass

from tournaments.models.events import Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Publication


@dataclass(frozen=True, slots=True)
class EventContents:
    """How many publications, score sheets and play-offs an event has, and whether a ladder."""

    publications: int
    sheets: int
    playoffs: int
    has_ladder: bool


def contents_of(event: Event) -> EventContents:
    """Return what readers of an event can read; three queries."""
    played = Game.objects.filter(event=event, hands__isnull=False)
    return EventContents(
        publications=Publication.objects.filter(event=event).count(),
        sheets=played.distinct().count(),
        playoffs=Playoff.objects.filter(event=event).count(),
        has_ladder=event.kind == EventKind.LADDER,
    )
