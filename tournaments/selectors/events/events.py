"""Events as an actor may see them, their meetings and rounds. Every way in begins at an actor.

What is `public` is read by everybody, `members` by the club's members, `held` by its
directors. What an actor may not read is missing, never forbidden: a 403 would tell that it
is there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import (
    Event,
    EventState,
    Season,
    Snapshot,
    StageKind,
    Visibility,
)
from tournaments.models.hands import Hand
from tournaments.models.meetings import Meeting, MeetingState, Round, RoundState, Table
from tournaments.models.standings import Aggregate
from tournaments.policy import MAY, PUBLIC, Actor
from tournaments.selectors.clubs.clubs import role_from, with_role
from tournaments.selectors.db.prepared_statements import one_row
from tournaments.selectors.db.row_mapper import RowMapper, cut

READING: Final[Mapping[str, str]] = {
    Visibility.PUBLIC: "read_public",
    Visibility.MEMBERS: "read_members",
    Visibility.HELD: "read_held",
}
"""Visibility of an event → the act of the role table that reads it."""

SAT_DOWN: Final = (RoundState.PLAYING, RoundState.CLOSED)
"""States of rounds that were played, or are."""


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round in the list of an event's evenings."""

    number: int
    state: str
    tables: int
    games: tuple[str, ...] = ()
    """Names of what its tables play, each once."""


@dataclass(frozen=True, slots=True)
class Evening:
    """A meeting with its rounds; `date` is None for rounds that belong to no meeting."""

    date: date | None
    state: str
    rounds: tuple[RoundLine, ...]

    @property
    def tables(self) -> int:
        """Tables of the whole evening."""
        return sum(line.tables for line in self.rounds)

    @property
    def games(self) -> tuple[str, ...]:
        """Names of what was played that evening, each once, by name."""
        return tuple(sorted({game for line in self.rounds for game in line.games}))


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a club's list; kind, state and visibility in words."""

    slug: str
    name: str
    kind: str
    state: str
    visibility: str


@dataclass(frozen=True, slots=True)
class SeasonGroup:
    """The events of one season; `name` is empty for events without one."""

    name: str
    starts_on: date | None
    ends_on: date | None
    events: tuple[EventLine, ...]
    slug: str = ""


def events_for(actor: Actor) -> QuerySet[Event]:
    """Return the events that `actor` may read in all clubs, each with its `club` and `role`."""
    events = Event.objects.select_related("club", "season").annotate(role=with_role(actor, "club"))
    if actor.is_site_admin:
        return events
    readable = Q()
    for visibility, act in READING.items():
        readable |= Q(visibility=visibility, role__in=sorted(MAY[act]))
    return events.filter(readable & (Q(club__is_public=True) | ~Q(role=PUBLIC)))


def is_readable(actor: Actor, event: Event, club: Club, role: str) -> bool:
    """Whether `events_for` has `event`, to whom is `role` in its club; no query."""
    if actor.is_site_admin:
        return True
    return role in MAY[READING[event.visibility]] and (club.is_public or role != PUBLIC)


def events_of(actor: Actor, club: Club) -> QuerySet[Event]:
    """Return what `actor` may read of a club's events, the newest first."""
    return events_for(actor).filter(club=club).order_by("-created_at", "slug")


def played_events(actor: Actor, club: Club, *, at_most: int = 20) -> Sequence[Event]:
    """Return the events of a club that have results, the newest first."""
    counted = Aggregate.objects.filter(event=OuterRef("pk"), games__gt=0)
    return tuple(events_of(actor, club).filter(Exists(counted))[:at_most])


def with_last_meeting(events: QuerySet[Event]) -> QuerySet[Event]:
    """Annotate `events` with `met_last`, the date of the newest meeting that was played."""
    played = Round.objects.filter(event=OuterRef("pk"), state__in=SAT_DOWN, meeting__isnull=False)
    return events.annotate(met_last=played.order_by("-meeting__date").values("meeting__date")[:1])


def featured_event(events: Sequence[Event]) -> Event | None:
    """Return the event that a club shows first: of those that are open the one that met last.

    The events come from `with_last_meeting`, the newest first, which settles what else is equal;
    without an open one, all count.
    """
    chosen = [event for event in events if event.state == EventState.OPEN] or events
    return max(chosen, key=_met_last, default=None)


def _met_last(event: Event) -> date:
    return event.met_last or date.min  # type: ignore[attr-defined]  # annotated


def event_at(actor: Actor, club: str, event: str, *, code: str = "") -> Event:
    """Return the event at an address, with its club and the actor's `role`, in one query.

    `code` says that the address goes on to that table: the holder of its link may read it there,
    whoever else may read the event.

    Raises:
        Missing: no such club or event, or not one that the actor may know of.
    """
    row = one_row(_EVENT, (actor.user_id, club, event))
    if row is not None:
        home, found, season = cut(row[1:], *_PARTS)
        found.club, found.season = home, season
        found.role = role_from(actor, home.pk, row[0], table_id=_own_table(actor, found, code))
        if is_readable(actor, found, home, found.role):
            readable: Event = found
            return readable
    raise Missing("event", {"club": club, "event": event})


def _own_table(actor: Actor, event: Event, code: str) -> int | None:
    """Return the row of the table under `code` where it is the actor's link's; no query."""
    if actor.at is None or (actor.at.event_id, actor.at.code) != (event.pk, code):
        return None
    return actor.at.table_id


_PARTS: Final = (RowMapper(Club, "c"), RowMapper(Event, "e"), RowMapper(Season, "s"))
_EVENT: Final = f"""
    SELECT (SELECT m.role FROM tournaments_membership m WHERE m.club_id = c.id AND m.user_id = %s),
        {", ".join(map(str, _PARTS))}
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    LEFT JOIN tournaments_season s ON s.id = e.season_id
    WHERE c.slug = %s AND e.slug = %s
"""  # noqa: S608 - names of our own columns


def meetings_of(event: Event) -> QuerySet[Meeting]:
    """Return an event's meetings, the newest first."""
    return Meeting.objects.filter(event=event).order_by("-date")


def day_to_play(event: Event, now: datetime) -> date | None:
    """Return the local date of today, which a new round proposes; None where it is cancelled."""
    today = now.astimezone(ZoneInfo(event.club.time_zone)).date()
    cancelled = Meeting.objects.filter(event=event, date=today, state=MeetingState.CANCELLED)
    return None if cancelled.exists() else today


def rounds_of(event: Event) -> QuerySet[Round]:
    """Return an event's rounds by number, each with its meeting and the name of its own game."""
    found = Round.objects.filter(event=event).select_related("meeting", "snapshot")
    return found.defer("snapshot__rules", "snapshot__options").order_by("number")


def round_at(event: Event, number: int) -> Round:
    """Return one round of `event`, with its meeting.

    Raises:
        Missing: the event has no such round; the facts say which numbers there are.
    """
    found = rounds_of(event).filter(number=number).first()
    if found is None:
        last = rounds_of(event).last()
        raise Missing("round", {"round": number, "rounds": last.number if last else 0})
    return found


def has_hands(event: Event) -> bool:
    """Whether hands were entered in an event, so that it cannot be a draft again."""
    ordinary = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    return ordinary.filter(tables__game__hands__isnull=False).exists()


def round_has_hands(round_: Round) -> bool:
    """Whether hands were entered in a round, so that it cannot be a draft again."""
    return Hand.objects.filter(game__table__round=round_).exists()


def neighbouring_rounds(event: Event, number: int) -> tuple[int | None, int | None]:
    """Return the numbers of the rounds before and after round `number`, as far as there are."""
    numbers = rounds_of(event).filter(number__in=(number - 1, number + 1))
    there = set(numbers.values_list("number", flat=True))
    return (
        number - 1 if number - 1 in there else None,
        number + 1 if number + 1 in there else None,
    )


def last_round(event: Event) -> Round | None:
    """Return the newest round that anybody sat down to."""
    played = rounds_of(event).filter(state__in=SAT_DOWN)
    return played.order_by("-number").first()


def next_meeting(event: Event, today: date) -> Meeting | None:
    """Return the next planned meeting from `today` (a local date) on."""
    planned = Meeting.objects.filter(event=event, state="planned", date__gte=today)
    return planned.order_by("date").first()


def evenings(event: Event) -> Sequence[Evening]:
    """Return the meetings with their rounds, the newest first, in three queries.

    Rounds that belong to no meeting come last, under one evening without a date.
    """
    rounds: dict[int | None, list[RoundLine]] = {}
    games = _games_by_round(event)
    for found in rounds_of(event).annotate(n_tables=Count("tables")):
        played = tuple(games.get(found.pk, ()))
        line = RoundLine(found.number, found.state, found.n_tables, played)
        rounds.setdefault(found.meeting_id, []).append(line)
    dated = [
        Evening(meeting.date, meeting.state, tuple(rounds.pop(meeting.pk, ())))
        for meeting in meetings_of(event)
    ]
    loose = tuple(rounds.get(None, ()))
    return (*dated, Evening(None, "", loose)) if loose else tuple(dated)


def _games_by_round(event: Event) -> Mapping[int, Sequence[str]]:
    """Return the names of what the tables of each round play."""
    found: dict[int, list[str]] = {}
    tables = Table.objects.filter(event=event, game__isnull=False)
    for round_id, name in (
        tables.order_by("game__snapshot__variant_name")
        .values_list("round_id", "game__snapshot__variant_name")
        .distinct()
    ):
        found.setdefault(round_id, []).append(name)
    return found


def by_season(events: Iterable[Event]) -> Sequence[SeasonGroup]:
    """Group `events` by season, the newest season first, events without one at the end; no query.

    The events come from `events_of`, which brings their seasons along.
    """
    groups: dict[Season | None, list[EventLine]] = {}
    for event in events:
        line = EventLine(event.slug, event.name, event.kind, event.state, event.visibility)
        groups.setdefault(event.season, []).append(line)
    loose = groups.pop(None, [])
    dated = sorted(
        ((season, lines) for season, lines in groups.items() if season is not None),
        key=lambda pair: (pair[0].starts_on, pair[0].slug),
        reverse=True,
    )
    made = [
        SeasonGroup(season.name, season.starts_on, season.ends_on, tuple(lines), season.slug)
        for season, lines in dated
    ]
    return (*made, SeasonGroup("", None, None, tuple(loose))) if loose else tuple(made)


def variant_names(event: Event, variants: Iterable[str] | None = None) -> Sequence[str]:
    """Return the names of the games that an event has rules of; of these `variants` only."""
    kept = Snapshot.objects.filter(event=event)
    if variants is not None:
        kept = kept.filter(variant__in=tuple(variants))
    names = kept.values_list("variant_name", flat=True)
    return tuple(names.distinct().order_by("variant_name"))
