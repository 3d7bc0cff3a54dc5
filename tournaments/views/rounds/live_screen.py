"""Answers of pages for a big screen: the whole page, its live part alone, or 304."""

import json
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render

from tournaments.views.http.layout import PageRequest
from tournaments.views.http.not_modified import not_modified
from tournaments.views.standings.standings import LiveState

SECONDS: Final = 2
"""How often a screen asks again while hands are entered."""


def held_page(request: PageRequest) -> int:
    """Return the page that `?page=` holds on the screen; 0 where pages follow one another."""
    asked = request.GET.get("page", "")
    return int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 5 else 0


def unchanged(request: PageRequest, tag: str) -> HttpResponse | None:
    """Return 304 where htmx asks for a live part that it has; None otherwise."""
    return not_modified(request, tag) if request.htmx else None


def live_response(
    request: PageRequest,
    name: str,
    context: dict[str, object],
    *,
    tag: str,
    url: str,
    seconds: int = SECONDS,
) -> HttpResponse:
    """Print `rounds/<name>.html`, or its live part alone when htmx asks for it.

    Args:
        tag: of the state that is shown.
        url: where the live part asks again.
        seconds: how often it does.
    """
    headers = json.dumps({"If-None-Match": tag})
    live = LiveState(
        url=url, etag=tag, headers=headers, seconds=seconds, is_behind=False, is_parked=False
    )
    template = f"rounds/_{name}_live.html" if request.htmx else f"rounds/{name}.html"
    response = render(request, template, {**context, "live": live})
    if request.htmx:
        response["ETag"] = tag
    return response
