"""The event that a request is about, for callers who are known."""

from rest_framework.request import Request

from api.authentication import known_caller
from api.query_parameters import allow_only
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at


def requested_event(request: Request, club: str, event: str) -> tuple[Actor, Event]:
    """Return who asks and the event, as they may see it; the address takes no parameters."""
    allow_only(request)
    actor = known_caller(request)
    return actor, event_at(actor, club, event)
