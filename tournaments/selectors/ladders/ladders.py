"""A ladder's stored rows: its moves, what games did to ratings, who is away.

The list and the ratings themselves are read from a publication's bytes (`current_bytes` with
`of="ladder"`, `ladder_page.py`); nothing is computed on a read.
"""

from collections.abc import Sequence
from typing import Final

from django.db.models import QuerySet

from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import LadderAbsence, LadderMove, RatingChange
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at
from tournaments.selectors.standings.publication_bytes import require_ladder

DECIMALS: Final = {"elo": 1, "plackett_luce": 2}
"""How many decimals of a rating people see; the figure itself has three."""


def ladder_at(actor: Actor, club: str, event: str) -> Event:
    """Return the ladder at an address.

    Raises:
        Missing: no such event, not one that the actor may know of, or no ladder.
    """
    found = event_at(actor, club, event)
    require_ladder(found)
    return found


def member_at(event: Event, player_id: str) -> Entrant:
    """Return who stands under a code in a ladder, on the list or not.

    Raises:
        Missing: player.
    """
    entrant = Entrant.objects.filter(event=event, code=player_id).first()
    if entrant is None:
        raise Missing("player", {"player": player_id})
    return entrant


def moves_of(event: Event, member: Entrant | None = None) -> QuerySet[LadderMove]:
    """Return the moves on a ladder, or those of one member, the newest first."""
    rows = LadderMove.objects.filter(event=event).select_related("entrant")
    if member is not None:
        rows = rows.filter(entrant=member)
    return rows.order_by("-number", "entrant__code")


def ratings_of(member: Entrant) -> QuerySet[RatingChange]:
    """Return what each game did to a member's rating, the newest first."""
    rows = RatingChange.objects.filter(entrant=member)
    return rows.select_related("game__table__round__meeting").order_by("-sequence")


def absences_of(event: Event, member: Entrant) -> QuerySet[LadderAbsence]:
    """Return when a member is or was away, the newest first; to members of the club only."""
    if not may_do(event, "read_members"):
        return LadderAbsence.objects.none()
    return LadderAbsence.objects.filter(entrant=member).order_by("-since")


def codes_of(event: Event, codes: Sequence[str]) -> frozenset[str]:
    """Return which of these codes somebody in the event has."""
    return frozenset(
        Entrant.objects.filter(event=event, code__in=codes).values_list("code", flat=True)
    )
