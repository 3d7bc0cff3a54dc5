"""Headers of every answer below `/api/`, wherever in Django it was made.

The outermost middleware: anonymous reads are open to pages of other origins (CORS), no cache stores
an answer without permission, and refusals of Django itself become problem details.
"""

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from api.problems import MEDIA_TYPE, status_response
from tournaments.selectors.access.table_links import COOKIE

PREFIX: Final = "/api/"
READS: Final = ("GET", "HEAD")
EXPOSED: Final = "ETag, Link, Retry-After, X-Request-ID"
"""Headers that a page of another origin may read."""

_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": ", ".join(READS),
    "Access-Control-Allow-Headers": "Accept, If-None-Match, X-Request-ID",
    "Access-Control-Max-Age": "86400",
}


def api_edge(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware for the addresses below `/api/`; leaves all others alone."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(PREFIX):
            return get_response(request)
        response = _preflight(request) or get_response(request)
        if response.status_code >= 400 and not _is_ours(response):
            response = _as_problem(request, response)
        signed_in = (
            settings.SESSION_COOKIE_NAME in request.COOKIES
            or COOKIE in request.COOKIES
            or "Authorization" in request.headers
        )
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-cache" if signed_in else "no-cache"
        if not signed_in and request.method in (*READS, "OPTIONS"):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = EXPOSED
        return response

    return middleware


def _preflight(request: HttpRequest) -> HttpResponse | None:
    """Answer a browser that asks whether it may read; writes from elsewhere are never allowed."""
    wanted = request.headers.get("Access-Control-Request-Method")
    if request.method == "OPTIONS" and wanted in READS:
        allowed = HttpResponse(status=204, headers=_PREFLIGHT)
        del allowed["Content-Type"]
        return allowed
    return None


def _is_ours(response: HttpResponseBase) -> bool:
    return str(response.get("Content-Type", "")).startswith(MEDIA_TYPE)


def _as_problem(request: HttpRequest, refused: HttpResponseBase) -> HttpResponse:
    answer = status_response(request, refused.status_code)
    for name in ("Allow", "Retry-After"):
        if refused.has_header(name):
            answer[name] = refused[name]
    return answer
