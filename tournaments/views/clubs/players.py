"""Pages of an entrant and of a player: results, charts, records, opponents."""

from dataclasses import replace
from datetime import date
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.documents import charts
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.selectors.access.personal_links import get_contact
from tournaments.selectors.clubs import clubs, members
from tournaments.selectors.clubs.find_players import find_merged_into
from tournaments.selectors.events import players
from tournaments.selectors.events.entrants import ledger_rows, sit_outs_of
from tournaments.selectors.people.merges import find_pending_erasure, list_merges_into
from tournaments.selectors.standings import (
    history,
    player_results,
    publications,
    standings_view,
)
from tournaments.selectors.standings.opening_values import opening_rows
from tournaments.selectors.standings.player_results import MOST_EVENTS, PlayerResult
from tournaments.services.clubs.members import claim_right
from tournaments.services.events.adjustments import penalties_add
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import player_head
from tournaments.views.http.pages import go_to, render_event
from tournaments.views.ladders.ladders import ladders_of
from tournaments.views.standings.history import chart_response

PAGE: Final = 20
"""Events on one page of results."""
MOST_MET: Final = 10
"""Number of opponents in sight; the others unfold."""
LEAST_PLACES: Final = 2
"""A chart of fewer places would show nothing that the table does not."""


def results_of(request: PageRequest, club: Club, player: Player) -> dict[str, Any]:
    """Return the events on a player's page; always seven queries."""
    entered = player_results.entered_events(request.actor, club, player)
    newest = list(entered[: MOST_EVENTS + 1])
    listed = newest
    if before := request.GET.get("before", ""):
        listed = list(player_results.events_before(entered, before)[: PAGE + 1])
    rows = player_results.results_in([*newest, *(row for row in listed if row not in newest)])
    by_event = {row.event_id: row for row in rows}
    results = [by_event[event.pk] for event in newest[:MOST_EVENTS]]
    bests = history.bests_in([(row.event_id, row.entrant_id) for row in rows])
    opponents = player_results.opponents_over(club, player, results)
    totals, records = player_results.records_over(results, bests)
    rated = [row for row in results if row.is_ladder and row.score is not None]
    return {
        "results": [(by_event[event.pk], bests.get(event.pk)) for event in listed[:PAGE]],
        "is_first": listed[:1] == newest[:1],
        "older": listed[PAGE - 1].slug if len(listed) > PAGE else "",
        "placed": _placed(results),
        "n_placed": LEAST_PLACES,
        "rated": rated[:3],
        "totals": totals,
        "records": records,
        "met": opponents[:MOST_MET],
        "met_less": opponents[MOST_MET:],
        "is_cut": len(newest) > MOST_EVENTS,
        "most_events": MOST_EVENTS,
    }


def _placed(results: list[PlayerResult]) -> list[PlayerResult]:
    placed = [result for result in reversed(results) if result.rank is not None]
    return sorted(placed, key=lambda result: result.on or date.min)


@club_page("read_public")
def places_chart(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    """Answer with a player's places over events as an SVG image; `size=phone` for a narrow page."""
    who = players.player_for(request.actor, club, player_id)
    placed = _placed(player_results.newest_results(request.actor, club, who))
    if not placed:
        raise Missing("player", {"player": player_id})
    line = charts.ChartLine(
        title=_("Place in each event: %(places)s")
        % {"places": ", ".join(row.place for row in placed)},
        labels=[formats.date_format(row.on, "j M") if row.on else "" for row in placed],
        values=[row.rank for row in placed],
    )
    last = max(row.of for row in placed)
    return chart_response(request, charts.places_chart, line, last=last)


@event_page("read_public")
def entrant(request: PageRequest, event: Event, player_id: str) -> HttpResponse:
    results = player_results.entrant_history(event, player_id)
    context: dict[str, Any] = {"event": event, "history": results}
    if request.htmx:
        return render(request, "clubs/_meetings.html", context)
    stored = publications.current_publication(event)
    view = standings_view.standings_view(stored, is_full=True) if stored else None
    met = history.encounters_of(event, player_id)
    context |= {
        "view": view,
        "row": view.row_of(player_id) if view else None,
        "places": history.places_of(event, player_id),
        "nights": history.nights_of(event, player_id),
        "lines": ledger_rows(event, penalties_add=penalties_add(event), entrant_id=player_id),
        "sit_outs": sit_outs_of(event, player_id),
        "opening_values": opening_rows(event, player_id),
        "met": met[:MOST_MET],
        "met_less": met[MOST_MET:],
    }
    return render_event(request, "clubs/entrant.html", event, context)


@club_page("read_public")
def player(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    if (target := find_merged_into(club, player_id)) is not None:
        final_player = players.player_for(request.actor, club, target.player_id)
        return go_to("player", club, player_id=final_player.player_id)
    who = players.player_for(request.actor, club, player_id)
    shown_player = players.player_shown(request.actor, club, who)
    page_layout = layout.club_layout(request, club, (layout.players_link(club),))
    context = {
        "layout": replace(page_layout, head=player_head(request, club, shown_player)),
        "club": club,
        "player": shown_player,
        "ladders": ladders_of(request, club, who),
        "back": f"player:{who.player_id}",
        **results_of(request, club, who),
        **_account_of(request, club, who),
        **_records_of(request, club, who),
        **_contact_of(club, who),
    }
    return render(request, "clubs/player.html", context)


def _account_of(request: PageRequest, club: Club, player: Player) -> dict[str, object]:
    """A member without a player sees "This is me", a director the linked account."""
    if request.actor.kind != "user":
        return {}
    own_player = members.find_own_player(request.actor, club)
    pending = members.find_own_pending_claim(request.actor, club) if own_player is None else None
    is_whole, is_free = player.erased_at is None, player.user_id is None
    may_link = is_whole and clubs.may_do(club, "link_players")
    has_none = own_player is None and pending is None
    claims = members.list_pending_claims(club)
    return {
        "is_own": own_player == player,
        "own": pending if pending is not None and pending.player_id == player.player_id else None,
        "may_claim": is_free and is_whole and has_none and clubs.may_do(club, claim_right()),
        "may_link": may_link,
        "has_account": not is_free,
        "may_edit": clubs.may_do(club, "edit_players") and is_whole,
        "member": members.get_linked_member(player) if may_link else None,
        "claims": [claim for claim in claims if claim.player_id == player.player_id],
    }


def _contact_of(club: Club, player: Player) -> dict[str, object]:
    if player.erased_at is not None or not clubs.may_do(club, "read_contacts"):
        return {}
    may_manage = clubs.may_do(club, "manage_contacts")
    return {"contact": get_contact(player), "may_manage_contact": may_manage}


def _records_of(request: PageRequest, club: Club, player: Player) -> dict[str, object]:
    is_own = request.actor.user_id is not None and request.actor.user_id == player.user_id
    is_whole = player.erased_at is None
    may_merge = is_whole and clubs.may_do(club, "merge_players")
    may_erase = is_whole and clubs.may_do(club, "erase_player")
    return {
        "may_merge": may_merge,
        "merges": list_merges_into(player) if may_merge else (),
        "may_erase": may_erase,
        "may_export": is_own or clubs.may_do(club, "export_player"),
        "may_ask_erasure": is_own and not may_erase and is_whole,
        "erasure": find_pending_erasure(player) if is_own or may_erase else None,
    }
