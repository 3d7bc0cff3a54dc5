"""Liveness and readiness: `/healthz` says that the process answers, `/readyz` that it can work.

Both are answered by a middleware, before hosts are checked and plain HTTP is redirected: a probe
comes from inside, over HTTP, and asks for an address and not for the public name.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from tournaments.selectors.readiness import last_heartbeat, oldest_waiting_change

Handler = Callable[[HttpRequest], HttpResponse]
Probe = Callable[[datetime], str]
# A worker is heard every few seconds and publishes a change within one; later is not well.
PATIENCE = timedelta(seconds=30)
_log = structlog.get_logger("blacklady.health")


def probes(get_response: Handler) -> Handler:
    """Middleware that answers the two probes' addresses and passes on everything else."""
    answers: dict[str, Handler] = {"/healthz": alive, "/readyz": ready}

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = answers.get(request.path_info, get_response)
        return answer(request)

    return middleware


def alive(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; touches nothing else."""
    return _uncached({"status": "ok"}, 200)


def ready(request: HttpRequest) -> HttpResponse:
    """200 where every probe is well, else 503 with the probes' answers."""
    now = timezone.now()
    answers = {name: _answer(probe, now) for name, probe in PROBES.items()}
    well = all(answer == "ok" for answer in answers.values())
    if not well:
        _log.warning("not_ready", **answers)
    body = {"status": "ok" if well else "not ready", "probes": answers}
    return _uncached(body, 200 if well else 503)


def _uncached(body: Mapping[str, object], status: int) -> HttpResponse:
    return JsonResponse(dict(body), status=status, headers={"Cache-Control": "no-store"})


def _answer(probe: Probe, now: datetime) -> str:
    try:
        return probe(now)
    except DatabaseError as error:
        return f"database: {type(error).__name__}"


def _database_writes(now: datetime) -> str:
    """Take the write lock and write a row as it is."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET app = app WHERE id = 1")
    return "ok"


def _migrations_applied(now: datetime) -> str:
    executor = MigrationExecutor(connection)
    waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    return "ok" if not waiting else f"{waiting} migrations wait"


def _worker_alive(now: datetime) -> str:
    seen = last_heartbeat()
    if seen is None:
        return "no worker was ever heard"
    return "ok" if now - seen < PATIENCE else f"last heard {_seconds(now - seen)} ago"


def _changes_published(now: datetime) -> str:
    marked = oldest_waiting_change()
    if marked is None or now - marked < PATIENCE:
        return "ok"
    return f"a change waits for {_seconds(now - marked)}"


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():.0f} s"


PROBES: dict[str, Probe] = {
    "database_writes": _database_writes,
    "migrations": _migrations_applied,
    "worker": _worker_alive,
    "changes": _changes_published,
}
