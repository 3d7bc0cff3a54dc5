"""Pages for a big screen, which follow by themselves: boards of rounds, and the standings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from scoring.json_types import JsonDict
from tournaments.domain.etags import bare, etag
from tournaments.models.events import Event, EventState
from tournaments.models.rounds import Round
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.events.meetings import rounds_tonight
from tournaments.selectors.ladders.ladder_screen import (
    ScreenLadder,
    ladder_mark,
    ladder_on_screen,
)
from tournaments.selectors.rounds import round_board as boards
from tournaments.selectors.rounds.evening_end import EveningEnd, find_due_evening_end
from tournaments.selectors.rounds.round_progress import event_with_round, round_clock
from tournaments.selectors.rounds.rounds import NamedPlayer, get_substitutes
from tournaments.selectors.standings import history, publications
from tournaments.selectors.standings.evening_screen import (
    ScreenEvening,
    correction_mark,
    evening_on_screen,
    night_mark,
)
from tournaments.selectors.standings.standings_view import (
    StandingsRow,
    StandingsView,
    standings_view,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.responses import not_modified, reader_mark
from tournaments.views.rounds.round_page import next_step, round_head
from tournaments.views.standings.standings import NEVER, LiveState

SECONDS: Final = 2
"""Polling interval of a screen while hands are entered."""

SECONDS_WHEN_OVER = 15

A_PART_S: Final = 32
"""Seconds for each event of an evening on one screen: four pages of seats."""


def held_page(request: PageRequest, parameter: str = "page") -> int:
    """Return the page that `?page=` holds on the screen; 0 where pages follow one another."""
    text = request.GET.get(parameter, "")
    if text.isascii() and text.isdecimal() and len(text) < 5:
        return int(text)
    return 0


def unchanged(request: PageRequest, tag: str) -> HttpResponse | None:
    """Return 304 where htmx asks for a live part that it has; None otherwise."""
    if not request.htmx:
        return None
    return not_modified(request, tag)


def live_response(
    request: PageRequest, name: str, context: dict[str, object], *, tag: str, url: str, seconds: int
) -> HttpResponse:
    """Print `rounds/<name>.html`, or for htmx its live part alone, which asks again at `url`."""
    live = LiveState(url=url, etag=tag, seconds=seconds, is_behind=False, is_parked=False)
    if request.htmx:
        template = f"rounds/_{name}_live.html"
    else:
        template = f"rounds/{name}.html"
    response = render(request, template, {**context, "live": live})
    if request.htmx:
        response["ETag"] = tag
    return response


A_PAGE_S = 15
"""Seconds for each page of the standings on the big screen."""
ROWS = 10
"""Rows that can be read from the back of a room."""
ROWS_OF_EVENING = 9
"""Rows below the first places of an evening, which may need two lines."""
ROWS_OF_LADDER = 8
"""Members with a line about their last move."""
ROW_HEIGHT = 9
LINE_HEIGHT = 4
"""Height of a row, and of each small line below a name, in the same unit."""
SPARE = 20
"""Height that a page of the season has left for such lines when all rows are on it."""
SPARE_OF_EVENING = 3
LETTERS_OF_A_NAME = 45
"""Letters of a name on a line."""
LETTERS_OF_A_REASON = 110
"""Letters of a small line."""


@page("read_public")
def round_board(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print a round's tiles; its live part alone when htmx asks for it.

    Directors see who entered what; users who may import see pending imports.
    """
    now = timezone.now()
    the_event, mark = event_with_round(request.actor, club, event, now=now, number=number)
    tag = etag(f"{the_event.state}-{mark}{reader_mark(the_event)}")
    if same := unchanged(request, tag):
        return same
    round_ = events.get_round(the_event, number)
    may_direct = clubs.may_do(the_event, "manage_event")
    clock = round_clock(the_event, round_, now=now)
    context = {
        "layout": layout.event_layout(request, the_event, (layout.evenings_link(the_event),)),
        "event": the_event,
        **round_head(request, the_event, round_),
        "step": next_step(the_event, round_),
        "board": boards.RoundBoard(
            the_event, round_, names=may_direct, is_over=clock is not None and clock.is_over
        ),
        "clock": clock,
        "sit_outs": sit_outs_in(the_event, round_),
        "then": boards.next_item(round_),
        "may_extend": clubs.may_do(the_event, "extend_round"),
        "now": now,
    }
    return live_response(
        request, "board", context, tag=tag, url=request.path, seconds=_seconds(the_event, round_)
    )


@page("read_public")
def big_screen(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the newest standings for the big screen, one page of rows after the other.

    A ladder has its list. After the last sheet of an evening they are those of the evening, unless
    `?table=season` asks for the season's. The clock says which page it is, so that every screen
    shows the same one; `?page=2` stays there. `?still=2` is that page while its script lets the
    pages wait. The live part alone is sent when htmx asks for it.
    """
    the_event = publications.event_with_state(request.actor, club, event)
    now = timezone.now()
    turn = int(now.timestamp()) // A_PAGE_S
    fixed_page = held_page(request)
    sent_page = fixed_page or held_page(request, "still")
    review = "-review" if the_event.review_since else ""  # type: ignore[attr-defined]  # annotated
    published = bare(str(the_event.published or 0))  # type: ignore[attr-defined]  # annotated
    page_mark = f"{fixed_page}-{sent_page or turn}{reader_mark(the_event)}"
    marked = the_event.marked  # type: ignore[attr-defined]  # annotated
    night = f"{night_mark(the_event, now)}{correction_mark(the_event)}"
    evening_mark = f"{marked}{night}{ladder_mark(the_event)}"
    tag = etag(f"{the_event.state}-{published}{review}-{page_mark}-{evening_mark}")
    if same := unchanged(request, tag):
        return same
    is_of_season = request.GET.get("table") == "season"
    evening = None if is_of_season else evening_on_screen(the_event, now=now)
    ladder = ladder_on_screen(the_event, now=now)
    view: StandingsView | None = None
    if evening is not None:
        view = evening.view
    elif not the_event.is_ladder:
        view = _season_view(the_event)
    plays_for = _get_substitutes(the_event, evening)
    row_pages = _pages_of(view, plays_for, is_evening=evening is not None)
    ladder_pages = _ladder_pages(ladder)
    pages = max(len(row_pages), len(ladder_pages))
    if sent_page:
        number = min(sent_page, pages)
    else:
        number = turn % pages + 1
    context = {
        "layout": layout.event_layout(request, the_event),
        "event": the_event,
        "view": view,
        "evening": evening,
        "is_of_season": is_of_season,
        "table_query": "table=season&" if is_of_season else "",
        "end": _end_to_press(the_event),
        "rows": row_pages[number - 1] if not the_event.is_ladder else (),
        "ladder": ladder,
        "ladder_rows": ladder_pages[number - 1] if ladder_pages else (),
        "plays_for": plays_for,
        "page": number,
        "pages": range(1, pages + 1),
        "is_held": bool(fixed_page),
        "now": now,
        "seconds_a_page": A_PAGE_S,
    }
    turns = pages > 1 and not fixed_page
    over = SECONDS_WHEN_OVER if turns else NEVER
    is_behind = the_event.is_behind  # type: ignore[attr-defined]  # annotated
    return live_response(
        request,
        "big_screen",
        context,
        tag=tag,
        url=request.get_full_path(),
        seconds=over if the_event.state == EventState.FINAL and not is_behind else SECONDS,
    )


def _season_view(event: Event) -> StandingsView | None:
    publication = publications.current_publication(event)
    if publication is None:
        return None
    view = standings_view(publication)
    return replace(view, paths=history.get_trends(event, view.round, view.as_of, view.places))


def _get_substitutes(
    event: Event, evening: ScreenEvening | None
) -> Mapping[str, Sequence[NamedPlayer]]:
    if evening is None:
        return {}
    return get_substitutes(event, evening.meeting)


def _pages_of(
    view: StandingsView | None,
    plays_for: Mapping[str, Sequence[NamedPlayer]],
    *,
    is_evening: bool,
) -> Sequence[Sequence[StandingsRow]]:
    """Return the rows of each page of a screen, one page at least.

    Names and reasons are shown whole, so that a page with reasons has fewer rows.
    """
    most = ROWS
    room = ROWS * ROW_HEIGHT + SPARE
    if is_evening:
        most = ROWS_OF_EVENING
        room = ROWS_OF_EVENING * ROW_HEIGHT + SPARE_OF_EVENING
    pages: list[list[StandingsRow]] = [[]]
    used = 0
    for row in (*view.rows, *view.provisional_rows) if view else ():
        height = _height_of(row, is_substitute=row.entrant_id in plays_for)
        is_full = len(pages[-1]) == most or used + height > room
        if pages[-1] and is_full:
            pages.append([])
            used = 0
        pages[-1].append(row)
        used += height
    return pages


def _ladder_pages(ladder: ScreenLadder | None) -> Sequence[Sequence[JsonDict]]:
    """Return the members of each page of a screen, from the top; none without a list."""
    if ladder is None:
        return ()
    members = ladder.view.rows
    starts = range(0, max(len(members), 1), ROWS_OF_LADDER)
    return [members[start : start + ROWS_OF_LADDER] for start in starts]


def _height_of(row: StandingsRow, *, is_substitute: bool) -> int:
    n_rows = max(1, ceil(len(row.name) / LETTERS_OF_A_NAME))
    n_lines = len(row.cuts) + ceil(len(row.tie_break) / LETTERS_OF_A_REASON)
    if is_substitute:
        n_lines += 1
    return n_rows * ROW_HEIGHT + n_lines * LINE_HEIGHT


def _end_to_press(event: Event) -> EveningEnd | None:
    """Return the end of the evening for who may close it; a wall tells nobody else about it."""
    end = find_due_evening_end(event, now=timezone.now())
    return end if end is not None and end.may_end else None


def _seconds(event: Event, round_: Round) -> int:
    if event.state == EventState.FINAL:
        return NEVER
    is_over = round_.state == "closed" or event.state == EventState.CLOSED
    return SECONDS_WHEN_OVER if is_over else SECONDS


@page("read_public")
def round_screen(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print where everybody sits, and from the first hand on the tables, for the big screen.

    After the last sheet of the evening its own table takes their place, or the list of a ladder.
    All pages are in the answer and one is shown; a script turns them. `?page=2` stays there.
    `?evening=all` shows the events that play tonight in turns; the clock says which.
    """
    now = timezone.now()
    the_event, mark = event_with_round(request.actor, club, event, now=now)
    shown_event = the_event
    turns = request.GET.get("evening") == "all"
    if turns:
        parts = _events_tonight(request, the_event, now)
        turn = int(now.timestamp()) // A_PART_S
        slug = parts[turn % len(parts)].slug if parts else event
        shown_event, mark = event_with_round(request.actor, club, slug, now=now)
    fixed_page = held_page(request)
    shown_mark = f"{shown_event.pk}-{shown_event.state}-{mark}"
    night = f"{night_mark(shown_event, now)}{correction_mark(shown_event)}"
    night += ladder_mark(shown_event)
    tag = etag(f"{shown_mark}-{fixed_page}{reader_mark(the_event)}-{night}")
    if same := unchanged(request, tag):
        return same
    evening = evening_on_screen(shown_event, now=now)
    screen: Mapping[str, object] = {}
    plays_for = _get_substitutes(shown_event, evening)
    evening_pages: Sequence[Sequence[StandingsRow]] = ()
    ladder = ladder_on_screen(shown_event, now=now)
    ladder_pages: Sequence[Sequence[JsonDict]] = ()
    if ladder is not None and ladder.meeting is not None:
        ladder_pages = _ladder_pages(ladder)
        n_pages = len(ladder_pages)
    elif evening is not None:
        evening_pages = _pages_of(evening.view, plays_for, is_evening=True)
        n_pages = len(evening_pages)
    else:
        screen, n_pages = boards.round_screen(shown_event, now=now)
    context = {
        "layout": layout.event_layout(request, the_event),
        "event": shown_event,
        "screen_of": the_event,
        "turns": turns,
        "is_one_of_several": len(_events_tonight(request, the_event, now)) > 1,
        **screen,
        "evening": evening,
        "evening_pages": evening_pages,
        "ladder": ladder,
        "ladder_pages": ladder_pages,
        "plays_for": plays_for,
        "end": _end_to_press(shown_event),
        "page": min(max(1, fixed_page), n_pages),
        "pages": range(1, n_pages + 1),
        "is_held": bool(fixed_page),
        "now": now,
    }
    return live_response(
        request,
        "round_screen",
        context,
        tag=tag,
        url=request.get_full_path(),
        seconds=NEVER if the_event.state == EventState.FINAL else SECONDS,
    )


def _events_tonight(request: PageRequest, event: Event, now: datetime) -> Sequence[Event]:
    """Return the events of the club that play a round tonight or have closed their last one.

    They are in the order of the times of their evenings.
    """
    readable = list(listed_events(request.actor, event.club))
    return [round_.event for round_ in rounds_tonight(readable, event.club, now, with_closed=True)]
