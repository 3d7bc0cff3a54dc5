"""The mappings that a club keeps for foreign files; for those who may import there."""

from django.db.models import QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.column_maps import ColumnMap


def maps_of(club: Club) -> QuerySet[ColumnMap]:
    """Return a club's kept mappings, the one changed last first."""
    return ColumnMap.objects.filter(club=club).order_by("-changed_at", "-number")


def map_at(club: Club, number: int) -> ColumnMap:
    """Return one kept mapping of a club.

    Raises:
        Missing: there is none under this number.
    """
    found = maps_of(club).filter(number=number).first()
    if found is None:
        raise Missing("mapping")
    return found
