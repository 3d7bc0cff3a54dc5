"""Headers of every answer below `/api/`, whichever part of Django made it, and of the feeds."""

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from api.idempotency import HEADER as IDEMPOTENCY_KEY
from api.problems import MEDIA_TYPE, problem_response, status_response
from api.rate_limit import HEADERS as RATE_LIMIT
from api.rate_limit import add_headers
from scoring.errors import Problem
from tournaments.selectors.access.table_links import COOKIE
from tournaments.selectors.access.tokens import find_working_token
from tournaments.services.notices.outbox import warn_of_plain_http

PREFIX: Final = "/api/"
FEED: Final = ".atom"
"""The end of the address of a feed, which everybody reads as the public does."""
DOCUMENTATION: Final = "/api/v1/docs"
READS: Final = ("GET", "HEAD")
WRITES: Final = ("POST", "PUT", "PATCH", "DELETE")
EXPOSED: Final = ", ".join(
    (
        *("Deprecation", "ETag", "Link", "Location", *RATE_LIMIT),
        *("Retry-After", "Sunset", "X-Request-ID"),
    )
)
"""Headers that a page of another origin may read."""
SENT: Final = ("Accept", "Authorization", "If-None-Match", "X-Request-ID")
"""Headers that it may send to read."""

_ALLOW: Final = "Access-Control-Allow-"
_PREFLIGHT: Final = {
    f"{_ALLOW}Methods": ", ".join(READS),
    f"{_ALLOW}Headers": ", ".join(SENT),
    "Access-Control-Max-Age": "86400",
}
_PREFLIGHT_OF_WRITES: Final = {
    f"{_ALLOW}Methods": ", ".join((*READS, *WRITES)),
    f"{_ALLOW}Headers": ", ".join((*SENT, "Content-Type", IDEMPOTENCY_KEY, "If-Match")),
    # An origin that is named no more may not go on for a day.
    "Access-Control-Max-Age": "600",
}


def api_edge(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware for the addresses below `/api/`; of all others only feeds are for pages of other
    origins."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.endswith(FEED):
            response = _preflight(request) or get_response(request)
            if not _has_cookie(request):
                _allow_origin(request, response)
            return response
        if not request.path_info.startswith(PREFIX):
            return get_response(request)
        response = _refused_without_tls(request) or _preflight(request) or get_response(request)
        is_ours = str(response.get("Content-Type", "")).startswith(MEDIA_TYPE)
        if response.status_code >= 400 and not is_ours:
            response = _as_problem(request, response)
        add_headers(request, response)
        has_cookie = _has_cookie(request)
        if not response.has_header("Cache-Control"):
            is_known = has_cookie or "Authorization" in request.headers
            response["Cache-Control"] = "private, no-cache" if is_known else "no-cache"
        if not has_cookie:
            _allow_origin(request, response)
        return response

    return middleware


def _has_cookie(request: HttpRequest) -> bool:
    """Whether a session or a link asks: other origins may not read the answer to their cookies."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or COOKIE in request.COOKIES


def _refused_without_tls(request: HttpRequest) -> HttpResponse | None:
    """Refuse what came unencrypted: a redirect would hide from a program that its token leaks."""
    scheme, _, plain = request.headers.get("Authorization", "").partition(" ")
    is_page = request.path_info.startswith(DOCUMENTATION) and not plain
    if request.is_secure() or is_page or not settings.SECURE_SSL_REDIRECT:
        return None
    now = timezone.now()
    if scheme.lower() == "bearer" and (token := find_working_token(plain.strip(), now)):
        warn_of_plain_http(token=token, now=now)
    return problem_response(request, 403, [Problem("tls_needed")])


def _allow_origin(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let a page of another origin read the answer; browsers send no cookies for it."""
    reads = request.method in READS or (
        request.method == "OPTIONS" and not _is_preflight_of(request)
    )
    if reads and ("*" in settings.CORS_READ_ORIGINS or not _has_token(request)):
        response[f"{_ALLOW}Origin"] = "*"
    elif _is_named(request, reads=reads):
        response[f"{_ALLOW}Origin"] = request.headers["Origin"]
        patch_vary_headers(response, ("Origin",))
    else:
        return
    response["Access-Control-Expose-Headers"] = EXPOSED


def _has_token(request: HttpRequest) -> bool:
    """Whether the request carries a token, or announces one."""
    announced = request.headers.get("Access-Control-Request-Headers", "")
    return "Authorization" in request.headers or "authorization" in announced.lower()


def _is_named(request: HttpRequest, *, reads: bool = False) -> bool:
    """Whether the site's settings allow pages of the origin to read or write with a token."""
    named = settings.CORS_WRITE_ORIGINS + (settings.CORS_READ_ORIGINS if reads else ())
    return request.headers.get("Origin", "") in named


def _is_preflight_of(request: HttpRequest, methods: tuple[str, ...] = WRITES) -> bool:
    method = request.headers.get("Access-Control-Request-Method")
    return request.method == "OPTIONS" and method in methods


def _preflight(request: HttpRequest) -> HttpResponse | None:
    """Answer a CORS preflight; None if the address is not open to other origins."""
    if _is_preflight_of(request, READS):
        headers = _PREFLIGHT
    elif _is_preflight_of(request) and _is_named(request):
        headers = _PREFLIGHT_OF_WRITES
    else:
        return None
    allowed = HttpResponse(status=204, headers=headers)
    del allowed["Content-Type"]
    return allowed


def _as_problem(request: HttpRequest, refused: HttpResponseBase) -> HttpResponse:
    answer = status_response(request, refused.status_code)
    for name in ("Allow", "Retry-After"):
        if refused.has_header(name):
            answer[name] = refused[name]
    return answer
