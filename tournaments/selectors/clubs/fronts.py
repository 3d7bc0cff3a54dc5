"""What a club's page says in the owner's words."""

from tournaments.models.clubs import Club, ClubFront


def front_of(club: Club) -> ClubFront:
    """Return the texts of a club and its chosen event; empty ones, not stored, without a row."""
    found = ClubFront.objects.select_related("front_event").filter(club=club).first()
    return found or ClubFront(club=club)
