"""Look-ups that the packages of `api/v1` share."""

from uuid import UUID

from rest_framework.request import Request

from api.authentication import known_caller
from api.resources import ResourceViewSet
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.events.players import player_for
from tournaments.services.operations import require


class OfPlayerViewSet(ResourceViewSet):
    """What belongs to the player that the address names."""

    def get_object(self) -> Player:
        return player_for(self.actor, self.parent, self.kwargs["player_id"])


class OfMeetingViewSet(ResourceViewSet):
    """What belongs to the meeting that the address names."""

    def get_subject(self) -> Meeting:
        return meeting_on(self.parent, date_of(self.kwargs["day"]))


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
