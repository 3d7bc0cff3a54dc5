"""Delete a club: asked for by an owner, undone for 14 days, then removed piece by piece."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import models, transaction
from django.http import StreamingHttpResponse

from scoring.errors import Problem, Refused, shown
from tournaments.documents.club_archive import archive_chunks
from tournaments.domain.archives.tables import removal_order
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import (
    PREFIXES_OF_EVENTS,
    REMOVAL_PREFIX,
    Dirty,
    import_scope,
    removal_scope,
    season_scope,
)
from tournaments.models.ladders import LadderState
from tournaments.selectors.jobs.queue import list_pending_scopes
from tournaments.services.clubs.names import lock_names
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation

GRACE: Final = timedelta(days=14)
"""Time in which a deletion can be undone."""
EXPORT_COUNTS: Final = timedelta(days=7)
"""How long an export allows the deletion of the club."""

log = structlog.get_logger(__name__)


@operation("export_club", locks=lock_names, name="export_club")
def note_export(op: Operation, club: Club, /) -> None:
    club.exported_at = op.now
    club.save(update_fields=["exported_at"])
    op.audit(club)


def archive_response(op: Operation, club: Club) -> StreamingHttpResponse:
    """Return the archive of a club as a download; the export is noted when all of it was sent."""
    response = StreamingHttpResponse(_noted_chunks(op, club), content_type="application/zip")
    name = f"{club.slug}-{op.now:%Y-%m-%d}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _noted_chunks(op: Operation, club: Club) -> Iterator[bytes]:
    yield from archive_chunks(club, now=op.now)
    note_export(op, club)


@operation("delete_club", locks=lock_names, refuses=("export_needed", "address_not_confirmed"))
def delete_club(op: Operation, club: Club, /, *, confirm: str) -> Club:
    """Schedule the deletion of a club in 14 days; until then only its owners can read it.

    The club must have been exported in the last 7 days (409). `POST C/delete/undo` cancels the
    deletion.
    """
    if club.delete_after is not None:
        return club
    if not is_export_recent(club, op.now):
        raise Conflict(Problem("export_needed", (), {"days": EXPORT_COUNTS.days}))
    if confirm.strip() != club.slug:
        facts = {"found": shown(confirm.strip()), "expected": club.slug}
        raise Refused(Problem("address_not_confirmed", ("confirm",), facts))
    club.delete_after = op.now + GRACE
    club.save(update_fields=["delete_after"])
    op.audit(club, {"delete_after": club.delete_after.isoformat()})
    return club


@operation("delete_club", locks=lock_names, refuses=("no_deletion", "deletion_begun"))
def undo_delete_club(op: Operation, club: Club, /) -> Club:
    """Cancel the deletion of a club."""
    if club.delete_after is None:
        raise Conflict(Problem("no_deletion"))
    if club.delete_after <= op.now:
        raise Conflict(Problem("deletion_begun"))
    club.delete_after = None
    club.save(update_fields=["delete_after"])
    op.audit(club)
    return club


def is_export_recent(club: Club, now: datetime) -> bool:
    return club.exported_at is not None and club.exported_at > now - EXPORT_COUNTS


def mark_due_removals(*, now: datetime) -> None:
    """Queue clubs whose time is over for the workers, unless queued already."""
    over = Club.objects.filter(delete_after__lte=now).values_list("pk", flat=True)
    scopes = {removal_scope(pk) for pk in over}
    if scopes:
        pending = list_pending_scopes().filter(scope__startswith=REMOVAL_PREFIX)
        for scope in sorted(scopes.difference(pending.values_list("scope", flat=True))):
            mark_due(scope, now=now)


ROWS_AT_ONCE: Final = 200
"""Rows of one transaction; deleting them takes a tenth of a second or two."""


def remove_piece(club_id: int, *, now: datetime) -> bool:
    """Remove some rows of a club whose time is over; false where nothing is left to remove.

    Nobody has a role in it any more once the first piece is gone, so that none can be undone.
    """
    with transaction.atomic():
        for model in (Season, Event, LadderState):
            rows = model._default_manager.filter(club=club_id).order_by("pk")
            list(rows.select_for_update(no_key=True).values_list("pk"))
        clubs = Club.objects.select_for_update(no_key=True)
        club = clubs.filter(pk=club_id, delete_after__lte=now).first()
        if club is None:
            return False
        if Membership.objects.filter(club=club).delete()[0]:
            return True
        if any(_steps(club)):
            return True
        club.delete()
        Dirty.objects.filter(scope=removal_scope(club_id)).delete()
    log.info("club_removed", club=club_id)
    return False


def _steps(club: Club) -> Iterator[bool]:
    """Remove a piece of the first model that has rows; whether there were any, model by model."""
    for model, pointers in removal_order():
        rows = model._default_manager.filter(club=club)
        for field in pointers:
            pointing = rows.filter(**{f"{field.name}__isnull": False})
            ids = list(pointing.values_list("pk", flat=True)[:ROWS_AT_ONCE])
            if ids:
                model._default_manager.filter(pk__in=ids).update(**{field.name: None})
                yield True
    for model, _pointers in removal_order():
        ids = list(
            model._default_manager.filter(club=club).values_list("pk", flat=True)[:ROWS_AT_ONCE]
        )
        if ids:
            Dirty.objects.filter(scope__in=_scopes(model, ids)).delete()
            model._default_manager.filter(pk__in=ids).delete()
            yield True


def _scopes(model: type[models.Model], ids: Sequence[int]) -> list[str]:
    if model is Event:
        return [f"{prefix}{pk}" for prefix in PREFIXES_OF_EVENTS for pk in ids]
    scope_of = {Season: season_scope, ImportBatch: import_scope}.get(model)
    if not scope_of:
        return []
    return [scope_of(pk) for pk in ids]
