"""Entering several entrants in an event at once, which is what comes after creating it."""

from functools import partial
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.forms.events.add_entrants import AddEntrantsForm
from tournaments.selectors.clubs.clubs import may_do, players_of
from tournaments.selectors.clubs.find_players import final_keys, label_of
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.rounds.resolve_players import read_entrants
from tournaments.services.events.entrants import add_entrants as enter
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form

SEEN: Final = "add_players"
"""The button that adds new players to the club too: its value has the names that were seen."""


@form_page("manage_event")
def add_entrants(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask which players of the club compete, and enter them."""
    found = events.event_at(request.actor, club, event)
    there = {member.player_id for row in entrant_rows(found) for member in row.members}
    merged = final_keys(found.club)
    offered = [
        (one.player_id, label_of(one))
        for one in players_of(found.club)
        if one.is_active and one.pk not in merged and one.player_id not in there
    ]
    form = AddEntrantsForm(posted(request), offered=offered)
    unknown: tuple[Problem, ...] = ()
    if request.method == "POST" and form.is_valid():
        entrants = read_entrants(found.club, form.typed())
        unknown = entrants.unknown
        form.place(entrants.problems)
        if unknown and request.POST.get(SEEN) != form.names_in(unknown):
            form.ask_about(unknown)
        act = partial(enter, actor=request.actor, event=found, lines=entrants.lines)
        added = None if form.has_problems else attempt(form, lambda: act(now=timezone.now()))
        if added is not None:
            text = ngettext("%(n)s entrant added.", "%(n)s entrants added.", added)
            messages.success(request, text % {"n": added})
            return redirect("tournaments:manage-event", club=club, event=event)
    to_list = Link(_("Entrants"), reverse("tournaments:entrants", args=[club, event]))
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found), to_list)),
        "event": found,
        "form": form,
        "n_offered": len(offered),
        "n_new": len(unknown) if may_do(found, "edit_players") else 0,
        "seen": form.names_in(unknown),
    }
    return render_form(request, "events/add_entrants.html", context, form)
