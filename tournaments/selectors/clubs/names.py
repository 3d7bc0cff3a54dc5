"""Which of a player's two names a reader gets: the full one within the club, else the public one.

What somebody may read hangs on the `role` that a club or an event was read for
(`selectors.events.events.event_at`). Without a role it is the public one, so that a reader who is
not known gets the less. See docs/decisions/0033.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from django.db.models import F, QuerySet

from tournaments.domain.people.public_names import (
    NewNames,
    public_entrant_name,
    redact_text,
    shown_together,
)
from tournaments.models.clubs import Club, NamesPolicy, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.selectors.clubs.clubs import may_do

NameColumn: TypeAlias = Literal["name", "public_name"]
"""The column of a player that holds the name to show."""

FULL_NAME: Final = "name"
PUBLIC_NAME: Final = "public_name"


def name_column(read: Club | Event) -> NameColumn:
    """Return which name of players whoever a club or an event was read for gets; no query."""
    return FULL_NAME if may_do(read, "read_members") else PUBLIC_NAME


def name_of(player: Player, column: NameColumn) -> str:
    """Return a player's name as it is to be shown."""
    return player.name if column == FULL_NAME else player.public_name


def names_by_id(read: Club | Event, ids: Iterable[str]) -> dict[str, str]:
    """Return the names of players by their ids, as whoever a club or an event was read for reads
    them; one query, none without ids.

    A player that was merged has the name of the one who took the rows.
    """
    wanted = {*ids}
    if not wanted:
        return {}
    club = read.pk if isinstance(read, Club) else read.club_id
    column = name_column(read)
    players = Player.objects.filter(club=club, player_id__in=wanted)
    rows = players.values_list("player_id", column, f"merged_into__{column}")
    return {code: kept or name for code, name, kept in rows}


def with_role_of(read: Event, other: Event) -> Event:
    """Return an event that was read again as whoever the first was read for reads it."""
    if hasattr(read, "role"):
        other.role = read.role  # type: ignore[attr-defined]  # as `events_for` annotates it
    return other


def hides_names(club: Club) -> bool:
    """Whether the public may read other names of a club's players than its members; no query.

    Where nobody ever changed how names are shown there is one name a player.
    """
    return club.names_version > 0 or club.names_policy != NamesPolicy.FULL


def texts_for(event: Event) -> Callable[[str], str]:
    """Return how whoever an event was read for reads what people typed, reasons for example.

    The public reads other names there where players are hidden; at most one query.
    """
    if name_column(event) == FULL_NAME or not hides_names(event.club):
        return str
    hidden = find_hidden_names(event.club_id)
    return lambda text: redact_text(text, hidden)


def find_hidden_names(club_id: int) -> dict[str, str]:
    """Return the full names that the public does not read, each with what it reads; one query.

    Of two players of one name it reads both.
    """
    found: dict[str, set[str]] = defaultdict(set)
    hidden = Player.objects.filter(club=club_id).exclude(name=F("public_name"))
    for name, shown in hidden.values_list("name", "public_name"):
        found[name].add(shown)
    return {name: " or ".join(sorted(shown)) for name, shown in found.items()}


def find_public_names(club: Club, event: Event | None = None) -> NewNames:
    """Return what the public reads today in a stored document of a club; at most three queries.

    Args:
        event: whose entrants the document has, where it is an event's.
    """
    return _names(club, event, PUBLIC_NAME)


def find_full_names(club: Club, event: Event | None = None) -> NewNames:
    """Return what members read today in a stored document of a club, as `public_names`."""
    return _names(club, event, FULL_NAME)


def _names(club: Club, event: Event | None, column: NameColumn) -> NewNames:
    people = {one.pk: one for one in _players(club)}
    shown = {one.player_id: name_of(_kept(one, people), column) for one in people.values()}
    is_public = column == PUBLIC_NAME
    texts = {}
    if is_public:
        texts = {one.name: shown[one.player_id] for one in people.values()}
    return NewNames(
        names=shown,
        texts={name: other for name, other in texts.items() if name != other},
        entrants=_entrants(event, people, column) if event is not None else {},
        hides_others=is_public,
    )


def _players(club: Club) -> QuerySet[Player]:
    rows = Player.objects.filter(club=club)
    return rows.only("player_id", "name", "public_name", "merged_into_id").order_by("-player_id")


def _kept(player: Player, people: Mapping[int, Player]) -> Player:
    """Return the player who took the results of one that was merged; else the player."""
    seen = set()
    while player.merged_into_id is not None and player.pk not in seen:
        seen.add(player.pk)
        player = people.get(player.merged_into_id, player)
    return player


def _entrants(event: Event, people: Mapping[int, Player], column: NameColumn) -> dict[str, str]:
    """Return what each entrant of an event is called, by its code; one query."""
    found: dict[tuple[str, str], list[Player]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, own, player in members.values_list("entrant__code", "entrant__name", "player_id"):
        if player in people:
            found[code, own].append(_kept(people[player], people))
    return {code: shown_entrant(own, players, column) for (code, own), players in found.items()}


def shown_entrant(own: str, players: Iterable[Player], column: NameColumn) -> str:
    """Return what an entrant is called: its own name, or those of its players put together."""
    if column == FULL_NAME:
        return own or shown_together(player.name for player in players)
    return public_entrant_name(own, ((player.name, player.public_name) for player in players))
