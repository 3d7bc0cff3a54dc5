"""The dispatcher: a thread of every worker that turns rows of the queue into messages."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog
from celery import Celery
from celery.signals import worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from tournaments.delivery.lasting_thread import LastingThread, LastingThreadStep
from tournaments.delivery.pool_watch import PoolWatch
from tournaments.models.jobs import Dirty
from tournaments.selectors.jobs.queue import (
    LEASE,
    PendingScope,
    WorkerPresence,
    get_database_time,
    is_without_process,
    list_claimable_scopes,
)
from tournaments.services.archives.club_imports import remove_old_club_imports
from tournaments.services.audit.audit import delete_old_refused_acts
from tournaments.services.clubs.deletion import mark_due_removals
from tournaments.services.clubs.members import complete_invitations
from tournaments.services.clubs.names import complete_names, retry_unknown_deadlines
from tournaments.services.clubs.personal_links import complete_contacts
from tournaments.services.imports.uploads import remove_old_uploads
from tournaments.services.jobs.enqueue import NO_EVENT, PUBLISH_TASK, TASKS, send_hint
from tournaments.services.jobs.queue import (
    claim_sweep,
    end_heartbeat,
    forget_silent_workers,
    record_heartbeat,
)
from tournaments.services.people.accounts import delete_expired_sessions
from tournaments.services.people.compare_names import compare_names
from tournaments.services.publishing.counted_anew import mark_counted_otherwise
from tournaments.services.publishing.evening_results import delete_lost_results
from tournaments.services.publishing.evening_tables import mark_missing_evenings
from tournaments.services.publishing.packing import is_packing_allowed, pack_piece
from tournaments.services.rounds.evenings import end_evenings_at_noon, end_evenings_of_the_past

log = structlog.get_logger(__name__)


TICK_S = 0.1
BEAT_S = 5.0
REPEAT_S: Final = 1.0
LONGEST_REPEAT_S: Final = 30.0
"""A hint without effect is sent again after 1, 2, 4 … 30 s."""
IDLE_S: Final = 3.0
"""A row that was due for so long while its worker was idle is done by the dispatcher."""
UNTAKEN_S: Final = 10.0
"""So is a row that is due for so long if no process of the worker lasts. One that was claimed
meanwhile, and lost with the process that had it, counts from the first time."""
LOST_CLAIM_S: Final = 2 * LEASE.total_seconds()
"""A row that is not due for so long was not lost: whoever has claimed it renews the claim."""
PATIENCE_S = 0.2
"""With a broker the web process sends the first hint, but for scopes that rested."""
LOOK_S = 1.0
"""A worker asks this often whether the next sweep is due to it (services/jobs/queue.py)."""
ALIVE: Final[Path] = settings.VAR_DIR / "worker-alive"
"""A file for a health check on the machine of the worker: the worker reaches its database."""


@dataclass(slots=True)
class WaitingRow:
    """A due row that no worker has claimed; `idle_since` is since when our worker is idle."""

    next_hint: float
    pause_s: float = REPEAT_S
    idle_since: float | None = None

    def note_hint(self, moment: float) -> None:
        self.next_hint = moment + self.pause_s
        self.pause_s = min(2 * self.pause_s, LONGEST_REPEAT_S)


DueKey: TypeAlias = tuple[str, int, int]
"""Prefix, number and `done` of a row: the same until work on it is done."""


@dataclass(slots=True)
class DueTime:
    """Since when a row is due; `absent_since` is since when it is not, as somebody claimed it."""

    since: float
    absent_since: float | None = None


class Dispatcher(LastingThread):
    """Looks for due rows every TICK_S, and writes a heartbeat of its worker every BEAT_S.

    `processes` is how many jobs the worker does at once; the heartbeat says so.
    """

    NAME = "dispatcher"
    CLAIMED = Dirty
    FIRST_REST_S = TICK_S
    IS_URGENT = True
    LEAVE_S = 5.0
    """Longest wait of a stopping worker for the dispatcher to remove its heartbeat."""

    def __init__(
        self,
        app: Celery,
        name: str,
        pool: PoolWatch | None = None,
        *,
        processes: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._app = app
        self._pool = pool or PoolWatch()
        self._processes = processes
        self._clock = clock
        self._worker = name
        self._presence = WorkerPresence(name)
        self._embedded: bool = settings.EMBEDDED
        self._worker_ends = threading.Event()
        self._next_beat = 0.0
        self._next_look = 0.0
        self._cleaned_on: date | None = None
        self._waiting: dict[PendingScope, WaitingRow] = {}
        self._due: dict[DueKey, DueTime] = {}
        self._is_delivering = True
        self._completed = False

    def start(self) -> None:
        worker_shutting_down.connect(self.worker_ends)
        super().start()

    def worker_ends(self, **kwargs: object) -> None:
        self._worker_ends.set()

    def step(self) -> float:
        self._pool.look(self._clock())
        if time.monotonic() >= self._next_beat:
            self._beat()
        self._sweep()
        is_worked = self._feed()
        if self._embedded and self._worker_ends.is_set():
            # A worker that ends waits up to 3 s for a message.
            self._app.send_task(PUBLISH_TASK, args=[NO_EVENT], retry=False)
        return 0.0 if is_worked else TICK_S

    def _beat(self) -> None:
        now = timezone.now()
        moment = self._clock()
        since = self._pool.look(moment)
        without_process_since = None if since is None else now - timedelta(seconds=moment - since)
        record_heartbeat(
            name=self._worker,
            now=now,
            processes=self._processes,
            without_process_since=without_process_since,
        )
        has_process = not is_without_process(now, without_process_since)
        with suppress(OSError):
            if has_process:
                ALIVE.touch()
            self._presence.renew(has_process=has_process)
        self._next_beat = time.monotonic() + BEAT_S

    def leave(self) -> None:
        """Remove the heartbeat of a stopped worker, so that it does not count as failed."""
        try:
            end_heartbeat(name=self._worker)
            self._presence.end()
        except DatabaseError as fault:
            log.warning("heartbeat_left_behind", fault=type(fault).__name__)

    def _sweep(self) -> None:
        """Clean up, if the next sweep is due to this worker."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_S
        now = timezone.now()
        if claim_sweep(now=get_database_time(now)):
            forget_silent_workers(now=now)
            mark_due_removals(now=now)
            remove_old_club_imports(now=now)
            complete_names(everybody=not self._completed, now=now)
            complete_contacts(now=now)
            retry_unknown_deadlines()
            compare_names()
            mark_counted_otherwise(now=get_database_time(now))
            mark_missing_evenings(now=get_database_time(now))
            end_evenings_at_noon(now=get_database_time(now))
            end_evenings_of_the_past(now=get_database_time(now))
            delete_lost_results()
            if is_packing_allowed(now):
                pack_piece(now=now)
            self._completed = True
            if self._cleaned_on != now.date():  # each night at 0:00 UTC, and as the worker starts
                delete_expired_sessions(now=now)
                delete_old_refused_acts(now=now)
                remove_old_uploads(now=now)
                complete_invitations()
                self._cleaned_on = now.date()
            log.debug("swept", worker=self._worker)

    def _feed(self) -> bool:
        """Send the hints that are due; return whether a row was worked on instead.

        A broker that is away gets none. One that delivers none is bypassed by an idle worker.
        """
        moment = self._clock()
        is_busy = self._pool.is_busy() or self._worker_ends.is_set()
        self._is_delivering |= is_busy
        for row, waiting in self._list_waiting(moment):
            if is_busy:
                waiting.idle_since = None
            elif waiting.idle_since is None:
                waiting.idle_since = moment
            if not is_busy and self._is_untaken(row, waiting, moment):
                waiting.idle_since = None
                self._note_untaken(row)
                self._work_on(row)
                return True
            if waiting.next_hint <= moment:
                waiting.note_hint(moment)
                if not send_hint(self._app, TASKS[row.prefix], row.number):
                    self._work_on(row)
                    return True
        return False

    def _is_untaken(self, row: PendingScope, waiting: WaitingRow, moment: float) -> bool:
        idle_since = waiting.idle_since
        if idle_since is not None and moment - idle_since >= IDLE_S:
            return True
        has_process = self._pool.look(moment) is None
        return not has_process and moment - self._due[key_of(row)].since >= UNTAKEN_S

    def _note_untaken(self, row: PendingScope) -> None:
        if self._is_delivering:
            is_alone = self._pool.look(self._clock()) is not None
            code = "worker_without_process" if is_alone else "broker_delivers_nothing"
            log.warning(code, task=TASKS[row.prefix], id=row.number)
        self._is_delivering = False

    def _list_waiting(self, moment: float) -> list[tuple[PendingScope, WaitingRow]]:
        patience = 0 if self._embedded else PATIENCE_S
        rows = list_claimable_scopes(get_database_time(timezone.now()))
        self._waiting = {
            row: self._waiting.get(row) or WaitingRow(moment + (0 if row.rested else patience))
            for row in rows
            if row.prefix in TASKS
        }
        self._note_due(moment)
        return list(self._waiting.items())

    def _note_due(self, moment: float) -> None:
        """Note which rows are due; one that is absent for a moment was claimed, perhaps in vain."""
        due = {key_of(row) for row in self._waiting}
        for key, times in list(self._due.items()):
            if key in due:
                times.absent_since = None
            elif times.absent_since is None:
                times.absent_since = moment
            elif moment - times.absent_since >= LOST_CLAIM_S:
                del self._due[key]
        for key in due:
            self._due.setdefault(key, DueTime(moment))

    def _work_on(self, row: PendingScope) -> None:
        task = TASKS[row.prefix]
        log.debug("worked_without_broker", task=task, id=row.number)
        with self._heartbeats():
            self._app.tasks[task](row.number)

    @contextmanager
    def _heartbeats(self) -> Iterator[None]:
        is_done = threading.Event()

        def beat() -> None:
            while not is_done.wait(BEAT_S):
                try:
                    self._beat()
                except DatabaseError as fault:
                    log.warning("heartbeat_missed", fault=type(fault).__name__)
                    close_old_connections()
            connections.close_all()

        beats = threading.Thread(target=beat, name="dispatcher-beats", daemon=True)
        beats.start()
        try:
            yield
        finally:
            is_done.set()
            beats.join()


def key_of(row: PendingScope) -> DueKey:
    return row.prefix, row.number, row.done


class DispatcherStep(LastingThreadStep):
    def create(self, parent: Any) -> Any:
        pool = parent.pool
        return Dispatcher(parent.app, parent.hostname, PoolWatch(pool), processes=pool.limit)
