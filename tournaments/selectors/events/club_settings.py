"""The settings of a club, with the texts of its page and its first event."""

from typing import Final

from scoring.json_types import JsonDict
from tournaments.domain.seating.seating_preferences import read_preferences
from tournaments.models.clubs import Club, ClubVisibility
from tournaments.policy import MAY
from tournaments.selectors.clubs.clubs import get_front
from tournaments.selectors.events.events import READING

FRONT_SETTINGS: Final = (
    *("about", "when_where", "how_to_join", "fee", "contact", "welcomes_visitors", "front_event"),
)


def front_settings(club: Club, *, role: str | None = None) -> JsonDict:
    """Return the texts of a club and the slug of its first event, by key; one query.

    Args:
        role: of the reader; an event that this role may not read is left out. None: the service.
    """
    front = get_front(club)
    event = front.front_event
    is_read = event is not None and (role is None or role in MAY[READING[event.visibility]])
    return {
        "about": front.about,
        "when_where": front.when_where,
        "how_to_join": front.how_to_join.splitlines(),
        "fee": front.fee,
        "contact": front.contact,
        "welcomes_visitors": front.welcomes_visitors,
        "front_event": event.slug if event is not None and is_read else None,
    }


CLUB_SETTINGS: Final = (
    *("name", "slug", "time_zone", "language", "visibility", "names_policy", "event_creators"),
    *("requires_second_factor", "colour", "seating", "reminder_days"),
    *FRONT_SETTINGS,
)
"""What can be changed, as REST and the page name it."""

_STORED_APART: Final = frozenset({"visibility", *FRONT_SETTINGS})
"""What is no column of the club under its own name."""


def club_settings(club: Club, *, role: str | None = None) -> JsonDict:
    """Return the settings of a club by key; one query."""
    shown_to = str(ClubVisibility.PUBLIC if club.is_public else ClubVisibility.MEMBERS)
    columns = {key: getattr(club, key) for key in CLUB_SETTINGS if key not in _STORED_APART}
    columns["seating"] = read_preferences(club.seating)
    return {**columns, "visibility": shown_to, **front_settings(club, role=role)}
