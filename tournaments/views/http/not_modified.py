"""The 304 for a reader who names the ETag of what a page shows."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_conditional_response


def not_modified(request: HttpRequest, etag: str) -> HttpResponse | None:
    """Return the 304 for a reader who holds this state; None for any other.

    It names the ETag again (RFC 9110, section 15.4.5).
    """
    found = get_conditional_response(request, etag=etag)
    if not isinstance(found, HttpResponseNotModified):
        return None
    found["ETag"] = etag
    return found
