"""Lists of a club's events for its pages: groups, evenings, ladders, steps to set it up."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final, TypeAlias

from django.core.paginator import Page, Paginator
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from scoring.json_types import JsonDict
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, ClubFront, Membership, Player, Role
from tournaments.models.events import EntrantState, Event, EventKind, EventState, Snapshot
from tournaments.models.hands import Hand
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Publication
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.clubs.clubs import list_clubs_for, may_do, readable_rounds
from tournaments.selectors.events.events import events_for, listed_events, with_last_meeting
from tournaments.selectors.events.meetings import (
    IS_OVER,
    club_day,
    list_on,
    next_by_club,
    with_state,
)

PublicPage: TypeAlias = tuple[str, tuple[str, ...], datetime | None]
"""A public page: its name, the parts of its address, and when its content was published last, None
before that."""


def front_event(actor: Actor, club: Club) -> Event | None:
    """Return the event that `actor` is shown first in a club; one query.

    It is the one that the owner chose, where the actor may read it and it is not archived.
    Otherwise the running league is, then a running tournament or ladder, then what is over, drafts
    at last; of several the one that met last.
    """
    return in_front(listed_events(actor, club), club).first()


def in_front(events: QuerySet[Event], club: Club) -> QuerySet[Event]:
    """Return `events` of a club, the one that is shown first at the beginning, with `met_last`."""
    front = ClubFront.objects.filter(club=club).values("front_event")
    open_ = EventState.OPEN
    rank = Case(
        When(pk__in=front, then=Value(0)),
        When(state=open_, kind=EventKind.LEAGUE, then=Value(1)),
        When(state=open_, kind=EventKind.TOURNAMENT, then=Value(2)),
        When(state=open_, then=Value(3)),
        When(state=EventState.DRAFT, then=Value(5)),
        default=Value(4),
        output_field=IntegerField(),
    )
    newest = F("met_last").desc(nulls_last=True)
    return (
        with_last_meeting(events)
        .annotate(rank=rank)
        .order_by("rank", newest, "-created_at", "slug")
    )


def group_events(
    events: Iterable[Event], next_by_event: Mapping[int, date]
) -> Mapping[str, Sequence[tuple[Event, date | None]]]:
    """Return events from `with_last_meeting` by progress, each with its next evening; no query.

    Running events keep their order, coming ones are sorted by their next evening, finished ones by
    their last, newest first.
    """
    groups: dict[str, list[tuple[Event, date | None]]] = {
        "running": [],
        "coming": [],
        "finished": [],
    }
    names = {EventState.OPEN: "running", EventState.DRAFT: "coming"}
    for event in events:
        name = names.get(EventState(event.state), "finished")
        groups[name].append((event, next_by_event.get(event.pk)))
    groups["coming"].sort(key=lambda pair: pair[1] or date.max)
    groups["finished"].sort(
        key=lambda pair: pair[0].met_last or date.min,  # type: ignore[attr-defined]  # annotated
        reverse=True,
    )
    return groups


PAGE_SIZE: Final = 50


def club_evenings(
    actor: Actor, club: Club, page: str, now: datetime
) -> tuple[Page[Meeting], Sequence[JsonDict]]:
    """Return a page of the evenings of a club's events, the newest first; at most five queries."""
    readable = listed_events(actor, club).values("pk")
    every = Meeting.objects.filter(event__in=readable).annotate(is_over=IS_OVER)
    meetings = with_state(every).select_related("event")
    meeting_page = Paginator(meetings.order_by("-date", "event__name", "pk"), PAGE_SIZE).get_page(
        page
    )
    keys = [meeting.pk for meeting in meeting_page]
    rounds = _rounds_of(club, keys)
    for meeting in meeting_page:
        meeting.event.club = club
    on = list_on(list(meeting_page), now)
    return meeting_page, tuple(
        {
            "date": meeting.date,
            "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
            "event": meeting.event.slug,
            "event_name": meeting.event.name,
            "rounds": [number for number, _tables in rounds.get(meeting.pk, ())],
            "tables": sum(tables for _number, tables in rounds.get(meeting.pk, ())),
            "time": meeting.time,
            "place": meeting.place,
            "cancel_reason": meeting.cancel_reason,
            "is_on": meeting.pk in on,
        }
        for meeting in meeting_page
    )


MOST_PAPER_EVENTS: Final = 3


def paper_events(actor: Actor, club: Club) -> Sequence[Event]:
    """Return open events whose evenings the actor may enter from paper, in the order of `in_front`.

    One query.
    """
    if not may_do(club, "import_sheets"):
        return ()
    events = in_front(listed_events(actor, club), club).filter(state=EventState.OPEN)
    return list(events.exclude(kind=EventKind.LADDER)[:MOST_PAPER_EVENTS])


def _rounds_of(club: Club, meetings: Sequence[int]) -> Mapping[int, Sequence[tuple[int, int]]]:
    by_meeting: dict[int, list[tuple[int, int]]] = {}
    rounds = Round.objects.filter(readable_rounds(club), meeting__in=meetings)
    rounds = rounds.annotate(n_tables=Count("tables"))
    for meeting, number, n in rounds.order_by("number").values_list(
        "meeting", "number", "n_tables"
    ):
        by_meeting.setdefault(meeting or 0, []).append((number, n))
    return by_meeting


def club_ladders(actor: Actor, club: Club) -> Sequence[Event]:
    """Return a club's ladders, the newest first, with `n_members` and `n_waiting` challenges."""
    active = Count("entrants", Q(entrants__state=EntrantState.ACTIVE), distinct=True)
    waiting = Count("challenges", Q(challenges__state__in=OPEN_CHALLENGES), distinct=True)
    ladders = listed_events(actor, club).filter(kind=EventKind.LADDER)
    return tuple(ladders.annotate(n_members=active, n_waiting=waiting))


def games_by_event(actor: Actor, club: Club) -> Sequence[tuple[Event, Sequence[str]]]:
    """Return the events of a club with the names of what they play, newest first; two queries."""
    events = tuple(listed_events(actor, club))
    snapshots = Snapshot.objects.filter(event__in=[event.pk for event in events])
    games: dict[int, list[str]] = {}
    for event_id, name in (
        snapshots.order_by("variant_name").values_list("event", "variant_name").distinct()
    ):
        games.setdefault(event_id, []).append(name)
    return tuple((event, games.get(event.pk, ())) for event in events)


def club_cards(actor: Actor, now: datetime) -> Sequence[tuple[Club, ClubFront, date | None, bool]]:
    """Return the clubs that `actor` may know of, by name; three queries.

    Each has its texts, its next evening and whether that is today.
    """
    clubs = list(list_clubs_for(actor))
    fronts = {front.pk: front for front in ClubFront.objects.filter(club__in=clubs).defer("about")}
    ahead = next_by_club(actor, clubs, now)
    return tuple(
        (
            club,
            fronts.get(club.pk, ClubFront()),
            ahead.get(club.pk),
            ahead.get(club.pk) == club_day(club, now),
        )
        for club in clubs
    )


def club_set_up(club: Club) -> JsonDict:
    """Return how far a club is set up, as `clubs/_set_up.html` shows it; one query.

    `n_done` counts its five steps, `next_step` is the first that an evening needs and is not done.
    """
    events = Event.objects.filter(club=OuterRef("pk"), archived_at=None).order_by("created_at")
    members = Membership.objects.filter(club=OuterRef("pk"))
    row = (
        Club.objects.filter(pk=club.pk)
        .values(
            n_players=_count(Player.objects.filter(club=OuterRef("pk"))),
            event=Subquery(events.values("slug")[:1]),
            kind=Subquery(events.values("kind")[:1]),
            n_members=_count(members),
            n_asked=_count(
                Invitation.objects.filter(club=OuterRef("pk"), accepted_at=None, revoked_at=None)
            ),
            has_owner=Exists(members.filter(role=Role.OWNER, user__is_active=True)),
            has_place=Exists(ClubFront.objects.filter(club=OuterRef("pk")).exclude(when_where="")),
            has_evening=Exists(Hand.objects.filter(game__club=OuterRef("pk"))),
        )
        .get()
    )
    # The club's creator is a member who was not invited.
    n_invited = max(row["n_members"] - 1, 0) + row["n_asked"]
    done = (row["n_players"], row["event"], n_invited, row["has_place"], row["has_evening"])
    needed = {
        "owner": row["has_owner"],
        "players": row["n_players"],
        "event": row["event"],
        "people": n_invited,
        "evening": row["has_evening"],
    }
    return {
        **row,
        "is_ladder": row["kind"] == EventKind.LADDER,
        "n_invited": n_invited,
        "n_done": sum(map(bool, done)),
        "next_step": next((step for step, is_done in needed.items() if not is_done), ""),
    }


def _count(rows: QuerySet[Player] | QuerySet[Membership] | QuerySet[Invitation]) -> Coalesce:
    counted = rows.order_by().values("club").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())


MOST_EVENTS_OF_SITEMAP: Final = 20_000
"""Events of a sitemap, which may have 50,000 addresses."""
MOST_CLUBS_OF_SITEMAP: Final = 20_000


def public_pages() -> Sequence[PublicPage]:
    """Return the front page, the pages of public clubs and of their public events; two queries."""
    clubs = list_clubs_for(ANYBODY).order_by("pk")[:MOST_CLUBS_OF_SITEMAP]
    of_clubs: list[PublicPage] = [("club", (club.slug,), None) for club in clubs]
    return (("clubs", (), None), *of_clubs, *_events())


def _events() -> Sequence[PublicPage]:
    newest = Publication.objects.filter(
        Q(event=OuterRef("pk"), ladder=None) | Q(ladder=OuterRef("pk"))
    )
    published = newest.order_by("-published_at").values("published_at")[:1]
    rows = events_for(ANYBODY).filter(archived_at__isnull=True).order_by("-pk")
    rows = rows.annotate(published_at=Subquery(published))
    columns = rows.values_list(F("club__slug"), "slug", "kind", "published_at")
    return [
        ("ladder" if kind == EventKind.LADDER else "event", (club, slug), at)
        for club, slug, kind, at in columns[:MOST_EVENTS_OF_SITEMAP]
    ]
