"""Players of a club that an actor may know of, and the events they play in."""

from typing import Final

from django.db.models import QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember
from tournaments.policy import MAY, PUBLIC, Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.db.raw_pagination import PagedRows
from tournaments.selectors.db.row_mapper import RowMapper
from tournaments.selectors.events.events import READING, events_of


def players_for(actor: Actor, club: Club) -> QuerySet[Player]:
    """Return the players of `club` that `actor` may know of, by their own number.

    Members read the club's whole list; anybody else those who compete in an event they may read.
    """
    players = Player.objects.filter(club=club).order_by("player_id")
    if actor.is_site_admin or getattr(club, "role", "") in MAY["read_members"]:
        return players
    competing = EntrantMember.objects.filter(event__in=events_of(actor, club).values("pk"))
    return players.filter(pk__in=competing.values("player"))


def player_rows(actor: Actor, club: str) -> PagedRows:
    """Return the players of the club at an address that `players_for` lists, as rows.

    One query for who is nobody anywhere, two for anybody else. Asking for them raises

    Missing: no such club, or not one that the actor may know of.
    """

    def readable() -> PagedRows:
        home = club_at(actor, club)
        role = str(getattr(home, "role", PUBLIC))
        every, values = _OF_CLUB.format(club="%s"), (home.pk,)
        if role in MAY["read_members"]:
            return PagedRows(_PLAYER, every, values, ("player_id",))
        return PagedRows(_PLAYER, every + _competing(role), values, ("player_id",))

    if actor.user_id is not None or actor.is_site_admin:
        return readable()
    public = _OF_CLUB.format(club=f"({_PUBLIC})") + _competing(PUBLIC)
    return PagedRows(_PLAYER, public, (club,), ("player_id",), otherwise=readable)


def _competing(role: str) -> str:
    """Return the condition for who competes in an event that `role` may read."""
    readable = [f"'{visibility}'" for visibility, act in READING.items() if role in MAY[act]]
    return f"""
        AND EXISTS (SELECT 1 FROM tournaments_entrantmember m
            JOIN tournaments_event e ON e.id = m.event_id
            WHERE m.player_id = p.id AND e.visibility IN ({", ".join(readable)}))
    """  # noqa: S608 - words of our own


_OF_CLUB: Final = "FROM tournaments_player p WHERE p.club_id = {club}"
_PUBLIC: Final = "SELECT c.id FROM tournaments_club c WHERE c.slug = %s AND c.is_public"
_PLAYER: Final = RowMapper(Player, "p", only=("player_id", "name", "joined"))


def player_for(actor: Actor, club: Club, player_id: str) -> Player:
    """Return one of the players that `players_for` lists.

    Raises:
        Missing: the club has no player under that id that the actor may know of.
    """
    player = players_for(actor, club).filter(player_id=player_id).first()
    if player is None:
        raise Missing("player", {"player": player_id})
    return player


def events_with(actor: Actor, club: Club, player: Player) -> list[str]:
    """Return the slugs of the events of a player, as far as the actor may read them."""
    entered = EntrantMember.objects.filter(player=player).values("event")
    return sorted(events_of(actor, club).filter(pk__in=entered).values_list("slug", flat=True))
