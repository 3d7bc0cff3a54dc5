"""Look-ups that the packages of `api/v1` share."""

from typing import TypeVar
from uuid import UUID

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import club_of
from tournaments.services.permissions import require

Row = TypeVar("Row", Club, Event)


def requested_event(
    request: Request, club: str, event: str, *, code: str = "", act: str = ""
) -> tuple[Actor, Event]:
    """Return who asks and the event, as they may see it.

    Args:
        code: of the table that the address goes on to.
        act: what they must be allowed to do there, before anything else is said.
    """
    actor = known_caller(request)
    row = get_event(actor, club, event, code=code)
    return actor, managed(actor, row, act) if act else row


def managed(actor: Actor, row: Row, act: str) -> Row:
    """Return a club or an event to somebody with the right `act` there."""
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, club_of(row), act)
    return row


def uuid_of(text: str, kind: str) -> UUID:
    """Return the id that an address has."""
    try:
        return UUID(text)
    except ValueError as odd:
        raise Missing(kind) from odd
