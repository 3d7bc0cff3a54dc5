"""Stages of an event: the plan of its director, who went on, and the cuts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.models.events import Event, StageKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.events.stages import StageRow, in_words, stage_row, stage_rows, stage_tag
from tournaments.selectors.standings.reasons import question_with_names
from tournaments.selectors.standings.standings import review_of
from tournaments.services.playoffs.director_actions import play_off_tie
from tournaments.services.previewing.playoff_answers import (
    AnswerPreview,
    answers_about_cut,
)
from tournaments.services.stages.cuts import answer_cut, make_cut, undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    move_stage,
    plan_stage,
    remove_stage,
)
from tournaments.views.events.stage_forms import (
    OF_THE_TIED,
    AnswerCutForm,
    CutForm,
    StagePlanForm,
    entered,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form
from tournaments.views.playoffs.playoff_text import playoff_links


@page("read_public")
def stages(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    may_cut = current_event.state == "open" and may_do(current_event, "manage_event")
    return _form_page(request, current_event, CutForm() if may_cut else None)


@form_page("manage_event")
def new_cut(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    form = CutForm(posted(request), names=_names(current_event))
    if request.method == "POST" and form.is_valid():
        texts = form.cleaned_data
        stage = attempt(
            form,
            lambda: make_cut(actor=request.actor, event=current_event, now=timezone.now(), **texts),
        )
        if stage is not None:
            notice = _("The best %(cut)s have qualified. The standings will be updated.")
            messages.success(request, notice % {"cut": stage.cut})
            return redirect("tournaments:stages", club=club, event=event)
    return _form_page(request, current_event, form)


@form_page("manage_event")
def manage_stage(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    row = _row(current_event, number)
    form = AnswerCutForm(posted(request), names=_names(current_event))
    if (
        request.method == "POST"
        and form.is_valid()
        and _apply_action(request, current_event, number, form)
    ):
        messages.success(request, _("Done. The standings will be updated."))
        return redirect("tournaments:stages", club=club, event=event)
    answers: dict[str, AnswerPreview | Problem] = {}
    if row.asked:
        answers = answers_about_cut(current_event, number, actor=request.actor, now=timezone.now())
    context = {
        "layout": layout.event_layout(request, current_event, (_link(current_event),)),
        "event": current_event,
        "row": row,
        "form": form,
        "answers": [
            {"answer": answer, "why_not": sentence(preview)}
            if isinstance(preview, Problem)
            else preview
            for answer, preview in answers.items()
        ],
        "may_redo": isinstance(answers.get("redo"), AnswerPreview),
        "under_review": review_of(current_event) if row.asked else None,
    }
    return render_form(request, "stages/new_cut.html", context, form)


def _apply_action(request: PageRequest, event: Event, number: int, form: ServiceForm) -> bool:
    texts = form.cleaned_data
    about = {"actor": request.actor, "event": event, "number": number, "reason": texts["reason"]}
    if texts["act"] == "undo":
        return attempt(form, lambda: (undo_cut(**about, now=timezone.now()), True)) is not None
    answered = attempt(form, lambda: answer_cut(**about, answer=texts["act"], now=timezone.now()))
    return answered is not None


def _row(event: Event, number: int) -> StageRow:
    rows = (row for row in _named_rows(event) if row.number == number)
    row = next((row for row in rows if row.made_at or row.asked), None)
    if row is None:
        raise Missing("stage", {"stage": number})
    return row


def _named_rows(event: Event) -> list[StageRow]:
    rows = stage_rows(event)
    names = _names(event) if any(row.asked for row in rows) else {}
    return [
        replace(
            row,
            asked=question_with_names(row.asked, names),
            went_on=tuple(sorted(row.went_on, key=lambda member: (member.name, member.entrant_id))),
        )
        for row in rows
    ]


def _names(event: Event) -> dict[str, str]:
    return {entrant_row.entrant_id: entrant_row.name for entrant_row in entrant_rows(event)}


def _form_page(request: PageRequest, event: Event, form: CutForm | None) -> HttpResponse:
    context = {
        "layout": layout.event_layout(request, event),
        "event": event,
        "stages": [in_words(row) for row in _named_rows(event)],
        "may_plan": may_do(event, "manage_event") and event.state in ("draft", "open"),
        "form": form,
        "may_direct": may_do(event, "manage_event"),
    }
    status = REFUSED if form is not None and form.has_problems else 200
    return render(request, "stages/cuts.html", context, status=status)


def _link(event: Event) -> Link:
    address = {"club": event.club.slug, "event": event.slug}
    return Link(_("Stages"), reverse("tournaments:stages", kwargs=address))


@form_page("manage_event")
def new_stage(request: PageRequest, club: str, event: str) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    before = _before(stage_rows(current_event))
    form = StagePlanForm(posted(request), stages=before, is_first=not before)
    if request.method == "POST" and form.is_valid():
        stage = attempt(
            form,
            lambda: plan_stage(
                actor=request.actor, event=current_event, fields=form.plan, now=timezone.now()
            ),
        )
        if stage is not None:
            messages.success(request, _("The stage has been added."))
            return redirect("tournaments:stages", club=club, event=event)
    return _plan_form_page(request, current_event, form, None)


@form_page("manage_event")
def change_planned_stage(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    rows = stage_rows(current_event)
    row = stage_row(current_event, number)
    before = _before(row for row in rows if row.number < number)
    about: dict[str, Any] = {"stages": before, "is_first": not row.is_planned}
    about["only_rounds"] = row.may_change_rounds
    about["names"] = _names(current_event)
    act = request.POST.get("act", "change") if request.method == "POST" else ""
    data = posted(request) if act == "change" else None
    initial = {**entered(row), "based_on": stage_tag(row)}
    form = StagePlanForm(data, initial=initial, **about)
    if act == "change" and form.is_valid():
        about = {"actor": request.actor, "event": current_event, "now": timezone.now()}
        looked_at = form.cleaned_data["based_on"]
        if attempt(
            form, lambda: change_stage(**about, number=number, fields=form.plan, based_on=looked_at)
        ):
            messages.success(request, _("The stage has been changed."))
            return redirect("tournaments:stages", club=club, event=event)
        if any(problem.code == "stage_outdated" for problem in form.placed):
            return _outdated_page(request, current_event, form, stage_row(current_event, number))
    elif act and act != "change":
        form = StagePlanForm(initial, **about)
        if form.is_valid() and attempt(form, lambda: _act(request, current_event, rows, row, act)):
            page = {"begin": "manage-event", "playoff": "playoffs"}.get(act, "stages")
            return redirect(f"tournaments:{page}", club=club, event=event)
    return _plan_form_page(request, current_event, form, row)


def _act(request: PageRequest, event: Event, rows: list[StageRow], row: StageRow, act: str) -> bool:
    about: dict[str, Any] = {"actor": request.actor, "event": event, "now": timezone.now()}
    planned = [row.number for row in rows if row.is_planned]
    at = planned.index(row.number) if row.number in planned else 0
    plan: dict[str, Any] = {"number": row.number, "based_on": request.POST.get("based_on", "")}
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "begin": (
            lambda: begin_stage(**about, number=row.number),
            _("The stage has begun. The standings will be updated."),
        ),
        "playoff": (
            lambda: play_off_tie(**about, number=row.number),
            _("The play-off is ready. You can also draw the lot on its page."),
        ),
        "remove": (lambda: remove_stage(**about, **plan), _("The stage has been removed.")),
        "up": (
            lambda: move_stage(**about, **plan, to=planned[max(at - 1, 0)]),
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
    return [row for row in rows if row.kind != StageKind.PLAYOFF]


def _outdated_page(
    request: PageRequest, event: Event, form: StagePlanForm, now: StageRow
) -> HttpResponse:
    saved = entered(now)
    different = list(form.differences(saved))
    form.data = {**form.cleaned_data, "based_on": stage_tag(now)}
    return _plan_form_page(request, event, form, now, different)


def _plan_form_page(
    request: PageRequest,
    event: Event,
    form: StagePlanForm,
    row: StageRow | None,
    different: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    context = {
        "layout": layout.event_layout(request, event, (_link(event),)),
        "event": event,
        "form": form,
        "row": row,
        "different": different,
        "refused_links": playoff_links(event, form.placed),
        "is_tied": any(problem.code in OF_THE_TIED for problem in form.placed),
    }
    return render_form(request, "stages/plan_stage.html", context, form)
