"""The attendance of an evening, taken by hosts and directors, online and offline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.name_matching import each_begins, letters_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, AttendanceState, Meeting
from tournaments.selectors.attendance.attendance_list import (
    AttendanceList,
    AttendanceRow,
    attendance_of,
    head_count_in_words,
    player_of_meeting,
)
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.services.attendance.set_attendance import (
    add_meeting_guest,
    set_attendance,
    similar_players,
    undo_check_in,
)
from tournaments.views.events.evening_stages import EveningStage, evening_stages
from tournaments.views.hands.phone_queue import HEADER, KEEP_HEADER
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form
from tournaments.views.rounds.attendance_queue import (
    answers_queue,
    device_time,
    queue_answer,
    queue_json,
)

MOST_OFFERED: Final = 12
"""The last round that the page offers; REST takes any."""


class AttendanceForm(ServiceForm):
    """The rounds of a player, or nothing but the refusal of an act."""

    from_round = forms.IntegerField(
        label=_("Comes"), required=False, error_messages={"invalid": _("Choose a round.")}
    )
    leaves_after_round = forms.IntegerField(
        label=_("Leaves"), required=False, error_messages={"invalid": _("Choose a round.")}
    )

    def rounds(self) -> dict[str, Any]:
        """Return the two numbers; None where the player comes on time, and stays until the end."""
        return {name: self.cleaned_data[name] for name in ("from_round", "leaves_after_round")}


class GuestForm(ServiceForm):
    """The name of a guest."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        widget=forms.TextInput(attrs={"class": "wide", "autocomplete": "off"}),
    )


MANAGED: Final = ("seating", "close")
"""Stages with pages for directors only."""
STATES: Final[Mapping[str, str]] = {
    "here": AttendanceState.HERE,
    "absent": AttendanceState.ABSENT,
    "expected": AttendanceState.EXPECTED,
    "left": AttendanceState.LEFT,
}
"""Buttons that set a state, by their names; the value is the player's number."""


@answers_queue
@form_page("take_attendance")
def attendance(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    """Show who is not here yet and who is; check in, undo, and set when a player comes or leaves.

    A search (`q`) keeps its players on the page, so that it works without scripts.
    """
    the_event = events.get_event(request.actor, club, event)
    meeting = meeting_on(the_event, date_of(day))
    meeting.event = the_event
    form, guest = AttendanceForm(posted(request)), GuestForm(posted(request))
    query = request.GET.get("q", "").strip()[:80]
    if request.method == "POST" and form.is_valid() and guest.is_valid():
        act = _act(request, meeting, form)
        row = attempt(guest if act is None else form, act or _guest(request, meeting, guest))
        if HEADER in request.headers:
            return queue_answer(request, form if act is not None else guest)
        if row is not None:
            if act is None:
                notice = gettext("%(name)s is here.") % {"name": row.player.name}
                messages.success(request, notice)
            return redirect(f"{request.path}?{urlencode({'q': query})}" if query else request.path)
    context = _context(request, meeting, query, form, guest)
    if request.headers.get("HX-Request"):  # htmx shows no answer that is an error
        return render(request, "rounds/attendance.html", context)
    response = render_form(request, "rounds/attendance.html", context, form, guest)
    if request.method == "GET" and not context["is_cancelled"]:
        response[KEEP_HEADER] = "yes"
    return response


def _act(
    request: PageRequest, meeting: Meeting, form: AttendanceForm
) -> Callable[[], Attendance] | None:
    """Return what the button that was pressed does; None for a guest."""
    pressed = next((name for name in (*STATES, "undo", "times") if name in request.POST), None)
    if pressed is None:
        return None
    now = timezone.now()
    player = player_of_meeting(meeting, request.POST[pressed])
    arguments: dict[str, Any] = {
        "actor": request.actor, "meeting": meeting, "player": player, "now": now,
        "stated_at": device_time(request, now),
    }  # fmt: skip
    if pressed == "undo":
        return lambda: undo_check_in(**arguments)
    if pressed == "times":
        rounds = form.rounds()
        return lambda: set_attendance(
            **arguments, **rounds, state=_state_with(meeting, player, rounds)
        )
    return lambda: set_attendance(**arguments, state=STATES[pressed])


def _state_with(meeting: Meeting, player: Player, rounds: Mapping[str, int | None]) -> str:
    """Return the state of a player whose times are saved: who is here, or left, stays so."""
    state = next((row.state for row in attendance_of(meeting).rows if row.pk == player.pk), "")
    if state in (AttendanceState.HERE, AttendanceState.LEFT):
        return state
    return AttendanceState.LATE if rounds["from_round"] else AttendanceState.EXPECTED


def _guest(request: PageRequest, meeting: Meeting, form: GuestForm) -> Callable[[], Attendance]:
    return lambda: add_meeting_guest(
        actor=request.actor,
        meeting=meeting,
        name=form.cleaned_data["name"],
        is_new="new" in request.POST,
        now=timezone.now(),
    )


def _context(
    request: PageRequest, meeting: Meeting, query: str, form: AttendanceForm, guest: GuestForm
) -> Mapping[str, object]:
    event = meeting.event
    everybody = attendance_of(meeting)
    matches = _matching_rows(everybody, query)
    return {
        "layout": layout.event_layout(request, event, _links(event)),
        "event": event,
        "meeting": meeting,
        "stages": _stages(event, meeting),
        "list": everybody,
        "shown": matches,
        "query": query,
        "form": form,
        "guest": guest,
        "outbox": queue_json(meeting, request.actor),
        "similar": similar_players(event.club, guest.placed),
        "from_rounds": range(2, MOST_OFFERED + 1),
        "after_rounds": range(1, MOST_OFFERED + 1),
        "head_count": head_count_in_words(event, everybody.n_here),
        "here_url": reverse(
            "tournaments:attendance", args=(event.club.slug, event.slug, meeting.date.isoformat())
        ),
        "plans_url": _plans_url(meeting),
        "may_manage": may_do(event, "manage_event"),
        "is_cancelled": meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
    }


def _stages(event: Event, meeting: Meeting) -> Sequence[EveningStage]:
    """Return the stages of the evening, without links to pages that the reader may not open."""
    stages = evening_stages(event, meeting, page="attendance")
    if may_do(event, "manage_event"):
        return stages
    return [replace(stage, url="") if stage.key in MANAGED else stage for stage in stages]


def _plans_url(meeting: Meeting) -> str:
    event = meeting.event
    is_running = event.state in ("draft", "open")
    is_cancelled = meeting.state_now == "cancelled"  # type: ignore[attr-defined]  # annotated
    if is_cancelled or not is_running or not may_do(event, "manage_event"):
        return ""
    address = (event.club.slug, event.slug, meeting.date.isoformat())
    return reverse("tournaments:seating-plans", args=address)


def _links(event: Event) -> tuple[layout.Link, ...]:
    managing = (layout.direct_link(event),) if may_do(event, "manage_event") else ()
    return (*managing, layout.evenings_link(event))


def _matching_rows(everybody: AttendanceList, query: str) -> AttendanceList:
    """Return the players that a search is for: by number, or by the beginnings of words."""
    if not query:
        return everybody
    words = letters_of(query).split()

    def is_meant(row: AttendanceRow) -> bool:
        is_number = row.player_id.casefold().startswith(query.casefold())
        return is_number or (bool(words) and each_begins(words, letters_of(row.name).split()))

    return AttendanceList(tuple(row for row in everybody.rows if is_meant(row)))
