"""What a page says when a request failed: no room, no database, a text that no database
takes, or a mistake of ours."""

import sys
from typing import Final

import structlog
from django.http import HttpRequest, HttpResponse

from scoring.errors import Problem
from tournaments.database_faults import (
    is_busy,
    is_nul,
    is_unavailable,
    log_unavailable,
    reconnect_if_read_only,
)
from tournaments.disk_full import is_disk_full
from tournaments.views.http.errors import away, busy, no_room, server_error, unreadable

_log: Final = structlog.get_logger("blacklady.web")


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 507 where the disk is full, 503 without a database, 400 for a NUL
    character that PostgreSQL does not take, else 500."""
    fault = sys.exc_info()[1]
    if is_disk_full(fault):
        return no_room(request)
    if is_nul(fault):
        return unreadable(request, 400, Problem("nul_character", facts={"where": "request"}))
    if fault is not None and is_unavailable(fault):
        log_unavailable(_log, fault)
        reconnect_if_read_only(fault)
        return busy(request) if is_busy(fault) else away(request)
    return server_error(request)
