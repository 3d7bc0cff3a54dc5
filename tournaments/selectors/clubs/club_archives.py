"""Archives of clubs: those uploaded by an account, and what the export of a club contains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Sum

from scoring.errors import Problem
from tournaments.domain.archives.format import ArchiveFound
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


@dataclass(frozen=True, slots=True)
class ShownClubImport:
    """An uploaded archive as its page shows it.

    `done` of `of` rows are worked off; `fault` is why the workers gave it up, empty else.
    """

    record: ClubImport
    found: ArchiveFound | None
    problems: Sequence[Problem]
    done: int
    of: int
    fault: str

    @property
    def is_worked_on(self) -> bool:
        """Whether a worker is at it, or it waits for one."""
        return self.record.state in WORKED_ON


def list_own_club_imports(actor: Actor) -> list[ClubImport]:
    """Return the imports of an account that are still there, the newest first."""
    if actor.user_id is None:
        return []
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id).select_related("club")
    return list(club_imports.order_by("-number"))


def get_club_import(actor: Actor, number: int) -> ShownClubImport:
    """Return an import of an account."""
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id, number=number)
    record = club_imports.select_related("club").first() if actor.user_id is not None else None
    if record is None:
        raise Missing("club_import", {"number": number})
    row = Dirty.objects.filter(scope=club_import_scope(record.pk)).first()
    progress = row.progress if row is not None and row.progress else {}
    return ShownClubImport(
        record=record,
        found=ArchiveFound(**record.found) if record.found else None,
        problems=[Problem(problem["code"], (), problem["facts"]) for problem in record.problems],
        done=progress.get("done", 0),
        of=progress.get("of", 0),
        fault=row.error if row is not None and row.parked and row.done < row.version else "",
    )


def find_club_import_to_process(pk: int) -> ClubImport | None:
    """Return the import that a worker was hinted at; None where it is gone, or waits for somebody.

    One that is done is returned too: what follows from it may have been interrupted.
    """
    rows = ClubImport.objects.select_related("made_by", "club")
    return rows.filter(pk=pk, state__in=(*WORKED_ON, ClubImportState.DONE)).first()


def pieces_of(club_import: ClubImport) -> Iterator[bytes]:
    """Yield the file of an import, piece by piece."""
    pieces = ClubImportPiece.objects.filter(club_import=club_import).order_by("position")
    for position in pieces.values_list("position", flat=True):
        yield bytes(pieces.get(position=position).content)


@dataclass(frozen=True, slots=True)
class ExportContents:
    """How much an export has; `photo_bytes` are those of all photos, which are most of the file."""

    events: int
    players: int
    hands: int
    publications: int
    photos: int
    photo_bytes: int


def count_export_contents(club: Club) -> ExportContents:
    """Return what the export of a club contains; five queries."""
    sheet_photos = SheetPhoto.objects.filter(club=club, removed_at__isnull=True)
    photos = sheet_photos.aggregate(n=Count("pk"), size=Sum("size"))
    return ExportContents(
        events=Event.objects.filter(club=club).count(),
        players=Player.objects.filter(club=club).count(),
        hands=Hand.objects.filter(club=club, number__gt=TOTALS).count(),
        publications=Publication.objects.filter(club=club).count(),
        photos=photos["n"],
        photo_bytes=photos["size"] or 0,
    )
