"""Players that an actor may know of, their events, their names in publications, and rows to search
in.

The public gets a publication that is older than a change of names with today's names, as if made
with them; members get the stored bytes, and pages insert the full names for them. No query is made
if a club never hid a name.

Players are found by the name that the reader may read, never by a hidden one
(docs/decisions/0033-public-names-are-stored.md).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from django.db.models import Q, QuerySet

from tournaments.domain.etags import digest_of
from tournaments.domain.name_matching import finds_player, sort_key
from tournaments.domain.people.public_names import NewNames, redact_publication, redact_table
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.rounds import Meeting
from tournaments.models.rules import HouseVariant
from tournaments.models.standings import Publication
from tournaments.policy import MAY, PUBLIC, Actor
from tournaments.selectors.clubs.clubs import get_club, list_clubs_for, may_do
from tournaments.selectors.clubs.names import (
    FULL_NAME,
    find_full_names,
    find_public_names,
    hides_names,
    name_column,
)
from tournaments.selectors.db.statements import PagedRows, RowMapper
from tournaments.selectors.events.events import (
    READING,
    events_for,
    events_of,
    is_for_everybody,
    listed_events,
    rounds_for,
)


class ShownPlayer:
    """A player as one reader may see them; fields for members are None for other readers."""

    def __init__(self, player: Player, *, is_member: bool) -> None:
        self.player_id, self.joined = player.player_id, player.joined
        self.name = player.name if is_member else player.public_name
        self.sort_key = player.sort_key if is_member else sort_key(player.public_name)
        self.nickname = player.nickname if is_member else None
        self.shown_as = player.shown_as if is_member else None
        self.is_active = player.is_active if is_member else None
        self.fills_in = player.fills_in if is_member else None
        self.events: Sequence[str] = ()


_OF_CLUB: Final = "FROM tournaments_player p WHERE p.club_id = {club} AND p.merged_into_id IS NULL"

_PUBLIC: Final = """
    SELECT c.id FROM tournaments_club c
    WHERE c.slug = %s AND c.is_public AND c.delete_after IS NULL
"""

_OF_MEMBERS: Final = (
    "player_id",
    "name",
    "nickname",
    "shown_as",
    "joined",
    "is_active",
    "fills_in",
)
_PLAYER: Final = RowMapper(Player, "p", only=_OF_MEMBERS)
_PUBLIC_PLAYER: Final = RowMapper(Player, "p", only=("player_id", "public_name", "joined"))
_OF_PUBLIC: Final = ("player_id", "name", "joined")


@dataclass(frozen=True, slots=True)
class SearchedClubs:
    """Every club that a reader may know of, and those whose contents are looked through."""

    every: Sequence[Club]
    searched: Sequence[Club]

    @property
    def by_key(self) -> Mapping[int, Club]:
        return {club.pk: club for club in self.searched}


def players_for(actor: Actor, club: Club) -> QuerySet[Player]:
    """Return the players of `club` that `actor` may know of, by their own number.

    Merged players are not among them: their records are another player's.
    Members read the club's whole list; anybody else those who compete in an event they may read.
    """
    players = Player.objects.filter(club=club, merged_into=None).order_by("player_id")
    if reads_members(actor, club):
        return players
    competing = EntrantMember.objects.filter(event__in=events_of(actor, club).values("pk"))
    return players.filter(pk__in=competing.values("player"))


def reads_members(actor: Actor, club: Club) -> bool:
    return actor.is_site_admin or getattr(club, "role", "") in MAY["read_members"]


def listed_players(actor: Actor, club: Club) -> tuple[ShownPlayer, ...]:
    is_member = reads_members(actor, club)
    return tuple(ShownPlayer(player, is_member=is_member) for player in players_for(actor, club))


def player_shown(actor: Actor, club: Club, player: Player) -> ShownPlayer:
    return ShownPlayer(player, is_member=reads_members(actor, club))


def player_rows(actor: Actor, club: str, q: str = "") -> PagedRows:
    if not q.strip():
        return _player_rows(actor, club)
    ids = [
        player.player_id
        for player in listed_players(actor, get_club(actor, club))
        if finds_player(q, player.player_id, player.name, player.nickname or "")
    ]
    return _player_rows(actor, club).filter(player_id__in=ids)


def _player_rows(actor: Actor, club: str) -> PagedRows:

    def readable() -> PagedRows:
        home = get_club(actor, club)
        role = str(getattr(home, "role", PUBLIC))
        every = _OF_CLUB.format(club="%s")
        values = (home.pk,)
        if role in MAY["read_members"]:
            return PagedRows(_PLAYER, every, values, ("player_id",), names=_OF_MEMBERS)
        return _for_public(every + _competing(role), values)

    if actor.user_id is not None or actor.is_site_admin:
        return readable()
    public = _OF_CLUB.format(club=f"({_PUBLIC})") + _competing(PUBLIC)
    return replace(_for_public(public, (club,)), otherwise=readable)


def _for_public(source: str, values: tuple[object, ...]) -> PagedRows:
    return PagedRows(_PUBLIC_PLAYER, source, values, ("player_id",), names=_OF_PUBLIC)


def _competing(role: str) -> str:
    readable = [f"'{visibility}'" for visibility, right in READING.items() if role in MAY[right]]
    return f"""
        AND EXISTS (SELECT 1 FROM tournaments_entrantmember m
            JOIN tournaments_event e ON e.id = m.event_id
            WHERE m.player_id = p.id AND e.visibility IN ({", ".join(readable)}))
    """  # noqa: S608 - words of our own


def player_for(actor: Actor, club: Club, player_id: str) -> Player:
    player = first_or_missing(
        players_for(actor, club).filter(player_id=player_id), "player", player=player_id
    )
    player.club = club
    return player


def events_with(actor: Actor, club: Club, player: Player) -> list[str]:
    entered = EntrantMember.objects.filter(player=player).values("event")
    return sorted(listed_events(actor, club).filter(pk__in=entered).values_list("slug", flat=True))


def is_same_for_everybody(event: Event) -> bool:
    """Whether the public reads an event with full names, so that caches may share it."""
    return is_for_everybody(event) and not hides_names(event.club)


def is_behind_names(publication: Publication, club: Club) -> bool:
    """Whether a publication may show a name more fully than the public may read it today."""
    return publication.names_version < club.names_version


def as_read(publication: Publication, club: Club, event: Event | None) -> Publication:
    """Return a publication for a page; at most three queries, none if no name is hidden.

    Members get the rows with full names, under the digest and beside the CSV of what is stored.
    """
    if name_column(event or club) != FULL_NAME:
        return for_public(publication, club, event)
    if not hides_names(club):
        return publication
    full = copy(publication)
    full.body = _redacted(publication, find_full_names(club, event)).body
    return full


def for_public(publication: Publication, club: Club, event: Event | None) -> Publication:
    """Return a publication as the public reads it, unchanged if it contains nothing private."""
    if not is_behind_names(publication, club):
        return publication
    public = _redacted(publication, find_public_names(club, event))
    if public.body != publication.body:
        public.is_redacted = True
    return public


def all_for_public(
    publications: Iterable[Publication], club: Club, event: Event
) -> Sequence[Publication]:
    """Return publications of an event as the public reads them; at most three queries for all."""
    rows = tuple(publications)
    if not any(is_behind_names(row, club) for row in rows):
        return rows
    names = find_public_names(club, event)
    return tuple(_redacted(row, names) if is_behind_names(row, club) else row for row in rows)


def _redacted(publication: Publication, names: NewNames) -> Publication:
    columns = redact_publication(bytes(publication.body), bytes(publication.csv), names)
    if columns is None:
        return publication
    public = copy(publication)
    for column, value in columns.items():
        setattr(public, column, value)
    return public


def table_as_read(body: bytes, event: Event) -> tuple[bytes, str]:
    """Return a stored table of the past as a reader gets it, and its digest.

    Its publication may be old, so that today's names are inserted if the club hides names.
    """
    if hides_names(event.club):
        is_member = name_column(event) == FULL_NAME
        names = find_full_names if is_member else find_public_names
        body = redact_table(body, names(event.club, event))
    return body, digest_of(body)


MOST_CLUBS: Final = 20
"""Maximum number of clubs searched at once; the reader's own come first."""


def searched_clubs(actor: Actor) -> SearchedClubs:
    every = tuple(list_clubs_for(actor))
    own_first = sorted(every, key=lambda club: getattr(club, "role", PUBLIC) == PUBLIC)
    return SearchedClubs(every, tuple(own_first[:MOST_CLUBS]))


def searched_players(actor: Actor, clubs: Sequence[Club]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the players of clubs: all for members, else those of events that the reader reads.

    Each is the club's key, the id, the name that the reader may read, and the nickname, which is
    empty for who may not read it.
    """
    within = [club.pk for club in clubs if may_do(club, "read_members")]
    without = [club.pk for club in clubs if not may_do(club, "read_members")]
    events = events_for(actor).filter(club__in=without).values("pk")
    competing = EntrantMember.objects.filter(event__in=events).values("player")
    readable = Q(club__in=within) | Q(club__in=without, pk__in=competing)
    players = Player.objects.filter(readable, merged_into=None, erased_at=None)
    column = {club.pk: name_column(club) for club in clubs}
    rows = players.values_list("club", "player_id", "name", "public_name", "nickname")
    for club, player_id, name, public_name, nickname in rows:
        is_named = column[club] == "name"
        yield club, player_id, name if is_named else public_name, nickname if is_named else ""


def searched_events(actor: Actor, clubs: Sequence[Club]) -> QuerySet[Event]:
    """Return the events of clubs that the reader may read, the newest first."""
    events = events_for(actor).filter(club__in=clubs, archived_at__isnull=True)
    return events.order_by("-created_at", "slug")


def searched_evenings(
    actor: Actor, clubs: Sequence[Club]
) -> Iterator[tuple[int, date, str, str, Sequence[int]]]:
    """Yield the evenings of events that the reader may read, the newest first; two queries.

    Each is the club's key, the date, the slug and the name of the event, and the rounds.
    """
    events = events_for(actor).filter(club__in=clubs, archived_at__isnull=True).values("pk")
    rounds: dict[int, list[int]] = defaultdict(list)
    numbered = rounds_for(actor).filter(event__in=events, meeting__isnull=False).order_by("number")
    for meeting, number in numbered.values_list("meeting", "number"):
        rounds[meeting or 0].append(number)
    rows = Meeting.objects.filter(event__in=events).order_by("-date", "event__name", "pk")
    columns = ("pk", "club", "date", "event__slug", "event__name")
    for pk, club, day, slug, name in rows.values_list(*columns):
        yield club, day, slug, name, rounds[pk]


def searched_rules(clubs: Sequence[Club]) -> QuerySet[HouseVariant]:
    house_variants = HouseVariant.objects.filter(club__in=clubs, is_archived=False)
    return house_variants.order_by("name", "slug").only("club", "slug", "name")
