"""The dispatcher: a thread of every worker that turns rows of the queue into messages."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import structlog
from celery import Celery
from celery.signals import worker_shutting_down
from celery.worker.state import active_requests
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from tournaments.delivery.lasting_thread import LastingThread, LastingThreadStep
from tournaments.models.jobs import Dirty
from tournaments.selectors.jobs.queue import (
    PendingScope,
    WorkerPresence,
    get_database_time,
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
from tournaments.services.publishing.packing import is_packing_allowed, pack_piece

log = structlog.get_logger(__name__)


TICK_S = 0.1
BEAT_S = 5.0
REPEAT_S: Final = 1.0
LONGEST_REPEAT_S: Final = 30.0
"""A hint without effect is sent again after 1, 2, 4 … 30 s."""
UNTAKEN_LOOKS: Final = 30
"""After this many looks (3 s) without a message, an idle worker does a due row."""
PATIENCE_S = 0.2
"""With a broker the web process sends the first hint, but for scopes that rested."""
LOOK_S = 1.0
"""A worker asks this often whether the next sweep is due to it (services/jobs/queue.py)."""
ALIVE: Final[Path] = settings.VAR_DIR / "worker-alive"
"""A file for a health check on the machine of the worker: the worker reaches its database."""


@dataclass(slots=True)
class WaitingRow:
    """A due row that no worker has claimed; at how many looks it was due while ours was idle."""

    next_hint: float
    pause_s: float = REPEAT_S
    idle_looks: int = 0

    def note_hint(self, moment: float) -> None:
        self.next_hint = moment + self.pause_s
        self.pause_s = min(2 * self.pause_s, LONGEST_REPEAT_S)


class Dispatcher(LastingThread):
    """Looks for due rows every TICK_S, and writes a heartbeat of its worker every BEAT_S.

    `is_busy` says whether the worker has tasks in all its processes.
    """

    NAME, CLAIMED = "dispatcher", Dirty
    FIRST_REST_S = TICK_S
    LEAVE_S = 5.0
    """Longest wait of a stopping worker for the dispatcher to remove its heartbeat."""

    def __init__(self, app: Celery, name: str, is_busy: Callable[[], bool] = lambda: False) -> None:
        super().__init__()
        self._app = app
        self._is_busy = is_busy
        self._worker = name
        self._presence = WorkerPresence(name)
        self._embedded: bool = settings.EMBEDDED
        self._worker_ends = threading.Event()
        self._next_beat = 0.0
        self._next_look = 0.0
        self._cleaned_on: date | None = None
        self._waiting: dict[PendingScope, WaitingRow] = {}
        self._is_delivering = True
        self._completed = False

    def start(self) -> None:
        worker_shutting_down.connect(self.worker_ends)
        super().start()

    def worker_ends(self, **kwargs: object) -> None:
        self._worker_ends.set()

    def step(self) -> float:
        if time.monotonic() >= self._next_beat:
            self._beat()
        self._sweep()
        is_worked = self._feed()
        if self._embedded and self._worker_ends.is_set():
            # A worker that ends waits up to 3 s for a message.
            self._app.send_task(PUBLISH_TASK, args=[NO_EVENT], retry=False)
        return 0.0 if is_worked else TICK_S

    def _beat(self) -> None:
        record_heartbeat(name=self._worker, now=timezone.now())
        with suppress(OSError):
            ALIVE.touch()
            self._presence.renew()
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
            complete_contacts()
            retry_unknown_deadlines()
            compare_names()
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
        moment, is_busy = time.monotonic(), self._is_busy() or self._worker_ends.is_set()
        self._is_delivering |= is_busy
        for row, waiting in self._list_waiting(moment):
            waiting.idle_looks = 0 if is_busy else waiting.idle_looks + 1
            if waiting.idle_looks > UNTAKEN_LOOKS:
                waiting.idle_looks = 0
                if self._is_delivering:
                    log.warning("broker_delivers_nothing", task=TASKS[row.prefix], id=row.number)
                self._is_delivering = False
                self._work_on(row)
                return True
            if waiting.next_hint <= moment:
                waiting.note_hint(moment)
                if not send_hint(self._app, TASKS[row.prefix], row.number):
                    self._work_on(row)
                    return True
        return False

    def _list_waiting(self, moment: float) -> list[tuple[PendingScope, WaitingRow]]:
        patience = 0 if self._embedded else PATIENCE_S
        rows = list_claimable_scopes(get_database_time(timezone.now()))
        self._waiting = {
            row: self._waiting.get(row) or WaitingRow(moment + (0 if row.rested else patience))
            for row in rows
            if row.prefix in TASKS
        }
        return list(self._waiting.items())

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


class DispatcherStep(LastingThreadStep):
    def create(self, parent: Any) -> Any:
        pool = parent.pool
        return Dispatcher(
            parent.app, parent.hostname, is_busy=lambda: len(active_requests) >= pool.limit
        )
