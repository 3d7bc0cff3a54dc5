"""Clubs as an actor may see them: who asks, which clubs are listed, which one an address names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from tournaments.errors import Missing
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.models.events import Event
from tournaments.policy import ANYBODY, LINK, PUBLIC, Actor, may
from tournaments.selectors.db.prepared_statements import one_row
from tournaments.selectors.db.row_mapper import RowMapper


@dataclass(frozen=True, slots=True)
class ClubCard:
    """One line of the list of clubs."""

    slug: str
    name: str
    is_public: bool


def actor_of(user: AbstractBaseUser | AnonymousUser) -> Actor:
    """Return who asks, from Django's `request.user`.

    `name` is what pages show beside an entry: the full name where there is one, else the login.
    """
    if isinstance(user, AnonymousUser) or not user.is_active:
        return ANYBODY
    full_name = getattr(user, "get_full_name", str)()
    return Actor(
        "user",
        user_id=user.pk,
        name=full_name or user.get_username(),
        is_site_admin=bool(getattr(user, "is_superuser", False)),
    )


def with_role(actor: Actor, club: str) -> Subquery | Coalesce | Value:
    """Return a database expression for the actor's role in the club in the column `club`.

    A site administrator stands above clubs and reads as an owner.
    """
    if actor.is_site_admin:
        return Value(str(Role.OWNER), output_field=CharField())
    if actor.user_id is None:
        return Value(PUBLIC, output_field=CharField())
    own = Membership.objects.filter(club=OuterRef(club), user_id=actor.user_id)
    if actor.club_id is not None:
        own = own.filter(club_id=actor.club_id)
    return Coalesce(Subquery(own.values("role")[:1]), Value(PUBLIC))


def role_from(actor: Actor, club_id: int, found: str | None, *, table_id: int | None = None) -> str:
    """Return the actor's role in a club in whose list of members their role was `found`; no query.

    A site administrator acts as an owner, a token made for another club is nobody's here. The
    holder of a link has a role at the table `table_id` only where it is the link's.
    """
    if actor.is_site_admin:
        return str(Role.OWNER)
    if actor.at is not None and actor.at.table_id == table_id:
        return LINK
    if actor.user_id is None or actor.club_id not in (None, club_id):
        return PUBLIC
    return found or PUBLIC


def role_of(actor: Actor, club_id: int, *, table_id: int | None = None) -> str:
    """Return the actor's role in a club, or at one of its tables; at most one query."""
    found = None
    if actor.user_id is not None and not actor.is_site_admin:
        own = Membership.objects.filter(club=club_id, user_id=actor.user_id)
        found = own.values_list("role", flat=True).first()
    return role_from(actor, club_id, found, table_id=table_id)


def clubs_for(actor: Actor) -> QuerySet[Club]:
    """Return the clubs that `actor` may know of, by name, each with its `role` there."""
    clubs = Club.objects.annotate(role=with_role(actor, "pk")).order_by("name", "slug")
    if actor.is_site_admin:
        return clubs
    return clubs.filter(Q(is_public=True) | ~Q(role=PUBLIC))


def club_at(actor: Actor, slug: str) -> Club:
    """Return the club under `slug`, with the actor's `role`, in one query.

    Raises:
        Missing: there is none, or the actor may not know of it.
    """
    row = one_row(_CLUB, (actor.user_id, slug))
    if row is not None:
        club: Club = _COLUMNS.instance(row[1:])
        role = role_from(actor, club.pk, row[0])
        if club.is_public or role != PUBLIC:
            club.role = role  # type: ignore[attr-defined]  # as `clubs_for` annotates it
            return club
    raise Missing("club", {"club": slug})


_COLUMNS: Final = RowMapper(Club, "c")
_CLUB: Final = f"""
    SELECT (SELECT m.role FROM tournaments_membership m WHERE m.club_id = c.id AND m.user_id = %s),
        {_COLUMNS}
    FROM tournaments_club c WHERE c.slug = %s
"""  # noqa: S608 - names of our own columns


def may_do(read: Club | Event, act: str) -> bool:
    """Whether the actor that a club or event was read for may do `act` there."""
    return may(str(getattr(read, "role", PUBLIC)), act)


def players_of(club: Club) -> QuerySet[Player]:
    """Return the players a club keeps a record of, by their own number."""
    return Player.objects.filter(club=club).order_by("player_id")


def club_cards(actor: Actor) -> Sequence[ClubCard]:
    """Return the list of clubs as its page prints it."""
    return tuple(ClubCard(club.slug, club.name, club.is_public) for club in clubs_for(actor))
