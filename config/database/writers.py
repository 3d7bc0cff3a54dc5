"""Who writes must not keep everybody else from reading.

SQLite has one writer at a time, and who comes second waits inside the database, up to its timeout.
Were every thread of the web process to wait there, nobody could read.
"""

import threading
from collections.abc import Callable
from typing import Final

from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpRequest, HttpResponse

from tournaments.management.service import WEB_THREADS
from tournaments.views.http.errors import busy

AT_ONCE: Final = WEB_THREADS // 2
WAIT_S: Final = 1.0
"""A place is free within milliseconds, but where somebody holds the database for long."""

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
STORES_NOTHING: Final = frozenset({"/api/v1/score"})
"""Addresses that are posted to and write nothing; what they cost is bounded where they are."""


def limit_writers(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware for SQLite: so many requests that may write at once, the next is told to wait."""
    if connection.vendor != "sqlite":
        raise MiddlewareNotUsed
    places = threading.BoundedSemaphore(AT_ONCE)

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in SAFE or request.path_info in STORES_NOTHING:
            return get_response(request)
        if not places.acquire(timeout=WAIT_S):
            return busy(request)
        try:
            return get_response(request)
        finally:
            places.release()

    return middleware
