"""What the readiness probes ask: is a worker alive, and how long has a change been waiting."""

from datetime import datetime

from django.db.models import F, Max, Min

from tournaments.models.outbox import EVENT_PREFIX, Dirty, Heartbeat


def last_heartbeat() -> datetime | None:
    """When any worker was last alive; None where none ever was."""
    seen: datetime | None = Heartbeat.objects.aggregate(last=Max("seen_at"))["last"]
    return seen


def oldest_waiting_change() -> datetime | None:
    """When the change that waits longest was marked; parked scopes wait for a person instead.

    A large file takes as long as it takes: only what waits for its publication counts.
    """
    behind = Dirty.objects.filter(done__lt=F("version"), parked=False)
    behind = behind.filter(scope__startswith=EVENT_PREFIX)
    marked: datetime | None = behind.aggregate(first=Min("marked_at"))["first"]
    return marked
