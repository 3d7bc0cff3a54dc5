"""The background jobs of an event, and the pending work for monitoring."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from django.db.models import F, Min

from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import (
    EVENT_PREFIX,
    HISTORY_PREFIX,
    LADDER_PREFIX,
    PLAYOFFS_PREFIX,
    RECOUNT_PREFIX,
    Deadline,
    Dirty,
    import_scope,
)
from tournaments.selectors.jobs.queue import (
    LEASE,
    list_due_deadlines,
    list_pending_deadlines,
    list_pending_scopes,
)

JOBS_RIGHT: Final = "publish"
"""The right to have work tried again, and so to see its progress."""
COMPUTATIONS: Final = (
    EVENT_PREFIX,
    LADDER_PREFIX,
    PLAYOFFS_PREFIX,
    RECOUNT_PREFIX,
    HISTORY_PREFIX,
)
"""In the order of the list."""
MOST_TO_COME: Final = 200
"""Deadlines that are listed, the earliest first."""
JobState = Literal["idle", "waiting", "running", "stopped"]


@dataclass(frozen=True, slots=True)
class Job:
    """One computation, or the job of a deadline.

    `kind` is that of a scope without its colon, or that of a deadline; `key` distinguishes jobs of
    a kind (number of a file, a round, a challenge). `due_at` is when it starts next. `done` of `of`
    is the progress of long work. `error` is that of the last failed try.
    """

    kind: str
    key: str
    state: JobState
    ran_at: datetime | None
    took_ms: int | None
    waits_since: datetime | None
    due_at: datetime | None
    attempts: int
    error: str
    outcome: str = ""
    done: int | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class JobBacklog:
    """The queue at one moment.

    `waiting` and `parked` count jobs of every kind, due deadlines included; `oldest` is since when
    the longest waiting job is due. `latencies_s` are the seconds from an event's last change to its
    publication, one for each event that was published within `RECENT`.
    """

    waiting: int
    oldest: datetime | None
    parked: int
    deadlines_missed: int
    latencies_s: tuple[float, ...]


def list_jobs(event: Event, *, now: datetime) -> tuple[Job, ...]:
    """Return the work on an event: its computations, its newest files, then its deadlines.

    Deadlines are those to come and those given up, the earliest first, and the last run of each
    kind that has none to come.
    """
    return (*_list_computations(event, now), *_list_deadlines(event, now))


def _list_computations(event: Event, now: datetime) -> Iterator[Job]:
    kinds = {f"{prefix}{event.pk}": prefix.rstrip(":") for prefix in COMPUTATIONS}
    batches = ImportBatch.objects.filter(event=event).order_by("-number")[:5]
    imports = {
        import_scope(pk): (str(number), done, of)
        for pk, number, done, of in batches.values_list(
            "pk", "number", "upload__rows_done", "upload__rows_total"
        )
    }
    rows = {row.scope: row for row in Dirty.objects.filter(scope__in=[*kinds, *imports])}
    for scope, kind in kinds.items():
        if scope in rows:
            yield _computation(rows[scope], kind, "", now)
    for scope, (key, done, of) in imports.items():
        if scope in rows:
            yield _computation(rows[scope], "import", key, now, {"done": done, "of": of})


def _computation(
    row: Dirty, kind: str, key: str, now: datetime, progress: Mapping[str, int | None] | None = None
) -> Job:
    state = _state(row, now)
    progress = (progress or row.progress or {}) if state != "idle" else {}
    return Job(
        kind=kind,
        key=key,
        state=state,
        ran_at=row.done_at,
        took_ms=row.took_ms,
        waits_since=row.marked_at if state in ("waiting", "stopped") else None,
        due_at=row.due_at if state == "waiting" else None,
        done=progress.get("done"),
        of=progress.get("of") or None,
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


def _list_deadlines(event: Event, now: datetime) -> Iterator[Job]:
    rows = Deadline.objects.filter(event=event)
    deadlines = list(rows.filter(done_at=None).order_by("due_at", "kind", "key")[:MOST_TO_COME])
    kinds = {row.kind for row in deadlines}
    for kind in sorted(set(rows.values_list("kind", flat=True).distinct()) - kinds):
        last = rows.filter(kind=kind, ran_at__isnull=False).order_by("-ran_at", "-pk").first()
        if last is not None:
            deadlines.append(last)
    for row in deadlines:
        is_over = row.done_at is not None
        state: JobState = "stopped" if row.parked and not is_over else "idle"
        if state == "idle" and not is_over and row.due_at <= now:
            state = "waiting"
        yield Job(
            kind=row.kind,
            key=row.key,
            state=state,
            ran_at=row.ran_at,
            took_ms=row.took_ms,
            outcome=row.outcome,
            waits_since=row.due_at if state in ("waiting", "stopped") else None,
            due_at=None if is_over else row.due_at,
            attempts=0 if is_over else row.attempts,
            error="" if is_over else row.error,
        )


def find_oldest_late_job(now: datetime) -> datetime | None:
    """Return since when the longest waiting job is due; None without one.

    Claimed and parked jobs do not count: they are at work, or wait for a person.
    """
    rows = list_pending_scopes().filter(parked=False).exclude(claimed_until__gt=now)
    over = list_due_deadlines(now)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def find_oldest_parked_job() -> datetime | None:
    """Return since when the first job that was given up is due; None without one."""
    rows = list_pending_scopes().filter(parked=True)
    over = list_pending_deadlines().filter(parked=True)
    return _earliest(rows.aggregate(first=Min("marked_at")), over.aggregate(first=Min("due_at")))


def _earliest(*moments: Mapping[str, datetime | None]) -> datetime | None:
    return min((each["first"] for each in moments if each["first"] is not None), default=None)


RECENT: Final = timedelta(minutes=5)
"""The age of publications that are measured."""
MISSED_AFTER: Final = timedelta(seconds=30)
"""A deadline that is overdue by this much counts as missed."""


def get_job_backlog(now: datetime) -> JobBacklog:
    behind = list_pending_scopes()
    due = list_due_deadlines(now)
    rows = Dirty.objects.filter(
        scope__startswith=EVENT_PREFIX,
        done__gte=F("version"),
        done_at__gt=now - RECENT,
        done_at__lte=now,
        marked_at__lte=F("done_at"),
    )
    moments = rows.order_by("-done_at").values_list("marked_at", "done_at")[:1000]
    return JobBacklog(
        waiting=behind.filter(parked=False).count() + due.count(),
        oldest=find_oldest_late_job(now),
        parked=behind.filter(parked=True).count()
        + list_pending_deadlines().filter(parked=True).count(),
        deadlines_missed=due.filter(due_at__lt=now - MISSED_AFTER).count(),
        latencies_s=tuple(
            (done - marked).total_seconds() for marked, done in moments if marked and done
        ),
    )
