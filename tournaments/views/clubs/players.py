"""Pages of one entrant of an event, and of one player over all events of a club."""

from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render

from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events, players
from tournaments.selectors.events.adjustments import ledger_rows, sit_outs_of
from tournaments.selectors.standings import entrant_results, standings, standings_view
from tournaments.selectors.standings import history as history_selector
from tournaments.services.events.adjustments import penalties_add
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.ladders.context import ladders_of

MOST_MET: Final = 10
"""So many of those met most often stand on the page; the others open below them."""


@page("read_public")
def entrant(request: PageRequest, club: str, event: str, player_id: str) -> HttpResponse:
    """Print every table behind an entrant's row; only the nights when htmx asks for them."""
    found = events.event_at(request.actor, club, event)
    behind = entrant_results.entrant_history(found, player_id)
    context: dict[str, Any] = {"event": found, "history": behind}
    if request.htmx:
        return render(request, "clubs/_meetings.html", context)
    stored = standings.current_publication(found)
    view = standings_view.standings_view(stored) if stored else None
    met = history_selector.encounters_of(found, player_id)
    context |= {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "view": view,
        "row": view.row_of(player_id) if view else None,
        "places": history_selector.places_of(found, player_id),
        "bests": history_selector.bests_of(found, player_id),
        "lines": ledger_rows(
            found, penalties_add=penalties_add(found), entrant_id=behind.entrant_id
        ),
        "sit_outs": sit_outs_of(found, behind.entrant_id),
        "met": met[:MOST_MET],
        "met_less": met[MOST_MET:],
    }
    return render(request, "clubs/entrant.html", context)


@page("read_public")
def player(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Print the events of a club that a player competes in, as far as the reader may see them."""
    found = clubs.club_at(request.actor, club)
    who = players.player_for(request.actor, found, player_id)
    played = entrant_results.events_of_player(request.actor, found, who)
    made = history_selector.bests_in([(one.event_id, one.entrant_id) for one in played])
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "player": who,
        "events": tuple((one, made.get(one.event_id)) for one in played),
        "ladders": ladders_of(request, found, who),
        "back": f"player:{who.player_id}",
    }
    return render(request, "clubs/player.html", context)
