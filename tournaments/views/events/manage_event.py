"""Managing an event: its page Manage, and changes of state."""

from collections.abc import Mapping
from typing import Final

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.jobs.queue import get_recount
from tournaments.selectors.standings import publications
from tournaments.services.events.change_event import change_settings, retry_jobs
from tournaments.services.events.events import move_event
from tournaments.states import EVENT, Moves, moves_from
from tournaments.views.events.manage.attention import attention_lines
from tournaments.views.events.manage.facts import ManageFacts, ManageStep, job_row, jobs_in_words
from tournaments.views.events.manage.groups import event_in_words, manage_links
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import ReasonForm, operation_of, posted, submit


class EventStateForm(ReasonForm):
    to = forms.CharField(widget=forms.HiddenInput)


EVENT_ACTIONS: Final = {
    ("draft", "open"): gettext_lazy("Open event"),
    ("open", "closed"): gettext_lazy("Close event"),
    ("open", "draft"): gettext_lazy("Back to draft"),
    ("closed", "final"): gettext_lazy("Make final"),
    ("closed", "open"): gettext_lazy("Reopen event"),
    ("final", "open"): gettext_lazy("Reopen event"),
}
"""Each move of the table of states as the button that makes it, the way on before the way back."""


EVENT_SAYS: Final = {
    "draft": gettext_lazy("The event is a draft again."),
    "open": gettext_lazy("Event opened."),
    "closed": gettext_lazy("The event is closed."),
    "final": gettext_lazy("The event is final."),
}
"""New state → the message."""


def actions(
    table: Moves, words: Mapping[tuple[str, str], str | Promise], state: str, read: Event
) -> list[JsonDict]:
    """Return the moves that the reader may make from `state`, in the order of their buttons."""
    moves = dict(moves_from(table, state))
    return [
        {"to": to, "text": text, "needs_reason": moves[to].needs_reason}
        for (begin, to), text in words.items()
        if begin == state and to in moves and clubs.may_do(read, moves[to].right)
    ]


@event_form_page((move_event, EventStateForm), find=publications.event_with_state)
def manage_event(request: PageRequest, event: Event) -> HttpResponse:
    form = EventStateForm(posted(request))
    if "try_again" in request.POST:
        retry_jobs(operation_of(request), event)
        return done(request, gettext("The job will be tried again."), "manage-event", event)
    if "minimum" in request.POST:
        reason = gettext("Minimum of games switched off.")
        change_settings(operation_of(request), event, values={"min_third": False}, reason=reason)
        return done(request, gettext("The minimum is switched off."), "manage-event", event)
    changed_event = submit(request, form, move_event, event)
    if changed_event is not None:
        return done(request, str(EVENT_SAYS[changed_event.state]), "manage-event", event)
    facts = ManageFacts(event, actor=request.actor, now=timezone.now())
    following = next_step(facts)
    offered = [
        action
        for action in actions(EVENT, EVENT_ACTIONS, event.state, event)
        if not (
            (action["to"] == "final" and (facts.waits or facts.is_window_open))
            or (action["to"] == "draft" and events.has_hands(event))
        )
    ]
    step: ManageStep | None = following["step"]
    if step and (step.action.field, step.action.url) == ("to", facts.url("manage-event")):
        offered = [action for action in offered if action["to"] != step.action.value]
    attention, (links, groups) = attention_lines(facts), manage_links(facts)
    context = {
        "lede": event_in_words(facts),
        "next": following,
        "current": facts.current,
        "current_name": facts.round_title(facts.current.number) if facts.current else "",
        "clock": facts.clock,
        "round": facts.current.row if facts.current else None,
        "may_extend": clubs.may_do(event, "extend_round"),
        "may_start": facts.is_running and not facts.is_ladder,
        "tonight": facts.today if facts.meets_today else None,
        "attention": attention,
        "asks_for_jobs": any(line.action.url == "#jobs" for line in attention),
        "links": links,
        "groups": groups,
        "form": form,
        "jobs": tuple(map(job_row, facts.jobs)),
        "jobs_summary": jobs_in_words(facts.jobs, event.club.time_zone),
        "counting": get_recount(event.pk),
        "waits": tuple(map(sentence, facts.waits)),
        "window_ends": facts.window_ends,
        "actions": offered,
        "ties_at_close": facts.ties_at_close
        if "closed" in {action["to"] for action in offered}
        else (),
        "asks_reason": any(action["needs_reason"] for action in offered),
    }
    return render_event(request, "events/manage_event.html", event, context, form)
