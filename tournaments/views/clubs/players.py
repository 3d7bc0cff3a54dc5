"""Pages of an entrant and of a player, and links of players to members' accounts."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import formats, timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.documents import charts
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player, Role
from tournaments.models.events import Event
from tournaments.selectors.access.personal_links import get_contact
from tournaments.selectors.clubs import clubs, members
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.find_players import find_merged_into
from tournaments.selectors.clubs.members import (
    account_of,
    find_own_pending_claim,
    find_user_of_member,
    get_claim,
    get_linked_member,
    list_pending_claims,
    unlinked_members,
)
from tournaments.selectors.events import players
from tournaments.selectors.events.entrants import get_entrant, ledger_rows, sit_outs_of
from tournaments.selectors.events.meetings import club_day
from tournaments.selectors.events.players import player_for, player_shown
from tournaments.selectors.people.aliases import get_alias, list_aliases
from tournaments.selectors.people.merges import find_pending_erasure, list_merges_into
from tournaments.selectors.standings import history, player_results, publications, standings_view
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.selectors.standings.opening_values import opening_rows
from tournaments.selectors.standings.player_results import MOST_EVENTS, PlayerResult
from tournaments.services.clubs.aliases import confirm_alias, remove_alias
from tournaments.services.clubs.members import (
    claim_player,
    claim_right,
    confirm_claim,
    link_player,
    reject_claim,
    unlink_player,
    withdraw_claim,
)
from tournaments.services.events.adjustments import penalties_add
from tournaments.services.operations import require
from tournaments.views.events.result_notes import own_notes
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, club_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import player_head
from tournaments.views.http.pages import done, go_to, render_club, render_event
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
)
from tournaments.views.ladders.ladders import ladders_of
from tournaments.views.standings.history import chart_response

PAGE: Final = 20
"""Events on one page of results."""
MOST_MET: Final = 10
"""Number of opponents in sight; the others unfold."""
LEAST_PLACES: Final = 2
"""A chart of fewer places would show nothing that the table does not."""

DECISIONS: Final = {
    "confirm": (confirm_claim, gettext_lazy("Claim confirmed: %(name)s is linked to the account.")),
    "reject": (reject_claim, gettext_lazy("Claim rejected: %(name)s stays without this account.")),
    "withdraw": (withdraw_claim, gettext_lazy("Claim of %(id)s withdrawn.")),
}
"""The buttons of a claim → what does it, and what is said then."""


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


@club_page
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
        "values": list_counted_values(event, get_entrant(event, player_id)),
        "today": club_day(event.club, timezone.now()),
        "withdrawn_values": [
            row for row in opening_rows(event, player_id) if row["state"] == "withdrawn"
        ],
        **own_notes(request.actor, event, player_id),
        "met": met[:MOST_MET],
        "met_less": met[MOST_MET:],
    }
    return render_event(request, "clubs/entrant.html", event, context)


@club_page
def player(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    if (target := find_merged_into(club, player_id)) is not None:
        final_player = players.player_for(request.actor, club, target.player_id)
        return go_to("player", club, player_id=final_player.player_id)
    who = players.player_for(request.actor, club, player_id)
    shown_player = players.player_shown(request.actor, club, who)
    contact = _contact_of(club, who)
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
        **_aliases_of(club, who),
        **contact,
    }
    response = render(request, "clubs/player.html", context)
    if contact or context.get("aliases"):
        patch_cache_control(response, no_store=True)
    return response


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
        "own": pending if pending is not None and pending.player_id == player.pk else None,
        "may_claim": is_free and is_whole and has_none and clubs.may_do(club, claim_right()),
        "may_link": may_link,
        "has_account": not is_free,
        "may_edit": clubs.may_do(club, "edit_players") and is_whole,
        "member": members.get_linked_member(player) if may_link else None,
        "claims": [claim for claim in claims if claim.player_id == player.pk],
    }


def _contact_of(club: Club, player: Player) -> dict[str, object]:
    if player.erased_at is not None or not clubs.may_do(club, "read_contacts"):
        return {}
    may_manage = clubs.may_do(club, "manage_contacts")
    return {"contact": get_contact(player), "may_manage_contact": may_manage}


def _aliases_of(club: Club, player: Player) -> dict[str, object]:
    """Return the other names of a player in files, which directors read."""
    if player.erased_at is not None or not clubs.may_do(club, "edit_players"):
        return {}
    return {"aliases": list(list_aliases(player))}


@club_form_page(confirm_alias, remove_alias)
def alias(request: PageRequest, club: Club, player_id: str, alias: uuid.UUID) -> HttpResponse:
    """Confirm or remove another name of a player."""
    require(request.actor, club, "edit_players")
    player = player_for(request.actor, club, player_id)
    if request.method == "POST":
        row = get_alias(player, alias)
        facts = {"name": row.name, "player": player.name}
        with RefusalMessages(request):
            if request.POST.get("to") == "confirm":
                confirm_alias(operation_of(request), row)
                text = _("“%(name)s” in files is %(player)s from now on.")
            else:
                remove_alias(operation_of(request), row)
                text = _("“%(name)s” in files is asked about again.")
            messages.success(request, text % facts)
    return go_to("player", club, player_id=player_id)


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


class LinkPlayerForm(ServiceForm):
    member = forms.CharField(
        label=gettext_lazy("Member"),
        help_text=gettext_lazy("Members whose account is not linked to a player yet."),
    )

    def __init__(self, data: object, club: Club) -> None:
        super().__init__(data)
        self.club, self.members = club, unlinked_members(club)
        choices = [
            (str(member.public_id), f"{member.label} ({Role(member.role).label})")
            for member in self.members
        ]
        self.fields["member"].widget = forms.Select(choices=[("", _("Choose a member")), *choices])

    @gives("user")
    def get_arguments(self) -> Mapping[str, object]:
        return {"user": find_user_of_member(self.club, self.cleaned_data["member"])}

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; it asks for a missing choice."""
        if problem.code == "not_a_member" and not self.cleaned_data.get("member"):
            return _("Choose a member of the club.")
        return super().sentence_of(problem)


@club_form_page((link_player, LinkPlayerForm))
def link(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = player_for(request.actor, club, player_id)
    if "unlink" in request.POST:
        unlink_player(operation_of(request), player)
        notice = _("%(name)s has no account now.") % {"name": player.name}
        return done(request, notice, "player", club, player_id=player_id)
    form = LinkPlayerForm(posted(request), club)
    if submit(request, form, link_player, player) is not None:
        notice = _("%(name)s is linked. The member now acts as this player.")
        return done(request, notice % {"name": player.name}, "player", club, player_id=player_id)
    claims = list_pending_claims(club)
    context = {
        "player": player,
        "member": get_linked_member(player),
        "has_members": bool(form.members),
        "claims": [claim for claim in claims if claim.player_id == player.pk],
        "form": form,
    }
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/link_player.html", club, context, form, crumbs=crumbs)


@club_form_page((claim_player, ServiceForm), (link_player, ServiceForm, "user"))
def claim(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    """Claim a player; a reader who would confirm the claim is linked without one."""
    require(request.actor, club, claim_right())
    player = player_for(request.actor, club, player_id)
    form = ServiceForm(posted(request))
    if may_link := may_do(club, "link_players"):
        user = account_of(request.actor)
        is_done = submit(request, form, link_player, player, user=user) is not None
        notice = _("You are %(name)s now.") % {"name": player.name}
    else:
        is_done = submit(request, form, claim_player, player) is not None
        notice = _("A director has to confirm that you are this player.")
    if is_done:
        if request.POST.get("back") == "me":
            messages.success(request, notice)
            return redirect("tournaments:me")
        return done(request, notice, "player", club, player_id=player_id)
    shown_player = player_shown(request.actor, club, player)
    context = {
        "player": shown_player,
        "account": request.actor.name,
        "may_link": may_link,
        "form": form,
    }
    crumbs = layout.player_crumbs(shown_player, club)
    return render_club(request, "clubs/claim_player.html", club, context, form, crumbs=crumbs)


@club_form_page("own_account")
def claims(request: PageRequest, club: Club) -> HttpResponse:
    """Show the pending claims: to directors all, to anybody else their own."""
    context = {
        "own": find_own_pending_claim(request.actor, club),
        "claims": list_pending_claims(club),
        "may_link": may_do(club, "link_players"),
    }
    crumbs = (layout.players_link(club),)
    return render_club(request, "clubs/claims.html", club, context, crumbs=crumbs)


@club_form_page(withdraw_claim, confirm_claim, reject_claim)
def decide(request: PageRequest, club: Club, claim: uuid.UUID) -> HttpResponse:
    if request.POST.get("to") in DECISIONS:
        operation, notice = DECISIONS[request.POST["to"]]
        if operation is not withdraw_claim:
            require(request.actor, club, "link_players")
        with RefusalMessages(request):
            player = operation(operation_of(request), get_claim(club, claim)).player
            messages.success(request, notice % {"name": player.name, "id": player.player_id})
    back = request.POST.get("back", "")
    if back == "me":
        return redirect("tournaments:me")
    page = back if back in ("players", "members") else "claims"
    return redirect(f"tournaments:{page}", club.slug)
