"""Which workers are alive, as their heartbeats say."""

from datetime import datetime, timedelta
from typing import Final

from tournaments.models.outbox import Heartbeat

SILENT_AFTER: Final = timedelta(seconds=30)
"""A worker is heard every few seconds; one that is not heard for so long is taken for gone."""


def is_worker_heard(now: datetime) -> bool:
    """Whether any worker is alive, so that what waits is done within seconds."""
    return Heartbeat.objects.filter(seen_at__gt=now - SILENT_AFTER).exists()


def workers() -> tuple[tuple[str, datetime], ...]:
    """Return every worker that did not end in order, and when it was last heard."""
    return tuple(Heartbeat.objects.order_by("name").values_list("name", "seen_at"))
