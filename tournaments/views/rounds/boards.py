"""Pages for a big screen, which follow by themselves: a round's board, and the standings."""

from dataclasses import replace

from django.http import HttpResponse
from django.utils import timezone

from tournaments.domain.etags import bare, etag
from tournaments.models.events import Event, EventState
from tournaments.models.meetings import Round
from tournaments.presenters.rounds.board_foot import board_foot
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.rounds.live_rounds import event_with_round
from tournaments.selectors.rounds.round_board import board
from tournaments.selectors.rounds.round_times import round_clock
from tournaments.selectors.standings import standings, standings_view, trends
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.reader_mark import reader_mark
from tournaments.views.rounds.live_screen import SECONDS, held_page, live_response, unchanged
from tournaments.views.standings.standings import NEVER

SECONDS_WHEN_OVER = 15
A_PAGE_S = 15
"""How long each page of the standings stays on the big screen."""
ROWS = 10
"""Rows that can be read from the back of a room."""


@page("read_public")
def round_board(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print a round's tiles; its live part alone when htmx asks for it.

    Who entered what is told to directors; what waits of an import to those who may import.
    """
    now = timezone.now()
    found, mark = event_with_round(request.actor, club, event, now=now, number=number)
    tag = etag(f"{found.state}-{mark}{reader_mark(found)}")
    if same := unchanged(request, tag):
        return same
    shown = events.round_at(found, number)
    may_direct = clubs.may_do(found, "manage_event")
    clock = round_clock(found, shown, now=now)
    laid_out = board(
        found,
        shown,
        names=may_direct,
        is_over=clock is not None and clock.is_over,
    )
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found), layout.round_link(found, number))
        ),
        "event": found,
        "round": shown,
        "board": laid_out,
        "clock": clock,
        "foot": board_foot(found, shown),
        "may_direct": may_direct,
        "may_extend": clubs.may_do(found, "extend_round"),
        "now": now,
    }
    return live_response(
        request,
        "board",
        context,
        tag=tag,
        url=request.path,
        seconds=_seconds(found, shown),
    )


@page("read_public")
def big_screen(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the newest standings for the big screen, one page of rows after the other.

    The clock says which page it is, so that every screen shows the same one; `?page=2` stays
    there. The live part alone is sent when htmx asks for it.
    """
    found = standings.event_with_state(request.actor, club, event)
    now = timezone.now()
    turn = int(now.timestamp()) // A_PAGE_S
    held = held_page(request)
    review = "-review" if found.review_since else ""  # type: ignore[attr-defined]  # annotated
    tag = etag(f"{found.state}-{_published(found)}{review}-{held or turn}{reader_mark(found)}")
    if same := unchanged(request, tag):
        return same
    publication = standings.current_publication(found)
    view = standings_view.standings_view(publication) if publication else None
    if view is not None:
        view = replace(view, paths=trends.paths_of(found, view.round, view.places))
    rows = (*view.rows, *view.provisional_rows) if view else ()
    pages = max(1, -(-len(rows) // ROWS))
    number = min(held, pages) if held else turn % pages + 1
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "view": view,
        "rows": rows[(number - 1) * ROWS : number * ROWS],
        "page": number,
        "pages": range(1, pages + 1),
        "is_held": bool(held),
        "now": now,
        "seconds_a_page": A_PAGE_S,
    }
    turns = pages > 1 and not held
    over = SECONDS_WHEN_OVER if turns else NEVER
    return live_response(
        request,
        "big_screen",
        context,
        tag=tag,
        url=request.get_full_path(),
        seconds=over if _is_final(found) else SECONDS,
    )


def _is_final(event: Event) -> bool:
    """Whether nothing more is published; what waits still is."""
    is_behind: bool = event.is_behind  # type: ignore[attr-defined]  # annotated
    return event.state == EventState.FINAL and not is_behind


def _seconds(event: Event, shown: Round) -> int:
    """Return the longest pause between two questions of a board."""
    if event.state == EventState.FINAL:
        return NEVER
    is_over = shown.state == "closed" or event.state == EventState.CLOSED
    return SECONDS_WHEN_OVER if is_over else SECONDS


def _published(event: Event) -> str:
    return bare(str(event.published or 0))  # type: ignore[attr-defined]  # annotated
