"""What no page and no address of REST can read is refused here, before any of them sees it.

PostgreSQL keeps no NUL character and ends a statement that has one; SQLite keeps it, and so data
that cannot move. A cookie with one is none that we gave: it counts as not sent. In the query or in
a form it is refused. A JSON body is a matter of the fields that take its texts; what they let
through is refused where the database says so (`tournaments.database_faults.is_nul`).
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, UnreadablePostError

from api.edge import PREFIX
from api.problems import problem_response
from scoring.errors import Problem
from tournaments.views.errors import unreadable

NUL: Final = "\0"


class RefuseUnreadable:
    """Middleware: drops cookies with a NUL character, and refuses a query or form with one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        for name, value in [*request.COOKIES.items()]:
            if NUL in value:
                del request.COOKIES[name]
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Refuse what cannot be read; here, so that the answer gets the headers of all others."""
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
