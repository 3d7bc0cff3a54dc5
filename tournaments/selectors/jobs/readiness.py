"""What the readiness probe asks: which workers are alive, and which jobs nobody does."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Max, Min, Q

from tournaments.models.outbox import Deadline, Dirty, Heartbeat

SILENT_AFTER: Final = timedelta(seconds=30)
"""A worker is heard every few seconds; one that is not heard for so long is taken for gone."""


def is_worker_heard(now: datetime) -> bool:
    """Whether any worker is alive, so that what waits is done within seconds."""
    return Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER).exists()


def last_heartbeat() -> datetime | None:
    """When any worker was last alive; None where none ever was."""
    seen: datetime | None = Heartbeat.objects.aggregate(last=Max("seen_at"))["last"]
    return seen


def workers() -> tuple[tuple[str, datetime], ...]:
    """Return every worker that did not end in order, and when it was last heard."""
    return tuple(Heartbeat.objects.order_by("name").values_list("name", "seen_at"))


def oldest_late_job(now: datetime) -> datetime | None:
    """Since when the job that waits longest could have been begun; None where none waits.

    A job that somebody is at takes as long as it takes, and a parked one waits for a person.
    """
    rows = Dirty.objects.filter(done__lt=F("version"), parked=False)
    rows = rows.exclude(Q(claimed_until__gt=now))
    over = Deadline.objects.filter(done_at__isnull=True, parked=False, due_at__lte=now)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def oldest_parked_job() -> datetime | None:
    """Since when the job waits that was given up first, of whatever kind; None where none was."""
    rows = Dirty.objects.filter(done__lt=F("version"), parked=True)
    over = Deadline.objects.filter(done_at__isnull=True, parked=True)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def _earliest(*found: Mapping[str, datetime | None]) -> datetime | None:
    return min((each["first"] for each in found if each["first"] is not None), default=None)
