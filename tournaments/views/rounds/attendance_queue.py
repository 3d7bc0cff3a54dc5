"""What the queue of a phone is told of attendance that was taken without a signal.

The same queue as that of hands (`views/hands/phone_queue.py`): it posts the fields of the page's
own form, with the time of the device in `at`, so that the newest statement counts.
"""

import json
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import TypeAlias

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from tournaments.models.meetings import Meeting
from tournaments.policy import Actor
from tournaments.selectors.access.former_addresses import current_address
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.templatetags import points
from tournaments.views.hands.phone_queue import (
    ANY,
    HEADER,
    LATER,
    outbox_json_of_page,
    outbox_owner,
    ready,
    stopped,
)
from tournaments.views.http.service_form import ServiceForm

View: TypeAlias = Callable[..., HttpResponse]


def answers_queue(page: View) -> View:
    """Let the page of attendance answer a queue in short; browsers get their pages."""

    @wraps(page)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        notice = request.headers.get(HEADER)
        if notice is None:
            return page(request, *args, **kwargs)
        actor, owner = actor_of(request.user), notice.removeprefix(LATER)
        if actor.kind == "user" and owner not in (ANY, outbox_owner(actor)):
            say = _(
                "Another person took this attendance. It is sent when they use this device again."
            )
            return stopped(HTTPStatus.UNAUTHORIZED, say)
        response = page(request, *args, **kwargs)
        if response.status_code == HTTPStatus.PERMANENT_REDIRECT:  # it follows none
            response = page(request, *args, **kwargs | current_address(request, actor, kwargs))
        return _short(request, response)

    return answer


def queue_answer(request: HttpRequest, form: ServiceForm) -> HttpResponse:
    """Tell a queue whether a statement is stored, or why not."""
    if form.errors:
        reasons = [str(error) for errors in form.errors.values() for error in errors]
        answer = {"state": "refused", "reason": " ".join(reasons)}
        return JsonResponse(answer, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return JsonResponse({"state": "sent", "to": request.path})


def device_time(request: HttpRequest, now: datetime) -> datetime:
    """Return when a statement was made on its device; `now` where the form does not say it."""
    try:
        stated_at = parse_datetime(request.POST.get("at", ""))
    except ValueError:
        return now
    return min(stated_at, now) if stated_at is not None and stated_at.tzinfo is not None else now


def queue_json(meeting: Meeting, actor: Actor) -> str:
    event, day = meeting.event, meeting.date.isoformat()
    path = reverse("tournaments:attendance", args=(event.club.slug, event.slug, day))
    name = _("Attendance, %(day)s") % {"day": points.day(meeting.date)}
    page = {
        "table": path,
        "home": path,
        "name": name,
        "owner": outbox_owner(actor),
        "fresh": True,
        "at": timezone.now().isoformat(),
    }
    return json.dumps(outbox_json_of_page(page, _texts()))


def _short(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if isinstance(response, JsonResponse):
        return response
    sign_in = resolve_url(settings.LOGIN_URL)
    if response.headers.get("Location", "").startswith(sign_in):
        to = f"{sign_in}?{urlencode({'next': request.path})}"
        say = _("This device is signed out. The attendance is sent when you sign in.")
        return stopped(HTTPStatus.UNAUTHORIZED, say, to, _("Sign in"))
    if request.method != "POST" and response.status_code < HTTPStatus.BAD_REQUEST:
        return ready(request)
    say = _("The evening, the player or your role has changed. Open the page to see what to do.")
    return JsonResponse({"state": "refused", "reason": say}, status=response.status_code)


def _texts() -> dict[str, str]:
    return {
        "waiting": _("Saved on this device, not sent yet, {time}"),
        "stopped": _("Saved on this device, not sent yet, {time}"),
        "no_signal_one": _("No signal, 1 change not sent yet"),
        "no_signal_many": _("No signal, {n} changes not sent yet"),
        "away_needs_one": _("No signal, 1 change not accepted yet"),
        "away_needs_many": _("No signal, {n} changes not accepted yet"),
        "waits_one": _("1 change not sent yet"),
        "waits_many": _("{n} changes not sent yet"),
        "needs_one": _("1 change not accepted yet"),
        "needs_many": _("{n} changes not accepted yet"),
        "nothing": _("No attendance was taken on this device today"),
        "go_on": _(
            "Saved on this device, not sent yet. Go on: each change is sent once, automatically, "
            "when there is a signal. You can close the page."
        ),
        "go_away": _(
            "Go on checking in: each change is saved on this device and sent once, automatically, "
            "when there is a signal."
        ),
        "stopped_all": _(
            "Saved on this device, not sent yet. Do what is asked below. The change is then sent "
            "once, automatically."
        ),
        "as_of": _("Attendance as of {time}."),
        "needs": _("The change is saved on this device. Open it to see what to do."),
        "open_refused": _("Send again"),
        "leave": _("Discard"),
        "row": _("Saved on this device, not sent yet"),
        "undo": _("Undo"),
    }
