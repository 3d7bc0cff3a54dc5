"""Storing a club from an archive: hidden while its rows come in, and then there as a whole.

A club that is imported has a slug of its own, no members and a time at which it is removed, which
each piece moves on. So a killed import leaves nothing that anybody sees, and its rows are removed
(services/clubs/remove_rows.py).
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from django.db import IntegrityError, models, transaction

from scoring.errors import Problem, Refused
from tournaments.domain.archives.format import JobInArchive
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Club, Membership
from tournaments.models.outbox import Deadline, Dirty
from tournaments.policy import Actor
from tournaments.services.access.accounts import lock_account
from tournaments.services.access.permissions import may_make_club
from tournaments.services.archives.table_order import JOBS
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import slug_problems
from tournaments.services.clubs.slugs import require_not_former, taken_slugs
from tournaments.services.db.bulk import set_column, stored_time, take_ids, write_rows
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.queue import mark_due

Model: TypeAlias = type[models.Model]

LEASE: Final = timedelta(minutes=15)
"""An import that stores nothing for so long has ended; its rows are removed."""
PREFIX: Final = "import-"
"""Of the slug of a club that is not there yet."""


@dataclass(frozen=True, slots=True)
class RowsToStore:
    """Some rows of one table: the names of their columns, and the values, in that order."""

    model: Model
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


def require_free_slug(actor: Actor, slug: str) -> None:
    """Let a club be imported under a slug.

    Raises:
        Forbidden: make_club.
        Refused: no_slug, bad_slug.
        Conflict: archive_slug_taken.
    """
    if not may_make_club(actor):
        raise Forbidden("make_club")
    if problems := slug_problems(slug):
        raise Refused(*problems)
    if slug in taken_slugs():
        raise _taken(slug)


@transaction.atomic
def begin_import(
    *, actor: Actor, slug: str, columns: Sequence[str], row: Sequence[Any], now: datetime
) -> Club:
    """Store the row of a club under a hidden slug.

    Args:
        slug: what it is to be called in the end.
        columns: of the club, without its number, with the values of `row`.

    Raises:
        Forbidden: make_club.
        Refused: no_slug, bad_slug.
        Conflict: archive_slug_taken.
    """
    require_free_slug(actor, slug)
    (pk,) = take_ids(Club, 1)
    hidden: dict[str, Any] = dict(zip(columns, row, strict=True)) | {
        "id": pk,
        "slug": f"{PREFIX}{secrets.token_hex(12)}",
        "is_public": False,
        "exported_at": None,
        "delete_after": stored_time(now + LEASE),
    }
    write_rows(Club, list(hidden), [tuple(hidden.values())])
    return Club.objects.get(pk=pk)


@transaction.atomic
def store_rows(club: Club, some: RowsToStore, *, now: datetime) -> Sequence[int]:
    """Store rows of a club that is being imported, and return their numbers.

    Raises:
        Conflict: import_of_club_ended.
    """
    _keep_hidden(club, now)
    if not isinstance(some.model._meta.pk, models.AutoField):
        write_rows(some.model, some.columns, some.rows)
        return ()
    ids = take_ids(some.model, len(some.rows))
    rows = [(*row, pk) for row, pk in zip(some.rows, ids, strict=True)]
    write_rows(some.model, [*some.columns, "id"], rows)
    return ids


@transaction.atomic
def store_later_column(
    club: Club, model: Model, column: str, values: Sequence[tuple[int, int]], *, now: datetime
) -> None:
    """Store a column that points at rows of its own table or of a later one: (row, value).

    Raises:
        Conflict: import_of_club_ended.
    """
    _keep_hidden(club, now)
    set_column(model, column, values)


@atomic_act
def finish_import(
    *,
    actor: Actor,
    club: Club,
    slug: str,
    is_public: bool,
    deadlines: Sequence[RowsToStore],
    jobs: Sequence[tuple[JobInArchive, int]],
    facts: Mapping[str, object],
    also: Callable[[Club], None] | None = None,
    now: datetime,
) -> Club:
    """Show a club whose rows are stored: its slug, its deadlines, its jobs, its owner.

    Args:
        jobs: each with the number of its row here.
        facts: what the audit trail says of the archive.
        also: called with the club in the same transaction.

    Raises:
        Forbidden: make_club, where the account was deleted meanwhile.
        Conflict: archive_slug_taken, import_of_club_ended.
    """
    lock_account(actor, "make_club")
    _keep_hidden(club, now)
    try:
        with transaction.atomic():
            Club.objects.filter(pk=club.pk).update(
                slug=slug, is_public=is_public, delete_after=None
            )
    except IntegrityError as taken:
        raise _taken(slug) from taken
    club.refresh_from_db()
    _require_not_former(club)
    for some in deadlines:
        ids = take_ids(Deadline, len(some.rows))
        rows = [(*row, pk) for row, pk in zip(some.rows, ids, strict=True)]
        write_rows(Deadline, [*some.columns, "id"], rows)
    Dirty.objects.bulk_create(
        Dirty(scope=f"{job.prefix}{pk}", version=job.version, done=job.done, marked_at=now)
        for job, pk in jobs
        if job.prefix in JOBS
    )
    if actor.user_id is not None:
        Membership.objects.create(club=club, user_id=actor.user_id, role="owner", joined_at=now)
    if also is not None:
        also(club)
    append_audit(
        club=club, actor=actor, act="import_club", subject=f"club:{slug}", facts=facts, now=now
    )
    return club


@transaction.atomic
def mark_scopes(scopes: Sequence[str], *, now: datetime) -> None:
    """Put work on rows of an imported club before the workers."""
    for scope in scopes:
        mark_due(scope, now=now)


def abandon_import(club: Club, *, now: datetime) -> None:
    """Have the rows of a club removed whose import did not end well."""
    Club.objects.filter(pk=club.pk, slug__startswith=PREFIX).update(delete_after=now)


def _require_not_former(club: Club) -> None:
    try:
        require_not_former(club)
    except Conflict as former:
        raise _taken(club.slug) from former


def _keep_hidden(club: Club, now: datetime) -> None:
    hidden = Club.objects.filter(pk=club.pk, delete_after__gt=now)
    if not hidden.update(delete_after=now + LEASE):
        raise Conflict(Problem("import_of_club_ended"))


def _taken(slug: str) -> Conflict:
    return Conflict(Problem("archive_slug_taken", ("slug",), {"slug": slug}))
