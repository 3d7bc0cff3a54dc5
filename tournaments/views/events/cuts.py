"""Stages of an event: who went on to each, and the cuts that its director makes."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.forms.events.cuts import AnswerCutForm, CutForm
from tournaments.models.events import Event
from tournaments.presenters.events.stage_words import in_words
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.cuts import StageRow, stage_rows
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.standings.reason_text import question_with_names
from tournaments.selectors.standings.reviews import review_of
from tournaments.services.previewing.playoff_answers import (
    AnswerPreview,
    AnswerRefused,
    answers_about_cut,
)
from tournaments.services.stages.cuts import answer_cut, make_cut, undo_cut
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form


@page("read_public")
def stages(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print an event's stages; its director finds a form for the next cut there."""
    found = events.event_at(request.actor, club, event)
    may_cut = found.state == "open" and may_do(found, "manage_event")
    return _form_page(request, found, CutForm() if may_cut else None)


@form_page("manage_event")
def new_cut(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Create a cut; what is refused stands on the page of all stages."""
    found = events.event_at(request.actor, club, event)
    form = CutForm(posted(request), names=_names(found))
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        made = attempt(
            form,
            lambda: make_cut(actor=request.actor, event=found, now=timezone.now(), **typed),
        )
        if made is not None:
            notice = _("The best %(cut)s have qualified. The standings will be updated.")
            messages.success(request, notice % {"cut": made.cut})
            return redirect("tournaments:stages", club=club, event=event)
    return _form_page(request, found, form)


@form_page("manage_event")
def manage_stage(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Undo a cut, or answer what a correction has asked about it."""
    found = events.event_at(request.actor, club, event)
    row = _row(found, number)
    form = AnswerCutForm(posted(request), names=_names(found))
    if request.method == "POST" and form.is_valid() and _apply_action(request, found, number, form):
        messages.success(request, _("Done. The standings will be updated."))
        return redirect("tournaments:stages", club=club, event=event)
    answers: tuple[AnswerPreview | AnswerRefused, ...] = ()
    if row.asked:
        answers = answers_about_cut(found, number, actor=request.actor, now=timezone.now())
    can = {one.answer for one in answers if isinstance(one, AnswerPreview)}
    context = {
        "layout": _layout(request, found, _link(found)),
        "event": found,
        "row": row,
        "form": form,
        "answers": [_answer_in_words(one) for one in answers],
        "may_redo": "redo" in can,
        "under_review": review_of(found) if row.asked else None,
    }
    return render_form(request, "stages/new_cut.html", context, form)


def _answer_in_words(one: AnswerPreview | AnswerRefused) -> object:
    if isinstance(one, AnswerRefused):
        return {"answer": one.answer, "why_not": sentence(one.problem)}
    return one


def _apply_action(request: PageRequest, event: Event, number: int, form: ServiceForm) -> bool:
    typed = form.cleaned_data
    about = {"actor": request.actor, "event": event, "number": number, "reason": typed["reason"]}
    if typed["act"] == "undo":
        return attempt(form, lambda: (undo_cut(**about, now=timezone.now()), True)) is not None
    answered = attempt(form, lambda: answer_cut(**about, answer=typed["act"], now=timezone.now()))
    return answered is not None


def _row(event: Event, number: int) -> StageRow:
    rows = (row for row in _named_rows(event) if row.number == number)
    row = next((row for row in rows if row.made_at or row.asked), None)
    if row is None:
        raise Missing("stage", {"stage": number})
    return row


def _named_rows(event: Event) -> list[StageRow]:
    """The stages as people read them: who went on by name, and names in what is asked about it."""
    rows = stage_rows(event)
    names = _names(event) if any(row.asked for row in rows) else {}
    return [
        replace(
            row,
            asked=question_with_names(row.asked, names),
            went_on=tuple(sorted(row.went_on, key=lambda one: (one.name, one.entrant_id))),
        )
        for row in rows
    ]


def _names(event: Event) -> dict[str, str]:
    return {one.entrant_id: one.name for one in entrant_rows(event)}


def _form_page(request: PageRequest, event: Event, form: CutForm | None) -> HttpResponse:
    context = {
        "layout": _layout(request, event),
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


def _layout(request: PageRequest, event: Event, *more: Link) -> Layout:
    return layout.event_layout(request, event, (layout.event_link(event), *more))
