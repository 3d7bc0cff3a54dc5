"""Events as an actor may see them, and their rounds. Every query starts from an actor.

Everybody reads `public` events, the club's members `members`, its directors `held`. An event the
actor may not read is missing, not forbidden: a 403 would reveal it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from scoring.standings.rows import NumbersAndDay, in_play_order
from tournaments.errors import Missing, SecondFactorNeeded
from tournaments.models.clubs import Club, Role
from tournaments.models.events import (
    NAMED,
    Event,
    EventKind,
    Season,
    Snapshot,
    Stage,
    StageKind,
    Visibility,
)
from tournaments.models.hands import Hand
from tournaments.models.rounds import Round, RoundState, Table
from tournaments.models.standings import Aggregate
from tournaments.policy import MAY, PUBLIC, WITHHELD, Actor
from tournaments.selectors.clubs.clubs import (
    POSTED,
    note_club,
    readable_rounds,
    role_column,
    role_from,
    with_role,
)
from tournaments.selectors.db.statements import RowMapper, cut, one_row

READING: Final[Mapping[str, str]] = {
    Visibility.PUBLIC: "read_public",
    Visibility.MEMBERS: "read_members",
    Visibility.HELD: "read_held",
}
"""Visibility of an event → the right of the role table that reads it."""


SAT_DOWN: Final = (RoundState.PLAYING, RoundState.CLOSED)
"""States of rounds that were played, or are."""

_PARTS: Final = (RowMapper(Club, "c"), RowMapper(Event, "e"), RowMapper(Season, "s"))
_EVENT: Final = f"""
    SELECT {role_column("c.id", "c.requires_second_factor")},
        EXISTS (
            SELECT 1 FROM tournaments_stage g
            WHERE g.event_id = e.id AND g.kind IN ({", ".join(f"'{kind}'" for kind in NAMED)})
        ),
        {", ".join(map(str, _PARTS))}
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    LEFT JOIN tournaments_season s ON s.id = e.season_id
    WHERE c.slug = %s AND e.slug = %s
"""  # noqa: S608 - names of our own columns


def events_for(actor: Actor) -> QuerySet[Event]:
    """Return the events that `actor` may read in all clubs, each with its `club` and `role`.

    Those of a club that is to be deleted are its owners' only.
    """
    named = Stage.objects.filter(event=OuterRef("pk"), kind__in=NAMED)
    events = Event.objects.select_related("club", "season").annotate(
        role=with_role(actor, "club"), has_round_names=Exists(named)
    )
    if actor.is_site_admin:
        return events
    events = events.filter(Q(club__delete_after__isnull=True) | Q(role=Role.OWNER))
    readable = Q()
    for visibility, right in READING.items():
        readable |= Q(visibility=visibility, role__in=sorted(MAY[right]))
    return events.filter(readable & (Q(club__is_public=True) | ~Q(role=PUBLIC)))


def is_readable(actor: Actor, event: Event, club: Club, role: str) -> bool:
    """Whether `events_for` contains `event` for somebody with `role` in its club; no query."""
    if actor.is_site_admin:
        return True
    if club.delete_after is not None and role != Role.OWNER:
        return False
    return role in MAY[READING[event.visibility]] and (club.is_public or role != PUBLIC)


def is_for_everybody(read: Club | Event) -> bool:
    """Whether everybody reads a club, or an event and its club; no query."""
    if isinstance(read, Club):
        return read.is_open
    return read.club.is_open and read.visibility == Visibility.PUBLIC


def events_of(actor: Actor, club: Club) -> QuerySet[Event]:
    """Return what `actor` may read of a club's events, the newest first."""
    return events_for(actor).filter(club=club).order_by("-created_at", "slug")


def newest_of_players(actor: Actor, club: Club) -> Event | None:
    """Return the newest event that is not played by pairs or teams.

    Such an event has a game for partners, which its preset may have put in the place of the usual
    one.
    """
    by_sides = Stage.objects.filter(
        event=OuterRef("pk"), kind__in=(StageKind.PAIRS, StageKind.TEAMS)
    )
    return events_of(actor, club).exclude(Exists(by_sides)).first()


def listed_events(actor: Actor, club: Club) -> QuerySet[Event]:
    """Return the events for a club's lists: those of `events_of`, without archived ones."""
    return events_of(actor, club).filter(archived_at__isnull=True)


def played_events(actor: Actor, club: Club) -> Sequence[Event]:
    """Return the listed events of a club that have results, the newest 20 first."""
    counted = Aggregate.objects.filter(event=OuterRef("pk"), games__gt=0)
    return tuple(listed_events(actor, club).filter(Exists(counted))[:20])


def with_last_meeting(events: QuerySet[Event]) -> QuerySet[Event]:
    played = Round.objects.filter(event=OuterRef("pk"), state__in=SAT_DOWN, meeting__isnull=False)
    return events.annotate(met_last=played.order_by("-meeting__date").values("meeting__date")[:1])


def featured_event(events: Sequence[Event]) -> Event | None:
    """Return the event that a club shows first: of those that are open the one that met last.

    The events come from `with_last_meeting`, the newest first, which settles what else is equal;
    without an open one, all count.
    """
    running = [event for event in events if event.is_open] or events
    return max(
        running, key=lambda event: getattr(event, "met_last", None) or date.min, default=None
    )


def get_event(actor: Actor, club: str, event: str, *, code: str = "") -> Event:
    """Return the event at an address, with its club and the actor's `role`, in one query.

    `code` is a table in the address: the holder of its link may also read the event there.
    """
    columns = one_row(_EVENT, (actor.user_id, club, event))
    if columns is not None:
        home, row, season = cut(columns[2:], *_PARTS)
        row.club, row.season = home, season
        row.has_round_names = bool(columns[1])
        row.role = role_from(actor, home.pk, columns[0], table_id=_own_table(actor, row, code))
        if is_readable(actor, row, home, row.role):
            note_club(home.pk)
            readable: Event = row
            return readable
        if row.role == WITHHELD:
            raise SecondFactorNeeded(READING[row.visibility])
    raise Missing("event", {"club": club, "event": event})


def event_url(page: str, event: Event, *args: object) -> str:
    """Return the address of a page of an event; `args` are the parts after the event's own."""
    return reverse(f"tournaments:{page}", args=(event.club.slug, event.slug, *args))


def is_held_event(actor: Actor, refused: Exception, address: Mapping[str, object]) -> bool:
    """Whether an event is missing only because the actor's role waits for a second factor."""
    if not isinstance(refused, Missing) or refused.problem.code != "unknown_event":
        return False
    try:
        get_event(actor, str(address.get("club", "")), str(address.get("event", "")))
    except SecondFactorNeeded:
        return True
    except Missing:
        pass
    return False


def _own_table(actor: Actor, event: Event, code: str) -> int | None:
    """Return the row of the table under `code` where it is the actor's link's; no query."""
    if actor.at is None or (actor.at.event_id, actor.at.code) != (event.pk, code):
        return None
    return actor.at.table_id


def rounds_for(actor: Actor) -> QuerySet[Round]:
    """Return the rounds of all clubs, without the drafts that `actor` may not know of."""
    rounds = Round.objects.annotate(role=with_role(actor, "club"))
    return rounds.filter(Q(state__in=POSTED) | Q(role__in=sorted(MAY["read_draft"])))


def rounds_of(event: Event) -> QuerySet[Round]:
    """Return the rounds of an event that its reader knows of, by number."""
    rounds = Round.objects.filter(readable_rounds(event), event=event)
    rounds = rounds.select_related("meeting", "snapshot", "stage")
    return rounds.defer("snapshot__rules", "snapshot__options").order_by("number")


def tables_of_event(event: Event) -> QuerySet[Table]:
    return Table.objects.filter(readable_rounds(event, "round__"), event=event)


def get_round(event: Event, number: int) -> Round:
    row = rounds_of(event).filter(number=number).first()
    if row is None:
        last = rounds_of(event).last()
        raise Missing("round", {"round": number, "rounds": last.number if last else 0})
    return row


def has_evening_tables(event: Event) -> bool:
    """Whether each evening of an event is ranked by itself; one query for a tournament.

    In a knock-out and in a tournament of several stages an evening decides who goes on.
    """
    if event.kind != EventKind.TOURNAMENT:
        return event.kind == EventKind.LEAGUE
    stages = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF)
    kinds = list(stages.values_list("kind", flat=True))
    return len(kinds) < 2 and StageKind.KNOCKOUT not in kinds


def ordinary_rounds(event: Event) -> QuerySet[Round]:
    """Return the rounds of an event but those of play-offs."""
    return Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)


def has_hands(event: Event) -> bool:
    """Whether hands were entered in an event, so that it cannot be a draft again."""
    return ordinary_rounds(event).filter(tables__game__hands__isnull=False).exists()


def round_has_hands(round_: Round) -> bool:
    """Whether hands were entered in a round, so that it cannot be a draft again."""
    return Hand.objects.filter(game__table__round=round_).exists()


def neighbouring_rounds(event: Event, number: int) -> tuple[int | None, int | None]:
    numbers = rounds_of(event).filter(number__in=(number - 1, number + 1))
    neighbours = set(numbers.values_list("number", flat=True))
    return (
        number - 1 if number - 1 in neighbours else None,
        number + 1 if number + 1 in neighbours else None,
    )


def last_round(event: Event) -> Round | None:
    """Return the round of the latest evening that anybody sat down to."""
    rounds = in_play_order(rounds_of(event).filter(state__in=SAT_DOWN), round_played)
    return rounds[-1] if rounds else None


def round_played(round_: Round) -> NumbersAndDay:
    day = round_.meeting.date.isoformat() if round_.meeting is not None else None
    return (round_.number,), day


def variant_names(event: Event, variants: Iterable[str] | None = None) -> Sequence[str]:
    is_played = Q(variant=event.variant) | Q(games__isnull=False) | Q(rounds__isnull=False)
    snapshots = Snapshot.objects.filter(is_played, event=event)
    if variants is not None:
        snapshots = snapshots.filter(variant__in=tuple(variants))
    names = snapshots.values_list("variant_name", flat=True)
    return tuple(names.distinct().order_by("variant_name"))
