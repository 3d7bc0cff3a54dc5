"""A round's board: its tables as tiles that follow by themselves, and what is missing."""

import json

from django.http import HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response

from tournaments.selectors import clubs, events
from tournaments.selectors.board import board
from tournaments.services.event_settings import settings_of
from tournaments.views import frames
from tournaments.views.frames import PageRequest
from tournaments.views.pages import page
from tournaments.views.public import Live

SECONDS = 2
SECONDS_WHEN_OVER = 15


@page("read_public")
def round_board(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print a round's tiles; its live part alone when htmx asks for it.

    Who entered what is told to directors; what waits of an import to those who may import.
    """
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    may_direct = clubs.may_do(found, "manage_event")
    laid_out = board(found, shown, of=settings_of(found).hands, names=may_direct)
    etag = f'"{shown.state}-{laid_out.fingerprint}"'
    if request.htmx:
        unchanged = get_conditional_response(request, etag=etag)
        if isinstance(unchanged, HttpResponseNotModified):
            return unchanged
    is_over = shown.state == "closed" or found.state in ("closed", "final")
    context = {
        "frame": frames.event_frame(
            request, found, (frames.event_link(found), frames.round_link(found, number))
        ),
        "event": found,
        "round": shown,
        "board": laid_out,
        "may_direct": may_direct,
        "now": timezone.now(),
        "live": Live(
            url=request.path,
            etag=etag,
            headers=json.dumps({"If-None-Match": etag}),
            seconds=SECONDS_WHEN_OVER if is_over else SECONDS,
            is_behind=False,
            is_parked=False,
        ),
    }
    template = "partials/board_live.html" if request.htmx else "public/board.html"
    response = render(request, template, context)
    if request.htmx:
        response["ETag"] = etag
    return response
