"""What a search looks through in clubs, as far as an actor may read it; one query a kind.

Players come by the name that the reader may read (docs/decisions/0033): what is not shown is not
found either.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db.models import Q, QuerySet

from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.meetings import Meeting, Round
from tournaments.models.variants import HouseVariant
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import list_clubs_for, may_do
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events.events import events_for

MOST_CLUBS: Final = 20
"""So many clubs are looked through at once; the reader's own come first."""


@dataclass(frozen=True, slots=True)
class SearchedClubs:
    """Every club that a reader may know of, and those whose contents are looked through."""

    every: Sequence[Club]
    searched: Sequence[Club]

    @property
    def by_key(self) -> Mapping[int, Club]:
        return {club.pk: club for club in self.searched}


@dataclass(frozen=True, slots=True)
class SearchedPlayer:
    """A player by the name that the reader may read; `nickname` is empty for who may not."""

    club: int
    player_id: str
    name: str
    nickname: str


@dataclass(frozen=True, slots=True)
class SearchedEvening:
    club: int
    date: date
    event: str
    event_name: str
    rounds: tuple[int, ...]


def searched_clubs(actor: Actor) -> SearchedClubs:
    every = tuple(list_clubs_for(actor))
    own_first = sorted(every, key=lambda club: getattr(club, "role", PUBLIC) == PUBLIC)
    return SearchedClubs(every, tuple(own_first[:MOST_CLUBS]))


def searched_players(actor: Actor, clubs: Sequence[Club]) -> Sequence[SearchedPlayer]:
    """Return the players of clubs: all for members, else those of events that the reader reads."""
    within = [club.pk for club in clubs if may_do(club, "read_members")]
    without = [club.pk for club in clubs if not may_do(club, "read_members")]
    events = events_for(actor).filter(club__in=without).values("pk")
    competing = EntrantMember.objects.filter(event__in=events).values("player")
    readable = Q(club__in=within) | Q(club__in=without, pk__in=competing)
    players = Player.objects.filter(readable, merged_into=None, erased_at=None)
    column = {club.pk: name_column(club) for club in clubs}
    rows = players.values_list("club", "player_id", "name", "public_name", "nickname")
    return tuple(
        SearchedPlayer(club, player_id, name, nickname)
        if column[club] == "name"
        else SearchedPlayer(club, player_id, public_name, "")
        for club, player_id, name, public_name, nickname in rows
    )


def searched_events(actor: Actor, clubs: Sequence[Club]) -> QuerySet[Event]:
    """Return the events of clubs that the reader may read, the newest first."""
    events = events_for(actor).filter(club__in=clubs, archived_at__isnull=True)
    return events.order_by("-created_at", "slug")


def searched_evenings(actor: Actor, clubs: Sequence[Club]) -> Sequence[SearchedEvening]:
    """Return the evenings of events that the reader may read, the newest first; two queries."""
    events = events_for(actor).filter(club__in=clubs, archived_at__isnull=True).values("pk")
    rounds: dict[int, list[int]] = defaultdict(list)
    numbered = Round.objects.filter(event__in=events, meeting__isnull=False).order_by("number")
    for meeting, number in numbered.values_list("meeting", "number"):
        rounds[meeting or 0].append(number)
    rows = Meeting.objects.filter(event__in=events).order_by("-date", "event__name", "pk")
    return tuple(
        SearchedEvening(club, day, slug, name, tuple(rounds[pk]))
        for pk, club, day, slug, name in rows.values_list(
            "pk", "club", "date", "event__slug", "event__name"
        )
    )


def searched_rules(clubs: Sequence[Club]) -> QuerySet[HouseVariant]:
    house_variants = HouseVariant.objects.filter(club__in=clubs, is_archived=False)
    return house_variants.order_by("name", "slug").only("club", "slug", "name")
