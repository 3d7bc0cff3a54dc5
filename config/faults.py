"""What a page says when a request failed: no room, no database, or a mistake of ours."""

import sys

from django.http import HttpRequest, HttpResponse

from tournaments.database_faults import is_unavailable, leave_read_only
from tournaments.disk import is_disk_full
from tournaments.views.errors import busy, no_room, server_error


def failed(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 507 where the disk is full, 503 without a database, else 500."""
    fault = sys.exc_info()[1]
    if is_disk_full(fault):
        return no_room(request)
    if is_unavailable(fault):
        leave_read_only(fault)
        return busy(request)
    return server_error(request)
