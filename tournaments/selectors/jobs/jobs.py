"""The background jobs of an event, and how much work is pending, for monitoring."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from django.db.models import F, Min

from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.models.outbox import (
    EVENT_PREFIX,
    HISTORY_PREFIX,
    LADDER_PREFIX,
    PLAYOFFS_PREFIX,
    RECOUNT_PREFIX,
    Deadline,
    Dirty,
    import_scope,
)
from tournaments.policy import may
from tournaments.selectors.jobs.queue import (
    LEASE,
    list_due_deadlines,
    list_pending_deadlines,
    list_pending_scopes,
)

ACT: Final = "publish"
"""Who may have work tried again may see how it stands."""
COMPUTATIONS: Final = (
    EVENT_PREFIX, LADDER_PREFIX, PLAYOFFS_PREFIX, RECOUNT_PREFIX, HISTORY_PREFIX,
)  # fmt: skip
"""In the order in which they are listed."""
MOST_IMPORTS: Final = 5
MOST_TO_COME: Final = 200
"""So many of the clock's jobs are listed, the earliest first."""


JobState = Literal["idle", "waiting", "running", "stopped"]


@dataclass(frozen=True, slots=True)
class Job:
    """One computation, or one job of the clock.

    `kind` is that of a scope without its colon, or that of a deadline; `key` says which one where
    there are several (a file's number, a round's, a challenge's), empty else. `due_at` is when the
    clock, or the pause after a failed try, starts it next. `done` of `of` is how far long work is,
    None where nobody counts. `error` is that of the last try that failed, empty where none did.
    """

    kind: str
    key: str
    state: JobState
    ran_at: datetime | None
    took_ms: int | None
    outcome: str
    waits_since: datetime | None
    due_at: datetime | None
    done: int | None
    of: int | None
    attempts: int
    error: str


def may_see_jobs(event: Event) -> bool:
    """Whether the actor that `event` was read for may see its jobs."""
    return may(str(getattr(event, "role", "public")), ACT)


def jobs_of(event: Event, *, now: datetime) -> tuple[Job, ...]:
    """Return the work on an event: what computes it, its newest files, then the clock's jobs.

    Of the clock's jobs those that are to come or were given up, the earliest first, and of each
    kind that has nothing to come the one that ran last.
    """
    return (*_computations(event, now), *_imports(event, now), *_of_the_clock(event, now))


def _computations(event: Event, now: datetime) -> Iterator[Job]:
    scopes = {f"{prefix}{event.pk}": prefix.rstrip(":") for prefix in COMPUTATIONS}
    rows = {row.scope: row for row in Dirty.objects.filter(scope__in=scopes)}
    for scope, kind in scopes.items():
        if scope in rows:
            yield _computation(rows[scope], kind, "", now)


def _imports(event: Event, now: datetime) -> Iterator[Job]:
    """The newest files that a worker had to do with."""
    batches = ImportBatch.objects.filter(event=event).order_by("-number")[:MOST_IMPORTS]
    scopes = {
        import_scope(pk): (str(number), done, of)
        for pk, number, done, of in batches.values_list(
            "pk", "number", "upload__rows_done", "upload__rows_total"
        )
    }
    rows = {row.scope: row for row in Dirty.objects.filter(scope__in=scopes)}
    for scope, (key, done, of) in scopes.items():
        if scope in rows:
            yield _computation(rows[scope], "import", key, now, {"done": done, "of": of})


def _computation(
    row: Dirty, kind: str, key: str, now: datetime, progress: Mapping[str, int | None] | None = None
) -> Job:
    state = _state(row, now)
    far = (progress or row.progress or {}) if state != "idle" else {}
    return Job(
        kind=kind,
        key=key,
        state=state,
        ran_at=row.done_at,
        took_ms=row.took_ms,
        outcome="",
        waits_since=row.marked_at if state in ("waiting", "stopped") else None,
        due_at=row.due_at if state == "waiting" else None,
        done=far.get("done"),
        of=far.get("of") or None,
        attempts=row.attempts if state != "idle" else 0,
        error=row.error if state != "idle" else "",
    )


def _state(row: Dirty, now: datetime) -> JobState:
    if row.done >= row.version:
        return "idle"
    if row.parked:
        return "stopped"
    is_claimed = row.claimed_until is not None and now < row.claimed_until <= now + LEASE
    return "running" if is_claimed else "waiting"


def _of_the_clock(event: Event, now: datetime) -> Iterator[Job]:
    rows = Deadline.objects.filter(event=event)
    to_come = list(rows.filter(done_at=None).order_by("due_at", "kind", "key")[:MOST_TO_COME])
    kinds = {row.kind for row in to_come}
    over: dict[str, Deadline] = {}
    for kind in sorted(set(rows.values_list("kind", flat=True).distinct()) - kinds):
        last = rows.filter(kind=kind, ran_at__isnull=False).order_by("-ran_at", "-pk").first()
        if last is not None:
            over[kind] = last
    for row in (*to_come, *over.values()):
        yield _of_a_deadline(row, now)


def _of_a_deadline(row: Deadline, now: datetime) -> Job:
    is_over = row.done_at is not None
    state: JobState = "stopped" if row.parked and not is_over else "idle"
    if state == "idle" and not is_over and row.due_at <= now:
        state = "waiting"
    return Job(
        kind=row.kind,
        key=row.key,
        state=state,
        ran_at=row.ran_at,
        took_ms=row.took_ms,
        outcome=row.outcome,
        waits_since=row.due_at if state in ("waiting", "stopped") else None,
        due_at=None if is_over else row.due_at,
        done=None,
        of=None,
        attempts=0 if is_over else row.attempts,
        error="" if is_over else row.error,
    )


def find_oldest_late_job(now: datetime) -> datetime | None:
    """Since when the job that waits longest could have been begun; None where none waits.

    A job that somebody is at takes as long as it takes, and a parked one waits for a person.
    """
    rows = list_pending_scopes().filter(parked=False).exclude(claimed_until__gt=now)
    over = list_due_deadlines(now)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def find_oldest_parked_job() -> datetime | None:
    """Since when the job waits that was given up first, of whatever kind; None where none was."""
    rows, over = (
        list_pending_scopes().filter(parked=True),
        list_pending_deadlines().filter(parked=True),
    )
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def _earliest(*found: Mapping[str, datetime | None]) -> datetime | None:
    return min((each["first"] for each in found if each["first"] is not None), default=None)


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


def get_job_backlog(now: datetime) -> JobBacklog:
    """Return how the queue stands."""
    behind, due = list_pending_scopes(), list_due_deadlines(now)
    return JobBacklog(
        waiting=behind.filter(parked=False).count() + due.count(),
        oldest=find_oldest_late_job(now),
        parked=behind.filter(parked=True).count()
        + list_pending_deadlines().filter(parked=True).count(),
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
