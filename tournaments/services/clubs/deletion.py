"""Deleting a club: asked for by an owner after an export, undone for 14 days, then for good."""

from datetime import datetime, timedelta
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.outbox import REMOVAL_PREFIX, removal_scope
from tournaments.policy import Actor
from tournaments.selectors.jobs.queue import pending_scopes
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.queue import mark_due

GRACE: Final = timedelta(days=14)
"""How long a deletion can be undone."""
EXPORT_COUNTS: Final = timedelta(days=7)
"""How long an export is good enough to delete the club."""


@atomic_act
def note_export(*, actor: Actor, club: Club, now: datetime) -> Club:
    """Note that an owner took the data of a club away.

    Raises:
        Forbidden: export_club.
    """
    require(actor, club, "export_club")
    locked = _locked(club)
    _set(locked, exported_at=now)
    _note(locked, actor, "export_club", {}, now)
    return locked


@atomic_act
def delete_club(*, actor: Actor, club: Club, confirm: str, now: datetime) -> Club:
    """Have a club deleted when `GRACE` is over; until then its owners alone read it.

    One that waits for it already stays as it is.

    Args:
        confirm: the address of the club, as somebody typed it.

    Raises:
        Forbidden: delete_club.
        Conflict: export_needed.
        Refused: address_not_confirmed.
    """
    require(actor, club, "delete_club")
    locked = _locked(club)
    if locked.delete_after is not None:
        return locked
    if not is_export_recent(locked, now):
        raise Conflict(Problem("export_needed", (), {"days": EXPORT_COUNTS.days}))
    if confirm.strip() != locked.slug:
        facts = {"found": shown(confirm.strip()), "expected": locked.slug}
        raise Refused(Problem("address_not_confirmed", ("confirm",), facts))
    _set(locked, delete_after=now + GRACE)
    _note(locked, actor, "delete_club", {"delete_after": (now + GRACE).isoformat()}, now)
    return locked


@atomic_act
def undo_deletion(*, actor: Actor, club: Club, now: datetime) -> Club:
    """Keep a club that was to be deleted.

    Raises:
        Forbidden: delete_club.
        Conflict: no_deletion, deletion_begun.
    """
    require(actor, club, "delete_club")
    locked = _locked(club)
    if locked.delete_after is None:
        raise Conflict(Problem("no_deletion"))
    if locked.delete_after <= now:
        raise Conflict(Problem("deletion_begun"))
    _set(locked, delete_after=None)
    _note(locked, actor, "undo_delete_club", {}, now)
    return locked


def is_export_recent(club: Club, now: datetime) -> bool:
    """Whether the club was exported lately enough to be deleted."""
    return club.exported_at is not None and club.exported_at > now - EXPORT_COUNTS


def mark_due_removals(*, now: datetime) -> None:
    """Put clubs whose time is over before the workers; those that are there already stay."""
    over = Club.objects.filter(delete_after__lte=now).values_list("pk", flat=True)
    scopes = {removal_scope(pk) for pk in over}
    if not scopes:
        return
    there = pending_scopes().filter(scope__startswith=REMOVAL_PREFIX)
    for scope in sorted(scopes - set(there.values_list("scope", flat=True))):
        mark_due(scope, now=now)


def _locked(club: Club) -> Club:
    return Club.objects.select_for_update(no_key=True).get(pk=club.pk)


def _set(club: Club, **values: datetime | None) -> None:
    Club.objects.filter(pk=club.pk).update(**values)
    for name, value in values.items():
        setattr(club, name, value)


def _note(club: Club, actor: Actor, act: str, facts: dict[str, object], now: datetime) -> None:
    append_audit(club=club, actor=actor, act=act, subject=f"club:{club.slug}", facts=facts, now=now)
