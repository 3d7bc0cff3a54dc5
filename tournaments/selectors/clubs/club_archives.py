"""Archives of clubs: those uploaded by an account, and what the export of a club contains."""

from collections.abc import Iterator
from typing import Final

from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ClubImport, ClubImportPiece, ClubImportState
from tournaments.models.meetings import SheetPhoto
from tournaments.models.outbox import Dirty, club_import_scope
from tournaments.models.standings import Publication
from tournaments.policy import Actor

WORKED_ON: Final = (ClubImportState.CHECKING, ClubImportState.RUNNING)
"""States in which a worker is at an archive."""


def list_own_club_imports(actor: Actor) -> list[ClubImport]:
    if actor.user_id is None:
        return []
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id).select_related("club")
    return list(club_imports.order_by("-number"))


def get_club_import(actor: Actor, number: int) -> ClubImport:
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id, number=number)
    record = club_imports.select_related("club").first() if actor.user_id is not None else None
    if record is None:
        raise Missing("club_import", {"number": number})
    return record


def get_import_progress(record: ClubImport) -> tuple[int, int, str]:
    """Return how many rows of an archive are imported, of how many, and the fault of a parked job;
    "" for none."""
    job = Dirty.objects.filter(scope=club_import_scope(record.pk)).first()
    if job is None:
        return 0, 0, ""
    progress = job.progress or {}
    fault = job.error if job.parked and job.done < job.version else ""
    return progress.get("done", 0), progress.get("of", 0), fault


def find_club_import_to_process(pk: int) -> ClubImport | None:
    """Return the import that a worker was hinted at; None where it is gone, or waits for somebody.

    One that is done is returned too: what follows from it may have been interrupted.
    """
    rows = ClubImport.objects.select_related("made_by", "club")
    return rows.filter(pk=pk, state__in=(*WORKED_ON, ClubImportState.DONE)).first()


def pieces_of(club_import: ClubImport) -> Iterator[bytes]:
    pieces = ClubImportPiece.objects.filter(club_import=club_import).order_by("position")
    for position in pieces.values_list("position", flat=True):
        yield bytes(pieces.get(position=position).content)


def count_export_contents(club: Club) -> dict[str, int]:
    """Return how many rows of each kind the export of a club has, and the bytes of its photos.

    Five queries.
    """
    photos = SheetPhoto.objects.filter(club=club, removed_at__isnull=True)
    return {
        "events": Event.objects.filter(club=club).count(),
        "players": Player.objects.filter(club=club).count(),
        "hands": Hand.objects.filter(club=club, number__gt=TOTALS).count(),
        "publications": Publication.objects.filter(club=club).count(),
        **photos.aggregate(photos=Count("pk"), photo_bytes=Coalesce(Sum("size"), 0)),
    }
