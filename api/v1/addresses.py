"""Look-ups that the packages of `api/v1` share."""

from uuid import UUID

from rest_framework.request import Request

from api.authentication import known_caller
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import require


def managed_event(request: Request, club: str, event: str) -> Event:
    """Return an event to its directors."""
    actor = known_caller(request)
    row = get_event(actor, club, event)
    require(actor, row.club, "manage_event")
    return row


def uuid_of(text: str, kind: str) -> UUID:
    """Return the id that an address has."""
    try:
        return UUID(text)
    except ValueError as odd:
        raise Missing(kind) from odd
