"""Directing an event: making it, and taking it from one state to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.criteria_catalog import primary_named, tie_break_named
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import plays_for_chips
from tournaments.errors import Conflict
from tournaments.forms.events.events import EventForm, EventStateForm
from tournaments.forms.http.service_form import attempt
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.presenters.rules.option_differences import differing_in
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.events.cuts import has_cut_question
from tournaments.selectors.jobs.jobs import jobs_of
from tournaments.selectors.jobs.queue import failed_jobs, recount_of
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rules import house_rules
from tournaments.selectors.standings import standings
from tournaments.services.events.data_availability import current_facts
from tournaments.services.events.events import create_event, move_event
from tournaments.services.events.finalization import finalization_problems, window_ends
from tournaments.services.events.retry_jobs import retry_jobs
from tournaments.services.events.settings_validation import unusable_criteria
from tournaments.services.hands.double_entry import set_double_entry
from tournaments.services.rules.rule_sets import offered_in, offered_to
from tournaments.states import EVENT, Move, moves_from
from tournaments.views.events.jobs import job_row, stopped_row
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import render_form
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.next_steps import step_of_event
from tournaments.views.playoffs.playoff_text import waiting_playoffs
from tournaments.views.rules.variant_picker import asks_to_preview, selected_game

EVENT_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("draft", "open"): gettext_lazy("Open event"),
    ("open", "closed"): gettext_lazy("Close event"),
    ("open", "draft"): gettext_lazy("Back to draft"),
    ("closed", "final"): gettext_lazy("Make final"),
    ("closed", "open"): gettext_lazy("Reopen event"),
    ("final", "open"): gettext_lazy("Reopen event"),
}
"""Each move of the table of states as the button that makes it, the way on before the way back."""

EVENT_SAYS: Final[Mapping[str, str | Promise]] = {
    "draft": gettext_lazy("The event is a draft again."),
    "open": gettext_lazy("Event opened."),
    "closed": gettext_lazy("The event is closed."),
    "final": gettext_lazy("The event is final."),
}
"""What was done, by the state that it led to."""


@dataclass(frozen=True, slots=True)
class StateButton:
    """A button that changes a state."""

    to: str
    text: str | Promise
    needs_reason: bool


def acts(
    table: Mapping[tuple[str, str], Move],
    words: Mapping[tuple[str, str], str | Promise],
    state: str,
    read: Event,
) -> tuple[StateButton, ...]:
    """Return the moves that the reader may make from `state`, in the order of their buttons."""
    moves = dict(moves_from(table, state))
    return tuple(
        StateButton(to, text, moves[to].needs_reason)
        for (begin, to), text in words.items()
        if begin == state and to in moves and clubs.may_do(read, moves[to].act)
    )


@form_page("manage_event")
def new_event(request: PageRequest, club: str) -> HttpResponse:
    """Ask for an event, show the options of its game, and make it."""
    found = clubs.club_at(request.actor, club)
    typed = request.POST or None
    game = selected_game(request.POST.get("variant", ""), offered_to(found))
    for_chips = game.rules is not None and plays_for_chips(game.rules)
    form = EventForm(typed, options=game.options, rules=game.rules, for_chips=for_chips)
    if typed is not None and form.is_valid():
        wanted = form.entered()
        if not asks_to_preview(request, form, game):
            made = attempt(
                form,
                lambda: create_event(actor=request.actor, club=found, now=timezone.now(), **wanted),
            )
            if made is not None:
                notice = _("%(name)s created. The event is a draft until you open it.")
                messages.success(request, notice % {"name": made.name})
                return redirect("tournaments:manage-event", club=club, event=made.slug)
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "form": form,
        "game": game,
        "is_open": "look" in request.POST or form.has_options_set,
    }
    return render_form(request, "events/new_event.html", context, form)


@form_page("manage_event")
def manage_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Show an event to its director: its settings, its state, its rounds; change its state."""
    found = events.event_at(request.actor, club, event)
    form = EventStateForm(request.POST or None)
    if "try_again" in request.POST:
        retry_jobs(actor=request.actor, event=found, now=timezone.now())
        messages.success(request, _("The job will be tried again."))
        return redirect("tournaments:manage-event", club=club, event=event)
    if "double_entry" in request.POST:
        is_on = request.POST["double_entry"] == "on"
        try:
            set_double_entry(actor=request.actor, event=found, on=is_on, now=timezone.now())
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
        else:
            messages.success(request, _("Done."))
        return redirect("tournaments:manage-event", club=club, event=event)
    if request.method == "POST" and form.is_valid():
        moved = attempt(
            form,
            lambda: move_event(
                actor=request.actor,
                event=found,
                to=form.cleaned_data["to"],
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            ),
        )
        if moved is not None:
            messages.success(request, str(EVENT_SAYS[moved.state]))
            return redirect("tournaments:manage-event", club=club, event=event)
    found = standings.event_with_state(request.actor, club, event)
    settings = settings_of(found)
    now, ends = timezone.now(), window_ends(found)
    waits = tuple(map(sentence, finalization_problems(found))) if found.state == "closed" else ()
    is_held = bool(waits) or (ends is not None and now < ends)
    offered = [
        act
        for act in acts(EVENT, EVENT_ACTS, found.state, found)
        if not ((act.to == "final" and is_held) or (act.to == "draft" and events.has_hands(found)))
    ]
    every_round = tuple(rounds.rounds_with_tables(found))
    step = step_of_event(found, every_round, [act.to for act in offered])
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found),), current="manage"
        ),
        "event": found,
        "games": events.variant_names(found),
        "options": differing_in(offered_in(found), found.variant, found.options),
        "playing": house_rules.house_version_of(found),
        "newer": None
        if found.state in ("closed", "final")
        else house_rules.newer_house_version(found),
        "settings": settings,
        "primary": primary_named(settings.primary).name,
        "idle": [
            tie_break_named(key).name
            for key in unusable_criteria(settings, current_facts(found), seed=found.seed)
        ],
        "rounds": every_round,
        "form": form,
        "stopped": tuple(map(stopped_row, failed_jobs(found))),
        "jobs": tuple(map(job_row, jobs_of(found, now=now))),
        "counting": recount_of(found.pk),
        "waits": waits,
        "waiting": waiting_playoffs(found),
        "may_direct": True,
        "asks_of_cut": has_cut_question(found),
        "window_ends": ends,
        "is_held": is_held,
        "acts": offered,
        "asks_reason": any(act.needs_reason for act in offered),
        "step": step,
        "step_round": step.removeprefix("round:") if step.startswith("round:") else "",
    }
    return render_form(request, "events/manage_event.html", context, form)
