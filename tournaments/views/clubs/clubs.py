"""Making a club, and the list of its people."""

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.errors import Conflict, Forbidden
from tournaments.forms.clubs.clubs import ClubForm
from tournaments.forms.clubs.player_paste import (
    PastePlayersForm,
    name_as_written,
    read_pasted,
    with_answer,
)
from tournaments.forms.http.service_form import attempt
from tournaments.messages import sentence
from tournaments.models.clubs import Club
from tournaments.selectors.clubs import clubs, player_paste
from tournaments.selectors.clubs.linked_accounts import pending_claims
from tournaments.selectors.events.club_set_up import club_set_up
from tournaments.selectors.events.players import ShownPlayer, listed_players
from tournaments.selectors.people.duplicates import possible_duplicates
from tournaments.selectors.people.erasures import pending_erasures
from tournaments.services.access.permissions import may_make_club
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.find_players import NamedPeople, NamedPerson
from tournaments.services.clubs.player_paste import (
    UndonePaste,
    add_pasted_players,
    plan_players,
    undo_pasted_players,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.form_response import posted
from tournaments.views.http.layout import PageRequest


@form_page("make_club")
def new_club(request: PageRequest) -> HttpResponse:
    """Ask for a club and make it; whoever makes it owns it."""
    if not may_make_club(request.actor):
        raise Forbidden("make_club")
    form = ClubForm(posted(request))
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        made = attempt(form, lambda: create_club(actor=request.actor, now=timezone.now(), **typed))
        if made is not None:
            messages.success(
                request, _("%(name)s created. You are the owner.") % {"name": made.name}
            )
            return redirect("tournaments:club", club=made.slug)
    context = {"layout": layout.site_layout(request), "form": form}
    return _form_page(request, "clubs/new_club.html", context, form.has_problems)


LONGEST_QUERY: Final = 120


@page("read_public")
def players(request: PageRequest, club: str) -> HttpResponse:
    """Print the people of a club: all for its members, else those whose results one may read."""
    found = clubs.club_at(request.actor, club)
    everybody = listed_players(request.actor, found)
    wanted = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "n_players": len(everybody),
        "wanted": wanted,
        "players": _found(everybody, wanted) if wanted else everybody,
        "duplicates": possible_duplicates(found) if clubs.may_do(found, "merge_players") else (),
        "erasures": pending_erasures(found) if clubs.may_do(found, "erase_player") else (),
        "may_edit": clubs.may_do(found, "edit_players"),
        "claims": pending_claims(found),
    }
    return render(request, "clubs/players.html", context)


def _found(everybody: Sequence[ShownPlayer], wanted: str) -> tuple[ShownPlayer, ...]:
    """Whom a search is for, by the names that the reader may read."""
    shown = {one.player_id: one for one in everybody}
    people = NamedPeople([NamedPerson(one.player_id, one.name) for one in everybody])
    return tuple(shown[one.player_id] for one in people.found(wanted))


@form_page("edit_players")
def add_players(request: PageRequest, club: str) -> HttpResponse:
    """Ask for a list of names, show what it would do, and do what was seen."""
    found = clubs.club_at(request.actor, club)
    sent = request.POST.copy() if request.method == "POST" else None
    as_written = sent.getlist("as_written") if sent is not None else []
    if sent is not None and (answer := sent.get("person", "")):
        if name := name_as_written(sent.get("names", ""), answer):
            as_written.append(name)
        sent["names"] = with_answer(sent.get("names", ""), answer)
    form = PastePlayersForm(sent)
    plan = None
    if request.method == "POST" and form.is_valid():
        pasted = read_pasted(form.cleaned_data["names"], as_written)
        if "add" in request.POST:
            number = attempt(
                form,
                lambda: add_pasted_players(
                    actor=request.actor,
                    club=found,
                    pasted=pasted,
                    seen=form.cleaned_data["seen"],
                    now=timezone.now(),
                ),
            )
            if number is not None:
                return redirect("tournaments:added-players", club=club, number=number)
        plan = plan_players(found, pasted)
        if "add" not in request.POST:
            form.place(plan.problems)
    context = {
        "layout": _players_layout(request, found),
        "club": found,
        "form": form,
        "plan": plan,
        "as_written": dict.fromkeys(as_written),
    }
    return _form_page(request, "clubs/add_players.html", context, form.has_problems)


@form_page("edit_players")
def added_players(request: PageRequest, club: str, number: int) -> HttpResponse:
    """Show who came with a pasted list; remove them when asked to."""
    found = clubs.club_at(request.actor, club)
    player_paste.pasted_line(found, number)
    if request.method == "POST":
        try:
            undone = undo_pasted_players(
                actor=request.actor, club=found, number=number, now=timezone.now()
            )
            messages.success(request, _undone_message(undone))
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
        return redirect("tournaments:added-players", club=club, number=number)
    context = {
        "layout": _players_layout(request, found),
        "club": found,
        "added": player_paste.added_players(found, number),
        "asks_for_event": clubs.may_do(found, "create_event")
        and club_set_up(found).next_step == "event",
        "may_invite": clubs.may_do(found, "manage_members"),
    }
    return render(request, "clubs/added_players.html", context)


def _players_layout(request: PageRequest, club: Club) -> layout.Layout:
    return layout.club_layout(request, club, (layout.club_link(club), layout.players_link(club)))


def _undone_message(undone: UndonePaste) -> str:
    n = len(undone.removed)
    text = ngettext(
        "%(n)s player removed from the list.", "%(n)s players removed from the list.", n
    )
    notice = text % {"n": n}
    if undone.kept:
        stay = _("Players who have been seated since then stay on the list: %(ids)s.")
        notice += " " + stay % {"ids": ", ".join(undone.kept)}
    return notice


def _form_page(
    request: PageRequest, template: str, context: dict[str, object], is_refused: bool
) -> HttpResponse:
    return render(request, template, context, status=REFUSED if is_refused else 200)
