"""Entering several players in an event at once, which is what comes after creating it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem, Refused
from tournaments.forms.events.add_entrants import AddEntrantsForm
from tournaments.forms.http.service_form import attempt
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import players_of
from tournaments.selectors.clubs.merged_players import final_keys
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.services.clubs.find_players import label_of, named_players
from tournaments.services.events.entrants import add_players
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import Link, PageRequest


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
    if request.method == "POST" and form.is_valid():
        added = attempt(form, lambda: _added(request, found, form))
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
    }
    return render_form(request, "events/add_entrants.html", context, form)


def _added(request: PageRequest, event: Event, form: AddEntrantsForm) -> int:
    known = named_players(event.club)
    meant = [known.meant(text, ("names",)) for text in form.typed()]
    if problems := [one for one in meant if isinstance(one, Problem)]:
        raise Refused(*problems)
    players = [one for one in meant if isinstance(one, Player)]
    return add_players(actor=request.actor, event=event, players=players, now=timezone.now())
