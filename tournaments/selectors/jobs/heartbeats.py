"""Which workers are alive, as their heartbeats say."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Subquery

from tournaments.models.outbox import Heartbeat

SILENT_AFTER: Final = timedelta(seconds=30)
"""A worker is heard every few seconds; one that is not heard for so long is taken for gone."""


def is_worker_heard(now: datetime) -> bool:
    """Whether any worker is alive, so that what waits is done within seconds."""
    return Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER).exists()


def last_heard() -> Subquery:
    """Return a database expression for when any worker was last heard; null: none ever was."""
    return Subquery(Heartbeat.objects.order_by("-seen_at").values("seen_at")[:1])


def is_heard(seen_at: datetime | None, now: datetime) -> bool:
    """Whether a worker that was last heard at `seen_at` is alive; no query."""
    return seen_at is not None and seen_at > now - SILENT_AFTER


def workers() -> tuple[tuple[str, datetime], ...]:
    """Return every worker that did not end in order, and when it was last heard."""
    return tuple(Heartbeat.objects.order_by("name").values_list("name", "seen_at"))
