"""The link of a reminder: whether a player comes to an evening, answered without signing in."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from scoring.errors import Problem
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.http.service_form import ServiceForm, attempt
from tournaments.models.attendance import Attendance
from tournaments.selectors.attendance.answer_links import AnswerLink, answer_link_of
from tournaments.selectors.attendance.own_evenings import own_evening
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED
from tournaments.views.people.own_attendance import ANSWERS, said_of


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
    said = ANSWERS.get(request.POST.get("answer", ""))
    saved = ""
    try:
        if request.method == "POST" and said is not None and form.is_valid():
            done = attempt(form, lambda: _answer(link, said, request.POST.get("day", "")))
            saved = said_of(link.meeting, said) if done is not None else ""
        own = own_evening(link.actor, link.meeting, now=timezone.now())
    except Forbidden:  # the role of the account waits for a second factor, or it was unlinked
        return _no_link(request)
    context: dict[str, Any] = {
        "layout": layout.Layout(path=request.path),
        "event": link.meeting.event,
        "meeting": link.meeting,
        "own": own,
        "form": form,
        "saved": saved,
        "is_cancelled": link.meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "people/answer_link.html", context, status=status)


def _answer(link: AnswerLink, said: str, day: str) -> Attendance:
    """Save an answer for the day that its page named.

    Raises:
        Conflict: meeting_outdated, where the evening was moved meanwhile.
    """
    if day != link.meeting.date.isoformat():
        raise Conflict(Problem("meeting_outdated"))
    return state_own_attendance(
        actor=link.actor, meeting=link.meeting, state=said, now=timezone.now()
    )


def _no_link(request: HttpRequest) -> HttpResponse:
    context = {"layout": layout.Layout(path=request.path)}
    return render(request, "people/answer_link.html", context, status=404)
