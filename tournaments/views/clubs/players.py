"""Pages of one entrant of an event, and of one player over all events of a club."""

from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import redirect, render

from tournaments.models.clubs import Club, Player
from tournaments.selectors.clubs import clubs, linked_accounts
from tournaments.selectors.clubs.merged_players import merged_into
from tournaments.selectors.events import events, players
from tournaments.selectors.events.adjustments import ledger_rows, sit_outs_of
from tournaments.selectors.people.duplicates import merges_into
from tournaments.selectors.people.erasures import pending_erasure
from tournaments.selectors.standings import history as history_selector
from tournaments.selectors.standings import standings, standings_view
from tournaments.selectors.standings.players import entrant_results
from tournaments.services.clubs.player_claims import claim_act
from tournaments.services.events.adjustments import penalties_add
from tournaments.views.clubs.player_results import results_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import player_head
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
    if (target := merged_into(found, player_id)) is not None:
        known = players.player_for(request.actor, found, target.player_id)
        return redirect("tournaments:player", club, known.player_id)
    who = players.player_for(request.actor, found, player_id)
    shown = players.player_shown(request.actor, found, player_id)
    page_layout = layout.club_layout(
        request, found, (layout.club_link(found), layout.players_link(found))
    )
    context = {
        "layout": replace(page_layout, head=player_head(request, found, shown)),
        "club": found,
        "player": shown,
        "ladders": ladders_of(request, found, who),
        "back": f"player:{who.player_id}",
    }
    context |= results_of(request, found, who)
    context |= _account_of(request, found, who) | _records_of(request, found, who)
    return render(request, "clubs/player.html", context)


def _account_of(request: PageRequest, club: Club, player: Player) -> dict[str, object]:
    """Return what the page says of the player's account, to whom it concerns.

    A member who is no player yet finds "This is me", a director who the player is.
    """
    if request.actor.kind != "user":
        return {}
    own = linked_accounts.own_player(request.actor, club)
    pending = linked_accounts.own_pending_claim(request.actor, club) if own is None else None
    is_whole = player.erased_at is None and player.merged_into_id is None
    is_free = player.user_id is None and is_whole
    may_link = clubs.may_do(club, "link_players")
    claims = linked_accounts.pending_claims(club)
    return {
        "is_own": own == player,
        "own": pending if pending is not None and pending.player_id == player.player_id else None,
        "may_claim": is_free
        and own is None
        and pending is None
        and clubs.may_do(club, claim_act()),
        "may_link": may_link,
        "has_account": player.user_id is not None,
        "may_edit": clubs.may_do(club, "edit_players") and is_whole,
        "member": linked_accounts.linked_member(player) if may_link else None,
        "claims": [one for one in claims if one.player_id == player.player_id],
    }


def _records_of(request: PageRequest, club: Club, player: Player) -> dict[str, object]:
    """Return what may be done with the player's records, by who reads: merge, erase, export."""
    is_own = request.actor.user_id is not None and request.actor.user_id == player.user_id
    may_merge = clubs.may_do(club, "merge_players") and player.erased_at is None
    may_erase = clubs.may_do(club, "erase_player") and player.erased_at is None
    return {
        "may_merge": may_merge,
        "merges": merges_into(player) if may_merge else (),
        "may_erase": may_erase,
        "may_export": is_own or clubs.may_do(club, "export_player"),
        "may_ask_erasure": is_own and not may_erase and player.erased_at is None,
        "erasure": pending_erasure(player) if is_own or may_erase else None,
    }
