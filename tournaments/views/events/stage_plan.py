"""The list of stages as a director plans it: added, changed, put in order, removed and begun."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.forms.events.cuts import OF_THE_TIED
from tournaments.forms.events.stage_plan import StagePlanForm, entered
from tournaments.models.events import Event, StageKind
from tournaments.selectors.events import events
from tournaments.selectors.events.cuts import StageRow, stage_row, stage_rows
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.services.playoffs.director_actions import play_off_tie
from tournaments.services.stages.begin_stage import begin_stage
from tournaments.services.stages.plan_stages import (
    change_stage,
    move_stage,
    plan_stage,
    remove_stage,
    stage_tag,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form
from tournaments.views.playoffs.playoff_text import playoff_links


@form_page("manage_event")
def new_stage(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Add a stage after the others."""
    found = events.event_at(request.actor, club, event)
    before = _before(stage_rows(found))
    form = StagePlanForm(posted(request), stages=before, is_first=not before)
    if request.method == "POST" and form.is_valid():
        made = attempt(
            form,
            lambda: plan_stage(
                actor=request.actor, event=found, fields=form.plan, now=timezone.now()
            ),
        )
        if made is not None:
            messages.success(request, _("The stage has been added."))
            return redirect("tournaments:stages", club=club, event=event)
    return _form_page(request, found, form, None)


@form_page("manage_event")
def change_planned_stage(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Change a stage; or, by its buttons, begin, move or remove it."""
    found = events.event_at(request.actor, club, event)
    rows = stage_rows(found)
    row = stage_row(found, number)
    before = _before(one for one in rows if one.number < number)
    about: dict[str, Any] = {"stages": before, "is_first": not row.is_planned}
    about["only_rounds"] = row.may_change_rounds
    about["names"] = {one.entrant_id: one.name for one in entrant_rows(found)}
    act = request.POST.get("act", "change") if request.method == "POST" else ""
    data = posted(request) if act == "change" else None
    initial = {**entered(row), "based_on": stage_tag(row)}
    form = StagePlanForm(data, initial=initial, **about)
    if act == "change" and form.is_valid():
        about = {"actor": request.actor, "event": found, "now": timezone.now()}
        looked_at = form.cleaned_data["based_on"]
        if attempt(
            form,
            lambda: change_stage(**about, number=number, fields=form.plan, based_on=looked_at),
        ):
            messages.success(request, _("The stage has been changed."))
            return redirect("tournaments:stages", club=club, event=event)
        if any(one.code == "stage_outdated" for one in form.placed):
            return _outdated_page(request, found, form, stage_row(found, number))
    elif act and act != "change":
        form = StagePlanForm(initial, **about)
        if form.is_valid() and attempt(form, lambda: _act(request, found, rows, row, act)):
            page = {"begin": "manage-event", "playoff": "playoffs"}.get(act, "stages")
            return redirect(f"tournaments:{page}", club=club, event=event)
    return _form_page(request, found, form, row)


def _act(request: PageRequest, event: Event, rows: list[StageRow], row: StageRow, act: str) -> bool:
    about: dict[str, Any] = {"actor": request.actor, "event": event, "now": timezone.now()}
    planned = [one.number for one in rows if one.is_planned]
    at = planned.index(row.number) if row.number in planned else 0
    seen: dict[str, Any] = {"number": row.number, "based_on": request.POST.get("based_on", "")}
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "begin": (
            lambda: begin_stage(**about, number=row.number),
            _("The stage has begun. The standings will be updated."),
        ),
        "playoff": (
            lambda: play_off_tie(**about, number=row.number),
            _("The play-off is ready. You can also draw the lot on its page."),
        ),
        "remove": (
            lambda: remove_stage(**about, **seen),
            _("The stage has been removed."),
        ),
        "up": (
            lambda: move_stage(**about, **seen, to=planned[max(at - 1, 0)]),
            _("The order has been changed."),
        ),
    }
    if act not in acts:
        return True
    run, notice = acts[act]
    run()
    messages.success(request, notice)
    return True


def _before(rows: Any) -> list[StageRow]:
    return [one for one in rows if one.kind != StageKind.PLAYOFF]


def _outdated_page(
    request: PageRequest, event: Event, form: StagePlanForm, now: StageRow
) -> HttpResponse:
    """Show what was entered, what another director saved meanwhile, and take it on a second try."""
    current = entered(now)
    different = list(form.differences(current))
    form.data = {**form.cleaned_data, "based_on": stage_tag(now)}
    return _form_page(request, event, form, now, different)


def _form_page(
    request: PageRequest,
    event: Event,
    form: StagePlanForm,
    row: StageRow | None,
    different: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    address = {"club": event.club.slug, "event": event.slug}
    stages = Link(_("Stages"), reverse("tournaments:stages", kwargs=address))
    context = {
        "layout": layout.event_layout(request, event, (layout.event_link(event), stages)),
        "event": event,
        "form": form,
        "row": row,
        "different": different,
        "refused_links": playoff_links(event, form.placed),
        "is_tied": any(one.code in OF_THE_TIED for one in form.placed),
    }
    return render_form(request, "stages/plan_stage.html", context, form)
