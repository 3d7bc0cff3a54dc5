"""Addresses of clubs with a slash at the end: sent on to the page without it."""

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import is_valid_path
from django.utils.encoding import escape_uri_path

_CLUBS: Final = "/clubs/"


def without_slash(request: HttpRequest) -> HttpResponse | None:
    """Return the answer that sends a reader on; None where the address without it is no page."""
    page = request.path_info.rstrip("/")
    is_read = request.method in ("GET", "HEAD")
    if not is_read or page == request.path_info or not page.startswith(_CLUBS):
        return None
    if not is_valid_path(page):
        return None
    query = request.META.get("QUERY_STRING", "")
    to = escape_uri_path(request.path.rstrip("/"))
    return HttpResponsePermanentRedirect(f"{to}?{query}" if query else to)
