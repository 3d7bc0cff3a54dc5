"""Circuit breakers: a service that failed is not called for a while, so that nobody waits."""

import threading
import time
from typing import Final

import structlog

from tournaments.domain.faults import cause_of
from tournaments.domain.refusals import is_refusal

log = structlog.get_logger(__name__)

PAUSE_S: Final = 5.0
"""Pause after a failure, before one caller tries the service again."""


class CircuitBreaker:
    """Decides whether a service may be tried, and logs the start and end of each outage once.

    A service that does not answer is away; one that refuses us is there, but of no use.
    """

    def __init__(self, service: str, *, pause_s: float = PAUSE_S) -> None:
        self.service = service
        self._pause_s = pause_s
        self._lock = threading.Lock()
        self._since: float | None = None
        self._next_try = 0.0
        self._tries = 0
        self._code = self._about = ""

    def allows(self) -> bool:
        """Whether the caller may try the service: always if it works, else one caller a pause."""
        if self._since is None:
            return True
        with self._lock:
            moment = time.monotonic()
            if self._since is not None and moment < self._next_try:
                return False
            self._next_try = moment + self._pause_s
            return True

    def succeeded(self) -> None:
        if self._since is None:
            return
        with self._lock:
            since, self._since = self._since, None
            tries, self._tries = self._tries, 0
        if since is not None:
            away = round(time.monotonic() - since, 1)
            log.warning(f"{self.service}_back", away_s=away, tries_in_vain=tries)

    def failed(self, fault: Exception) -> None:
        code = f"{self.service}_{'refused' if is_refusal(fault) else 'away'}"
        about = cause_of(fault)
        with self._lock:
            moment = time.monotonic()
            is_new = self._since is None or code != self._code
            self._since = moment if self._since is None else self._since
            self._next_try = moment + self._pause_s
            self._tries += 1
            self._code, self._about = code, about
        if is_new:
            log.warning(code, fault=type(fault).__name__, about=about)

    @property
    def outage(self) -> tuple[str, str]:
        """The code of the last failure (`broker_away`, `broker_refused`), and its cause."""
        return self._code, self._about

    def away_for(self) -> float | None:
        """Return for how many seconds the service has been away; None while it works."""
        since = self._since
        if since is None:
            return None
        return time.monotonic() - since


BROKER: Final = CircuitBreaker("broker")
CACHE: Final = CircuitBreaker("cache")
STANDBY: Final = CircuitBreaker("standby")
