"""Celery tasks. A message is a hint with an id; lost, repeated and late ones are harmless."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog
from celery import shared_task
from django.utils import timezone

from tournaments.domain.time_limits import bounded
from tournaments.models import outbox
from tournaments.models.events import Event
from tournaments.models.outbox import (
    FIRST_TRY,
    Deadline,
    club_import_scope,
    deadline_scope,
    event_scope,
    history_scope,
    import_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
    removal_scope,
    season_scope,
    seating_scope,
)
from tournaments.selectors.jobs.queue import (
    get_database_time,
    get_done_version,
    get_versions,
    list_events_behind,
)
from tournaments.services.archives.import_club import club_import_steps
from tournaments.services.attendance import own_attendance
from tournaments.services.clubs import deletion
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events import deadlines as deadlines_module
from tournaments.services.events import deadlines as schedule_reminders
from tournaments.services.events import states
from tournaments.services.imports import process_upload
from tournaments.services.imports.uploads import note_end
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import (
    DeadlineOutcome,
    hint,
)
from tournaments.services.jobs.queue import retry_after_fault
from tournaments.services.ladders import challenge_transitions, deadlines
from tournaments.services.publishing import (
    history,
    ladders,
    reviews,
    schedule_playoffs,
    season_table,
)
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.services.rounds import notify_rounds
from tournaments.services.seating_plans.compute_plan import planning_steps
from tournaments.services.verification import event

HANDLERS: Final[Mapping[str, Callable[[Event, Deadline, datetime], DeadlineOutcome]]] = {
    outbox.FINALISE: states.run_event_deadline,
    outbox.FINALISE_ROUND: states.run_round_deadline,
    outbox.CHALLENGE_DEADLINE: deadlines.run_challenge_deadline,
    deadlines_module.WEEK: deadlines.run_weekly_sweep,
    deadlines_module.CHALLENGE_REMINDER: challenge_transitions.run_challenge_reminder,
    notify_rounds.DIGEST: notify_rounds.run_digest,
    schedule_reminders.EVENING_REMINDER: own_attendance.run_evening_reminder,
}
"""Kind of a deadline → what it does; the caller holds the row of the event."""
UNKNOWN_KIND_WAITS: Final = timedelta(minutes=10)
"""A deadline of a later release is left to that release, which may run beside this one."""


@atomic_act
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


LIMIT_S = 20.0
"""The `solo` pool has no time limits, so a computation bounds itself."""


LADDER_LIMIT_S = 300.0
"""A correction far back has all later games of a ladder replayed, seconds for ten thousand."""


IMPORT_LIMIT_S = 1800
"""A file may take long; it is worked off in pieces, and begun again where it was left."""


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that this worker has claimed: its scope, its version, and the version done."""

    scope: str
    version: int
    done: int
    took_ms: Callable[[], int]

    def renew(self, progress: Mapping[str, int] | None = None) -> None:
        """Renew the claim, and store the progress of long work."""
        queue.renew_claim(self.scope, now=queue_time(), progress=progress)

    def release(self) -> None:
        """Release the scope if the work itself recorded the version done."""
        queue.release_job(self.scope, took_ms=self.took_ms())

    def finish(self) -> None:
        """Note that the work is done as of the claim, and release the scope."""
        queue.finish_job(self.scope, self.version, now=queue_time(), took_ms=self.took_ms())


@contextmanager
def claimed_job(scope: str, *, limit_s: float | None = None) -> Iterator[ClaimedJob | None]:
    """Claim a scope for the block; None if it is not due, another worker has it, or after a fault.

    Any fault in the block counts against the scope (services/jobs/queue.py).

    Args:
        limit_s: how long the block may take.
    """
    if not queue.claim_job(scope, now=queue_time()):
        yield None
        return
    with structlog.contextvars.bound_contextvars(job=scope, club=None):
        yield from _claimed(scope, limit_s)


def _claimed(scope: str, limit_s: float | None) -> Iterator[ClaimedJob | None]:
    try:
        job = ClaimedJob(scope, *get_versions(scope), stopwatch())
    except Exception as fault:
        retry_after_fault(scope, fault, now=timezone.now())
        yield None
        return
    try:
        with bounded(limit_s) if limit_s is not None else nullcontext():
            yield job
    except Exception as fault:
        retry_after_fault(scope, fault, now=timezone.now())


def queue_time() -> datetime:
    return get_database_time(timezone.now())


def stopwatch() -> Callable[[], int]:
    start = time.monotonic()
    return lambda: round((time.monotonic() - start) * 1000)


@shared_task
def publish_event(event_id: int) -> None:
    """Publish an event that is behind; safe twice, late and out of order."""
    scope = event_scope(event_id)
    with claimed_job(scope, limit_s=LIMIT_S) as job:
        if job is None:
            return
        publishing_publish_event.publish(event_id, now=timezone.now())
        changes, now = get_done_version(scope) - job.done, queue_time()
        queue.release_after_changes(scope, changes=changes, now=now, took_ms=job.took_ms())
        # Whoever marked it meanwhile sent no hint. The dispatcher gathers more.
        if changes == 1 and queue.is_claimable(scope, now=queue_time()):
            hint(outbox.EVENT_PREFIX, event_id)


@shared_task(soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def work_on_import(batch_id: int) -> None:
    """Import, or preview, an uploaded file; safe twice, late and after a kill.

    It runs in pieces, each committed; between two of them this worker publishes waiting
    events, so that a large file delays no standings.
    """
    with claimed_job(import_scope(batch_id)) as job:
        if job is None:
            return
        steps = process_upload.upload_steps(batch_id, now=timezone.now())
        _work_off(job, (None for _ in steps))
        note_end(batch_id, now=timezone.now())
        job.finish()


@shared_task(soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def work_on_club_import(pk: int) -> None:
    """Check or import an uploaded archive of a club; safe twice, late and after a kill.

    It runs in pieces; between two of them this worker publishes waiting events.
    """
    with claimed_job(club_import_scope(pk)) as job:
        if job is None:
            return
        steps = club_import_steps(pk, clock=timezone.now)
        _work_off(job, ({"done": step.done, "of": step.of} for step in steps))
        job.finish()


@shared_task(soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def recount_event(event_id: int) -> None:
    """Count an event again; safe twice, late and after a kill.

    It runs in pieces, each committed; between two of them this worker publishes other
    waiting events. The event itself is published when it is counted.
    """
    with claimed_job(recount_scope(event_id)) as job:
        if job is None:
            return
        _work_off(job, event.recount_steps(event_id), but=event_id)
        now, took_ms = queue_time(), job.took_ms()
        event.finish_recount(event_id, job.version, now=now, took_ms=took_ms)


@shared_task(soft_time_limit=IMPORT_LIMIT_S, time_limit=IMPORT_LIMIT_S + 60)
def plan_seating(plan_id: int) -> None:
    """Compute a seating plan; safe twice, late and after a kill, which restarts it.

    It is computed in slices; between two of them this worker publishes waiting events.
    """
    with claimed_job(seating_scope(plan_id)) as job:
        if job is None:
            return
        _work_off(job, planning_steps(plan_id))
        job.finish()


def _work_off(
    job: ClaimedJob, steps: Iterable[Mapping[str, int] | None], *, but: int | None = None
) -> None:
    """Run the steps; between two of them publish the waiting events, except `but`."""
    for progress in steps:
        job.renew(progress)
        for event_id, _ in list_events_behind(queue_time()):
            if event_id != but:
                publish_event(event_id)


@shared_task
def run_deadline(deadline_id: int) -> None:
    """Run the job of a deadline; safe twice, early and late."""
    with claimed_job(deadline_scope(deadline_id), limit_s=LIMIT_S) as job:
        if job is not None and run_deadline_job(deadline_id, now=queue_time()):
            job.release()


@shared_task
def make_history(event_id: int) -> None:
    """Build a piece of the history of an event; safe twice, late and after a kill.

    If pieces are left, the scope is due again at once, behind all waiting publications.
    """
    _do_piece(history_scope(event_id), lambda: history.make_piece(event_id))


def _do_piece(scope: str, act: Callable[[], bool]) -> None:
    with claimed_job(scope, limit_s=LIMIT_S) as job:
        if job is None:
            return
        if act():
            queue.mark_due(scope, now=timezone.now())
        job.finish()


@shared_task
def publish_season(season_id: int) -> None:
    """Publish a season's own table if it is behind; safe twice, late and out of order."""
    with claimed_job(season_scope(season_id), limit_s=LIMIT_S) as job:
        if job is None:
            return
        season_table.publish_season(season_id, now=timezone.now())
        job.release()


@shared_task
def publish_ladder(event_id: int) -> None:
    """Publish a ladder's positions and ratings if they are behind; safe twice and late."""
    with claimed_job(ladder_scope(event_id), limit_s=LADDER_LIMIT_S) as job:
        if job is None:
            return
        ladders.publish_ladder(
            event_id,
            now=timezone.now(),
            tell=lambda done: job.renew({"done": done, "of": ladders.PARTS}),
        )
        job.release()


@shared_task
def schedule_event_playoffs(event_id: int) -> None:
    """Find the ties of an event that need a play-off; safe twice, late and out of order."""
    with claimed_job(playoffs_scope(event_id), limit_s=LIMIT_S) as job:
        if job is None:
            return
        schedule_playoffs.schedule_playoffs(event_id, now=timezone.now())
        reviews.review_cuts(event_id, now=timezone.now())
        job.finish()


@shared_task
def remove_club(club_id: int) -> None:
    """Remove a piece of a club that is due for deletion; safe twice, late and after a kill.

    If pieces are left, the scope is due again at once, behind all waiting publications.
    """
    _do_piece(removal_scope(club_id), lambda: deletion.remove_piece(club_id, now=timezone.now()))
