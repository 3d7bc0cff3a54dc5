"""Time limits of a process's database connections, and reads on a kept connection."""

from collections.abc import Callable
from typing import Literal

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse


def limit_database_time(process: Literal["web", "worker"]) -> None:
    """Set the time-outs of every connection that this process opens from now on; 0 is none.

    `options` in the database URL take precedence. SQLite has a single time-out (`?timeout=`), so
    nothing is done there. A pooler takes no options: its own configuration sets the time-outs.
    """
    if connection.vendor == "sqlite" or settings.DATABASE_POOLER != "none":
        return
    limits = settings.DATABASE_TIMEOUTS[process]
    ours = [f"-c {name}={seconds * 1000}" for name, seconds in limits.items() if seconds]
    for database in connections.settings.values():
        options = database.setdefault("OPTIONS", {})
        options["options"] = " ".join((*ours, options.get("options", ""))).strip()


def reconnecting_reads(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware for a database server: a read retries once with a new connection."""
    if connection.vendor == "sqlite":
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            return get_response(request)
        connection.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs
        response = get_response(request)
        is_open = connection.connection is not None
        if response.status_code == 503 and is_open and not connection.is_usable():
            connection.close()
            response = get_response(request)
        return response

    return middleware
