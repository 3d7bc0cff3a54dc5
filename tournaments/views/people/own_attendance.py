"""Whether the reader will come to an evening: on the page, by a reminder's link, on its day."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden
from tournaments.models.meetings import Attendance, AttendanceState, Meeting
from tournaments.selectors.attendance.own_evenings import AnswerLink, answer_link_of, own_evening
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.templatetags import points
from tournaments.views.http import layout
from tournaments.views.http.account_hint import account_hint
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form

ANSWERS: Final = {"yes": AttendanceState.EXPECTED, "no": AttendanceState.ABSENT}


@form_page("own_account")
def answer(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    meeting = _meeting(request, club, event, day)
    form = ServiceForm(posted(request))
    state = ANSWERS.get(request.POST.get("answer", ""))
    if state is not None and form.is_valid() and _saved(request, form, meeting, state):
        messages.success(request, said_of(meeting, state))
        back = request.POST.get("back", "")
        if back == "club":
            return redirect("tournaments:club", club=club)
        return redirect("tournaments:me" if back == "me" else request.path)
    return _shown(request, "people/will_you_come.html", meeting, form)


@form_page("own_account")
def check_in(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    """Let the reader check in on the day of an evening; the code in the hall leads here."""
    meeting = _meeting(request, club, event, day)
    form = ServiceForm(posted(request))
    if form.is_valid() and _saved(request, form, meeting, AttendanceState.HERE):
        return redirect(request.path)
    return _shown(request, "people/check_in.html", meeting, form)


@form_page("take_attendance")
def check_in_code(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    meeting = _meeting(request, club, event, day)
    path = reverse("tournaments:check-in", args=(club, event, meeting.date.isoformat()))
    address = request.build_absolute_uri(path)
    context = {
        "layout": layout.event_layout(request, meeting.event, (_attendance_link(meeting),)),
        "event": meeting.event,
        "meeting": meeting,
        "path": path,
        "address": address,
        "shown_address": address.partition("://")[2],
    }
    return render(request, "rounds/check_in_code.html", context)


def said_of(meeting: Meeting, state: str) -> str:
    text = _("Saved: you come on %s.")
    if state == AttendanceState.ABSENT:
        text = _("Saved: you do not come on %s.")
    return text % points.day(meeting.date)


def _meeting(request: PageRequest, club: str, event: str, day: str) -> Meeting:
    current_event = events.event_at(request.actor, club, event)
    meeting = meeting_on(current_event, date_of(day))
    meeting.event = current_event
    return meeting


def _saved(request: PageRequest, form: ServiceForm, meeting: Meeting, state: str) -> bool:
    saved = attempt(
        form,
        lambda: state_own_attendance(
            actor=request.actor, meeting=meeting, state=state, now=timezone.now()
        ),
    )
    return saved is not None


def _shown(
    request: PageRequest, template: str, meeting: Meeting, form: ServiceForm
) -> HttpResponse:
    event = meeting.event
    own_row = own_evening(request.actor, meeting, now=timezone.now())
    context = {
        "layout": layout.event_layout(request, event, (layout.evenings_link(event),)),
        "event": event,
        "meeting": meeting,
        "form": form,
        "own": own_row,
        "is_cancelled": meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
        "is_past": own_row is not None and not own_row.is_today and not own_row.may_answer,
        "hint": account_hint(request, event) if own_row is None else None,
        "may_take": may_do(event, "take_attendance"),
    }
    return render_form(request, template, context, form)


def _attendance_link(meeting: Meeting) -> layout.Link:
    event = meeting.event
    address = (event.club.slug, event.slug, meeting.date.isoformat())
    return layout.Link(_("Attendance"), reverse("tournaments:attendance", args=address))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def answer_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the holder of a reminder's link whether they come, and save the answer.

    Reading the page changes nothing: mail scanners follow links. The link alone is the right; no
    cookie is read but that of the form.
    """
    link = answer_link_of(token, now=timezone.now())
    if link is None:
        return _no_link(request)
    form = ServiceForm(request.POST if request.method == "POST" else None)
    state = ANSWERS.get(request.POST.get("answer", ""))
    saved = ""
    try:
        if state is not None and form.is_valid():
            done = attempt(form, lambda: _answer(link, state, request.POST.get("day", "")))
            saved = said_of(link.meeting, state) if done is not None else ""
        own_row = own_evening(link.actor, link.meeting, now=timezone.now())
    except Forbidden:  # the role of the account waits for a second factor, or it was unlinked
        return _no_link(request)
    context: dict[str, Any] = {
        "layout": layout.Layout(path=request.path),
        "event": link.meeting.event,
        "meeting": link.meeting,
        "own": own_row,
        "form": form,
        "saved": saved,
        "is_cancelled": link.meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "people/answer_link.html", context, status=status)


def _answer(link: AnswerLink, state: str, day: str) -> Attendance:
    if day != link.meeting.date.isoformat():
        raise Conflict(Problem("meeting_outdated"))
    return state_own_attendance(
        actor=link.actor, meeting=link.meeting, state=state, now=timezone.now()
    )


def _no_link(request: HttpRequest) -> HttpResponse:
    context = {"layout": layout.Layout(path=request.path)}
    return render(request, "people/answer_link.html", context, status=404)
