"""A read goes ahead on the connection that is kept, and is made again where that was cut.

Django asks a kept connection whether it still lives before its first statement in a request, a trip
to the server as long as the read of standings itself. A read may be made twice, so it need not
ask; whatever writes still does.
"""

from collections.abc import Callable
from typing import Final

from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpRequest, HttpResponse

SAFE: Final = frozenset({"GET", "HEAD"})
UNAVAILABLE: Final = 503


def reconnecting_reads(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware for a database server: reads trust the connection once, then take a new one."""
    if connection.vendor == "sqlite":
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in SAFE:
            return get_response(request)
        connection.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs
        response = get_response(request)
        if response.status_code == UNAVAILABLE and _is_cut():
            connection.close()
            response = get_response(request)
        return response

    return middleware


def _is_cut() -> bool:
    return connection.connection is not None and not connection.is_usable()
