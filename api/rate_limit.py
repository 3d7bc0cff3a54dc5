"""Rate limit of tokens: requests per minute, and the headers with the remaining number.

The count is in the cache, which all processes share. A process takes a twentieth of the limit at a
time and counts those requests in its memory, so that a read does not write to the cache each time.
`RateLimit-Remaining` is therefore a lower bound.
"""

from hashlib import sha256
from threading import Lock
from typing import Final

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase
from rest_framework.exceptions import Throttled

A_MINUTE: Final = 60
PARTS: Final = 20
"""A process takes this part of the limit at a time."""
HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")

_ALLOWANCE: Final = "blacklady_allowance"
_log = structlog.get_logger("blacklady.api")


class TokenCounter:
    """Counts the requests of tokens for one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._minute = -1
        self._taken: dict[str, tuple[int, int]] = {}
        """Unused requests that this process has taken of a token's, and those left for others."""

    def count(self, token: str, *, limit: int, now: float) -> tuple[int | None, int]:
        """Count a request; return how many remain, and in how many seconds the next minute begins.

        None remain, instead of 0, where this request is one too many.

        Args:
            token: digest of the token.
            limit: requests in a minute, at least 1.
            now: seconds since 1970.
        """
        minute, second = divmod(int(now), A_MINUTE)
        reset = A_MINUTE - second
        with self._lock:
            if minute != self._minute:
                self._minute = minute
                self._taken = {}
            if token in self._taken:
                unused, others = self._taken[token]
                if unused or not others:
                    return self._use(token), reset
        granted, others = _take(token, minute, limit)
        with self._lock:
            unused, _ = self._taken.get(token, (0, 0))
            self._taken[token] = unused + granted, others
            return self._use(token), reset

    def _use(self, token: str) -> int | None:
        """Use one of the requests that this process has taken; the lock is held."""
        """Use one of the requests that this process has taken; the lock is held."""
        unused, others = self._taken[token]
        if not unused:
            return None
        self._taken[token] = unused - 1, others
        return unused - 1 + others


COUNTER: Final = TokenCounter()


def count_request(request: HttpRequest, token: str, now: float) -> None:
    limit: int = settings.TOKEN_REQUESTS_PER_MINUTE
    if not limit:
        return
    remaining, reset = COUNTER.count(token, limit=limit, now=now)
    setattr(request, _ALLOWANCE, (limit, remaining or 0, reset))
    if remaining is None:
        raise Throttled(wait=reset)


def add_headers(request: HttpRequest, response: HttpResponseBase) -> None:
    for name, value in zip(HEADERS, getattr(request, _ALLOWANCE, ()), strict=False):
        response[name] = str(value)


def _take(token: str, minute: int, limit: int) -> tuple[int, int]:
    """Take requests from the shared count; return how many, and how many remain.

    If the cache is unavailable, requests are granted: a limit must not stop the service.
    """
    block = max(1, limit // PARTS)
    key = f"token-requests:{sha256(token.encode()).hexdigest()[:32]}:{minute}"
    try:
        total = block if cache.add(key, block, 2 * A_MINUTE) else cache.incr(key, block)
    except (DatabaseError, OSError, ValueError) as fault:  # ValueError: it was thrown away
        _log.warning("rate_limit_not_counted", fault=str(fault))
        return block, limit - block
    before = total - block
    return max(0, min(block, limit - before)), max(0, limit - total)
