"""Which of a player's two names a reader gets: the full one within the club, else the public one.

The name depends on the `role` that a club or an event was read for
(`selectors.events.events.get_event`). Without a role it is the public one, the safe default. See
docs/decisions/0033-public-names-are-stored.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from django.db.models import F

from tournaments.domain.people.public_names import (
    NewNames,
    entrant_name_of,
    public_entrant_name,
    redact_text,
)
from tournaments.models.clubs import Club, NamesPolicy, Player
from tournaments.models.events import EntrantMember, Event
from tournaments.selectors.clubs.clubs import may_do

NameColumn: TypeAlias = Literal["name", "public_name"]
"""The column of a player that holds the name to show."""

FULL_NAME: Final = "name"
PUBLIC_NAME: Final = "public_name"


def name_column(read: Club | Event) -> NameColumn:
    """Return which name column of players the reader of a club or an event gets; no query."""
    return FULL_NAME if may_do(read, "read_members") else PUBLIC_NAME


def name_of(player: Player, column: NameColumn) -> str:
    return player.name if column == FULL_NAME else player.public_name


def names_by_id(read: Club | Event, ids: Iterable[str]) -> dict[str, str]:
    """Return the names of players by id, as the reader of a club or an event sees them; one query,
    none without ids.

    A merged player has the name of the player who took over the rows.
    """
    codes = {*ids}
    if not codes:
        return {}
    club = read.pk if isinstance(read, Club) else read.club_id
    column = name_column(read)
    players = Player.objects.filter(club=club, player_id__in=codes)
    rows = players.values_list("player_id", column, f"merged_into__{column}")
    return {code: final_name or name for code, name, final_name in rows}


def with_role_of(read: Event, other: Event) -> Event:
    """Return a reloaded event with the reader of the first."""
    if hasattr(read, "role"):
        other.role = read.role  # type: ignore[attr-defined]  # as `events_for` annotates it
    return other


def hides_names(club: Club) -> bool:
    """Whether the public may read other names of a club's players than its members; no query.

    If the display of names was never changed, each player has one name.
    """
    return club.names_version > 0 or club.names_policy != NamesPolicy.FULL


def texts_for(event: Event) -> Callable[[str], str]:
    """Return typed texts, reasons for example, as the reader of an event sees them.

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
    public_names: dict[str, set[str]] = defaultdict(set)
    hidden = Player.objects.filter(club=club_id).exclude(name=F("public_name"))
    for name, public_name in hidden.values_list("name", "public_name"):
        public_names[name].add(public_name)
    return {name: " or ".join(sorted(names)) for name, names in public_names.items()}


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
    rows = Player.objects.filter(club=club).order_by("-player_id")
    players = {
        player.pk: player
        for player in rows.only("player_id", "name", "public_name", "merged_into_id")
    }
    names = {
        player.player_id: name_of(_final_player(player, players), column)
        for player in players.values()
    }
    is_public = column == PUBLIC_NAME
    texts = {player.name: names[player.player_id] for player in players.values()}
    return NewNames(
        names=names,
        texts={name: other for name, other in texts.items() if is_public and name != other},
        entrants=_entrant_names(event, players, column) if event is not None else {},
        hides_others=is_public,
    )


def _final_player(player: Player, players: Mapping[int, Player]) -> Player:
    passed = set()
    while player.merged_into_id is not None and player.pk not in passed:
        passed.add(player.pk)
        player = players.get(player.merged_into_id, player)
    return player


def _entrant_names(
    event: Event, players: Mapping[int, Player], column: NameColumn
) -> dict[str, str]:
    members_of: dict[tuple[str, str], list[Player]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, name, player in members.values_list("entrant__code", "entrant__name", "player_id"):
        if player in players:
            members_of[code, name].append(_final_player(players[player], players))
    return {code: shown_entrant(name, who, column) for (code, name), who in members_of.items()}


def shown_entrant(name: str, players: Iterable[Player], column: NameColumn) -> str:
    """Return the name of an entrant: its own, or those of its players put together."""
    if column == FULL_NAME:
        return entrant_name_of(name, (player.name for player in players))
    return public_entrant_name(name, ((player.name, player.public_name) for player in players))
