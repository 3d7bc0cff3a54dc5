"""Clubs and events under addresses that they had before."""

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import clubs_for
from tournaments.selectors.events.events import events_for


def club_that_had(actor: Actor, slug: str) -> Club | None:
    """Return the club that `slug` was an address of, where the actor may know of it."""
    return clubs_for(actor).filter(former_slugs__slug=slug).first()


def event_that_had(actor: Actor, club: str, slug: str) -> Event | None:
    """Return the event of a club that `slug` was an address of, where the actor may know of it."""
    return events_for(actor).filter(club__slug=club, former_slugs__slug=slug).first()
