"""What a club's pages list over all its events: evenings, ladders, games. Held events are not
among them for who may not read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from datetime import time as local_time
from typing import Final

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet

from tournaments.models.clubs import Club
from tournaments.models.events import EntrantState, Event, EventKind, Snapshot
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.models.meetings import Meeting, Round
from tournaments.policy import Actor
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.events.meetings import with_state

PAGE_SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class ClubEvening:
    """A meeting of one of a club's events; `rounds` are their numbers."""

    date: date
    state: str
    event: str
    event_name: str
    rounds: tuple[int, ...]
    tables: int
    time: local_time | None = None
    place: str = ""
    cancel_reason: str = ""


@dataclass(frozen=True, slots=True)
class ClubLadder:
    """A ladder of a club, with how many are on it and how many challenges wait."""

    slug: str
    name: str
    state: str
    visibility: str
    members: int
    challenges: int
    kind: str = EventKind.LADDER


@dataclass(frozen=True, slots=True)
class EventGames:
    """An event and the names of what its tables play; none before the first table."""

    slug: str
    name: str
    games: tuple[str, ...]


def club_evenings(
    actor: Actor, club: Club, page: str = ""
) -> tuple[Page[Meeting], Sequence[ClubEvening]]:
    """Return a page of the evenings of a club's events, the newest first; three queries."""
    readable = listed_events(actor, club).values("pk")
    meetings = with_state(Meeting.objects.filter(event__in=readable)).select_related("event")
    asked = Paginator(meetings.order_by("-date", "event__name", "pk"), PAGE_SIZE).get_page(page)
    rounds = _rounds_of([meeting.pk for meeting in asked])
    return asked, tuple(
        ClubEvening(
            date=meeting.date,
            state=meeting.state_now,  # type: ignore[attr-defined]  # annotated
            event=meeting.event.slug,
            event_name=meeting.event.name,
            rounds=tuple(number for number, _tables in rounds.get(meeting.pk, ())),
            tables=sum(tables for _number, tables in rounds.get(meeting.pk, ())),
            time=meeting.time,
            place=meeting.place,
            cancel_reason=meeting.cancel_reason,
        )
        for meeting in asked
    )


def _rounds_of(meetings: Sequence[int]) -> Mapping[int, Sequence[tuple[int, int]]]:
    """Return number and tables of each round, by its meeting."""
    found: dict[int, list[tuple[int, int]]] = {}
    rounds = Round.objects.filter(meeting__in=meetings).annotate(n_tables=Count("tables"))
    for meeting, number, n in rounds.order_by("number").values_list(
        "meeting", "number", "n_tables"
    ):
        found.setdefault(meeting or 0, []).append((number, n))
    return found


def club_ladders(actor: Actor, club: Club) -> Sequence[ClubLadder]:
    """Return the ladders of a club, the newest first; one query."""
    active = Count("entrants", Q(entrants__state=EntrantState.ACTIVE), distinct=True)
    waiting = Count("challenges", Q(challenges__state__in=OPEN_CHALLENGES), distinct=True)
    ladders: QuerySet[Event] = listed_events(actor, club).filter(kind=EventKind.LADDER)
    return tuple(
        ClubLadder(one.slug, one.name, one.state, one.visibility, one.n_members, one.n_waiting)
        for one in ladders.annotate(n_members=active, n_waiting=waiting)
    )


def games_by_event(actor: Actor, club: Club) -> Sequence[EventGames]:
    """Return the events of a club with what they play, the newest first; two queries."""
    listed = tuple(listed_events(actor, club))
    kept = Snapshot.objects.filter(event__in=[event.pk for event in listed])
    games: dict[int, list[str]] = {}
    for event, name in (
        kept.order_by("variant_name").values_list("event", "variant_name").distinct()
    ):
        games.setdefault(event, []).append(name)
    return tuple(EventGames(one.slug, one.name, tuple(games.get(one.pk, ()))) for one in listed)
