"""Requests that are refused before a view reads them, and the pages of failed requests."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import structlog
from django.core.exceptions import MiddlewareNotUsed, RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, UnreadablePostError
from django.utils.http import parse_header_parameters

from api.middleware import PREFIX
from api.problems import RETRY_AFTER_S, problem_response
from scoring.errors import Problem
from tournaments.domain.faults import (
    is_busy,
    is_disk_full,
    is_nul,
    is_unavailable,
    reconnect_if_read_only,
    report_fault,
)
from tournaments.domain.sheets.images import LARGEST as LARGEST_PHOTO
from tournaments.management.service import WEB_THREADS
from tournaments.views.http.errors import away, busy, no_room, server_error, unreadable

NUL: Final = "\0"
_PLAIN: Final = r"\x41\u0041" + "".join(map(chr, range(0x20, 0x7F))).replace("\\", "")
"""What every charset of a form writes with the same bytes; codecs of escapes and of two bytes a
letter do not."""


class Request(WSGIRequest):
    """Django's request; an unknown charset is ignored."""

    has_unknown_charset = False

    def _set_content_type_params(self, meta: dict[str, object]) -> None:
        written = str(meta.get("CONTENT_TYPE", ""))
        if not names_a_charset(written):
            self.has_unknown_charset = True
            meta = {"CONTENT_TYPE": written.partition(";")[0]}
        super()._set_content_type_params(meta)  # type: ignore[misc]  # not in the stubs


class Handler(WSGIHandler):
    """Django's handler with requests that can be created for any `Content-Type`."""

    request_class = Request


LARGEST_WITH_PHOTO: Final = 64 * 1024 * 1024
"""Bytes of a form with a photo or an archive, read so that its page can say what is wrong."""

ARCHIVE: Final = "archive"
"""The field of the archive of a club, which may be as large as its form."""

PHOTO: Final = "photo"
"""The field of a photo: it is cut where it is too large, and refused beside what was typed."""


def names_a_charset(content_type: str) -> bool:
    """Return whether a `Content-Type` names no charset or a supported one.

    >>> [names_a_charset(f"text/plain; charset={name}") for name in ("utf-8", "Latin1", "cp1252")]
    [True, True, True]
    >>> [names_a_charset(f"text/plain; charset={name}") for name in ("rot13", "hex", "utf-16", "x")]
    [False, False, False, False]
    """
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
        return charset is None or _PLAIN.encode().decode(charset, "replace") == _PLAIN
    except (LookupError, ValueError):  # no such codec; none of texts; it cannot decode this
        return False


class RefuseUnreadable:
    """Middleware: drops cookies with a NUL character; refuses a query or form with one, and an
    unknown charset."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        for name, value in [*request.COOKIES.items()]:
            if NUL in value:
                del request.COOKIES[name]
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Refuse unreadable requests; done here so that the answer gets the usual headers."""
        if getattr(request, "has_unknown_charset", False):
            return _refusal(request, 415, Problem("unknown_charset"))
        if place := next(_places_of_nul(request), None):
            return _refusal(request, 400, Problem("nul_character", facts={"where": place}))
        return None


def _places_of_nul(request: HttpRequest) -> Iterator[str]:
    if _has_nul(request.GET):
        yield "query"
    if request.path_info.startswith(PREFIX):
        return
    try:
        if _has_nul(request.POST):
            yield "form"
    except UnreadablePostError:
        return  # nobody waits for an answer


def _has_nul(fields: QueryDict) -> bool:
    return any(NUL in text for name, values in fields.lists() for text in (name, *values))


def _refusal(request: HttpRequest, status: int, problem: Problem) -> HttpResponse:
    if request.path_info.startswith(PREFIX):
        return problem_response(request, status, [problem])
    return unreadable(request, status, problem)


LARGEST: Final = 21 * 1024 * 1024
"""Bytes of a whole form: the largest file that any page takes, and what stands around it."""

_MOST: Final = {PHOTO: LARGEST_PHOTO + 1, ARCHIVE: LARGEST_WITH_PHOTO}
"""Bytes of a file that are kept, by its field."""


class Quota(FileUploadHandler):
    """Precedes the upload handlers that store a file, and enforces the size limit."""

    is_large = False
    remaining = 0

    def handle_raw_input(
        self,
        input_data: object,
        META: Mapping[str, object],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Refuse by the stated length, beyond which nothing is read."""
        if content_length > LARGEST_WITH_PHOTO:
            raise RequestDataTooBig(f"{content_length} bytes")
        self.is_large = content_length > LARGEST

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if self.is_large and field_name not in (PHOTO, ARCHIVE):
            raise RequestDataTooBig(field_name)
        self.remaining = _MOST.get(field_name, LARGEST)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Pass the chunk to the next handler until the limit is exceeded."""
        piece = raw_data[: self.remaining]
        self.remaining = max(self.remaining - len(raw_data), 0)
        return piece or None

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""


AT_ONCE: Final = WEB_THREADS // 2
WAIT_S: Final = 1.0
"""A place is free within milliseconds, but where somebody holds the database for long."""

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
STORES_NOTHING: Final = frozenset({"/api/v1/score"})
"""Addresses that are posted to and write nothing; what they cost is bounded where they are."""


def limit_writers(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware for SQLite: limits concurrent writing requests; others are asked to wait."""
    if connection.vendor != "sqlite":
        raise MiddlewareNotUsed
    places = threading.BoundedSemaphore(AT_ONCE)

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in SAFE or request.path_info in STORES_NOTHING:
            return get_response(request)
        if not places.acquire(timeout=WAIT_S):
            return _busy(request)
        try:
            return get_response(request)
        finally:
            places.release()

    return middleware


def _busy(request: HttpRequest) -> HttpResponse:
    if not request.path_info.startswith(PREFIX):
        return busy(request)
    problem = Problem("try_again", facts={"cause": "busy"})
    return problem_response(request, 503, [problem], headers={"Retry-After": str(RETRY_AFTER_S)})


_log: Final = structlog.get_logger("blacklady.web")


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 507 where the disk is full, 503 without a database, 400 for a NUL
    character that PostgreSQL does not take, else 500."""
    fault = sys.exc_info()[1]
    if fault is not None and is_disk_full(fault):
        report_fault(_log, fault)
        return no_room(request)
    if is_nul(fault):
        return unreadable(request, 400, Problem("nul_character", facts={"where": "request"}))
    if fault is not None and is_unavailable(fault):
        report_fault(_log, fault)
        reconnect_if_read_only(fault)
        if is_busy(fault):
            return busy(request)
        return away(request)
    return server_error(request)
