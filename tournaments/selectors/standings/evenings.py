"""The table of an evening as it is stored, and who is first in lists of evenings.

A read never computes: a worker makes the tables after a publication. Takes an event that
`selectors.events.events.get_event` has let the actor read.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import Exists, F, Max, OuterRef, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Concat

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.etags import digest_of
from tournaments.domain.standings.evening_outcomes import names_of_first
from tournaments.domain.standings.standings_documents import compact
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event, Stage, Visibility
from tournaments.models.hands import Game
from tournaments.models.jobs import HISTORY_PREFIX, Dirty
from tournaments.models.rounds import Meeting, Round, RoundState
from tournaments.models.standings import EVENINGS, Publication, StoredHistory
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_name
from tournaments.selectors.events.meetings import IS_OVER, list_on, with_state
from tournaments.selectors.events.players import table_as_read
from tournaments.selectors.stages import is_consolation
from tournaments.selectors.standings.history import HistoryTable, NothingPlayed, table_as_of

EVENING: Final = "evening"
"""Kind of the stored table of an evening; its key is the day."""


MOST_WINNERS: Final = 3
"""Winners of an event who are named in lists of evenings; the others are counted."""


class NothingOfEvening(Missing):
    """No hand of the evening counts, or its table is still being computed."""

    def __init__(self, day: date) -> None:
        super().__init__("meeting")
        self.problem = Problem("evening_without_standings", facts={"date": day.isoformat()})


class EveningOfLadder(Missing):
    """An evening of a ladder has moves, and no table."""

    def __init__(self, day: date) -> None:
        super().__init__("meeting")
        self.problem = Problem("evening_of_ladder", facts={"date": day.isoformat()})


@dataclass(frozen=True, slots=True)
class EveningTable(HistoryTable):
    """The stored table of an evening; `is_own` if only its games count.

    Otherwise it is that of the event as of the evening.
    """

    is_own: bool = True


@dataclass(frozen=True, slots=True)
class FirstPlaces:
    """Who is first on an evening; `n_more` share the place and are not named.

    `is_of_event`: they won the event, which the evening decided.
    """

    names: Sequence[str]
    n_more: int
    is_of_event: bool = False

    @property
    def is_shared(self) -> bool:
        return len(self.names) + self.n_more > 1

    @property
    def text(self) -> str:
        return names_of_first(self.names, self.n_more)


@dataclass(frozen=True, slots=True)
class _Winners:
    """The codes of those who won an event, and the day of the evening that decided it."""

    day: str | None
    codes: Sequence[str]


@dataclass(frozen=True, slots=True)
class LastEvening:
    """Who is first on the last evening of an event; `is_on` until it is over."""

    meeting: Meeting
    first: FirstPlaces
    is_on: bool


def evening_table(event: Event, meeting: Meeting) -> EveningTable:
    """Return the table of an evening as stored; two queries, or five for one as of
    then, and two more once the event is decided.

    Raises:
        EveningOfLadder: a ladder's evening has moves.
        NothingOfEvening: there is none, or not yet; the season's is never shown in its place.
    """
    if event.is_ladder:
        raise EveningOfLadder(meeting.date)
    day = meeting.date.isoformat()
    rows = StoredHistory.objects.filter(event=event, kind=EVENING, key=day)
    if (row := rows.first()) is not None:
        body, digest = table_as_read(bytes(row.body), event)
        return EveningTable(f"evening-{day}", digest, body)
    if day not in _state_of(event).get("as_of", ()):
        raise NothingOfEvening(meeting.date)
    try:
        last, table = table_as_of(event, day=meeting.date)
    except NothingPlayed:
        raise NothingOfEvening(meeting.date) from None
    if last.day != meeting.date:
        raise NothingOfEvening(meeting.date)
    document = json.loads(table.body)
    about = {"date": day, "counts": "event"}
    if any(row.get("progress") == "winner" for row in document["rows"]):
        decided_on = _deciding_days([event.pk]).get(event.pk, day)
        if decided_on != day:
            about["decided_on"] = decided_on
    members = {}
    for key, value in document.items():
        members[key] = value
        if key == "event":
            members["evening"] = about
    body = compact(members)
    return EveningTable(f"evening-{day}", digest_of(body), body, is_own=False)


def _state_of(event: Event) -> JsonObject:
    rows = StoredHistory.objects.filter(event=event, kind=EVENINGS)
    body = rows.values_list("body", flat=True).first()
    if body is None:
        return {}
    state: JsonObject = json.loads(bytes(body))
    return state


def first_places(
    events: Mapping[int, Event], *, only: date | None = None
) -> Mapping[tuple[int, date], FirstPlaces | None]:
    """Return who is first on each evening of these events by key, or on that of one day; six
    queries.

    The key is that of the event, and the day. None: the table is that of the event as of then, and
    the event was not decided on that evening; else its winners are first.
    """
    rows = StoredHistory.objects.filter(event__in=events, kind=EVENINGS)
    states = {pk: json.loads(bytes(body)) for pk, body in rows.values_list("event_id", "body")}
    if only is not None:
        states = {pk: _state_on(state, only.isoformat()) for pk, state in states.items()}
    codes = {
        code
        for state in states.values()
        for table in state["tables"].values()
        for code in table["first"]
    }
    winners = _winners_of([pk for pk, state in states.items() if state["as_of"]])
    for won in winners.values():
        codes.update(won.codes)
    names = _names_of(events, codes)
    first: dict[tuple[int, date], FirstPlaces | None] = {}
    for pk, state in states.items():
        for day in state["as_of"]:
            first[pk, date.fromisoformat(day)] = None
            if pk in winners and winners[pk].day == day:
                called = [names.get((pk, code), code) for code in winners[pk].codes]
                n_more = max(0, len(called) - MOST_WINNERS)
                places = FirstPlaces(called[:MOST_WINNERS], n_more, is_of_event=True)
                first[pk, date.fromisoformat(day)] = places
        for day, table in state["tables"].items():
            called = [names.get((pk, code), code) for code in table["first"]]
            more = table["n_first"] - len(called)
            first[pk, date.fromisoformat(day)] = FirstPlaces(called, more)
    return first


def _winners_of(events: Collection[int]) -> Mapping[int, _Winners]:
    """Return the winners of those events that are decided, as published; three queries.

    Each has the day that `_deciding_days` names.
    """
    if not events:
        return {}
    days = _deciding_days(events)
    rows = Publication.objects.filter(event__in=events).values("event")
    newest = Publication.objects.filter(pk__in=rows.annotate(last=Max("pk")).values("last"))
    winners = {}
    for publication in newest:
        document = publication.document
        codes = [row["player_id"] for row in document["rows"] if row.get("progress") == "winner"]
        if codes and publication.event_id is not None:
            winners[publication.event_id] = _Winners(days.get(publication.event_id), codes)
    return winners


def _deciding_days(events: Collection[int]) -> Mapping[int, str]:
    """Return the day of the last round of each event that is not of a consolation; two queries.

    A consolation that is played after the final decides nothing.
    """
    by_event: dict[int, list[Stage]] = defaultdict(list)
    for stage in Stage.objects.filter(event__in=events).order_by("event", "number"):
        by_event[stage.event_id].append(stage)
    consolations = [
        stage.pk
        for stages in by_event.values()
        for stage in stages
        if is_consolation(stage, stages)
    ]
    deciding = Round.objects.filter(event__in=events, meeting__isnull=False)
    deciding = deciding.exclude(state=RoundState.DRAFT).exclude(stage__in=consolations)
    last_days = deciding.order_by().values_list("event").annotate(last=Max("meeting__date"))
    return {event_id: day.isoformat() for event_id, day in last_days}


def _state_on(state: JsonObject, day: str) -> JsonObject:
    """Return what is stored about the evenings of an event as far as it is of one day."""
    tables = {key: table for key, table in state["tables"].items() if key == day}
    return {"tables": tables, "as_of": [key for key in state["as_of"] if key == day]}


def list_last_evenings(events: Collection[Event], now: datetime) -> Sequence[LastEvening]:
    """Return who is first in each of these events that counts a hand on the last evening of all.

    Events come in their order. Those whose results only directors read are left out, as are ladders
    and evenings that decide who goes on, but for the one that decides the event: they have no
    first. At most ten queries.
    """
    shown = {
        event.pk: event
        for event in events
        if not event.is_ladder and event.visibility != Visibility.HELD
    }
    counted = Game.objects.filter(
        table__round__meeting=OuterRef("pk"), counts=True, hands_counted__gt=0
    )
    played = Meeting.objects.filter(Exists(counted), event__in=shown)
    last_day = played.order_by("-date").values_list("date", flat=True).first()
    if last_day is None:
        return ()

    meetings = list(with_state(played.filter(date=last_day)).annotate(is_over=IS_OVER))
    for meeting in meetings:
        meeting.event = shown[meeting.event_id]
    on = list_on(meetings, now)
    first = first_places({meeting.event_id: meeting.event for meeting in meetings}, only=last_day)
    by_event = {meeting.event_id: meeting for meeting in meetings}
    last_evenings = []
    for key in shown:
        places = first.get((key, last_day))
        if key in by_event and places is not None:
            meeting = by_event[key]
            last_evenings.append(LastEvening(meeting, places, is_on=meeting.pk in on))
    return last_evenings


def _names_of(events: Mapping[int, Event], codes: Collection[str]) -> Mapping[tuple[int, str], str]:
    columns = {pk: name_column(event) for pk, event in events.items()}
    entrants = Entrant.objects.filter(event__in=events, code__in=codes)
    return {
        (entrant.event_id, entrant.code): entrant_name(entrant, columns[entrant.event_id])
        for entrant in entrants.prefetch_related(WITH_PLAYERS)
    }


def has_counted_games(event: Event, meeting: Meeting) -> bool:
    """Whether a hand of the evening counts."""
    games = Game.objects.filter(event=event, counts=True, hands_counted__gt=0)
    return games.filter(table__round__meeting=meeting).exists()


def list_behind_with_evenings(*, at_most: int) -> list[int]:
    """Return the events, by key, whose history an older release made without their evenings.

    Each piece of history stores both rows under the version of its publication, so that evenings
    of an older version are behind. Those whose history is due already are left out.
    """
    scope = Concat(Value(HISTORY_PREFIX), Cast(OuterRef("pk"), CharField()))
    due = Dirty.objects.filter(scope=scope, done__lt=F("version"))
    newer = StoredHistory.objects.filter(
        event=OuterRef("event"), kind=EVENINGS, version__gte=OuterRef("version")
    )
    behind = StoredHistory.objects.filter(~Exists(newer), event=OuterRef("pk"), kind="todo")
    events = Event.objects.filter(~Exists(due), Exists(behind), club__delete_after=None)
    return list(events.order_by("-pk").values_list("pk", flat=True)[:at_most])
