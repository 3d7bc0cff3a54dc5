"""An evening that is planned, moved or cancelled."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, MeetingState
from tournaments.selectors.attendance.places import PLACES, kind_of_places
from tournaments.selectors.events.meetings import date_of, last_place_and_time, meeting_on
from tournaments.services.rounds.meetings import (
    change_meeting,
    plan_meeting,
    remove_meeting,
    start_evening,
)
from tournaments.templatetags import points
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_manage
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    day_field,
    gives,
    operation_of,
    posted,
    submit,
    text_field,
)

SHOWN_REASON: Final = _(
    "Shown with the evenings and in the change log, and in the four weeks before on the club’s "
    "page."
)
"""The help of the reason of a cancelled evening."""


class MeetingForm(ServiceForm):
    required_fields = ("date",)
    field_order = ("date", "time", "place", "capacity", "reason")
    date = day_field(
        _("Date"),
        required=_("Enter the date as 2026-11-20."),
        invalid=_("Enter the date as 2026-11-20."),
    )
    time = forms.TimeField(
        label=_("Time"),
        help_text=_("Optional. For example 19:30."),
        error_messages={"invalid": _("Enter the time as 19:30.")},
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    capacity = forms.IntegerField(
        label=_("Places for players"),
        help_text=_(
            "Later answers go on a waiting list. Empty: as in the event’s settings. 0: everybody "
            "can come."
        ),
        error_messages={"invalid": _("Enter a number of places.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    reason = text_field(_("Reason"), SHOWN_REASON)

    def __init__(self, *args: Any, event: Event | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if event is not None:
            self.fields["capacity"].label = PLACES[kind_of_places(event)]
        # Not an attribute of the class: `place` is a method of every form here.
        self.fields["place"] = text_field(_("Place"), _("Optional. For example Riverside Hall."))

    @gives("day", "at", "place", "capacity")
    def get_arguments(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {
            "day": data["date"],
            "at": data["time"],
            "place": data["place"],
            "capacity": data["capacity"],
        }


@event_form_page(start_evening)
def start_tonight(request: PageRequest, event: Event) -> HttpResponse:
    if request.method == "POST":
        with RefusalMessages(request):
            meeting = start_evening(operation_of(request), event)
            return go_to("attendance", event, day=meeting.date.isoformat())
    return go_to("manage-event", event)


@event_form_page((plan_meeting, MeetingForm))
def new_meeting(request: PageRequest, event: Event) -> HttpResponse:
    at, place = last_place_and_time(event)
    form = MeetingForm(posted(request), event=event, initial={"time": at, "place": place})
    meeting = submit(request, form, plan_meeting, event)
    if meeting is not None:
        notice = gettext("Evening planned: %(day)s.") % {"day": points.day(meeting.date)}
        return done(request, notice, "meetings", event)
    below = (layout.evenings_link(event),)
    return render_manage(
        request, "rounds/new_meeting.html", event, {"form": form}, form, below=below
    )


@event_form_page(change_meeting)
def change_evening(request: PageRequest, event: Event, day: str) -> HttpResponse:
    meeting = meeting_on(event, date_of(day))
    pressed = next((name for name in ("remove", "cancel", "again") if name in request.POST), "save")
    stored = {
        "date": meeting.date,
        "time": meeting.time,
        "place": meeting.place,
        "capacity": meeting.capacity,
    }
    fields: Mapping[str, object] = {**stored, "reason": request.POST.get("reason", "")}
    if pressed == "save":
        fields = request.POST
    posted_fields = fields if request.method == "POST" else None
    form = MeetingForm(posted_fields, event=event, initial=stored)
    if form.is_valid():
        with form.placing():
            return done(request, _press(request, meeting, form, pressed), "meetings", event)
    context = {
        "day": meeting.date,
        "meeting": meeting,
        "state": meeting.state_now,  # type: ignore[attr-defined]  # annotated
        "has_round": meeting.rounds.exists(),
        "form": form,
        "asks_removal": any(problem.code == "meeting_has_attendance" for problem in form.placed),
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, "rounds/change_meeting.html", event, context, form, below=below)


def _press(request: PageRequest, meeting: Meeting, form: MeetingForm, pressed: str) -> str:
    op = operation_of(request)
    day = {"day": points.day(meeting.date)}
    match pressed:
        case "remove":
            remove_meeting(op, meeting, anyway=request.POST["remove"] == "anyway")
            return gettext("The evening of %(day)s was removed.") % day
        case "cancel":
            reason = form.cleaned_data["reason"]
            change_meeting(op, meeting, state=MeetingState.CANCELLED, reason=reason)
            return gettext("The evening of %(day)s is cancelled.") % day
        case "again":
            change_meeting(op, meeting, state=MeetingState.PLANNED)
            return gettext("The evening of %(day)s is planned again.") % day
    fields = form.cleaned_data
    changed = change_meeting(
        op,
        meeting,
        day=fields["date"],
        at=fields["time"],
        place=fields["place"],
        capacity=fields["capacity"],
    )
    if changed.date == meeting.date:
        return gettext("The evening of %(day)s was changed.") % day
    return gettext("The evening is on %(day)s now.") % {"day": points.day(changed.date)}
