"""What no page and no address of REST can read is refused here, before any of them sees it.

PostgreSQL keeps no NUL character and ends a statement that has one; SQLite keeps it, and so data
that cannot move. A cookie with one is none that we gave: it counts as not sent. In the query or in
a form it is refused. In a JSON body its fields refuse it (`api.serializers.strict_fields`); what
they let through is refused where the database says so (`tournaments.database_faults.is_nul`).
Django decodes the query by the charset that `Content-Type` names while it makes the request,
before any middleware. A codec that reads no text would fail there.
"""

from collections.abc import Callable, Iterator
from typing import Final

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, UnreadablePostError
from django.utils.http import parse_header_parameters

from api.http.middleware import PREFIX
from api.problems import problem_response
from scoring.errors import Problem
from tournaments.views.http.errors import unreadable

NUL: Final = "\0"
_PLAIN: Final = r"\x41\u0041" + "".join(map(chr, range(0x20, 0x7F))).replace("\\", "")
"""What every charset of a form writes with the same bytes; codecs of escapes and of two bytes a
letter do not."""


class Request(WSGIRequest):
    """Django's request; with a charset that cannot be read it is made as without one."""

    has_unknown_charset = False

    def _set_content_type_params(self, meta: dict[str, object]) -> None:
        written = str(meta.get("CONTENT_TYPE", ""))
        if not names_a_charset(written):
            self.has_unknown_charset = True
            meta = {"CONTENT_TYPE": written.partition(";")[0]}
        super()._set_content_type_params(meta)  # type: ignore[misc]  # not in the stubs


class Handler(WSGIHandler):
    """Django's handler with requests that any `Content-Type` lets be made."""

    request_class = Request


def names_a_charset(content_type: str) -> bool:
    """Return whether a `Content-Type` names no charset or one that forms and queries can be in.

    >>> [names_a_charset(f"text/plain; charset={one}") for one in ("utf-8", "Latin1", "cp1252")]
    [True, True, True]
    >>> [names_a_charset(f"text/plain; charset={one}") for one in ("rot13", "hex", "utf-16", "x")]
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
        """Answer a request."""
        for name, value in [*request.COOKIES.items()]:
            if NUL in value:
                del request.COOKIES[name]
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Refuse what cannot be read; here, so that the answer gets the headers of all others."""
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
