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
from tournaments.forms.hands.hand_form_fields import number_in
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.forms.rounds.seating_plans import PlanForm, usual_kind
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import OPEN, SeatingPlan
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
from tournaments.views.playoffs.playoff_text import playoff_links
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
    number = number_in(request.POST.get("stage") or request.GET.get("stage", ""))
    shown = plan_page(found, meeting, now=timezone.now(), number=number)
    form = PlanForm(
        request.POST if "make" in request.POST else None,
        initial=_initial(shown),
        allowed=shown.sizes,
        partners=shown.partners,
        figures=shown.figures,
        is_moving=shown.is_moving,
    )
    pressed = ServiceForm(posted(request))
    said = _made(request, meeting, form) if form.is_bound else _done(request, found, pressed)
    if said:
        messages.success(request, said)
        is_chosen = "choose" in request.POST or "anyway" in request.POST
        return redirect(SEATING if is_chosen else NEXT, club=club, event=event, day=day)
    if request.method == "POST":
        shown = plan_page(found, meeting, now=timezone.now(), number=number)
    context: Mapping[str, object] = {
        "layout": layout.manage_layout(request, found, layout.evenings_link(found)),
        "event": found,
        "day": meeting.date,
        "shown": shown,
        "form": form,
        "pressed": pressed,
        "refused_links": playoff_links(found, (*form.placed, *pressed.placed)),
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
    """Return what the form proposes: what the newest plans were made with, else what is usual.

    Plans that were made or chosen for another stage do not count.
    """
    stage = shown.stage.number if shown.stage is not None else None
    newest = max((card.plan.created_at for card in shown.cards), default=None)
    together = [card for card in shown.cards if card.plan.created_at == newest]
    is_chosen = any(card.is_chosen for card in together)
    is_of_before = is_chosen and shown.stage is not None and not shown.stage.seated
    if not together or is_of_before or together[0].plan.inputs.get("stage", stage) != stage:
        return {
            "movement": usual_kind(shown.movement, shown.partners),
            "rounds": shown.rounds,
            "sizes": list(map(str, shown.preferred)),
            "stage": stage,
        }
    plan = together[0].plan
    used = sorted({size for card in together for size in card.plan.inputs["sizes"]})
    kind = ":".join(filter(None, (plan.movement, plan.inputs.get("variation", ""))))
    return {
        "movement": kind,
        "sizes": list(map(str, used)),
        "rounds": _rounds_again(shown, plan, is_chosen=is_chosen),
        "stage": stage,
    }


def _rounds_again(shown: PlanPage, plan: SeatingPlan, *, is_chosen: bool) -> int:
    """Return for how many rounds plans like this one are made: what is left of a chosen one."""
    if plan.movement == OPEN:
        return shown.rounds
    if not is_chosen:
        return plan.round_count
    if shown.stage is not None and shown.stage.rounds_left:
        return shown.stage.rounds_left
    last = int(plan.inputs.get("first_round", 1)) + plan.round_count - 1
    return max(1, last - shown.evening.seated)


def _made(request: PageRequest, meeting: Meeting, form: PlanForm) -> str:
    """Create plans, and return in words what was made; "" where the form is refused."""
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
    return ngettext("%(n)s plan created.", "%(n)s plans created.", len(made)) % {"n": len(made)}


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
