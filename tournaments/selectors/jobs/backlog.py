"""How much work waits, how old it is, and how fast publications follow changes; for monitoring."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F

from tournaments.models.outbox import EVENT_PREFIX, Dirty
from tournaments.selectors.jobs.queue import due_deadlines, pending_deadlines, pending_scopes
from tournaments.selectors.jobs.readiness import oldest_late_job

RECENT: Final = timedelta(minutes=5)
"""Publications of this long ago until now are measured."""
MISSED_AFTER: Final = timedelta(seconds=30)
"""A deadline that is due for so long and not done counts as missed."""
MOST_MEASURED: Final = 1000


@dataclass(frozen=True, slots=True)
class JobBacklog:
    """The queue at one moment.

    `waiting` and `parked` count jobs of every kind, deadlines that are due included; `oldest` is
    when the job was due that waits longest. `latencies_s` holds the seconds from an event's last
    change to the publication with it, one for each event that was published within `RECENT`.
    """

    waiting: int
    oldest: datetime | None
    parked: int
    deadlines_missed: int
    latencies_s: tuple[float, ...]


def job_backlog(now: datetime) -> JobBacklog:
    """Return how the queue stands."""
    behind, due = pending_scopes(), due_deadlines(now)
    return JobBacklog(
        waiting=behind.filter(parked=False).count() + due.count(),
        oldest=oldest_late_job(now),
        parked=behind.filter(parked=True).count() + pending_deadlines().filter(parked=True).count(),
        deadlines_missed=due.filter(due_at__lt=now - MISSED_AFTER).count(),
        latencies_s=_latencies_s(now),
    )


def _latencies_s(now: datetime) -> tuple[float, ...]:
    rows = Dirty.objects.filter(
        scope__startswith=EVENT_PREFIX,
        done__gte=F("version"),
        done_at__gt=now - RECENT,
        done_at__lte=now,
        marked_at__lte=F("done_at"),
    )
    moments = rows.order_by("-done_at").values_list("marked_at", "done_at")[:MOST_MEASURED]
    return tuple((done - marked).total_seconds() for marked, done in moments if marked and done)
