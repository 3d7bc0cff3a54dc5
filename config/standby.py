"""Visitors read from a standby of PostgreSQL (`DATABASE_REPLICA_URL`) that is close behind.

A visitor has neither a cookie nor a token, and so has written nothing. A thread that writes reads
the primary from then on. docs/decisions/0043-visitors-read-a-standby.md has what was considered.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase

from tournaments.domain.circuit_breaker import STANDBY

ALIAS: Final = "standby"
LOOK_S: Final = 1.0
"""How long a measured lag is used."""

_IDENTIFIES: Final = frozenset({"HTTP_COOKIE", "HTTP_AUTHORIZATION"})
_thread: Final = threading.local()

_LAG: Final = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
        WHEN pg_last_wal_replay_lsn() >= %s::pg_lsn THEN 0
        ELSE EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END
"""


def is_visitor(environ: Mapping[str, object]) -> bool:
    """Whether a request reads, and its caller has neither a cookie nor a token."""
    return environ["REQUEST_METHOD"] in ("GET", "HEAD") and _IDENTIFIES.isdisjoint(environ)


class StandbyRouter:
    """Sends a visitor's reads to the standby, and all else to the primary."""

    def db_for_read(self, model: type[Model], **hints: object) -> str:
        is_read = getattr(_thread, "reads_standby", False) and not connection.in_atomic_block
        # A cache in the database counts tries.
        is_count = model._meta.app_label == "django_cache"
        return ALIAS if is_read and not is_count else DEFAULT_DB_ALIAS

    def db_for_write(self, model: object, **hints: object) -> str:
        _thread.reads_standby = False
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *objects: object, **hints: object) -> bool:
        return True


def get_lag() -> float | None:
    """Return by how many seconds the standby is behind, infinity if it follows no primary.

    None while one of the two does not answer.
    """
    try:
        newest = _ask(DEFAULT_DB_ALIAS, "SELECT pg_current_wal_lsn()")
    except Error:
        return None
    try:
        lag = _ask(ALIAS, _LAG, newest)
    except Error as fault:
        STANDBY.failed(fault)
        connections[ALIAS].close()
        return None
    STANDBY.succeeded()
    if lag is None:
        return math.inf
    return float(lag)


def _ask(alias: str, statement: str, *values: str) -> Any:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()[0]


class Standby:
    """Whether the standby may be read, found out once a second by one thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_look = 0.0
        self.lag: float | None = None

    def is_close(self) -> bool:
        """Whether visitors may read it: it answers, and its lag is within the bound."""
        moment = time.monotonic()
        if moment >= self._next_look and self._lock.acquire(blocking=False):
            try:
                self._next_look = moment + LOOK_S
                self.lag = get_lag() if STANDBY.allows() else None
            finally:
                self._lock.release()
        return self.lag is not None and self.lag <= settings.DATABASE_REPLICA_LAG


READER: Final = Standby()


def visitors_read_standby(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: answers visitors from the standby, or else from the primary.

    The answer of the standby is given if it is a 304, or a 200 to a caller without a copy: a copy
    may be newer than the standby, and what it lacks may exist by now.
    """
    if ALIAS not in connections.settings:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        _thread.reads_standby = is_visitor(request.META) and READER.is_close()
        if not _thread.reads_standby:
            return get_response(request)
        response = get_response(request)
        is_new = response.status_code == HTTPStatus.OK and "HTTP_IF_NONE_MATCH" not in request.META
        if is_new or response.status_code == HTTPStatus.NOT_MODIFIED:
            # The rest of a stream is read by this thread before its next request.
            _thread.reads_standby = response.streaming and _thread.reads_standby
            return response
        _thread.reads_standby = False
        return get_response(request)

    return middleware
