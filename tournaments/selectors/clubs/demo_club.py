"""Whether this site has the club of `manage.py demo`, so that its tour can be offered."""

from typing import Final

from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import clubs_for

DEMO_CLUB: Final = "riverside"
DEMO_SIGN_IN: Final = "riverside-owner"


def has_demo_club(actor: Actor) -> bool:
    """Whether the actor may read the demo club: the one that the demo's own account belongs to."""
    clubs = clubs_for(actor).filter(slug=DEMO_CLUB, memberships__user__username=DEMO_SIGN_IN)
    return clubs.exists()
