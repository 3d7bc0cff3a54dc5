"""What a page says when a request failed: no room, no database, a text that no database
takes, or a mistake of ours."""

import sys

from django.http import HttpRequest, HttpResponse

from scoring.errors import Problem
from tournaments.database_faults import is_nul, is_unavailable, reconnect_if_read_only
from tournaments.disk_full import is_disk_full
from tournaments.views.http.errors import busy, no_room, server_error, unreadable


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 507 where the disk is full, 503 without a database, 400 for a NUL
    character that PostgreSQL does not take, else 500."""
    fault = sys.exc_info()[1]
    if is_disk_full(fault):
        return no_room(request)
    if is_nul(fault):
        return unreadable(request, 400, Problem("nul_character", facts={"where": "request"}))
    if is_unavailable(fault):
        reconnect_if_read_only(fault)
        return busy(request)
    return server_error(request)
