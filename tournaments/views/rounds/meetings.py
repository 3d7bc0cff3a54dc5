"""An evening that is planned, moved or cancelled."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.selectors.events.meetings import date_of, last_place_and_time, meeting_on
from tournaments.services.rounds.meetings import (
    MeetingChanges,
    change_meeting,
    plan_meeting,
    remove_meeting,
)
from tournaments.templatetags import points
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form, submit


class MeetingForm(ServiceForm):
    field_order = ("date", "time", "place", "reason")
    date = forms.DateField(
        label=_("Date"),
        error_messages={
            "required": _("Enter the date as 2026-11-20."),
            "invalid": _("Enter the date as 2026-11-20."),
        },
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    time = forms.TimeField(
        label=_("Time"),
        required=False,
        help_text=_("Optional. For example 19:30."),
        error_messages={"invalid": _("Enter the time as 19:30.")},
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("Shown on the club’s page and in the change log."),
        widget=forms.TextInput(attrs={"class": "wide"}),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        # Not an attribute of the class: `place` is a method of every form here.
        self.fields["place"] = forms.CharField(
            label=_("Place"),
            required=False,
            help_text=_("Optional. For example Riverside Hall."),
            widget=forms.TextInput(attrs={"class": "wide"}),
        )

    @property
    def arguments(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {"day": data["date"], "at": data["time"], "place": data["place"]}


@event_form_page("manage_event")
def new_meeting(request: PageRequest, event: Event) -> HttpResponse:
    at, place = last_place_and_time(event)
    form = MeetingForm(posted(request), initial={"time": at, "place": place})
    meeting = submit(request, form, plan_meeting, event=event)
    if meeting is not None:
        notice = gettext("Evening planned: %(day)s.") % {"day": points.day(meeting.date)}
        return done(request, notice, "meetings", event)
    context = {
        "layout": layout.manage_layout(request, event, layout.evenings_link(event)),
        "event": event,
        "form": form,
    }
    return render_form(request, "rounds/new_meeting.html", context, form)


@event_form_page("manage_event")
def change_evening(request: PageRequest, event: Event, day: str) -> HttpResponse:
    meeting = meeting_on(event, date_of(day))
    is_saved = "save" in request.POST or not {"cancel", "again", "remove"} & request.POST.keys()
    stored = {"date": meeting.date, "time": meeting.time, "place": meeting.place}
    fields = (
        request.POST
        if is_saved
        else {**_form_fields(meeting), "reason": request.POST.get("reason", "")}
    )
    form = MeetingForm(fields if request.method == "POST" else None, initial=stored)
    if request.method == "POST" and form.is_valid():
        act, notice = _act(request, event, meeting, form)
        attempt(form, act)
        if not form.has_problems:
            return done(request, notice, "meetings", event)
    context = {
        "layout": layout.manage_layout(request, event, layout.evenings_link(event)),
        "event": event,
        "day": meeting.date,
        "meeting": meeting,
        "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
        "has_round": meeting.rounds.exists(),
        "form": form,
        "asks_removal": any(problem.code == "meeting_has_attendance" for problem in form.placed),
    }
    return render_form(request, "rounds/change_meeting.html", context, form)


def _act(
    request: PageRequest, event: Event, meeting: Meeting, form: MeetingForm
) -> tuple[Callable[[], object], str]:
    actor, data, day = request.actor, form.cleaned_data, points.day(meeting.date)
    if "remove" in request.POST:
        return (
            lambda: remove_meeting(
                actor=actor,
                event=event,
                day=meeting.date,
                anyway=request.POST["remove"] == "anyway",
                now=timezone.now(),
            ),
            gettext("The evening of %(day)s was removed.") % {"day": day},
        )
    if "cancel" in request.POST:
        changes = MeetingChanges(state=MeetingState.CANCELLED, reason=data["reason"])
        notice = gettext("The evening of %(day)s is cancelled.") % {"day": day}
    elif "again" in request.POST:
        changes = MeetingChanges(state=MeetingState.PLANNED)
        notice = gettext("The evening of %(day)s is planned again.") % {"day": day}
    else:
        changes = MeetingChanges(day=data["date"], at=data["time"], place=data["place"])
        notice = gettext("The evening is on %(day)s now.") % {"day": points.day(data["date"])}
        if data["date"] == meeting.date:
            notice = gettext("The evening of %(day)s was changed.") % {"day": day}
    return (
        lambda: change_meeting(
            actor=actor, event=event, day=meeting.date, changes=changes, now=timezone.now()
        ),
        notice,
    )


def _form_fields(meeting: Meeting) -> dict[str, str]:
    at = meeting.time.strftime("%H:%M") if meeting.time is not None else ""
    return {"date": meeting.date.isoformat(), "time": at, "place": meeting.place}
