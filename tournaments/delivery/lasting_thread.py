"""A thread of a worker that works in steps, and continues after any fault in one of them."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections

log = structlog.get_logger(__name__)


FAULT_S: Final = 1.0
"""After a fault (a database that restarts, say) a thread rests this long."""


class LastingThread(threading.Thread, ABC):
    """Takes a step again and again until `stop`.

    Attributes:
        FIRST_REST_S: seconds before the first step.
        LEAVE_S: seconds that `stop` waits for the current step.
    """

    FIRST_REST_S: ClassVar[float]
    LEAVE_S: ClassVar[float] = 2.0

    def __init__(self, name: str, release_claims: Callable[[], object]) -> None:
        super().__init__(name=name, daemon=True)
        self._ending = threading.Event()
        self._release_claims = release_claims
        self._started_over = not settings.EMBEDDED

    def run(self) -> None:
        rest = self.FIRST_REST_S
        while not self.pause(rest):
            rest = self.tick()
        self.leave()
        connections.close_all()

    def stop(self) -> None:
        """End the thread after the current step."""
        self._ending.set()
        if self.is_alive():
            self.join(timeout=self.LEAVE_S)

    def tick(self) -> float:
        """Take one step; return the seconds to rest after it."""
        close_old_connections()
        try:
            if not self._started_over:  # an embedded worker that was killed left its claims
                self._release_claims()
                self._started_over = True
            return self.step()
        except DatabaseError as fault:
            log.warning("thread_waits_for_database", thread=self.name, fault=type(fault).__name__)
        except Exception:
            # The last guard: a fault that passed it would end the thread until a restart.
            log.exception("thread_failed", thread=self.name)
        close_old_connections()
        return FAULT_S

    @abstractmethod
    def step(self) -> float:
        """Do the due work; return the seconds to rest after it."""

    def pause(self, seconds: float) -> bool:
        """Wait for a number of seconds; return whether the thread is to end."""
        return self._ending.wait(seconds)

    def leave(self) -> None:
        """Clean up after the last step."""


class LastingThreadStep(bootsteps.StartStopStep):
    """Starts a thread with its worker, after the pool (which may fork), and stops it first."""

    requires = ("celery.worker.components:Pool",)
    thread: LastingThread

    def start(self, worker: object) -> None:
        self.thread.start()

    def stop(self, worker: object) -> None:
        self.thread.stop()

    def terminate(self, worker: object) -> None:
        self.thread.stop()
