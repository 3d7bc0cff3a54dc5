"""Constraints of an event's seating: who is kept apart, together or at a fixed table, and why."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.forms.rounds.seating_plans import ConstraintForm
from tournaments.models.events import Event
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.seating_plans.constraints import constraints_of
from tournaments.selectors.seating_plans.people_here import seatable_players
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.rounds.meetings import date_of


@form_page("manage_event")
def constraints(request: PageRequest, club: str, event: str) -> HttpResponse:
    """List the constraints of an event with their reasons; add and remove them."""
    found = events.event_at(request.actor, club, event)
    people = [
        (one.player_id, f"{getattr(one, FULL_NAME)} ({one.player_id})")
        for one in seatable_players(found)
    ]
    form = ConstraintForm(request.POST if "add" in request.POST else None, people=people)
    pressed = ServiceForm(request.POST if "remove" in request.POST else None)
    if said := _added(request, found, form) or _removed(request, found, pressed):
        messages.success(request, said)
        return redirect(request.get_full_path())
    context = {
        "layout": layout.manage_layout(request, found, layout.evenings_link(found)),
        "event": found,
        "constraints": tuple(constraints_of(found)),
        "day": meeting_on(found, date_of(day)).date if (day := request.GET.get("day")) else None,
        "form": form,
        "pressed": pressed,
    }
    return render_form(request, "rounds/seating_constraints.html", context, form, pressed)


def _added(request: PageRequest, event: Event, form: ConstraintForm) -> str:
    if not form.is_bound or not form.is_valid():
        return ""
    made = attempt(
        form,
        lambda: add_constraint(
            actor=request.actor, event=event, now=timezone.now(), **form.wanted()
        ),
    )
    return _("Constraint added.") if made is not None else ""


def _removed(request: PageRequest, event: Event, form: ServiceForm) -> str:
    if not form.is_bound:
        return ""
    try:
        remove_constraint(
            actor=request.actor,
            event=event,
            constraint=request.POST["remove"],
            now=timezone.now(),
        )
    except Missing:  # somebody else removed it: there is nothing left to do
        return _("The constraint was removed already.")
    return _("Constraint removed.")
