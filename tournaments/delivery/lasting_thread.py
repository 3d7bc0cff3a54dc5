"""A thread of a worker that works in steps, and continues after any fault in one of them."""

import threading
import time
from abc import ABC, abstractmethod
from datetime import datetime
from typing import ClassVar, Final

import structlog
from celery import bootsteps
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections
from django.db.models import Model
from django.utils import timezone

from tournaments.delivery.priority import lower_priority
from tournaments.domain.faults import cause_of

log = structlog.get_logger(__name__)

FAULT_S: Final = 1.0
"""Pause of a thread after a fault, such as a restarting database."""
LOOK_S: Final = 0.5
"""A sender looks at its table this often."""


class LastingThreadStep(bootsteps.StartStopStep):
    """Starts the thread that `create` returns, after the pool (which may fork), and stops it
    first."""

    requires = ("celery.worker.components:Pool",)


def release_claims(model: type[Model]) -> int:
    """Release the claims of a killed worker; only for the single worker of the embedded mode."""
    claimed = model._default_manager.filter(claimed_until__isnull=False)
    return claimed.update(claimed_until=None)


class LastingThread(threading.Thread, ABC):
    """Takes a step again and again until `stop`; its steps claim rows of the model `CLAIMED`.

    It rests `FIRST_REST_S` before the first step; `stop` waits `LEAVE_S` for the current one. Its
    priority is below that of web processes, unless `IS_URGENT`.
    """

    NAME: ClassVar[str]
    CLAIMED: ClassVar[type[Model]]
    FIRST_REST_S: ClassVar[float] = LOOK_S
    LEAVE_S: ClassVar[float] = 2.0
    IS_URGENT: ClassVar[bool] = False
    _next_sweep = 0.0

    def __init__(self) -> None:
        super().__init__(name=self.NAME, daemon=True)
        self._ending = threading.Event()
        self._started_over = not settings.EMBEDDED

    def run(self) -> None:
        if not self.IS_URGENT:
            lower_priority()
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
                release_claims(self.CLAIMED)
                self._started_over = True
            if time.monotonic() >= self._next_sweep:
                self._next_sweep = time.monotonic() + 3600.0
                self.forget_old(timezone.now())
            return self.step()
        except DatabaseError as fault:
            log.warning("thread_waits_for_database", thread=self.name, fault=cause_of(fault))
        except Exception:
            # The last guard: a fault that passed it would end the thread until a restart.
            log.exception("thread_failed", thread=self.name)
        close_old_connections()
        return FAULT_S

    @abstractmethod
    def step(self) -> float:
        """Do the due work; return the seconds to rest after it."""

    def pause(self, seconds: float) -> bool:
        return self._ending.wait(seconds)

    def forget_old(self, now: datetime) -> None:
        """Remove old rows; called once an hour."""

    def leave(self) -> None:
        """Clean up after the last step."""
