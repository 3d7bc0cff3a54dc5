"""Managing an event: what it is, and taking it from one state to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict
from tournaments.forms.events.events import EventStateForm
from tournaments.models.events import Event
from tournaments.presenters.events.evening_stages import EveningStage, evening_stages
from tournaments.presenters.events.manage_facts import ManageFacts, manage_facts
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.jobs.queue import recount_of
from tournaments.selectors.standings import standings
from tournaments.services.events.events import move_event
from tournaments.services.events.retry_jobs import retry_jobs
from tournaments.services.hands.double_entry import set_double_entry
from tournaments.states import EVENT, Move, moves_from
from tournaments.views.events.jobs import job_row, jobs_in_words
from tournaments.views.events.manage.attention import attention_lines
from tournaments.views.events.manage.groups import event_in_words, link_groups, rounds_in_words
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.events.manage.tiles import manage_tiles, tiles_summary
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form

LISTED_ROUNDS: Final = 20
"""So many of the newest rounds are listed; the page "Evenings" has all."""

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
def manage_event(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Show an event to its director: its settings, its state, its rounds; change its state."""
    found = events.event_at(request.actor, club, event)
    form = EventStateForm(posted(request))
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
    facts = manage_facts(found, actor=request.actor, now=timezone.now())
    following = next_step(facts)
    offered = [
        act
        for act in acts(EVENT, EVENT_ACTS, found.state, found)
        if not (
            (act.to == "final" and (facts.waits or facts.is_window_open))
            or (act.to == "draft" and events.has_hands(found))
        )
    ]
    pressed = following.step.act if following.step else None
    if pressed is not None and pressed.field == "to":
        own = reverse("tournaments:manage-event", args=(club, event))
        offered = [act for act in offered if pressed.url != own or act.to != pressed.value]
    tiles = manage_tiles(facts)
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found),), current="manage"
        ),
        "event": found,
        "lede": event_in_words(facts),
        "next": following,
        "stages": _stages(facts),
        "current": facts.current,
        "clock": facts.clock,
        "round": facts.current.row if facts.current else None,
        "may_extend": clubs.may_do(found, "extend_round"),
        "is_tonight": facts.current is not None and facts.current.on == facts.today,
        "tiles": tiles,
        "tiles_summary": tiles_summary(tiles),
        "attention": attention_lines(facts),
        "groups": link_groups(facts),
        "rounds": facts.rounds[: -LISTED_ROUNDS - 1 : -1],
        "n_more_rounds": max(0, len(facts.rounds) - LISTED_ROUNDS),
        "rounds_in_words": rounds_in_words(facts),
        "settings": facts.settings,
        "form": form,
        "jobs": tuple(map(job_row, facts.jobs)),
        "jobs_summary": jobs_in_words(facts.jobs, found.club.time_zone),
        "counting": recount_of(found.pk),
        "waits": tuple(map(sentence, facts.waits)),
        "window_ends": facts.window_ends,
        "acts": offered,
        "asks_reason": any(act.needs_reason for act in offered),
    }
    return render_form(request, "events/manage_event.html", context, form)


def _stages(facts: ManageFacts) -> tuple[EveningStage, ...]:
    """The stages of the evening at hand; none for a play-off, or where no evening is at hand."""
    current = facts.current
    if current.is_playoff if current else facts.evening is None:
        return ()
    return evening_stages(facts.event, facts.evening, rounds=facts.rounds)
