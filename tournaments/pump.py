"""The pump: a thread of every worker that turns dirty rows into hints.

The database is the queue (stack.md 3). In the embedded mode nothing else sends hints; beside a
broker the pump finds what a lost message left behind, and where the broker is away it publishes
by itself, so that standings stay fresh.
"""

import threading
import time
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.signals import worker_shutting_down
from django.conf import settings
from django.db import close_old_connections, connections
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerDown

from tournaments.selectors.work import Waiting, waiting
from tournaments.services import dirty
from tournaments.services.heartbeats import record_heartbeat
from tournaments.services.marks import SWEEP_TASK, TASKS

log = structlog.get_logger(__name__)

TICK_S = 0.1
BEAT_S = 5.0
REPEAT_S = 1.0
"""A hint that changed nothing is given again after this."""
PATIENCE_S = 0.2
"""Beside a broker the web process hints first."""
REST_S = 1.0
"""After a fault (a database that restarts, say) the pump rests this long."""


class Pump(threading.Thread):
    """Looks for rows that are due every TICK_S, and says every BEAT_S that its worker lives."""

    def __init__(self, app: Celery, name: str) -> None:
        super().__init__(name="pump", daemon=True)
        self._app = app
        self._worker = name
        self._embedded: bool = settings.EMBEDDED
        self._ending = threading.Event()
        self._worker_ends = threading.Event()
        self._next_beat = 0.0
        self._next_hint: dict[Waiting, float] = {}
        self._started_over = not self._embedded

    def run(self) -> None:
        """Tick until `stop`; whatever goes wrong, go on."""
        rest = TICK_S
        while not self._ending.wait(rest):
            rest = TICK_S if self.tick() else REST_S
        connections.close_all()

    def stop(self) -> None:
        """End the thread after the tick it is in."""
        self._ending.set()
        if self.is_alive():
            self.join(timeout=2 * REST_S)

    def worker_ends(self, **kwargs: Any) -> None:
        """Take note that the worker was told to end; called where its signal found it."""
        self._worker_ends.set()

    def tick(self) -> bool:
        """Look once; false where it failed."""
        close_old_connections()
        try:
            self._start_over()
            self._beat()
            self._feed()
            self._wake()
        except Exception:  # the loop's last line of defence: a dead pump is stale tables for ever
            log.exception("pump_failed")
            close_old_connections()
            return False
        return True

    def _start_over(self) -> None:
        """Free what the embedded worker before this one held when it was killed."""
        if not self._started_over:
            dirty.release_all()
            self._started_over = True

    def _beat(self) -> None:
        if time.monotonic() >= self._next_beat:
            record_heartbeat(name=self._worker, now=timezone.now())
            self._next_beat = time.monotonic() + BEAT_S

    def _feed(self) -> None:
        moment = time.monotonic()
        first = moment if self._embedded else moment + PATIENCE_S
        rows = [row for row in waiting(timezone.now()) if row.prefix in TASKS]
        self._next_hint = {row: self._next_hint.get(row, first) for row in rows}
        for row in rows:
            if self._next_hint[row] <= moment:
                self._hint(row)
                self._next_hint[row] = moment + REPEAT_S

    def _wake(self) -> None:
        """Give a worker that ends something to receive: it waits for that up to 3 s otherwise."""
        if self._embedded and self._worker_ends.is_set():
            self._app.send_task(SWEEP_TASK, retry=False)

    def _hint(self, row: Waiting) -> None:
        """Hint at a scope; where no broker can be had, work on it here."""
        task = TASKS[row.prefix]
        try:
            self._app.send_task(task, args=[row.number], retry=False)
        except (BrokerDown, OSError) as fault:
            log.warning(
                "published_without_broker", task=task, id=row.number, fault=type(fault).__name__
            )
            self._app.tasks[task](row.number)


class PumpStep(bootsteps.StartStopStep):
    """Starts the pump with its worker, after the pool (which may fork), and stops it first."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **kwargs: Any) -> None:
        super().__init__(worker, **kwargs)
        self._pump = Pump(worker.app, worker.hostname)

    def start(self, worker: Any) -> None:
        """Start the thread."""
        worker_shutting_down.connect(self._pump.worker_ends)
        self._pump.start()

    def stop(self, worker: Any) -> None:
        """End the thread, and wait for it."""
        self._pump.stop()

    def terminate(self, worker: Any) -> None:
        """End it where the worker ends in a hurry."""
        self._pump.stop()
