"""The tables of an account's players, and their places in what is published."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, Q, QuerySet, Value, Window
from django.db.models.functions import RowNumber
from django.utils.dateparse import parse_date

from scoring.entry.sheet import seat_names
from scoring.numbers import ScoreJson
from tournaments.domain.figures import place_text
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.clubs import Player
from tournaments.models.columns import as_json
from tournaments.models.events import EntrantMember, Event, Visibility
from tournaments.models.hands import Dispute, DisputeState, GameState
from tournaments.models.rounds import Meeting, RoundState, SitOut, Sitting
from tournaments.models.standings import Contribution, Publication
from tournaments.policy import PUBLIC, Actor, may
from tournaments.selectors.events.events import featured_event, with_last_meeting
from tournaments.selectors.events.meetings import club_day, is_played_past_midnight
from tournaments.selectors.events.players import as_read
from tournaments.selectors.standings.history import get_trends
from tournaments.selectors.standings.publications import newest_publications
from tournaments.selectors.standings.short_reasons import YOU, progress_sentence, short_reason_of
from tournaments.selectors.standings.standings_view import PageQuery, standings_view


def list_next_tables(
    events: Sequence[Event], players: Collection[int], *, now: datetime
) -> Sequence[Sitting]:
    """Return where players sit next in each event: today or later first, else the latest table.

    Of one day the first round comes first, and a round without an evening last. Each has the name
    of its seat and, with theirs, the others at the table. Two queries.
    """
    readable = {event.pk: event for event in events}
    sittings = Sitting.objects.filter(to_hand=None).select_related("seat")
    own_sittings = sittings.filter(
        player__in=players,
        seat__table__event__in=readable,
        seat__table__round__state__in=(RoundState.POSTED, RoundState.PLAYING),
        seat__table__game__state__in=(GameState.SEATED, GameState.PLAYING),
    ).select_related("seat__table__round__meeting", "seat__table__round__stage")
    next_of: dict[int, Sitting] = {}
    for sitting in sorted(own_sittings, key=lambda sitting: _how_soon(sitting, readable, now)):
        next_of.setdefault(sitting.seat.table.event_id, sitting)
    at_table: dict[int, list[Sitting]] = {}
    rows = sittings.filter(seat__table__in=[row.seat.table_id for row in next_of.values()])
    for row in rows.select_related("player").order_by("seat__number"):
        at_table.setdefault(row.seat.table_id, []).append(row)
    for event_id, sitting in next_of.items():
        table = sitting.seat.table
        seated = at_table[sitting.seat.table_id]
        labels = seat_names(len(seated))
        place = seated.index(sitting)
        people = [f"{row.player.name} ({label})" for row, label in zip(seated, labels, strict=True)]
        table.event, sitting.player = readable[event_id], seated[place].player
        sitting.seat_name, sitting.others = labels[place], people[:place] + people[place + 1 :]
        sitting.may_enter = may(str(getattr(table.event, "role", "")), "enter_hand")
        sitting.is_past = _how_soon(sitting, readable, now)[0]
    return list(next_of.values())


def events_of_person(player: Player) -> QuerySet[Event]:
    """Return the events that the holder of a personal link reads: all that members read.

    They have the role of the public, so that a name which the club hides stays hidden.
    """
    events = Event.objects.filter(club=player.club_id).exclude(visibility=Visibility.HELD)
    return events.select_related("club", "season").annotate(role=Value(PUBLIC))


def list_own_codes(meeting: Meeting, player: Player) -> Sequence[str]:
    """Return the codes of the posted tables of an evening where a player sat, the newest first."""
    sittings = Sitting.objects.filter(player=player, seat__table__round__meeting=meeting)
    posted = sittings.exclude(seat__table__round__state=RoundState.DRAFT)
    newest_first = posted.order_by("-seat__table__round__number")
    return list(dict.fromkeys(newest_first.values_list("seat__table__code", flat=True)))


def list_own_sit_outs(meeting: Meeting, player: Player) -> QuerySet[SitOut]:
    """Return where a player sits out in the posted rounds of an evening, the newest first."""
    rows = SitOut.objects.filter(round__meeting=meeting, entrant__members__player=player)
    posted = rows.exclude(round__state=RoundState.DRAFT).select_related("round")
    return posted.order_by("-round__number")


def _how_soon(
    sitting: Sitting, events: Mapping[int, Event], now: datetime
) -> tuple[bool, int, bool, int]:
    """Return a sort key of tables: those of today and later by day, then those of the past."""
    round_ = sitting.seat.table.round
    club = events[sitting.seat.table.event_id].club
    today = club_day(club, now)
    day = round_.meeting.date if round_.meeting else today
    is_past = day < today and not is_played_past_midnight(round_, club, now)
    number = -round_.number if is_past else round_.number
    return is_past, abs((day - today).days), round_.meeting is None, number


def list_last_results(
    events: Sequence[Event], players: Collection[int]
) -> list[tuple[Contribution, ScoreJson | None]]:
    """Return the newest tables that count for players, a few of each club, with their points.

    One query.
    """
    readable = {event.pk: event for event in events}
    newest = (
        F("game__table__round__meeting__date").desc(nulls_last=True),
        F("game__table__round__number").desc(),
        F("pk").desc(),
    )
    contributions = Contribution.objects.filter(
        event__in=readable, entrant__members__player__in=players, games__gt=0
    ).annotate(nth=Window(RowNumber(), partition_by=F("club"), order_by=list(newest)))
    rows = contributions.filter(nth__lte=5).order_by("club", "nth")
    results: list[tuple[Contribution, ScoreJson | None]] = []
    for row in rows.select_related("game__table__round__meeting", "game__snapshot").defer(
        "game__progress"
    ):
        row.event = readable[row.event_id]
        results.append((row, as_json(row.points) if row.game.snapshot.has_points else None))
    return results


def list_open_disputes(
    actor: Actor, events: Sequence[Event], players: Collection[int]
) -> list[tuple[Dispute, bool]]:
    """Return the open disputes that concern an account, and whether it opened them; one query.

    These are the ones it opened, which come last, and those about hands of tables where its players
    sat.
    """
    readable = {event.pk: event for event in events}
    tables = Sitting.objects.filter(player__in=players).values("seat__table")
    concerned = Q(opened_label=actor.label) | Q(hand__game__table__in=tables)
    rows = Dispute.objects.filter(concerned, event__in=readable, state=DisputeState.OPEN)
    disputes = []
    for row in rows.select_related("hand__game__table").order_by("event", "number"):
        row.event = readable[row.event_id]
        disputes.append((row, row.opened_label == actor.label))
    return sorted(disputes, key=lambda dispute: dispute[1])


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The place of an own player in an event; `movement` is known in the leading one of a club.

    `place` is empty before anything counts for the player. `n` counts the places. `publication` is
    the one that has the place, as it is stored.
    """

    event: Event
    code: str
    place: str
    n: int
    movement: Mapping[str, object] | None
    publication: Publication | None = None

    @property
    def is_ladder(self) -> bool:
        """Whether the event is a ladder, so that its place is that of the list."""
        return self.event.is_ladder


@dataclass(frozen=True, slots=True)
class PlaceReason:
    """What is said of an own place: whether the player is through (`progress`), and why they have
    the place; each empty without anything to say."""

    progress: str = ""
    why: str = ""


def reason_of_place(place: OwnPlace) -> PlaceReason:
    """Return what the standings say of an own place, to the player, as the event's reader reads it.

    The list of a ladder has no reasons.
    """
    if place.is_ladder or not place.place or place.publication is None:
        return PlaceReason()
    publication = as_read(place.publication, place.event.club, place.event)
    view = standings_view(publication, page_query=PageQuery(entrant_id=place.code))
    row = view.row_of(place.code)
    if row is None:
        return PlaceReason()
    return PlaceReason(progress_sentence(row), short_reason_of(publication.document, row, YOU))


def list_own_events(readable: QuerySet[Event], players: Collection[int]) -> Sequence[Event]:
    """Return the listed events of players among the readable ones, newest first; one query."""
    entered = EntrantMember.objects.filter(player__in=players).values("event")
    listed = readable.filter(pk__in=entered, archived_at__isnull=True)
    return list(with_last_meeting(listed).order_by("-created_at", "slug"))


MOST_PLACES: Final = 12
"""Events whose places are listed: the leading one of each club, then those that are open or were
played tonight."""


def list_own_places(
    events: Sequence[Event], players: Collection[Player], *, tonight: Collection[int] = ()
) -> Sequence[OwnPlace]:
    """Return the place in the leading event of each club, by the club's name, then in open events
    and those of `tonight`, by their rows, which may be closed.

    Three queries, and one for each club.
    """
    by_club: dict[int, list[Event]] = {}
    for event in events:
        by_club.setdefault(event.club_id, []).append(event)
    featured = (featured_event(of_club) for of_club in by_club.values())
    first = sorted(filter(None, featured), key=lambda event: event.club.name)
    current = [event for event in events if event.is_open or event.pk in tonight]
    others = [event for event in current if event not in first]
    leading = [*first, *others][:MOST_PLACES]
    members = EntrantMember.objects.filter(event__in=leading, player__in=list(players))
    codes = dict(members.order_by("event").values_list("event_id", "entrant__code"))
    ladders = [event for event in leading if event.is_ladder]
    publications = {
        **newest_publications([event for event in leading if event not in ladders], "event"),
        **newest_publications(ladders, "ladder"),
    }
    return [
        _place(event, codes[event.pk], publications.get(event.pk), has_trend=event in first)
        for event in leading
    ]


def _place(
    event: Event, code: str, publication: Publication | None, *, has_trend: bool
) -> OwnPlace:
    if publication is None:
        return OwnPlace(event, code, "", 0, None)
    if event.is_ladder:
        ladder: LadderDocument = publication.document
        rows = ladder["rows"]
        place = next((str(row["place"]) for row in rows if row["player_id"] == code), "")
        return OwnPlace(event, code, place, len(rows), None)
    body: StandingsDocument = publication.document
    n = len(body["rows"])
    row = next((row for row in body["rows"] if row["player_id"] == code), None)
    if row is None or row["rank"] is None:
        return OwnPlace(event, code, "", n, None)
    place = place_text(row["rank"], is_tied=row["tied"])
    if not has_trend:
        return OwnPlace(event, code, place, n, None, publication)
    as_of = body["as_of"]
    day = parse_date(as_of["meeting"] or "")
    trends = get_trends(event, as_of["round"], day, {code: place}, {code})
    movement = trends[code]["movement"] if code in trends else None
    return OwnPlace(event, code, place, n, movement, publication)
