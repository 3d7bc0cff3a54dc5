"""What a page says when a request failed: the database is away, or we made a mistake."""

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from tournaments.views.errors import busy, server_error


def failed(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 503 with Retry-After where the database did not answer, else 500."""
    if isinstance(sys.exc_info()[1], OperationalError):
        return busy(request)
    return server_error(request)
