"""The work list: marking jobs as due, claiming them, releasing them (retry_after_fault.py: faults).

A job is named by its scope, `event:7`; `deadline:7` is one that the clock starts. A claim saves
double work and nothing hangs on it: publishing locks the row and looks again, so a claim that
expires too early costs a computation, never a wrong table.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F

from tournaments.models.outbox import DEADLINE_PREFIX, FIRST_TRY, Deadline, Dirty
from tournaments.selectors.jobs.queue import LEASE, due_deadlines, free_rows

FEW: Final = 10
"""Fewer changes than this are no burst."""
REST_A_CHANGE: Final = timedelta(milliseconds=25)
LONGEST_REST: Final = timedelta(milliseconds=800)
"""The last change of a burst is still published within about a second."""


def claim_job(scope: str, *, now: datetime) -> bool:
    """Take `scope` for LEASE; false where it is not due, or somebody else has it.

    A deadline is claimed by nobody: its job locks the event's row and looks again.
    """
    if scope.startswith(DEADLINE_PREFIX):
        return due_deadlines(now).filter(pk=scope.removeprefix(DEADLINE_PREFIX)).exists()
    return bool(free_rows(now).filter(scope=scope).update(claimed_until=now + LEASE))


def is_claimable(scope: str, *, now: datetime) -> bool:
    """Return whether `scope` is behind and nobody has it."""
    return free_rows(now).filter(scope=scope).exists()


def renew_claim(scope: str, *, now: datetime, progress: Mapping[str, int] | None = None) -> None:
    """Keep `scope` for another LEASE, and how far it is: long work does so after each piece."""
    Dirty.objects.filter(scope=scope).update(claimed_until=now + LEASE, progress=progress)


def mark_due(scope: str, *, now: datetime, apart: timedelta = timedelta(0)) -> None:
    """Put work on `scope` before the workers; the caller's transaction holds the reason for it.

    Args:
        apart: it is taken up no sooner than this after now, where it was done less than this ago.
    """
    changed = Dirty.objects.filter(scope=scope).update(
        version=F("version") + 1, marked_at=now, due_at=None, **FIRST_TRY
    )
    if not changed:
        Dirty.objects.create(scope=scope, version=1, marked_at=now)
    elif apart:
        lately = Dirty.objects.filter(scope=scope, done_at__gt=now - apart, done_at__lte=now)
        lately.filter(claimed_until__isnull=True).update(claimed_until=now + apart)


def finish_job(scope: str, version: int, *, now: datetime, took_ms: int | None = None) -> None:
    """Note that the work on `scope` is done up to `version`, and release it."""
    Dirty.objects.filter(scope=scope, done__lt=version).update(done=version, done_at=now)
    release_job(scope, took_ms=took_ms)


def release_job(scope: str, *, took_ms: int | None = None) -> None:
    """Release `scope`; where it was marked meanwhile, it is due again at once.

    Args:
        took_ms: how long the work took, where somebody may want to know.
    """
    took = {} if took_ms is None else {"took_ms": took_ms}
    if not scope.startswith(DEADLINE_PREFIX):
        Dirty.objects.filter(scope=scope).update(claimed_until=None, **took)
    elif took:
        Deadline.objects.filter(pk=scope.removeprefix(DEADLINE_PREFIX)).update(**took)


def release_after_changes(
    scope: str, *, changes: int, now: datetime, took_ms: int | None = None
) -> None:
    """Release `scope` after work that took in so many changes at once, later if they were many.

    While changes pour in, each computation would soon be behind again; so it waits for more of them
    (docs/performance, "Limits"). A change that comes alone is worked off at
    once.
    """
    if changes < FEW:
        release_job(scope, took_ms=took_ms)
        return
    until = now + min(changes * REST_A_CHANGE, LONGEST_REST)
    Dirty.objects.filter(scope=scope).update(claimed_until=until, took_ms=took_ms)


def release_all() -> int:
    """Release what a killed worker had claimed; only for the one worker of the embedded mode."""
    return Dirty.objects.filter(claimed_until__isnull=False).update(claimed_until=None)
