"""The attendance of an evening, taken by hosts and directors, online and offline.

Without a signal it is posted by the same queue as hands (`views/hands/phone_queue.py`): with the
fields of the page's own form, and the time of the device in `at`, so that the newest counts.
The page of a request for one more player is here too; its link is in mails and in a club's chat.
"""

import json
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from tournaments.domain.name_matching import finds_player
from tournaments.errors import Forbidden, Missing
from tournaments.models.access import FillInRequest
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting
from tournaments.policy import Actor
from tournaments.selectors.access.former_addresses import current_address
from tournaments.selectors.access.personal_links import find_personal_link, person_with_link
from tournaments.selectors.attendance.attendance_list import (
    AttendanceList,
    AttendanceRow,
    attendance_of,
    count_played,
    head_count_in_words,
    player_of_meeting,
)
from tournaments.selectors.attendance.excuses import counts_excuses, withdraw_until
from tournaments.selectors.attendance.fill_ins import (
    MOST_NAMES,
    comes_as_fill_in,
    fill_in_for,
    fill_in_text,
    find_fill_in,
    find_own_fill_in,
    find_willing,
    further_request,
    is_over,
    list_fill_ins,
    list_willing,
    open_fill_in,
    own_fill_in_path,
    requests_asked_with,
    takes_fill_ins,
)
from tournaments.selectors.attendance.moved_up import list_untold
from tournaments.selectors.attendance.not_entered import add_not_entered_path, list_not_entered
from tournaments.selectors.chat_text import expected_text
from tournaments.selectors.clubs.clubs import actor_of_session, may_do, note_actor
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import club_day, date_of, meeting_on
from tournaments.selectors.rounds.round_seating import chosen_plan
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.fill_ins import (
    MOST_WANTED,
    answer_fill_in,
    ask_fill_in,
    end_fill_in,
)
from tournaments.services.attendance.set_attendance import (
    WAS_HERE,
    add_meeting_guest,
    check_in_all,
    set_attendance,
    similar_players,
    undo_check_in,
)
from tournaments.services.operations import Operation
from tournaments.templatetags import points
from tournaments.views.access.join import count_wrong_link
from tournaments.views.hands.hand_form_fields import natural_number
from tournaments.views.hands.phone_queue import (
    ANY,
    HEADER,
    KEEP_HEADER,
    LATER,
    outbox_json_of_page,
    outbox_owner,
    ready,
    stopped,
)
from tournaments.views.http import errors, layout
from tournaments.views.http.decorators import NO_INDEX, View, event_form_page, runs
from tournaments.views.http.layout import Layout, PageRequest
from tournaments.views.http.pages import render_event
from tournaments.views.http.responses import get_or_post
from tournaments.views.http.service_form import ServiceForm, posted, render_form, text_field


class AttendanceForm(ServiceForm):
    """The rounds of a player, or nothing but the refusal of an operation."""

    from_round = forms.IntegerField(error_messages={"invalid": _("Enter the number of a round.")})
    leaves_after_round = forms.IntegerField(
        error_messages={"invalid": _("Enter the number of a round.")}
    )
    reason = text_field(_("Reason"))
    refused_id = ""

    def refuse(self, player_id: str, name: str) -> None:
        """Say of which player something was refused; the links lead to the button of the row."""
        self.refused_of = name
        self.refused_id = player_id
        for field in self.fields.values():
            field.widget.attrs["id"] = f"menu-of-{player_id}"


class GuestForm(ServiceForm):
    name = text_field(_("Name"), autocomplete="off")


STATES: Final = {
    "here": AttendanceState.HERE,
    "late": AttendanceState.LATE,
    "absent": AttendanceState.ABSENT,
    "expected": AttendanceState.EXPECTED,
    "left": AttendanceState.LEFT,
}
"""Buttons that set a state, by their names; the value is the player's number."""
EXCUSES: Final = {"excuse": True, "no_excuse": False, "as_answered": None}
"""Buttons of a director that excuse a player or do not, by their names."""

LONGEST_QUERY: Final = 80


class FillInForm(ServiceForm):
    player = forms.CharField(label=_("Your name"))


def answers_queue(page: View) -> View:
    """Make the page of attendance answer a queue in short; browsers get their pages."""

    @wraps(page)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        notice = request.headers.get(HEADER)
        if notice is None:
            return page(request, *args, **kwargs)
        actor = actor_of_session(request)
        owner = notice.removeprefix(LATER)
        if actor.kind == "user" and owner not in (ANY, outbox_owner(actor)):
            say = gettext(
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
    if stated_at is not None and stated_at.tzinfo is not None:
        return min(stated_at, now)
    return now


def queue_json(meeting: Meeting, actor: Actor) -> str:
    event = meeting.event
    day = meeting.date.isoformat()
    path = event_url("attendance", event, day)
    name = gettext("Attendance, %(day)s") % {"day": points.day(meeting.date)}
    page = {
        "table": path,
        "home": path,
        "name": name,
        "owner": outbox_owner(actor),
        "fresh": True,
        "at": timezone.now().isoformat(),
    }
    return json.dumps(outbox_json_of_page(page, _queue_texts()))


def _short(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if isinstance(response, JsonResponse):
        return response
    sign_in = resolve_url(settings.LOGIN_URL)
    if response.headers.get("Location", "").startswith(sign_in):
        to = f"{sign_in}?{urlencode({'next': request.path})}"
        say = gettext("This device is signed out. The attendance is sent when you sign in.")
        return stopped(HTTPStatus.UNAUTHORIZED, say, to, gettext("Sign in"))
    if request.method != "POST" and response.status_code < HTTPStatus.BAD_REQUEST:
        return ready(request)
    say = gettext(
        "The evening, the player or your role has changed. Open the page to see what to do."
    )
    return JsonResponse({"state": "refused", "reason": say}, status=response.status_code)


def _queue_texts() -> dict[str, str]:
    return {
        "waiting": gettext("Saved on this device, not sent yet, {time}"),
        "stopped": gettext("Saved on this device, not sent yet, {time}"),
        "no_signal_one": gettext("No signal, 1 change not sent yet"),
        "no_signal_many": gettext("No signal, {n} changes not sent yet"),
        "away_needs_one": gettext("No signal, 1 change not accepted yet"),
        "away_needs_many": gettext("No signal, {n} changes not accepted yet"),
        "waits_one": gettext("1 change not sent yet"),
        "waits_many": gettext("{n} changes not sent yet"),
        "needs_one": gettext("1 change not accepted yet"),
        "needs_many": gettext("{n} changes not accepted yet"),
        "nothing": gettext("No attendance was taken on this device today"),
        "go_on": gettext(
            "Saved on this device, not sent yet. Go on: each change is sent once, automatically, "
            "when there is a signal. You can close the page."
        ),
        "go_away": gettext(
            "Go on checking in: each change is saved on this device and sent once, automatically, "
            "when there is a signal."
        ),
        "stopped_all": gettext(
            "Saved on this device, not sent yet. Do what is asked below. The change is then sent "
            "once, automatically."
        ),
        "as_of": gettext("Attendance as of {time}."),
        "needs": gettext("The change is saved on this device. Open it to see what to do."),
        "open_refused": gettext("Send again"),
        "leave": gettext("Discard"),
        "row": gettext("Saved on this device, not sent yet"),
        "undo": gettext("Undo"),
    }


def fill_in_context(meeting: Meeting) -> dict[str, object]:
    """Return the requests for one more at an evening, and who may be asked."""
    now = timezone.now()
    request = open_fill_in(meeting, now)
    if request is not None:
        request.meeting = meeting
    substitutes = Player.objects.filter(pk__in=request.asked if request is not None else ())
    willing = list_willing(meeting).exclude(pk__in=substitutes)
    return {
        "fill_in": request,
        "fill_in_text": fill_in_text(request) if request is not None else "",
        "fill_ins": [
            (row, comes_as_fill_in(row))
            for row in list_fill_ins(meeting)
            if row.filled_by is not None
        ],
        "asked": substitutes.order_by("sort_key")[:MOST_NAMES],
        "willing": willing.order_by("sort_key")[:MOST_NAMES],
        "may_ask": request is None and takes_fill_ins(meeting, now),
        "most_wanted": MOST_WANTED,
    }


def _is_other(everybody: AttendanceList, row: AttendanceRow) -> bool:
    return not row.waiting and row not in everybody.regulars


@answers_queue
@event_form_page(undo_check_in, ask_fill_in, end_fill_in, excuse_player)
def attendance(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Show the players by name; check in, undo, and set when a player comes or leaves.

    A search (`q`) keeps its players on the page, so that it works without scripts.
    """
    meeting = meeting_on(event, date_of(day))
    form = AttendanceForm(posted(request))
    guest = GuestForm(posted(request))
    query = request.GET.get("q", "").strip()[:80]
    if form.is_valid() and guest.is_valid():
        names = (*STATES, *EXCUSES, "undo", "times", "all", "fill_in")
        pressed = next((name for name in names if name in request.POST), "")
        used = form if pressed else guest
        row: Attendance | FillInRequest | int | None = None
        with used.placing():
            row = _press(request, meeting, pressed, used)
        if HEADER in request.headers:
            return queue_answer(request, used)
        if row is not None:
            if isinstance(row, int):
                messages.success(
                    request,
                    ngettext("%(n)s player checked in.", "%(n)s players checked in.", row)
                    % {"n": row},
                )
            elif isinstance(row, Attendance) and not pressed:
                notice = gettext("%(name)s is here.") % {"name": row.player.name}
                messages.success(request, notice)
                return redirect(f"{request.path}#p-{row.player.player_id}")
            return redirect(f"{request.path}?{urlencode({'q': query})}" if query else request.path)
    everybody = attendance_of(meeting)
    if form.has_problems:
        pressed_for = {request.POST.get(name) for name in (*STATES, *EXCUSES, "undo", "times")}
        for player in everybody.by_name:
            if player.player_id in pressed_for:
                form.refuse(player.player_id, player.name)
    rows = [row for row in everybody.by_name if finds_player(query, row.player_id, row.name)]
    may_manage = may_do(event, "manage_event")
    is_cancelled = meeting.state_now == "cancelled"  # type: ignore[attr-defined]  # annotated
    takes_statements = not is_cancelled and not event.is_over
    context = {
        "meeting": meeting,
        "awaited": everybody.awaited,
        "first_waiting": next((row for row in rows if row.waiting), None),
        "first_other": next((row for row in rows if _is_other(everybody, row)), None),
        "shown": rows,
        "query": query,
        "form": form,
        "guest": guest,
        **fill_in_context(meeting),
        "outbox": queue_json(meeting, request.actor),
        "similar": similar_players(event.club, guest.placed),
        "chat": expected_text(meeting, everybody),
        "head_count": head_count_in_words(event, everybody, count_played(meeting)),
        "may_plan": may_manage and takes_statements,
        "is_planned": chosen_plan(meeting) is not None or meeting.rounds.exists(),
        "may_manage": may_manage,
        "is_cancelled": is_cancelled,
        "takes_statements": takes_statements,
        "counts_excuses": counts_excuses(event),
        "withdraw_until": withdraw_until(meeting),
        "not_entered": list_not_entered(meeting) if may_manage else (),
        "add_not_entered": add_not_entered_path(meeting),
        "untold": list_untold(meeting),
    }
    crumbs = (*((layout.direct_link(event),) if may_manage else ()), layout.evenings_link(event))
    status = 200 if request.htmx else None  # htmx shows no answer that is an error
    response = render_event(
        request,
        "attendance/attendance.html",
        event,
        context,
        form,
        guest,
        crumbs=crumbs,
        status=status,
    )
    if request.method == "GET" and not request.htmx and takes_statements:
        response[KEEP_HEADER] = "yes"
    return response


def _press(
    request: PageRequest, meeting: Meeting, pressed: str, form: ServiceForm
) -> Attendance | FillInRequest | int:
    now = timezone.now()
    op = Operation(request.actor, now)
    entered = form.cleaned_data
    if not pressed:
        is_new = "new" in request.POST
        return add_meeting_guest(op, meeting, name=entered["name"], is_new=is_new)
    if pressed == "all":
        return check_in_all(op, meeting)
    if pressed == "fill_in":
        is_end = request.POST[pressed] == "end"
        if is_end:
            return end_fill_in(op, meeting)
        wanted = natural_number(request.POST.get("wanted") or "1")
        return ask_fill_in(op, meeting, wanted=wanted or 0)
    player = player_of_meeting(meeting, request.POST[pressed])
    if pressed in EXCUSES:
        reason = entered["reason"]
        return excuse_player(op, meeting, player=player, excused=EXCUSES[pressed], reason=reason)
    stated_at = device_time(request, now)
    if pressed == "undo":
        return undo_check_in(op, meeting, player=player, stated_at=stated_at)
    if pressed == "times":
        # Who is here, or left, stays so.
        state = next((row.state for row in attendance_of(meeting).rows if row.pk == player.pk), "")
        if state not in WAS_HERE:
            state = AttendanceState.LATE if entered["from_round"] else AttendanceState.EXPECTED
        return set_attendance(
            op,
            meeting,
            player=player,
            state=state,
            stated_at=stated_at,
            from_round=entered["from_round"],
            leaves_after_round=entered["leaves_after_round"],
        )
    return set_attendance(op, meeting, player=player, state=STATES[pressed], stated_at=stated_at)


@never_cache
@get_or_post
@runs(answer_fill_in)
def fill_in(request: HttpRequest, token: str) -> HttpResponse:
    """Ask for one more player, and let the first who answers in.

    Somebody is known who is signed in. From a chat, where nobody is known, they choose their name
    among those who are willing. Reading the page changes nothing.
    """
    request_row = find_fill_in(token)
    now = timezone.now()
    if request_row is None:
        return _no_fill_in(request)
    # Mails of 0.5.0 have the whole personal link; until their evening is over they lead on.
    me = request.GET.get("me", "")
    if me and not is_over(request_row, now):
        link = find_personal_link(me)
        if link is None:
            return _no_fill_in(request)
        if link.revoked_at is None and link.club == request_row.club:
            if request.method != "POST":
                return redirect(own_fill_in_path(request_row, link))
            return _answer_fill_in(request, request_row, person_with_link(link))
    return _answer_fill_in(request, request_row, actor_of_session(request))


@never_cache
@get_or_post
@runs(answer_fill_in)
def own_fill_in(request: HttpRequest, token: str) -> HttpResponse:
    """The same for the person of a mail, whom the token lets answer this request alone."""
    own = find_own_fill_in(token)
    if own is None:
        return _no_fill_in(request)
    request_row, link = own
    return _answer_fill_in(request, request_row, person_with_link(link))


def _no_fill_in(request: HttpRequest) -> HttpResponse:
    if seconds := count_wrong_link(request):
        return errors.too_many_links(request, seconds)
    context = {"layout": Layout(path=request.path, at_table=True)}
    return render(request, "people/no_personal_link.html", context, status=404)


def _answer_fill_in(request: HttpRequest, fill_in: FillInRequest, actor: Actor) -> HttpResponse:
    note_actor(actor)
    player = find_own_player(actor, fill_in.club)
    now = timezone.now()
    if player is not None:
        fill_in = fill_in_for(fill_in, player, now=now)
    elif fill_in.filled_at is not None:
        fill_in = further_request(fill_in) or fill_in
    form = FillInForm(posted(request))
    if form.is_valid():
        op = Operation(actor, now)
        with form.placing():
            try:
                by = op if player is not None else op.as_site("fill_in_link")
                answer_fill_in(by, fill_in, player=form.cleaned_data["player"])
                messages.success(request, gettext("Thank you. You are expected at this evening."))
                return redirect(request.get_full_path())
            except (Forbidden, Missing):
                messages.error(request, gettext("Choose your name in the list."))
    response = render_form(
        request, "people/fill_in.html", _context(request, fill_in, actor, form), form
    )
    response["X-Robots-Tag"] = NO_INDEX
    return response


def _context(
    request: HttpRequest, fill_in: FillInRequest, actor: Actor, form: FillInForm
) -> dict[str, object]:
    fill_in.refresh_from_db(fields=["filled_at", "filled_by", "ended_at"])  # somebody was first
    meeting = fill_in.meeting
    club = fill_in.club
    query = request.GET.get("q", "").strip()
    player = find_own_player(actor, club)
    is_open = fill_in.filled_at is None and fill_in.ended_at is None
    names = find_willing(meeting, query[:LONGEST_QUERY]) if player is None else []
    faster = requests_asked_with(fill_in).exclude(filled_by=None).last()
    has_filled = player is not None and fill_in.filled_by == player
    return {
        "layout": Layout(
            path=request.path, club_name=club.name, zone=club.time_zone, at_table=True
        ),
        "club": club,
        "meeting": meeting,
        "form": form,
        "is_found": fill_in.filled_at is not None,
        "is_open": is_open and takes_fill_ins(meeting, timezone.now()),
        "own": player,
        "is_in": has_filled and comes_as_fill_in(fill_in),
        "has_withdrawn": has_filled and not comes_as_fill_in(fill_in),
        "faster": faster.filled_by if faster is not None else None,
        "wanted": fill_in.wanted,
        "is_today": meeting.date == club_day(club, timezone.now()),
        "names": names[:MOST_NAMES],
        "has_more": len(names) > MOST_NAMES,
        "query": query,
    }
