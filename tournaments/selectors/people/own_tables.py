"""The tables of an account's players, and their places in what is published."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from scoring.entry.sheet import seat_names
from scoring.numbers import ScoreJson
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, EventKind
from tournaments.models.hands import Dispute, DisputeState, GameState
from tournaments.models.meetings import Meeting, Round, RoundState, Sitting
from tournaments.models.numbers import as_json
from tournaments.models.standings import Contribution, Publication
from tournaments.policy import Actor, may
from tournaments.selectors.events.events import events_for, featured_event, with_last_meeting
from tournaments.selectors.events.meetings import planned
from tournaments.selectors.standings.standings import newest_publications
from tournaments.selectors.standings.trends import paths_of

MOST_RESULTS: Final = 5
"""So many results of each club stand on the page."""
ONE_DAY: Final = timedelta(days=1)
"""Somewhere on earth it is still yesterday."""
TO_COME: Final = (RoundState.POSTED, RoundState.PLAYING)
NOT_OVER: Final = (GameState.SEATED, GameState.PLAYING)


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table where an own player sits now; `others` are those who sit there too, with the seat."""

    event: Event
    code: str
    table: int
    round: int
    day: date | None
    is_playing: bool
    is_past: bool
    seat: str
    others: tuple[str, ...]
    may_enter: bool
    row: Round
    seat_number: int
    """In the order of `people`, from 1."""
    people: tuple[str, ...]
    """Who sits there, clockwise, each with the seat."""
    sides: tuple[str, ...]
    """The side of each of them, empty without sides."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What an own player made at a table that counts."""

    event: Event
    code: str
    table: int
    round: int
    day: date | None
    hands: int
    points: ScoreJson | None
    place: str


@dataclass(frozen=True, slots=True)
class OwnDispute:
    """An open dispute that an account opened, or about a hand of a table of its players."""

    event: Event
    number: int
    code: str
    hand: int
    words: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class NextEvening:
    """The next evening of an event that an own player competes in."""

    event: Event
    day: date


def list_next_tables(
    events: Sequence[Event], players: Collection[int], *, now: datetime
) -> tuple[OwnTable, ...]:
    """Return where players sit next in each event: today or later first, else the latest table.

    Of one day the first round comes first. Two queries.

    Args:
        events: those that the reader may read, with the reader's `role`.
        players: by row.
    """
    readable = {one.pk: one for one in events}
    sittings = Sitting.objects.filter(to_hand=None).select_related("seat")
    own = sittings.filter(
        player__in=players,
        seat__table__event__in=readable,
        seat__table__round__state__in=TO_COME,
        seat__table__game__state__in=NOT_OVER,
    ).select_related("seat__table__round__meeting", "seat__table__round__stage")
    mine: dict[int, Sitting] = {}
    for one in sorted(own, key=lambda one: _how_soon(one, readable, now)):
        mine.setdefault(one.seat.table.event_id, one)
    if not mine:
        return ()
    around: dict[int, list[Sitting]] = {}
    there = sittings.filter(seat__table__in=[one.seat.table_id for one in mine.values()])
    for one in there.select_related("player").order_by("seat__number"):
        around.setdefault(one.seat.table_id, []).append(one)
    return tuple(
        _next_table(
            one,
            readable[one.seat.table.event_id],
            around[one.seat.table_id],
            is_past=_how_soon(one, readable, now)[0],
        )
        for one in mine.values()
    )


def _how_soon(own: Sitting, events: Mapping[int, Event], now: datetime) -> tuple[bool, int, int]:
    """Return what sorts tables: those of today and later by day, then those of the past."""
    round_ = own.seat.table.round
    zone = ZoneInfo(events[own.seat.table.event_id].club.time_zone)
    today = now.astimezone(zone).date()
    day = round_.meeting.date if round_.meeting else today
    is_past = day < today
    return is_past, abs((day - today).days), -round_.number if is_past else round_.number


def _next_table(own: Sitting, event: Event, there: Sequence[Sitting], *, is_past: bool) -> OwnTable:
    table, labels = own.seat.table, seat_names(len(there))
    seats = {one.seat_id: label for one, label in zip(there, labels, strict=True)}
    meeting = table.round.meeting
    people = tuple(f"{one.player.name} ({seats[one.seat_id]})" for one in there)
    place = [one.pk for one in there].index(own.pk)
    return OwnTable(
        event=event,
        code=table.code,
        table=table.number,
        round=table.round.number,
        day=meeting.date if meeting else None,
        is_playing=table.round.state == RoundState.PLAYING,
        is_past=is_past,
        seat=seats[own.seat_id],
        others=people[:place] + people[place + 1 :],
        may_enter=may(str(getattr(event, "role", "")), "enter_hand"),
        row=table.round,
        seat_number=place + 1,
        people=people,
        sides=tuple(one.seat.side for one in there),
    )


def list_next_evenings(events: Sequence[Event], *, now: datetime) -> tuple[NextEvening, ...]:
    """Return the next planned evening of each club's events, by day; one query."""
    readable = {one.pk: one for one in events}
    coming = planned(Meeting.objects.filter(event__in=readable))
    found: dict[int, NextEvening] = {}
    rows = coming.order_by("date", "event__slug").values_list("event", "date")
    for event_id, day in rows.filter(date__gte=now.date() - ONE_DAY):
        event = readable[event_id]
        today = now.astimezone(ZoneInfo(event.club.time_zone)).date()
        if day >= today:
            found.setdefault(event.club_id, NextEvening(event, day))
    return tuple(sorted(found.values(), key=lambda one: one.day))


def list_last_results(events: Sequence[Event], players: Collection[int]) -> tuple[OwnResult, ...]:
    """Return the newest tables that count for players, a few of each club; one query."""
    readable = {event.pk: event for event in events}
    newest = (
        F("game__table__round__meeting__date").desc(nulls_last=True),
        F("game__table__round__number").desc(),
        F("pk").desc(),
    )
    own = Contribution.objects.filter(
        event__in=readable, entrant__members__player__in=players, games__gt=0
    ).annotate(nth=Window(RowNumber(), partition_by=F("club"), order_by=list(newest)))
    rows = own.filter(nth__lte=MOST_RESULTS).order_by("club", "nth")
    return tuple(
        _result(row, readable[row.event_id])
        for row in rows.select_related("game__table__round__meeting", "game__snapshot").defer(
            "game__progress"
        )
    )


def _result(row: Contribution, event: Event) -> OwnResult:
    table = row.game.table
    meeting = table.round.meeting
    return OwnResult(
        event=event,
        code=table.code,
        table=table.number,
        round=table.round.number,
        day=meeting.date if meeting else None,
        hands=row.hands,
        points=as_json(row.points) if row.game.snapshot.has_points else None,
        place=f"{row.place}{'=' if row.shared > 1 else ''}",
    )


def list_open_disputes(
    actor: Actor, events: Sequence[Event], players: Collection[int]
) -> tuple[OwnDispute, ...]:
    """Return the open disputes that concern an account, those of others first; one query.

    These are the ones it opened, and those about hands of tables where its players sat.
    """
    readable = {one.pk: one for one in events}
    tables = Sitting.objects.filter(player__in=players).values("seat__table")
    concerned = Q(opened_label=actor.label) | Q(hand__game__table__in=tables)
    rows = Dispute.objects.filter(concerned, event__in=readable, state=DisputeState.OPEN)
    own_disputes = [
        OwnDispute(
            event=readable[row.event_id],
            number=row.number,
            code=row.hand.game.table.code,
            hand=row.hand.number,
            words=row.words,
            is_own=row.opened_label == actor.label,
        )
        for row in rows.select_related("hand__game__table").order_by("event", "number")
    ]
    return tuple(sorted(own_disputes, key=lambda one: one.is_own))


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The place of an own player in the leading event of a club.

    `place` is empty before anything counts for the player. `n` counts the places.
    """

    event: Event
    code: str
    place: str
    n: int
    movement: Mapping[str, object] | None

    @property
    def is_ladder(self) -> bool:
        """Whether the event is a ladder, so that its place is that of the list."""
        return self.event.kind == EventKind.LADDER


def list_own_events(actor: Actor, players: Collection[int]) -> Sequence[Event]:
    """Return the listed events of players that the actor may read, newest first; one query.

    Args:
        players: by row.
    """
    entered = EntrantMember.objects.filter(player__in=players).values("event")
    listed = events_for(actor).filter(pk__in=entered, archived_at__isnull=True)
    events = with_last_meeting(listed)
    return list(events.order_by("-created_at", "slug"))


def find_leading_places(events: Sequence[Event], players: Collection[Player]) -> Sequence[OwnPlace]:
    """Return the place in the leading event of each club, by the club's name.

    So many queries a club, whatever its size, and three more.

    Args:
        events: from `own_events`.
    """
    leading = _leading(events)
    own = [one.pk for one in players]
    members = EntrantMember.objects.filter(event__in=leading, player__in=own)
    codes = dict(members.order_by("event").values_list("event_id", "entrant__code"))
    standings = newest_publications(
        [one for one in leading if one.kind != EventKind.LADDER], "event"
    )
    ladders = newest_publications(
        [one for one in leading if one.kind == EventKind.LADDER], "ladder"
    )
    return [
        _ladder_place(one, codes[one.pk], ladders.get(one.pk))
        if one.kind == EventKind.LADDER
        else _place(one, codes[one.pk], standings.get(one.pk))
        for one in leading
    ]


def _leading(events: Sequence[Event]) -> Sequence[Event]:
    by_club: dict[int, list[Event]] = {}
    for event in events:
        by_club.setdefault(event.club_id, []).append(event)
    found = [featured_event(of_club) for of_club in by_club.values()]
    return sorted((one for one in found if one is not None), key=lambda one: one.club.name)


def _place(event: Event, code: str, found: Publication | None) -> OwnPlace:
    if found is None:
        return OwnPlace(event, code, "", 0, None)
    body: StandingsDocument = json.loads(bytes(found.body))
    row = next((one for one in body["rows"] if one["player_id"] == code), None)
    if row is None or row["rank"] is None:
        return OwnPlace(event, code, "", len(body["rows"]), None)
    place = f"{row['rank']}{'=' if row['tied'] else ''}"
    trends = paths_of(event, body["as_of"]["round"], {code: place}, {code})
    movement = trends[code]["movement"] if code in trends else None
    return OwnPlace(event, code, place, len(body["rows"]), movement)


def _ladder_place(event: Event, code: str, found: Publication | None) -> OwnPlace:
    if found is None:
        return OwnPlace(event, code, "", 0, None)
    body: LadderDocument = json.loads(bytes(found.body))
    rows = body["rows"]
    place = next((str(row["place"]) for row in rows if row["player_id"] == code), "")
    return OwnPlace(event, code, place, len(rows), None)
