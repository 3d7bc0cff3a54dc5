"""What the readiness probe asks: which workers are alive, and which jobs nobody does."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Min

from tournaments.selectors.jobs.queue import due_deadlines, pending_deadlines, pending_scopes


def oldest_late_job(now: datetime) -> datetime | None:
    """Since when the job that waits longest could have been begun; None where none waits.

    A job that somebody is at takes as long as it takes, and a parked one waits for a person.
    """
    rows = pending_scopes().filter(parked=False).exclude(claimed_until__gt=now)
    over = due_deadlines(now)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def oldest_parked_job() -> datetime | None:
    """Since when the job waits that was given up first, of whatever kind; None where none was."""
    rows, over = pending_scopes().filter(parked=True), pending_deadlines().filter(parked=True)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def _earliest(*found: Mapping[str, datetime | None]) -> datetime | None:
    return min((each["first"] for each in found if each["first"] is not None), default=None)
