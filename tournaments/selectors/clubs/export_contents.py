"""Counts what the export of a club contains, for the page that offers it."""

from dataclasses import dataclass

from django.db.models import Count, Sum

from tournaments.domain.replay_game import TOTALS
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.photos import SheetPhoto
from tournaments.models.standings import Publication


@dataclass(frozen=True, slots=True)
class ExportContents:
    """How much an export has; `photo_bytes` are those of all photos, which are most of the file."""

    events: int
    players: int
    hands: int
    publications: int
    photos: int
    photo_bytes: int


def export_contents(club: Club) -> ExportContents:
    """Return what the export of a club contains; five queries."""
    there = SheetPhoto.objects.filter(club=club, removed_at__isnull=True)
    photos = there.aggregate(n=Count("pk"), size=Sum("size"))
    return ExportContents(
        events=Event.objects.filter(club=club).count(),
        players=Player.objects.filter(club=club).count(),
        hands=Hand.objects.filter(club=club, number__gt=TOTALS).count(),
        publications=Publication.objects.filter(club=club).count(),
        photos=photos["n"],
        photo_bytes=photos["size"] or 0,
    )
