"""The work on an event that runs by itself: computations and the jobs of the clock.

When each ran last and how long that took, what waits, how far long work is, and what was given up
with its error. For directors.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

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
from tournaments.selectors.jobs.queue import LEASE

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
