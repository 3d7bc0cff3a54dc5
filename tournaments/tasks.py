"""Celery tasks. A message is a hint with an id; lost, repeated and late ones are harmless."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import partial, wraps
from typing import Final, TypeAlias

import structlog
from celery import current_app, current_task, shared_task
from django.db import Error
from django.utils import timezone

from tournaments.domain.time_limits import bounded
from tournaments.models import jobs
from tournaments.models.events import Event
from tournaments.models.jobs import EVENT_PREFIX, FIRST_TRY, IMPORT_PREFIXES, Deadline
from tournaments.selectors.jobs.queue import (
    get_database_time,
    get_versions,
    list_claimable_scopes,
)
from tournaments.services.archives.import_club import club_import_steps
from tournaments.services.attendance import own_attendance
from tournaments.services.clubs import deletion
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events import finalise
from tournaments.services.imports import process_upload
from tournaments.services.imports.uploads import note_end
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import TASKS, DeadlineOutcome, send_hint
from tournaments.services.jobs.queue import retry_after_fault
from tournaments.services.ladders import challenge_transitions, run_deadlines
from tournaments.services.publishing import (
    evening_results,
    history,
    ladders,
    reviews,
    schedule_playoffs,
    season_table,
)
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.services.rounds import evenings, rounds
from tournaments.services.seating_plans.compute_plan import planning_steps
from tournaments.services.verification import event

log = structlog.get_logger(__name__)

HANDLERS: Final[Mapping[str, Callable[[Event, Deadline, datetime], DeadlineOutcome]]] = {
    jobs.FINALISE: finalise.run_event_deadline,
    jobs.FINALISE_ROUND: finalise.run_round_deadline,
    jobs.CHALLENGE_DEADLINE: run_deadlines.run_challenge_deadline,
    jobs.LADDER_WEEK: run_deadlines.run_weekly_sweep,
    jobs.CHALLENGE_REMINDER: challenge_transitions.run_challenge_reminder,
    rounds.DIGEST: rounds.run_digest,
    jobs.EVENING_END: evenings.run_evening_end,
    jobs.EVENING_RESULT: evening_results.run_evening_result,
    jobs.EVENING_REMINDER: own_attendance.run_evening_reminder,
}
"""Kind of a deadline → what it does; the caller holds the row of the event."""
UNKNOWN_KIND_WAITS: Final = timedelta(minutes=10)
"""A deadline of a later release is left to that release, which may run beside this one."""

LIMIT_S = 20.0
"""The `solo` pool has no time limits, so a computation bounds itself."""

LADDER_LIMIT_S = 300.0
"""A correction far back has all later games of a ladder replayed, seconds for ten thousand."""

IMPORT_LIMIT_S = 1800
"""A file may take long; it is worked off in pieces, and begun again where it was left."""

JOBS: Final[dict[str, Callable[[int], bool]]] = {}
"""Prefix of a scope → its job, where that ends within LIMIT_S. Longer ones start by hints only."""

LONGER_JOBS: Final[dict[str, Callable[[int], bool]]] = {}
"""The same for longer jobs but those on files; they also run between two pieces of a file."""


@atomic_step
def run_deadline_job(deadline_id: int, *, now: datetime) -> bool:
    """Run the job of a deadline, if it has passed; safe twice, early and late.

    Returns:
        Whether the job is done for this time; one that waits for a person is tried again.
    """
    event_id = Deadline.objects.filter(pk=deadline_id).values_list("event_id", flat=True).first()
    if event_id is None:
        return False
    event = lock_event(Event(pk=event_id))
    # Whoever moves a deadline holds the event's row, so this one stays as it is read here.
    row = Deadline.objects.filter(pk=deadline_id).first()
    if row is None or row.done_at is not None or row.due_at > now:
        return False
    rows = Deadline.objects.filter(pk=row.pk)
    if row.kind not in HANDLERS:
        rows.update(due_at=now + UNKNOWN_KIND_WAITS)
        return False
    met = HANDLERS[row.kind](event, row, now)
    rows.update(ran_at=now, outcome=met.outcome, **FIRST_TRY)
    if met.again is None:
        rows.update(done_at=now)
    else:
        rows.update(due_at=met.again)
    return met.again is None or bool(met.outcome)


class ClaimedJob:
    """A job that this worker has claimed: its scope, its version, and the version done.

    `outer` is the long job between two pieces of which this one runs.
    """

    def __init__(self, scope: str, outer: "ClaimedJob | None" = None) -> None:
        self.scope = scope
        self.outer = outer
        self.progress: Mapping[str, int] | None = None
        self.version, self.done = get_versions(scope)
        self.took_ms = stopwatch()

    def renew(self, progress: Mapping[str, int] | None = None) -> None:
        """Renew the claim with this progress, and those of the jobs outside this one."""
        self.progress = progress
        job: ClaimedJob | None = self
        while job is not None:
            queue.renew_claim(job.scope, now=queue_time(), progress=job.progress)
            job = job.outer

    def release(self) -> None:
        """Release the scope if the work itself recorded the version done."""
        queue.release_job(self.scope, took_ms=self.took_ms())

    def finish(self, *, has_more: bool = False) -> None:
        """Note that the work is done as of the claim, and release the scope.

        A scope that has more work is due again at once, behind all waiting publications.
        """
        if has_more:
            queue.mark_due(self.scope, now=timezone.now())
        queue.finish_job(self.scope, self.version, now=queue_time(), took_ms=self.took_ms())

    def work_off(
        self, steps: Iterable[Mapping[str, int] | None], *, but: int | None = None
    ) -> None:
        """Run the steps; between two of them do the other work that is due once.

        `but` is the event of this job, which is not published meanwhile. Files, which may take
        minutes, also let the longer jobs go first.
        """
        jobs_beside = JOBS | LONGER_JOBS if self.scope.startswith(IMPORT_PREFIXES) else JOBS
        for progress in steps:
            self.renew(progress)
            for row in list_claimable_scopes(queue_time()):
                is_of_this = row.prefix == EVENT_PREFIX and row.number == but
                if row.prefix in jobs_beside and not is_of_this:
                    jobs_beside[row.prefix](row.number)
                    self.renew(progress)


Work: TypeAlias = Callable[[int, ClaimedJob], None]

RUNNING_JOB: Final[ContextVar[ClaimedJob | None]] = ContextVar("running_job", default=None)


def run_job(scope: str, work: Callable[[ClaimedJob], None], *, limit_s: float | None) -> bool:
    """Claim a scope and work on it; return false if it is not due, or another worker has it.

    Any fault counts against the scope (services/jobs/queue.py). The work may take `limit_s`.
    """
    claim = queue.claim_import if scope.startswith(IMPORT_PREFIXES) else queue.claim_job
    if not claim(scope, now=queue_time()):
        return False
    with structlog.contextvars.bound_contextvars(job=scope, club=None):
        outer = RUNNING_JOB.get()
        try:
            job = ClaimedJob(scope, outer)
            RUNNING_JOB.set(job)
            with bounded(limit_s) if limit_s is not None else nullcontext():
                work(job)
        except Exception as fault:
            retry_after_fault(scope, fault, now=timezone.now())
        finally:
            RUNNING_JOB.set(outer)
    return True


MOST_MORE_JOBS: Final = 50
MORE_JOBS_S: Final = 2.0
"""After this time a task begins no further job, so that it ends within Celery's time limits."""


def work_on_due_rows(until: float) -> None:
    """Work on the rows that are due next, so that only an idle worker needs a hint.

    No row is worked on twice unless it made progress. At the end a hint makes a worker continue.
    """
    claims: set[tuple[str, int, int]] = set()
    for at in range(MOST_MORE_JOBS + 1):
        rows = (row for row in list_claimable_scopes(queue_time()) if row.prefix in JOBS)
        row = next((row for row in rows if (row.prefix, row.number, row.done) not in claims), None)
        if row is None:
            return
        if at == MOST_MORE_JOBS or time.monotonic() >= until:
            send_hint(current_app, TASKS[row.prefix], row.number)
            return
        claims.add((row.prefix, row.number, row.done))
        JOBS[row.prefix](row.number)


def job_task(
    prefix: str, *, limit_s: float | None = None, is_long: bool = False
) -> Callable[[Work], Callable[[int], None]]:
    """Declare a task that works on the scopes of a prefix; its argument is their number.

    Safe twice, late and out of order. A long one runs in pieces, each committed, and continues
    after a kill; between two pieces its worker publishes waiting events. A task that a message
    started works on further due rows.
    """

    def declare(work: Work) -> Callable[[int], None]:
        def run_one(number: int) -> bool:
            limit = None if is_long else limit_s or LIMIT_S
            return run_job(f"{prefix}{number}", partial(work, number), limit_s=limit)

        @wraps(work)
        def run(number: int) -> None:
            until = time.monotonic() + MORE_JOBS_S
            is_claimed = run_one(number)
            if not is_claimed:
                until = time.monotonic() + MORE_JOBS_S  # nothing was worked on so far
            if not current_task.request.called_directly:
                try:
                    work_on_due_rows(until)
                except Error as fault:
                    # The rows stay due, and a later hint brings a worker back to them.
                    log.warning("worker_waits_for_database", fault=type(fault).__name__)

        if not is_long and limit_s is None:
            JOBS[prefix] = run_one
        elif prefix not in IMPORT_PREFIXES:
            LONGER_JOBS[prefix] = run_one
        if is_long:
            return shared_task(soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)(run)
        return shared_task(run)

    return declare


def queue_time() -> datetime:
    return get_database_time(timezone.now())


def stopwatch() -> Callable[[], int]:
    start = time.monotonic()
    return lambda: round((time.monotonic() - start) * 1000)


@job_task(jobs.EVENT_PREFIX)
def publish_event(event_id: int, job: ClaimedJob) -> None:
    publishing_publish_event.publish(event_id, now=timezone.now())
    version, done = get_versions(job.scope)
    if job.done == done < version:
        return  # it cannot be published yet; the claim runs out
    changes = done - job.done
    took_ms = job.took_ms()
    queue.release_after_changes(job.scope, changes=changes, now=queue_time(), took_ms=took_ms)


@job_task(jobs.IMPORT_PREFIX, is_long=True)
def work_on_import(batch_id: int, job: ClaimedJob) -> None:
    steps = process_upload.upload_steps(batch_id, now=timezone.now())
    job.work_off(None for _ in steps)
    note_end(batch_id, now=timezone.now())
    job.finish()


@job_task(jobs.CLUB_IMPORT_PREFIX, is_long=True)
def work_on_club_import(pk: int, job: ClaimedJob) -> None:
    steps = club_import_steps(pk, clock=timezone.now)
    job.work_off({"done": done, "of": of} for done, of in steps)
    job.finish()


@job_task(jobs.RECOUNT_PREFIX, is_long=True)
def recount_event(event_id: int, job: ClaimedJob) -> None:
    job.work_off(event.recount_steps(event_id), but=event_id)
    event.finish_recount(event_id, job.version, now=queue_time(), took_ms=job.took_ms())


@job_task(jobs.SEATING_PREFIX, is_long=True)
def plan_seating(plan_id: int, job: ClaimedJob) -> None:
    """Compute a seating plan; a kill restarts it."""
    job.work_off(planning_steps(plan_id))
    job.finish()


@job_task(jobs.DEADLINE_PREFIX)
def run_deadline(deadline_id: int, job: ClaimedJob) -> None:
    if run_deadline_job(deadline_id, now=queue_time()):
        job.release()


@job_task(jobs.HISTORY_PREFIX)
def make_history(event_id: int, job: ClaimedJob) -> None:
    job.finish(has_more=history.make_piece(event_id, clock=queue_time))


@job_task(jobs.SEASON_PREFIX)
def publish_season(season_id: int, job: ClaimedJob) -> None:
    season_table.publish_season(season_id, now=timezone.now())
    job.release()


@job_task(jobs.LADDER_PREFIX, limit_s=LADDER_LIMIT_S)
def publish_ladder(event_id: int, job: ClaimedJob) -> None:
    ladders.publish_ladder(
        event_id,
        now=timezone.now(),
        tell=lambda done: job.renew({"done": done, "of": ladders.PARTS}),
    )
    job.release()


@job_task(jobs.PLAYOFFS_PREFIX)
def schedule_event_playoffs(event_id: int, job: ClaimedJob) -> None:
    schedule_playoffs.schedule_playoffs(event_id, now=timezone.now())
    reviews.review_cuts(event_id, now=timezone.now())
    job.finish()


@job_task(jobs.REMOVAL_PREFIX)
def remove_club(club_id: int, job: ClaimedJob) -> None:
    job.finish(has_more=deletion.remove_piece(club_id, now=timezone.now()))
