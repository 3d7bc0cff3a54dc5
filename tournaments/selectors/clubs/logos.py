"""The picture that a club shows beside its name."""

from tournaments.errors import Missing
from tournaments.models.clubs import Club, ClubLogo


def logo_of(club: Club, digest: str) -> bytes:
    """Return the logo of a club, a PNG, under its digest.

    Raises:
        Missing: the club has no logo, or another one by now.
    """
    found = ClubLogo.objects.filter(club=club).first() if digest == club.logo_digest else None
    if found is None:
        raise Missing("logo")
    return bytes(found.png)
