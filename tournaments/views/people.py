"""Pages of one entrant of an event, and of one player over all events of a club."""

from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render

from tournaments.selectors import clubs, companions, events, history, players, standings
from tournaments.selectors.ledger import ledger_rows, sit_outs_of
from tournaments.services.ledger import penalties_add
from tournaments.views import frames
from tournaments.views.frames import PageRequest
from tournaments.views.ladder_frames import ladders_of
from tournaments.views.pages import page

MOST_MET: Final = 10
"""So many of those met most often stand on the page; the others open below them."""


@page("read_public")
def entrant(request: PageRequest, club: str, event: str, player_id: str) -> HttpResponse:
    """Print every table behind an entrant's row; only the nights when htmx asks for them."""
    found = events.event_at(request.actor, club, event)
    behind = history.entrant_history(found, player_id)
    context: dict[str, Any] = {"event": found, "history": behind}
    if request.htmx:
        return render(request, "partials/nights.html", context)
    stored = standings.current_publication(found)
    view = standings.laid_out(stored) if stored else None
    met = companions.encounters_of(found, player_id)
    context |= {
        "frame": frames.event_frame(request, found, (frames.event_link(found),)),
        "view": view,
        "row": view.row_of(player_id) if view else None,
        "places": companions.places_of(found, player_id),
        "bests": companions.bests_of(found, player_id),
        "lines": ledger_rows(
            found, penalties_add=penalties_add(found), entrant_id=behind.entrant_id
        ),
        "sit_outs": sit_outs_of(found, behind.entrant_id),
        "met": met[:MOST_MET],
        "met_less": met[MOST_MET:],
    }
    return render(request, "public/entrant.html", context)


@page("read_public")
def player(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Print the events of a club that a player competes in, as far as the reader may see them."""
    found = clubs.club_at(request.actor, club)
    who = players.player_for(request.actor, found, player_id)
    played = history.events_of_player(request.actor, found, who)
    made = companions.bests_in([(one.event_id, one.entrant_id) for one in played])
    context = {
        "frame": frames.club_frame(request, found, (frames.club_link(found),)),
        "club": found,
        "player": who,
        "events": tuple((one, made.get(one.event_id)) for one in played),
        "ladders": ladders_of(request, found, who),
        "back": f"player:{who.player_id}",
    }
    return render(request, "public/player.html", context)
