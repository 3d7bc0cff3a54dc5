"""A club's events by progress: running, coming, finished."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from tournaments.models.events import Event, EventState


@dataclass(frozen=True, slots=True)
class EventItem:
    """An event in its group: the evening that it met last, and the next one."""

    slug: str
    name: str
    kind: str
    state: str
    visibility: str
    season: str
    met_last: date | None
    next_on: date | None


@dataclass(frozen=True, slots=True)
class EventGroups:
    """The events of a club by progress."""

    running: tuple[EventItem, ...]
    coming: tuple[EventItem, ...]
    finished: tuple[EventItem, ...]


def group_events(events: Iterable[Event], next_by_event: Mapping[int, date]) -> EventGroups:
    """Return events from `with_last_meeting` by progress; no query.

    What is running stays in its order, what is coming is by its next evening, and what is finished
    by its last one, the newest first.
    """
    running: list[EventItem] = []
    coming: list[EventItem] = []
    finished: list[EventItem] = []
    groups = {EventState.OPEN: running, EventState.DRAFT: coming}
    for event in events:
        groups.get(EventState(event.state), finished).append(_item(event, next_by_event))
    coming.sort(key=lambda one: one.next_on or date.max)
    finished.sort(key=lambda one: one.met_last or date.min, reverse=True)
    return EventGroups(tuple(running), tuple(coming), tuple(finished))


def _item(event: Event, next_by_event: Mapping[int, date]) -> EventItem:
    return EventItem(
        slug=event.slug,
        name=event.name,
        kind=event.kind,
        state=event.state,
        visibility=event.visibility,
        season=event.season.name if event.season else "",
        met_last=event.met_last,  # type: ignore[attr-defined]  # annotated
        next_on=next_by_event.get(event.pk),
    )
