"""Look-ups that the packages of `api/v1` share."""

from uuid import UUID

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.permissions import require


def requested_club(request: Request, club: str) -> tuple[Actor, Club]:
    """Return who asks and the club, as they may see it; the address takes no parameters."""
    actor = known_caller(request)
    return actor, get_club(actor, club)


def requested_event(
    request: Request, club: str, event: str, *, code: str = ""
) -> tuple[Actor, Event]:
    """Return who asks and the event, as they may see it; the address takes no parameters.

    Args:
        code: of the table that the address goes on to.
    """
    actor = known_caller(request)
    return actor, get_event(actor, club, event, code=code)


def managed_club(actor: Actor, club: str, act: str) -> Club:
    """Return a club for somebody with the right `act` in it."""
    home = get_club(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, home, act)
    return home


def managed_event(actor: Actor, club: str, event: str, act: str, *, code: str = "") -> Event:
    """Return an event for somebody with the right `act` in its club."""
    row = get_event(actor, club, event, code=code)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, row.club, act)
    return row


def uuid_of(text: str, kind: str) -> UUID:
    """Return the id that an address has."""
    try:
        return UUID(text)
    except ValueError as odd:
        raise Missing(kind) from odd
