"""A short-lived cache of the answers to visitors' conditional requests.

A page of standings with a thousand followers is requested five hundred times a second, with
the ETag of the reader's copy, and all of them get the same answer: a 304, or the new publication.
The answer to the first of them is kept for `KEPT_S`, a tenth of a second. A visitor is a
caller without a cookie and without a token. Measurements are in
docs/decisions/0035-caching-of-publications.md.
"""

import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias, cast
from wsgiref.types import StartResponse, WSGIEnvironment

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch

from config.logs import REQUEST_ID, log_request, request_id_of
from config.operation.metrics import count_answer
from config.standby import is_visitor
from config.web.refusals import Handler

Headers: TypeAlias = list[tuple[str, str]]
Question: TypeAlias = tuple[str, ...]
"""Key of an answer: address, scheme and headers of the request."""

KEPT_S: Final = 0.1
"""A page that asks every two seconds follows as much later."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""Maximum total of stored bodies; each head counts as `HEAD_BYTES`."""
HEAD_BYTES: Final = 2048

_KEPT: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
_MATCH: Final = "blacklady.resolver_match"
_IGNORED: Final = frozenset(
    {
        "HTTP_ACCEPT_ENCODING", "HTTP_CACHE_CONTROL", "HTTP_CONNECTION", "HTTP_DNT",
        "HTTP_FORWARDED", "HTTP_PRAGMA", "HTTP_PRIORITY", "HTTP_REFERER", "HTTP_TE",
        "HTTP_TRACEPARENT", "HTTP_TRACESTATE", "HTTP_TRUE_CLIENT_IP", "HTTP_USER_AGENT",
        "HTTP_VIA", "HTTP_X_AMZN_TRACE_ID", "HTTP_X_CLIENT_IP", "HTTP_X_FORWARDED_FOR",
        "HTTP_X_REAL_IP", "HTTP_X_REQUEST_ID",
    }
)  # fmt: skip
_IGNORED_KINDS: Final = ("HTTP_SEC_", "HTTP_CF_")
"""Headers that differ from caller to caller and on which no public answer depends."""


class Kept(NamedTuple):
    """An answer, its expiry, and the route that it came from."""

    until: float
    size: int
    status: int
    reason: str
    headers: Headers
    body: bytes
    match: ResolverMatch


class MicrocachedHandler(Handler):
    """Django's handler; repeats its answers to visitors' conditional requests for `KEPT_S`."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Question, Kept] = {}
        self._size = 0
        self._lock = Lock()

    def __call__(  # type: ignore[override]  # the stubs name the answer of Django alone
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        question = question_of(environ)
        if question is None:
            return super().__call__(environ, start_response)
        stored = self._kept.get(question)
        if stored is not None and time.monotonic() < stored.until:
            return _again(stored, environ, start_response)
        until = time.monotonic() + KEPT_S
        started: Headers = []

        def start(reason: str, headers: Headers, *more: Any) -> Callable[[bytes], object]:
            started[:] = headers
            return start_response(reason, headers, *more)

        answer: Any = super().__call__(environ, start)
        if (match := environ.get(_MATCH)) and may_be_kept(answer):
            headers = [header for header in started if header[0] != REQUEST_ID]
            reason = f"{answer.status_code} {answer.reason_phrase}"
            body = answer.content
            size = HEAD_BYTES + len(answer.content)
            stored = Kept(until, size, answer.status_code, reason, headers, body, match)
            self._keep(question, stored)
        return cast(Iterable[bytes], answer)

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        response = super().get_response(request)
        request.META[_MATCH] = request.resolver_match
        return response

    def _keep(self, question: Question, answer: Kept) -> None:
        with self._lock:
            now = time.monotonic()
            for past in [past for past, older in self._kept.items() if older.until <= now]:
                self._size -= self._kept.pop(past).size
            older = self._kept.get(question)
            if answer.until <= now or (older is not None and older.until >= answer.until):
                return
            if self._size + answer.size <= MOST_BYTES:
                self._size += answer.size - (older.size if older is not None else 0)
                self._kept[question] = answer


def may_be_kept(answer: object) -> bool:
    """Return whether an answer has an ETag and is the same for every visitor."""
    if not isinstance(answer, HttpResponse) or answer.status_code not in _KEPT:
        return False
    control = str(answer.get("Cache-Control", ""))
    is_public = "private" not in control and "no-store" not in control
    return is_public and answer.has_header("ETag") and not answer.cookies


def question_of(environ: WSGIEnvironment) -> Question | None:
    """Return the cache key of a visitor's conditional request; None for any other request."""
    if environ["REQUEST_METHOD"] != "GET" or "HTTP_IF_NONE_MATCH" not in environ:
        return None
    if not is_visitor(environ):
        return None
    headers = [
        text
        for name in sorted(environ)
        if name.startswith("HTTP_") and name not in _IGNORED and not name.startswith(_IGNORED_KINDS)
        for text in (name, environ[name])
    ]
    # Django reads the query by the charset of Content-Type.
    read_by = environ.get("CONTENT_TYPE", "")
    address = (environ["PATH_INFO"], environ.get("QUERY_STRING", ""), read_by)
    return (*address, environ["wsgi.url_scheme"], *headers)


def _again(
    stored: Kept, environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    """Repeat an answer, with its own log line and count."""
    request_id = request_id_of(environ.get("HTTP_X_REQUEST_ID", ""))
    start_response(stored.reason, [*stored.headers, (REQUEST_ID, request_id)])
    log_request("GET", stored.match.route, stored.status, seconds=0.0, request_id=request_id)
    count_answer(stored.match.view_name or "unnamed", "GET", stored.status, seconds=0.0)
    return (stored.body,) if stored.body else ()
