"""Surfaces that other sites and programs read: feeds, calendars, embedded standings.

They show the public's view to every reader, and set no cookie. Caches may store them and revalidate
before each use, so that a surface that is no longer public disappears from them.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeAlias, cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from scoring.errors import Problem, shown
from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.policy import ANYBODY
from tournaments.selectors.access.former_addresses import sent_on
from tournaments.views.http import errors
from tournaments.views.http.decorators import View
from tournaments.views.http.layout import PageRequest

PUBLIC_RIGHT: Final = "read_public"

RefusalPage: TypeAlias = Callable[[PageRequest, int, str], HttpResponse]
"""Makes the page of a refusal of a status and a sentence."""


class BadQuery(Exception):
    """A query parameter has a value that the address does not take."""

    def __init__(self, parameter: str, value: str, expected: str) -> None:
        self.problem = Problem(
            "bad_parameter",
            facts={"parameter": parameter, "found": shown(value), "expected": expected},
        )
        super().__init__(parameter)


def public_surface(refusal: RefusalPage | None = None) -> Callable[[View], View]:
    """Make a view a surface that everybody reads as the public does.

    `Missing` becomes a 404 that no cache stores, `BadQuery` a 400; an address that a club or an
    event had before is sent on.

    Args:
        refusal: makes the pages of refusals; without it they are those of the site.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, **address: Any) -> HttpResponse:
            page_request = cast(PageRequest, request)
            page_request.actor = ANYBODY
            try:
                response = view(page_request, **address)
            except BadQuery as refused:
                page = refusal or errors.bad_query
                response = page(page_request, HTTPStatus.BAD_REQUEST, sentence(refused.problem))
            except Missing as missing:
                problem, moved = missing.problem, sent_on(request, ANYBODY, address)
                if moved is None and refusal is not None:
                    moved = refusal(page_request, HTTPStatus.NOT_FOUND, sentence(problem))
                response = moved or errors.missing(page_request, problem, address)
            is_fresh = response.status_code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
            response["Cache-Control"] = "no-cache" if is_fresh else "no-store"
            return response

        guarded = require_safe(answer)
        guarded.right = PUBLIC_RIGHT  # type: ignore[attr-defined]  # read by the test that walks all routes
        return guarded

    return decorated


def query_number(request: HttpRequest, name: str, *, default: int, most: int) -> int:
    """Return a query parameter that is a whole number from 1 on."""
    text = request.GET.get(name)
    if text is None:
        return default
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    if not is_number or not 1 <= int(text) <= most:
        raise BadQuery(name, text, f"a number from 1 to {most}")
    return int(text)


def query_choice(request: HttpRequest, name: str, *choices: str) -> str:
    """Return a query parameter that is one of some words; the first one without it."""
    text = request.GET.get(name, choices[0])
    if text not in choices:
        raise BadQuery(name, text, ", ".join(choices))
    return text
