"""Lookups that views of several subjects share: a club for those who manage it, and ids."""

from uuid import UUID

from rest_framework.exceptions import NotAuthenticated

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.services.access.permissions import require


def managed_club(actor: Actor, club: str, act: str) -> Club:
    """Return a club for somebody with the right `act` in it.

    Raises:
        Missing: club.
        NotAuthenticated: not_signed_in.
        Forbidden: `act`.
    """
    home = club_at(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, home, act)
    return home


def uuid_of(text: str, kind: str) -> UUID:
    """Return the id that an address has.

    Raises:
        Missing: `kind`, where it is no UUID, so that nothing can have it.
    """
    try:
        return UUID(text)
    except ValueError as odd:
        raise Missing(kind) from odd
