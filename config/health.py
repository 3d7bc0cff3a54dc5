"""Liveness and readiness: `/healthz` says that the process answers, `/readyz` that it can work.

A middleware answers both before hosts are checked and plain HTTP is redirected: probes come from
inside, over HTTP, and use an IP address instead of the public name.

`/readyz` is 503 only if this process cannot serve a page or store an entry. Any other
fault is listed in a 200, so that a stopped Redis or worker takes no web process out of service.
docs/operations.md says what to do about each code.
"""

import math
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import caches
from django.db import Error, connection, connections, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from config import standby
from tournaments.domain.circuit_breaker import BROKER, CACHE, STANDBY, CircuitBreaker
from tournaments.domain.faults import (
    cause_of,
    fault_of_connection,
    is_busy,
    is_disk_full,
    is_read_only,
    is_statement_timeout,
    list_recent_faults,
    reconnect_if_read_only,
)
from tournaments.management.service import count_missing_migrations, has_static_files
from tournaments.selectors.jobs.jobs import find_oldest_late_job, find_oldest_parked_job
from tournaments.selectors.jobs.queue import SILENT_AFTER, list_worker_states
from tournaments.services.jobs.enqueue import probe_broker

Handler = Callable[[HttpRequest], HttpResponse]
PATIENCE: Final = SILENT_AFTER
"""A worker begins a job within a second; later than this is a fault."""
KEPT_S: Final = 1.0
"""How long an answer is reused, so that frequent requests cost no more."""
LOOK_S: Final = 5.0
"""Interval of the checks that write to the database and reach the broker, if all was well."""
MEGABYTE: Final = 1024 * 1024
DISK_LOW: Final = 256 * MEGABYTE
"""Bytes; less room than this is a fault before it is none."""

UNABLE: Final = frozenset(
    {
        "database_away",
        "database_pooler",
        "database_read_only",
        "database_refused",
        "migrations_missing",
        "disk_full",
        "static_files_missing",
    }
)
"""Faults with which this process can serve no page or take no hand."""
LATELY: Final = {
    "database_away": "database_was_away",
    "database_refused": "database_was_away",
    "database_pooler": "database_pooler",
    "database_read_only": "database_was_read_only",
    "disk_full": "disk_was_full",
}
"""Code of a fault that requests met within the last minute, by the code of the fault."""

_log = structlog.get_logger("blacklady.health")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault; without `since` it counts from when this process found it.

    `about` is for the log and for administrators: `/readyz` is open to anybody.
    """

    code: str
    since: datetime | None = None
    about: str = ""


_AS_IT_IS: Final = "UPDATE django_migrations SET app = app WHERE id = 1"


def probes(get_response: Handler) -> Handler:
    """Middleware that answers the two probes' addresses and passes on everything else."""
    answers: dict[str, Handler] = {"/healthz": alive, "/readyz": ready}

    def middleware(request: HttpRequest) -> HttpResponse:
        probe = answers.get(request.path_info) if request.method in ("GET", "HEAD") else None
        return (probe or get_response)(request)

    return middleware


def alive(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; touches nothing else."""
    return _uncached({"status": "ok"}, 200)


def ready(request: HttpRequest) -> HttpResponse:
    """200 if this process can serve pages and store entries, else 503; either with its faults."""
    faults = READINESS.faults(timezone.now())
    allowed = {"database_read_only"} if settings.DATABASE_READ_ONLY else set()
    unable = any(fault.code in UNABLE - allowed for fault in faults)
    if unable:
        status = "unavailable"
    elif faults:
        status = "degraded"
    else:
        status = "ok"
    listed = [{"code": fault.code, "since": fault.since} for fault in faults]
    return _uncached({"status": status, "faults": listed}, 503 if unable else 200)


def _uncached(body: Mapping[str, object], status: int) -> HttpResponse:
    return JsonResponse(dict(body), status=status, headers={"Cache-Control": "no-store"})


class Readiness:
    """The state of this process and of the other services, checked as rarely as possible."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._faults: tuple[Fault, ...] = ()
        self._fresh_until = 0.0
        self._well_until = 0.0
        self._is_migrated = False
        self._first_seen: dict[str, datetime] = {}

    def faults(self, now: datetime) -> tuple[Fault, ...]:
        """Return the faults; results are reused for a second."""
        with self._lock:
            if time.monotonic() >= self._fresh_until:
                self._keep(tuple(self._look(now)), now)
            return self._faults

    def _keep(self, faults: tuple[Fault, ...], now: datetime) -> None:
        codes = {fault.code for fault in faults}
        if codes != {fault.code for fault in self._faults}:
            about = {fault.code: fault.about for fault in faults if fault.about}
            _log.warning("readiness_changed", faults=sorted(codes), about=about)
        self._first_seen = {code: self._first_seen.get(code, now) for code in codes}
        self._faults = tuple(
            Fault(each.code, each.since or self._first_seen[each.code], each.about)
            for each in faults
        )
        self._fresh_until = time.monotonic() + KEPT_S

    def _look(self, now: datetime) -> Iterator[Fault]:
        is_time = time.monotonic() >= self._well_until
        amiss = tuple(self._database()) if is_time else ()
        yield from amiss
        if not any(fault.code in UNABLE for fault in amiss):
            work, fault = _work(now)
            yield from work
            if fault is not None and fault.code not in {each.code for each in amiss}:
                amiss = (*amiss, fault)
                yield fault
            yield from _standby()
        codes = {fault.code for fault in amiss}
        recent = {LATELY[code] for code in list_recent_faults() if code in LATELY.keys() - codes}
        yield from map(Fault, sorted(recent))
        if not has_static_files():
            yield Fault("static_files_missing", about=str(settings.STATIC_ROOT))
        yield from _room()
        if is_time:
            probe_broker(current_app)
            yield from _cache_table(amiss)
        if is_time or amiss:
            self._well_until = 0.0 if amiss else time.monotonic() + LOOK_S
        yield from _broken(BROKER, now)
        yield from _broken(CACHE, now)
        yield from _broken(STANDBY, now)

    def _database(self) -> Iterator[Fault]:
        try:
            if not self._is_migrated:
                if n := count_missing_migrations():
                    about = "1 migration is missing" if n == 1 else f"{n} migrations are missing"
                    yield Fault("migrations_missing", about=about)
                    return
                self._is_migrated = True
            _write()
        except Error as error:
            yield _as_fault(error)


READINESS: Final = Readiness()


def _write() -> None:
    """Write a row unchanged to test the database; do not wait long for locks."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            usual = round(connection.settings_dict["OPTIONS"].get("timeout", 5) * 1000)
            cursor.execute("PRAGMA busy_timeout = 1000")
            try:
                cursor.execute(_AS_IT_IS)
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {usual}")
        else:
            with transaction.atomic():
                cursor.execute("SET LOCAL lock_timeout = '1s'")
                cursor.execute(_AS_IT_IS)


def _as_fault(error: Error) -> Fault:
    """Return the fault for a database error; none of them is a 500."""
    code = fault_of_connection(error)
    if is_disk_full(error):
        code = "disk_full"
    elif is_read_only(error):
        reconnect_if_read_only(error)
        code = "database_read_only"
    elif is_busy(error):
        code = "database_busy"
    return Fault(code, about=cause_of(error))


def _work(now: datetime) -> tuple[tuple[Fault, ...], Fault | None]:
    """Return the faults of workers, and why the database could not report them, if so.

    A database that is only too slow to report them still takes entries: the test write succeeded.
    """
    try:
        with database_time_limit():
            return tuple(_left_undone(now)), None
    except Error as error:
        if is_statement_timeout(error):
            return (), Fault("database_busy", about=cause_of(error))
        return (), _as_fault(error)


@contextmanager
def database_time_limit() -> Iterator[None]:
    """Cancel statements on PostgreSQL after a second: probes time out after three."""
    if connection.vendor == "sqlite":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '1s'")
        yield


def _left_undone(now: datetime) -> Iterator[Fault]:
    """Return each worker without a heartbeat or a process, and the oldest job that is late."""
    workers = list_worker_states(now)
    for worker in workers:
        if not worker.is_alive:
            yield Fault("worker_silent", worker.seen_at, worker.name)
        elif worker.without_process_since is not None:
            yield Fault("worker_without_process", worker.without_process_since, worker.name)
    if not any(worker.is_alive for worker in workers):
        yield Fault("no_worker", max((worker.seen_at for worker in workers), default=None))
    late = find_oldest_late_job(now)
    if late is not None and now - late > PATIENCE:
        yield Fault("job_late", late)
    parked = find_oldest_parked_job()
    if parked is not None:
        yield Fault("job_parked", parked)


def _room() -> Iterator[Fault]:
    """Report low disk space where this process keeps its files, SQLite's database included."""
    places = [settings.VAR_DIR]
    if connection.vendor == "sqlite":
        places.append(Path(connection.settings_dict["NAME"]).parent)
    room = [shutil.disk_usage(place).free for place in places if place.is_dir()]
    if min(room, default=DISK_LOW) < DISK_LOW:
        yield Fault("disk_low", about=f"{min(room) // MEGABYTE} MB")


def _cache_table(amiss: Sequence[Fault]) -> Iterator[Fault]:
    """Query the cache, so that its circuit breaker knows its state.

    A cache in the database fails with it, or if its table was not created.
    """
    try:
        caches["default"].get("readiness")
    except Error as error:
        if not any(fault.code in UNABLE for fault in amiss):
            yield Fault("cache_away", about=cause_of(error))


def _standby() -> Iterator[Fault]:
    if standby.ALIAS in connections.settings and not standby.READER.is_close():
        lag = standby.READER.lag
        if lag is not None:
            words = "it follows no primary" if math.isinf(lag) else f"it is {lag:.0f} s behind"
            yield Fault("standby_behind", about=words)


def _broken(breaker: CircuitBreaker, now: datetime) -> Iterator[Fault]:
    away_s = breaker.away_for()
    if away_s is not None:
        code, about = breaker.outage
        yield Fault(code, now - timedelta(seconds=away_s), about)
