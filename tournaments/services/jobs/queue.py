"""Working off the dirty rows: one computation of a scope at a time, back-off, parking.

A claim saves double work and nothing hangs on it: publishing locks the row and looks again, so a
claim that expires too early costs a computation, never a wrong table.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F

from tournaments.models.outbox import Dirty
from tournaments.selectors.jobs.queue import LEASE, LONGEST_WAIT, free_rows
from tournaments.services.db.transactions import atomic_act

BACK_OFF = (timedelta(seconds=1), LONGEST_WAIT)
"""Waits after the first and the second failure; after the third the scope is parked."""

FEW: Final = 10
"""Fewer changes than this are no burst."""
REST_A_CHANGE: Final = timedelta(milliseconds=25)
LONGEST_REST: Final = timedelta(milliseconds=800)
"""The last change of a burst is still published within about a second."""

TRIES = len(BACK_OFF) + 1
_ERROR_LENGTH = 2000


def claim(scope: str, *, now: datetime) -> bool:
    """Take `scope` for LEASE; false where it is not behind, or somebody else has it."""
    return bool(free_rows(now).filter(scope=scope).update(claimed_until=now + LEASE))


def is_free(scope: str, *, now: datetime) -> bool:
    """Return whether `scope` is behind and nobody has it."""
    return free_rows(now).filter(scope=scope).exists()


def renew(scope: str, *, now: datetime, progress: Mapping[str, int] | None = None) -> None:
    """Keep `scope` for another LEASE, and how far it is: long work does so after each piece."""
    Dirty.objects.filter(scope=scope).update(claimed_until=now + LEASE, progress=progress)


def mark_due(scope: str, *, now: datetime, apart: timedelta = timedelta(0)) -> None:
    """Put work on `scope` before the workers; the caller's transaction holds the reason for it.

    Args:
        apart: it is taken up no sooner than this after now, where it was done less than this ago.
    """
    changed = Dirty.objects.filter(scope=scope).update(
        version=F("version") + 1, marked_at=now, due_at=None, attempts=0, parked=False, error=""
    )
    if not changed:
        Dirty.objects.create(scope=scope, version=1, marked_at=now)
    elif apart:
        lately = Dirty.objects.filter(scope=scope, done_at__gt=now - apart, done_at__lte=now)
        lately.filter(claimed_until__isnull=True).update(claimed_until=now + apart)


def finish(scope: str, version: int, *, now: datetime, took_ms: int | None = None) -> None:
    """Note that the work on `scope` is done up to `version`, and give it back."""
    Dirty.objects.filter(scope=scope, done__lt=version).update(done=version, done_at=now)
    release(scope, took_ms=took_ms)


def release(scope: str, *, took_ms: int | None = None) -> None:
    """Give `scope` back; where it was marked meanwhile, it is due again at once.

    Args:
        took_ms: how long the work took, where somebody may want to know.
    """
    given_back: dict[str, Any] = {"claimed_until": None}
    if took_ms is not None:
        given_back["took_ms"] = took_ms
    Dirty.objects.filter(scope=scope).update(**given_back)


def rest(scope: str, *, changes: int, now: datetime, took_ms: int | None = None) -> None:
    """Give `scope` back after work that took in so many changes at once, later if they were many.

    While changes pour in, each computation would soon be behind again; so it waits for more of them
    (P14 of docs/performance.md). A change that comes alone is worked off at once.
    """
    if changes < FEW:
        release(scope, took_ms=took_ms)
        return
    until = now + min(changes * REST_A_CHANGE, LONGEST_REST)
    Dirty.objects.filter(scope=scope).update(claimed_until=until, took_ms=took_ms)


def release_all() -> int:
    """Give back what a killed worker had claimed; only for the one worker of the embedded mode."""
    return Dirty.objects.filter(claimed_until__isnull=False).update(claimed_until=None)


@atomic_act
def fail(scope: str, fault: Exception, *, now: datetime) -> bool:
    """Count a failed try and give `scope` back; returns whether it is parked now.

    A new change of the scope begins again with the first try (`mark_changed`).
    """
    row = Dirty.objects.select_for_update().filter(scope=scope, done__lt=F("version")).first()
    if row is None:
        return False
    row.attempts += 1
    row.parked = row.attempts >= TRIES
    row.due_at = None if row.parked else now + BACK_OFF[row.attempts - 1]
    row.error = f"{type(fault).__name__}: {fault}"[:_ERROR_LENGTH]
    row.claimed_until = None
    row.save(update_fields=["attempts", "parked", "due_at", "error", "claimed_until"])
    return row.parked
