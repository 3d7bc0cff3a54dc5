"""The page of the round at hand for a big screen, which follows by itself from round to round."""

from django.http import HttpResponse
from django.utils import timezone

from tournaments.domain.etags import etag
from tournaments.models.events import EventState
from tournaments.presenters.rounds.round_screen import round_screen as screen_of
from tournaments.selectors.rounds.live_rounds import event_with_round
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.reader_mark import reader_mark
from tournaments.views.rounds.live_screen import SECONDS, held_page, live_response, unchanged
from tournaments.views.standings.standings import NEVER


@page("read_public")
def round_screen(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print where everybody sits, and from the first hand on the tables, for the big screen.

    All pages are in the answer and one is shown; a script turns them. `?page=2` stays there.
    """
    now = timezone.now()
    found, mark = event_with_round(request.actor, club, event, now=now)
    held = held_page(request)
    tag = etag(f"{found.state}-{mark}-{held}{reader_mark(found)}")
    if same := unchanged(request, tag):
        return same
    screen = screen_of(found, now=now)
    n_pages = screen.n_pages if screen else 1
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "screen": screen,
        "round": screen.round if screen else None,
        "clock": screen.clock if screen else None,
        "foot": screen.foot if screen else None,
        "page": min(max(1, held), n_pages),
        "pages": range(1, n_pages + 1),
        "is_held": bool(held),
        "now": now,
    }
    return live_response(
        request,
        "round_screen",
        context,
        tag=tag,
        url=request.get_full_path(),
        seconds=NEVER if found.state == EventState.FINAL else SECONDS,
    )
