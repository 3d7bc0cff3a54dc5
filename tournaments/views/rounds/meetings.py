"""The evenings of an event for its director: planning, moving, cancelling and removing them."""

from collections.abc import Callable
from datetime import date

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.errors import Missing
from tournaments.forms.http.service_form import attempt
from tournaments.forms.rounds.meetings import MeetingForm
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.policy import Actor
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import last_place_and_time, meeting_on
from tournaments.services.rounds.meetings import (
    MeetingChanges,
    change_meeting,
    plan_meeting,
    remove_meeting,
)
from tournaments.templatetags import points
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("manage_event")
def new_meeting(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for date, time and place of an evening, and plan it; the last place is proposed."""
    found = events.event_at(request.actor, club, event)
    at, place = last_place_and_time(found)
    form = MeetingForm(posted(request), initial={"time": at, "place": place})
    if request.method == "POST" and form.is_valid():
        made = attempt(
            form,
            lambda: plan_meeting(
                actor=request.actor, event=found, now=timezone.now(), **form.planned()
            ),
        )
        if made is not None:
            notice = _("Evening planned: %(day)s.") % {"day": points.day(made.date)}
            messages.success(request, notice)
            return redirect("tournaments:meetings", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, found, layout.evenings_link(found)),
        "event": found,
        "form": form,
    }
    return render_form(request, "rounds/new_meeting.html", context, form)


@form_page("manage_event")
def change_evening(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    """Change date, time and place of an evening; cancel it, plan it again, or remove it."""
    found = events.event_at(request.actor, club, event)
    shown = meeting_on(found, date_of(day))
    is_saved = "save" in request.POST or not {"cancel", "again", "remove"} & request.POST.keys()
    stored = {"date": shown.date, "time": shown.time, "place": shown.place}
    sent = request.POST if is_saved else {**_typed(shown), "reason": request.POST.get("reason", "")}
    form = MeetingForm(sent if request.method == "POST" else None, initial=stored)
    if request.method == "POST" and form.is_valid():
        act, notice = _act(request, found, shown, form)
        attempt(form, act)
        if not form.has_problems:
            messages.success(request, notice)
            return redirect("tournaments:meetings", club=club, event=event)
    context = {
        "layout": layout.manage_layout(request, found, layout.evenings_link(found)),
        "event": found,
        "day": shown.date,
        "meeting": shown,
        "state": shown.state_now,  # type: ignore[attr-defined]  # annotated
        "has_round": shown.rounds.exists(),
        "form": form,
        "asks_removal": any(one.code == "meeting_has_attendance" for one in form.placed),
    }
    return render_form(request, "rounds/change_meeting.html", context, form)


def _act(
    request: PageRequest, event: Event, shown: Meeting, form: MeetingForm
) -> tuple[Callable[[], object], str]:
    """Return what the button that was pressed does, and what is said of it."""
    actor, data, day = request.actor, form.cleaned_data, points.day(shown.date)
    if "remove" in request.POST:
        return (
            lambda: remove_meeting(
                actor=actor,
                event=event,
                day=shown.date,
                anyway=request.POST["remove"] == "anyway",
                now=timezone.now(),
            ),
            _("The evening of %(day)s was removed.") % {"day": day},
        )
    if "cancel" in request.POST:
        changes = MeetingChanges(state=MeetingState.CANCELLED, reason=data["reason"])
        notice = _("The evening of %(day)s is cancelled.") % {"day": day}
    elif "again" in request.POST:
        changes = MeetingChanges(state=MeetingState.PLANNED)
        notice = _("The evening of %(day)s is planned again.") % {"day": day}
    else:
        changes = MeetingChanges(day=data["date"], at=data["time"], place=data["place"])
        notice = _("The evening is on %(day)s now.") % {"day": points.day(data["date"])}
        if data["date"] == shown.date:
            notice = _("The evening of %(day)s was changed.") % {"day": day}
    return _changing(actor, event, shown, changes), notice


def _changing(
    actor: Actor, event: Event, shown: Meeting, changes: MeetingChanges
) -> Callable[[], object]:
    return lambda: change_meeting(
        actor=actor, event=event, day=shown.date, changes=changes, now=timezone.now()
    )


def _typed(meeting: Meeting) -> dict[str, str]:
    """Return an evening as its form would send it."""
    at = meeting.time.strftime("%H:%M") if meeting.time is not None else ""
    return {"date": meeting.date.isoformat(), "time": at, "place": meeting.place}


def date_of(day: str) -> date:
    """Return the date of an address.

    Raises:
        Missing: it is none.
    """
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise Missing("meeting", {"date": day[:40]}) from None
