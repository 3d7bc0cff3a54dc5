"""Planning an evening: plans side by side for the people who are here, and choosing one."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.errors import Missing
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.forms.rounds.seating_plans import PlanForm, usual_kind
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import OPEN
from tournaments.presenters.events.evening_stages import evening_stages
from tournaments.presenters.rounds.plan_page import PlanPage, plan_page
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.jobs.heartbeats import is_worker_heard
from tournaments.services.seating_plans.choose_plan import choose_plan, take_best_so_far
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.rounds.meetings import date_of

NEXT: Final = "tournaments:seating-plans"
SEATING: Final = "tournaments:evening-seating"


@form_page("manage_event")
def plans(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    """Show the plans of an evening; make them, choose one, or take the best found so far."""
    found = events.event_at(request.actor, club, event)
    meeting = meeting_on(found, date_of(day))
    meeting.event = found
    if request.htmx and request.method == "GET":
        return _progress(request, found, meeting)
    shown = plan_page(found, meeting, now=timezone.now())
    form = PlanForm(
        request.POST if "make" in request.POST else None,
        initial=_initial(shown),
        allowed=shown.sizes,
        partners=shown.partners,
        figures=shown.figures,
    )
    pressed = ServiceForm(posted(request))
    said = _made(request, meeting, form) if form.is_bound else _done(request, found, pressed)
    if said:
        messages.success(request, said)
        is_chosen = "choose" in request.POST or "anyway" in request.POST
        return redirect(SEATING if is_chosen else NEXT, club=club, event=event, day=day)
    if request.method == "POST":
        shown = plan_page(found, meeting, now=timezone.now())
    context: Mapping[str, object] = {
        "layout": layout.manage_layout(request, found, layout.evenings_link(found)),
        "event": found,
        "day": meeting.date,
        "shown": shown,
        "form": form,
        "pressed": pressed,
        "stages": evening_stages(found, meeting, page="seating"),
        "has_worker": not shown.waiting or is_worker_heard(timezone.now()),
    }
    return render_form(request, "rounds/plans.html", context, form, pressed)


def _progress(request: PageRequest, event: Event, meeting: Meeting) -> HttpResponse:
    """Return how far the plans are; a page whose plans are ready is told to load anew."""
    shown = plan_page(event, meeting, now=timezone.now())
    context = {"event": event, "day": meeting.date, "shown": shown, "has_worker": True}
    response = render(request, "rounds/_plans_progress.html", context)
    if not shown.waiting:
        response["HX-Refresh"] = "true"
    return response


def _initial(shown: PlanPage) -> Mapping[str, Any]:
    """Return what the form proposes: what the drafts were made with, else what the club prefers."""
    drafts = [card.plan for card in shown.cards if not card.is_chosen]
    if drafts:
        used = sorted({size for plan in drafts for size in plan.inputs["sizes"]})
        kind = ":".join(filter(None, (drafts[0].movement, drafts[0].inputs.get("variation", ""))))
        found = {"movement": kind, "sizes": list(map(str, used))}
        rounds = shown.rounds if drafts[0].movement == OPEN else drafts[0].round_count
        return {**found, "rounds": rounds}
    return {
        "movement": usual_kind(shown.movement, shown.partners),
        "rounds": shown.rounds,
        "sizes": list(map(str, shown.preferred)),
    }


def _made(request: PageRequest, meeting: Meeting, form: PlanForm) -> str:
    """Make plans, and return in words what was made; "" where the form is refused."""
    if not form.is_valid():
        return ""
    made = attempt(
        form,
        lambda: make_plans(
            actor=request.actor, meeting=meeting, now=timezone.now(), **form.wanted()
        ),
    )
    if made is None:
        return ""
    return ngettext("%(n)s plan made.", "%(n)s plans made.", len(made)) % {"n": len(made)}


def _done(request: PageRequest, event: Event, form: ServiceForm) -> str:
    """Choose a plan or take the best so far, and return it in words; "" where it is refused."""
    if not form.is_bound or not form.is_valid():
        return ""
    now, sent = timezone.now(), request.POST
    try:
        if "take" in sent:
            take_best_so_far(actor=request.actor, event=event, plan=sent["take"], now=now)
            return _("The best plan so far is taken.")
        chosen = attempt(
            form,
            lambda: choose_plan(
                actor=request.actor,
                event=event,
                plan=sent.get("choose") or sent.get("anyway", ""),
                anyway="anyway" in sent,
                now=now,
            ),
        )
    except Missing as missing:
        form.place([missing.problem])
        return ""
    return _("Plan chosen.") if chosen is not None else ""
