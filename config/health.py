"""Liveness and readiness: `/healthz` says that the process answers, `/readyz` that it can work."""

from collections.abc import Callable
from datetime import timedelta

import structlog
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.selectors.readiness import last_heartbeat, oldest_waiting_change

Probe = Callable[[], str]
# A worker is heard every few seconds and publishes a change within one; later is not well.
PATIENCE = timedelta(seconds=30)
_log = structlog.get_logger("blacklady.health")


@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; touches nothing else."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """200 where every probe is well, else 503 with the probes' answers."""
    probes = {name: _answer(probe) for name, probe in PROBES.items()}
    well = all(answer == "ok" for answer in probes.values())
    if not well:
        _log.warning("not_ready", **probes)
    return JsonResponse(
        {"status": "ok" if well else "not ready", "probes": probes}, status=200 if well else 503
    )


def _answer(probe: Probe) -> str:
    try:
        return probe()
    except DatabaseError as error:
        return f"database: {type(error).__name__}"


def _database_writes() -> str:
    """Take the write lock and write a row as it is."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET app = app WHERE id = 1")
    return "ok"


def _migrations_applied() -> str:
    executor = MigrationExecutor(connection)
    waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    return "ok" if not waiting else f"{waiting} migrations wait"


def _worker_alive() -> str:
    seen = last_heartbeat()
    if seen is None:
        return "no worker was ever heard"
    silent = timezone.now() - seen
    return "ok" if silent < PATIENCE else f"last heard {silent.total_seconds():.0f} s ago"


def _changes_published() -> str:
    marked = oldest_waiting_change()
    if marked is None or timezone.now() - marked < PATIENCE:
        return "ok"
    return f"a change waits for {(timezone.now() - marked).total_seconds():.0f} s"


PROBES: dict[str, Probe] = {
    "database_writes": _database_writes,
    "migrations": _migrations_applied,
    "worker": _worker_alive,
    "changes": _changes_published,
}
