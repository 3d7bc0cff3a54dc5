"""Players of a club that an actor may know of, and the events they play in."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from django.db.models import QuerySet

from tournaments.domain.name_matching import finds_player
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember
from tournaments.policy import MAY, PUBLIC, Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.db.statements import PagedRows, RowMapper
from tournaments.selectors.events.events import READING, events_of, listed_events


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player as one reader may know them: to whom is no member, what is of members is None."""

    player_id: str
    name: str
    joined: date | None
    nickname: str | None
    shown_as: str | None
    active: bool | None


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
    return tuple(_shown(player, is_member=is_member) for player in players_for(actor, club))


def player_shown(actor: Actor, club: Club, player_id: str) -> ShownPlayer:
    player = player_for(actor, club, player_id)
    return _shown(player, is_member=reads_members(actor, club))


def _shown(player: Player, *, is_member: bool) -> ShownPlayer:
    return ShownPlayer(
        player_id=player.player_id,
        name=player.name if is_member else player.public_name,
        joined=player.joined,
        nickname=player.nickname if is_member else None,
        shown_as=player.shown_as if is_member else None,
        active=player.is_active if is_member else None,
    )


def player_rows(actor: Actor, club: str, q: str = "") -> PagedRows:
    """Return the players of the club at an address that `players_for` lists, as rows.

    One query for who is nobody anywhere, two for anybody else. Asking for them raises

    Missing: no such club, or not one that the actor may know of.
    """
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
        every, values = _OF_CLUB.format(club="%s"), (home.pk,)
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
    readable = [f"'{visibility}'" for visibility, act in READING.items() if role in MAY[act]]
    return f"""
        AND EXISTS (SELECT 1 FROM tournaments_entrantmember m
            JOIN tournaments_event e ON e.id = m.event_id
            WHERE m.player_id = p.id AND e.visibility IN ({", ".join(readable)}))
    """  # noqa: S608 - words of our own


_OF_CLUB: Final = "FROM tournaments_player p WHERE p.club_id = {club} AND p.merged_into_id IS NULL"
_PUBLIC: Final = """
    SELECT c.id FROM tournaments_club c
    WHERE c.slug = %s AND c.is_public AND c.delete_after IS NULL
"""
_PLAYER: Final = RowMapper(
    Player, "p", only=("player_id", "name", "nickname", "shown_as", "joined", "is_active")
)
_OF_MEMBERS: Final = ("player_id", "name", "nickname", "shown_as", "joined", "active")
_PUBLIC_PLAYER: Final = RowMapper(Player, "p", only=("player_id", "public_name", "joined"))
_OF_PUBLIC: Final = ("player_id", "name", "joined")


def player_for(actor: Actor, club: Club, player_id: str) -> Player:
    player = players_for(actor, club).filter(player_id=player_id).first()
    if player is None:
        raise Missing("player", {"player": player_id})
    return player


def events_with(actor: Actor, club: Club, player: Player) -> list[str]:
    entered = EntrantMember.objects.filter(player=player).values("event")
    return sorted(listed_events(actor, club).filter(pk__in=entered).values_list("slug", flat=True))
