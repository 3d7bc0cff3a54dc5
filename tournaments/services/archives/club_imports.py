"""Uploaded archives of clubs: stored, checked by a worker, confirmed, imported by a worker.

Each operation marks the upload as due in its own transaction, so that no crash loses it. The file
is deleted in the transaction that shows the club, or with a refusal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.domain.archives.format import ArchiveFound
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Club
from tournaments.models.imports import ClubImport, ClubImportPiece, ClubImportState
from tournaments.models.jobs import CLUB_IMPORT_PREFIX, Dirty, club_import_scope
from tournaments.policy import Actor
from tournaments.services.archives.store_club import require_free_slug
from tournaments.services.clubs.clubs import BAD_SLUG, proposed_slug, slug_problems
from tournaments.services.clubs.names import taken_slugs
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_account
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.enqueue import hint_after_commit
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, may_make_club, operation

LARGEST_UPLOAD: Final = 60 * 1024 * 1024
"""Bytes of an archive that is uploaded; the command reads archives of any size."""
KEPT: Final = timedelta(days=1)
"""How long an unused upload, and the page of a finished import, are kept."""

_WAITS: Final = (ClubImportState.CHECKING, ClubImportState.PREVIEW, ClubImportState.REFUSED)


@operation("make_club", refuses=("archive_file_too_large", "club_import_running"))
def store_club_import(
    op: Operation, *, name: str, size: int, pieces: Callable[[], Iterable[bytes]]
) -> ClubImport:
    """Store an uploaded archive, and queue its check; a waiting upload of the account is replaced.

    `pieces` returns the bytes of the file in order; it is called again if the database rolled the
    transaction back.
    """
    user_id = _account_of(op.actor)
    require_upload_size(size)
    lock_account(op.actor, "make_club")
    club_imports = ClubImport.objects.filter(made_by_id=user_id).order_by("pk")
    locked = _lock(club_imports)  # one that is being confirmed is running by now
    if running := club_imports.filter(state=ClubImportState.RUNNING).first():
        raise Conflict(Problem("club_import_running", ("archive",), {"number": running.number}))
    number = next_number(club_imports)
    _delete(club_imports.filter(pk__in=locked, state__in=_WAITS).values_list("pk", flat=True))
    club_import = ClubImport.objects.create(
        made_by_id=user_id,
        number=number,
        file_name=name.replace("\0", "")[:255],
        size=size,
        created_at=op.now,
    )
    for position, piece in enumerate(pieces()):
        ClubImportPiece.objects.create(club_import=club_import, position=position, content=piece)
    _enqueue(club_import, op.now)
    return club_import


def require_upload_size(size: int) -> None:
    if size > LARGEST_UPLOAD:
        facts = {"found": -(-size // 1024**2), "expected": LARGEST_UPLOAD // 1024**2}
        raise Refused(Problem("archive_file_too_large", ("archive",), facts))


@operation("make_club", refuses=("club_import_moved_on", *BAD_SLUG, "archive_slug_taken"))
def confirm_club_import(op: Operation, club_import: ClubImport, *, slug: str) -> ClubImport:
    _account_of(op.actor)
    locked = _locked(club_import, ClubImportState.PREVIEW)
    require_free_slug(op.actor, slug)
    locked.state = ClubImportState.RUNNING
    locked.slug = slug
    locked.problems = []
    locked.save(update_fields=["state", "slug", "problems"])
    _enqueue(locked, op.now)
    return locked


@operation("make_club", refuses=("club_import_moved_on",))
def discard_club_import(op: Operation, club_import: ClubImport) -> None:
    _account_of(op.actor)
    _delete([_locked(club_import, *_WAITS).pk])


@operation("make_club", refuses=("club_import_moved_on",))
def retry_club_import(op: Operation, club_import: ClubImport) -> None:
    _account_of(op.actor)
    states = (ClubImportState.CHECKING, ClubImportState.RUNNING, ClubImportState.DONE)
    _enqueue(_locked(club_import, *states), op.now)


@atomic_step
def note_checked(club_import: ClubImport, summary: ArchiveFound) -> None:
    being_checked = ClubImport.objects.filter(pk=club_import.pk, state=ClubImportState.CHECKING)
    being_checked.update(state=ClubImportState.PREVIEW, found=asdict(summary))


@atomic_step
def note_refused(club_import: ClubImport, problems: Sequence[Problem], *, now: datetime) -> None:
    """Note why an archive cannot be imported, and delete its file."""
    worked_on = ClubImport.objects.filter(
        pk=club_import.pk, state__in=(ClubImportState.CHECKING, ClubImportState.RUNNING)
    )
    stored = [_stored(problem) for problem in problems]
    if worked_on.update(state=ClubImportState.REFUSED, problems=stored, ended_at=now):
        ClubImportPiece.objects.filter(club_import=club_import).delete()


@atomic_step
def note_not_begun(club_import: ClubImport, problem: Problem) -> None:
    """Return an archive to its sender, who may import it under another address."""
    running = ClubImport.objects.filter(pk=club_import.pk, state=ClubImportState.RUNNING)
    running.update(state=ClubImportState.PREVIEW, problems=[_stored(problem)])


def note_imported(club_import: ClubImport, club: Club, *, now: datetime) -> None:
    """Note the club of an imported archive, and delete the file.

    Call it in the transaction that shows the club.
    """
    running = ClubImport.objects.filter(pk=club_import.pk, state=ClubImportState.RUNNING)
    if not running.update(state=ClubImportState.DONE, club=club, ended_at=now):
        raise Conflict(Problem("import_of_club_ended"))
    ClubImportPiece.objects.filter(club_import=club_import).delete()


@atomic_step
def remove_old_club_imports(*, now: datetime) -> None:
    """Delete uploads that nobody continued for `KEPT`, and imports that ended before."""
    old = ClubImport.objects.filter(created_at__lt=now - KEPT).order_by("pk")
    # Locked: one that is being confirmed is running by then, and stays.
    if removable := _lock(old.exclude(state=ClubImportState.RUNNING)[:20]):
        _delete(removable)


def free_slug_for(slug: str, name: str) -> str:
    """Return a free address for an imported club: its own, or a similar one."""
    used_slugs = taken_slugs()
    if slug not in used_slugs and not slug_problems(slug):
        return slug
    return (
        proposed_slug(slug, used_slugs)
        or proposed_slug(name, used_slugs)
        or proposed_slug("club", used_slugs)
    )


def _account_of(actor: Actor) -> int:
    if actor.user_id is None or not may_make_club(actor):
        raise Forbidden("make_club")
    return actor.user_id


def _lock(rows: QuerySet[ClubImport]) -> list[int]:
    return list(rows.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))


def _locked(club_import: ClubImport, *states: str) -> ClubImport:
    rows = ClubImport.objects.select_for_update(no_key=True, of=("self",))
    locked = rows.filter(pk=club_import.pk).first()
    if locked is None or locked.state not in states:
        raise Conflict(Problem("club_import_moved_on", (), {"number": club_import.number}))
    return locked


def _delete(ids: Iterable[int]) -> None:
    deleted = list(ids)
    ClubImport.objects.filter(pk__in=deleted).delete()
    Dirty.objects.filter(scope__in=[club_import_scope(pk) for pk in deleted]).delete()


def _stored(problem: Problem) -> Mapping[str, object]:
    return {"code": problem.code, "facts": dict(problem.facts)}


def _enqueue(club_import: ClubImport, now: datetime) -> None:
    scope = club_import_scope(club_import.pk)
    mark_due(scope, now=now)
    Dirty.objects.filter(scope=scope).update(progress=None)  # that of the check is not the import's
    hint_after_commit(CLUB_IMPORT_PREFIX, club_import.pk)
