"""Pages of the reader's own: the start page, attendance, and notifications."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.models.rounds import Attendance, AttendanceState, Meeting
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_entry import list_attendance_today
from tournaments.selectors.attendance.excuses import (
    counts_excuses,
    excuse_of,
    excused_until,
    withdraw_until,
)
from tournaments.selectors.attendance.own_cancelled import own_cancelled_evenings
from tournaments.selectors.attendance.own_evenings import (
    evenings_to_check_in,
    find_answer_link,
    own_evening,
    own_later_evenings,
    own_next_evenings,
)
from tournaments.selectors.attendance.own_fill_ins import list_fill_in_offers
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events import events
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.notices.notice_text import notice_lines
from tournaments.selectors.notices.notifications import list_unread_notices
from tournaments.selectors.people.accounts import find_likely_players, list_own_clubs
from tournaments.selectors.people.own_results import list_own_evening_results
from tournaments.selectors.people.own_tables import (
    list_last_results,
    list_next_tables,
    list_open_disputes,
    list_own_events,
    list_own_places,
    reason_of_place,
)
from tournaments.selectors.standings.result_notes import list_recent_notes
from tournaments.selectors.waiting import group_waiting, list_own_waiting
from tournaments.services.attendance.own_attendance import check_in_to, state_own_attendance
from tournaments.services.operations import Operation
from tournaments.templatetags import points
from tournaments.views.hands.phone_queue import KEEP_HEADER
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page, runs
from tournaments.views.http.layout import Layout, PageRequest, account_hint
from tournaments.views.http.pages import render_event
from tournaments.views.http.responses import get_or_post
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    render_form,
    submit,
)
from tournaments.views.ladders.challenge_forms import main_challenge
from tournaments.views.ladders.ladders import challenges_for_reader


class AttendanceAnswerForm(ServiceForm):
    """Whether the reader comes to an evening, and from which round if later."""

    required_fields = ("answer",)
    answer = forms.ChoiceField(
        choices=[
            ("yes", gettext_lazy("I come")),
            ("late", gettext_lazy("I come later")),
            ("no", gettext_lazy("I do not come")),
        ]
    )
    from_round = forms.IntegerField(label=gettext_lazy("From round"))

    @gives("state", "from_round")
    def get_arguments(self) -> dict[str, Any]:
        return {
            "state": ANSWERS[self.cleaned_data["answer"]],
            "from_round": self.cleaned_data["from_round"],
        }


ANSWERS: Final = {
    "yes": AttendanceState.EXPECTED,
    "late": AttendanceState.LATE,
    "no": AttendanceState.ABSENT,
}


@form_page("own_account")
def me(request: PageRequest) -> HttpResponse:
    now = timezone.now()
    clubs = list_own_clubs(request.actor)
    players = [club.player for club in clubs if club.player is not None]
    player_ids = [player.pk for player in players]
    events = list_own_events(events_for(request.actor), player_ids) if players else []
    ladders = [event for event in events if event.is_ladder and event.is_open]
    challenges = [
        (ladder, challenge)
        for ladder in ladders
        for challenge in open_challenges(request, ladder, now)
    ]
    to_confirm = [
        pair for pair in challenges if pair[1]["line"].state == "played" and pair[1]["asks_reader"]
    ]
    tables = list_next_tables(events, player_ids, now=now)
    own_results = list_own_evening_results(events, players, now=now)
    results = list_last_results(events, player_ids)
    own_evenings = own_next_evenings(events_for(request.actor), players, now=now)
    later = [
        evening
        for player in players
        for evening in own_later_evenings(events_for(request.actor), player, own_evenings, now=now)
    ]
    tonight = {row.event.pk for row in own_evenings if row.is_today}
    places = list_own_places(events, players, tonight=tonight)
    unlinked = [club for club in clubs if club.player is None]
    to_answer = [row for row in own_evenings if row.is_unanswered]
    asked = main_challenge(challenge for _ladder, challenge in [*to_confirm, *challenges])
    acts = ("table", tables), ("answer", to_answer), ("challenge", asked), ("link", unlinked)
    main = next((name for name, rows in acts if rows), "look")
    likely = find_likely_players(
        [club.club for club in unlinked if club.claim is None], request.actor.name
    )
    context = {
        "layout": _layout(request, clubs),
        "clubs": clubs,
        "is_several": len(clubs) > 1,
        "players": players,
        "places": [(place, reason_of_place(place)) for place in places],
        "fill_ins": list_fill_in_offers([*own_evenings, *later], now=now),
        "own_results": own_results,
        "tables": tables,
        "to_answer": to_answer,
        "later": [row for row in later if row.may_answer],
        "cancelled": own_cancelled_evenings(
            events_for(request.actor), players, [*own_evenings, *later], now=now
        ),
        "own_evenings": [row for row in own_evenings if not row.is_unanswered],
        "unlinked": [(club, likely.get(club.club.pk, ())) for club in unlinked],
        "attendance_today": list_attendance_today(request.actor, clubs, now),
        "waiting": group_waiting(list_own_waiting(request.actor, now=now)),
        "main": main,
        "main_challenge": asked if main == "challenge" else None,
        "to_confirm": to_confirm,
        "challenges": [pair for pair in challenges if pair not in to_confirm],
        "ladders": ladders,
        "disputes": list_open_disputes(request.actor, events, player_ids),
        "results": results,
        "result_notes": list_recent_notes(player_ids, now=now) if players else (),
        # Nobody has seated them yet, and they are in no ladder.
        "is_new": bool(players) and not (events or tables or results),
        "notices": list(notice_lines(list_unread_notices(request.actor.user_id or 0)[:5])),
    }
    response = render(request, "people/me.html", context)
    response[KEEP_HEADER] = "yes"
    return response


def open_challenges(request: PageRequest, event: Event, now: datetime) -> Sequence[JsonDict]:
    entrant = rows.own_entrant(request.actor, event)
    if entrant is None:
        return ()
    challenges = rows.challenges_of_member(event, entrant.code).filter(state__in=OPEN_CHALLENGES)
    return challenges_for_reader(request, event, list(challenges), now=now, own=entrant.code)


def _layout(request: PageRequest, clubs: Sequence[Membership]) -> Layout:
    if len(clubs) != 1:
        return layout.site_layout(request)
    club = clubs[0].club
    club.role = clubs[0].role  # type: ignore[attr-defined]  # as `clubs_for` annotates it
    return layout.club_layout(request, club)


@form_page("own_account", (state_own_attendance, AttendanceAnswerForm))
def answer(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    meeting = _meeting(request, club, event, day)
    form = AttendanceAnswerForm(posted(request))
    saved = submit(request, form, state_own_attendance, meeting)
    if saved is not None:
        messages.success(request, said_of(meeting, saved))
        back = request.POST.get("back", "")
        if back == "club":
            return redirect("tournaments:club", club=club)
        return redirect("tournaments:me" if back == "me" else request.path)
    return _shown(request, "people/will_you_come.html", meeting, form)


@form_page("own_account", (state_own_attendance, ServiceForm, "state"))
def check_in(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    """Let the reader check in on the day of an evening; the code in the hall leads here."""
    meeting = _meeting(request, club, event, day)
    form = ServiceForm(posted(request))
    attendance = submit(request, form, state_own_attendance, meeting, state=AttendanceState.HERE)
    if attendance is not None:
        _check_in_elsewhere(request, meeting)
        return redirect(request.path)
    return _shown(request, "people/check_in.html", meeting, form)


def _check_in_elsewhere(request: PageRequest, meeting: Meeting) -> None:
    """Check the reader in to the other parts of the evening in which their player competes."""
    player = find_own_player(request.actor, meeting.club)
    if player is None:
        return
    readable = events_for(request.actor).filter(club=meeting.club_id)
    evenings = own_next_evenings(readable, [player], now=timezone.now())
    others = [row.meeting for row in evenings_to_check_in(evenings) if row.is_own]
    with RefusalMessages(request):
        check_in_to(operation_of(request), others)


@form_page("take_attendance")
def check_in_code(request: PageRequest, club: str, event: str, day: str) -> HttpResponse:
    meeting = _meeting(request, club, event, day)
    path = reverse("tournaments:arrive", args=(club, event, meeting.date.isoformat()))
    address = request.build_absolute_uri(path)
    code_address = request.build_absolute_uri(reverse("tournaments:tonight", args=(club,)))
    day = meeting.date.isoformat()
    to_attendance = layout.link_to(_("Attendance"), "attendance", meeting.event, day=day)
    context = {
        "meeting": meeting,
        "path": path,
        "address": address,
        "shown_address": address.partition("://")[2],
        "code_address": code_address.partition("://")[2],
    }
    page = "attendance/check_in_code.html"
    crumbs = (to_attendance,)
    return render_event(request, page, meeting.event, context, crumbs=crumbs)


def said_of(meeting: Meeting, row: Attendance) -> str:
    text = _("Saved: you come on %s.")
    if row.state == AttendanceState.ABSENT:
        text = _("Saved: you do not come on %s.")
    elif row.state == AttendanceState.LATE:
        text = _("Saved: you come later on %s.")
    elif row.state == AttendanceState.WAITING:
        text = _("Saved: you are on the waiting list of %s.")
    counts = counts_excuses(meeting.event)
    has_limit = withdraw_until(meeting) is not None
    if (counts or has_limit) and excuse_of(row, excused_until(meeting)).is_late:
        if not has_limit:
            text = _("Saved: you do not come on %s. The evening has begun, so you are not excused.")
        elif counts:
            text = _("Saved: you do not come on %s. You answered too late to be excused.")
        else:
            text = _("Saved: you do not come on %s. You answered after the time to withdraw.")
    return text % points.day(meeting.date)


def _meeting(request: PageRequest, club: str, event: str, day: str) -> Meeting:
    return meeting_on(events.get_event(request.actor, club, event), date_of(day))


def _shown(
    request: PageRequest, template: str, meeting: Meeting, form: ServiceForm
) -> HttpResponse:
    event = meeting.event
    own_row = own_evening(request.actor, meeting, now=timezone.now())
    context = {
        "meeting": meeting,
        "form": form,
        "own": own_row,
        "is_cancelled": meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
        "is_past": own_row is not None
        and (own_row.is_over or own_row.is_done or not own_row.is_today)
        and not own_row.may_answer,
        "hint": account_hint(request, event) if own_row is None else None,
        "may_take": may_do(event, "take_attendance"),
    }
    crumbs = (layout.evenings_link(event),)
    return render_event(request, template, event, context, form, crumbs=crumbs)


@never_cache
@get_or_post
@runs(state_own_attendance)
def answer_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the holder of a reminder's link whether they come, and save the answer.

    Reading the page changes nothing: mail scanners follow links. The link alone is the right; no
    cookie is read but that of the form.
    """
    link = find_answer_link(token, now=timezone.now())
    if link is None:
        return _no_link(request)
    actor, meeting = link
    form = AttendanceAnswerForm(posted(request))
    saved = ""
    try:
        if form.is_valid():
            with form.placing():
                row = _answer(actor, meeting, form, request.POST.get("day", ""))
                saved = said_of(meeting, row)
        own_row = own_evening(actor, meeting, now=timezone.now())
    except Forbidden:  # the role of the account waits for a second factor, or it was unlinked
        return _no_link(request)
    context: dict[str, Any] = {
        "layout": layout.Layout(path=request.path),
        "event": meeting.event,
        "meeting": meeting,
        "own": own_row,
        "form": form,
        "saved": saved,
        "is_cancelled": meeting.state_now == "cancelled",  # type: ignore[attr-defined]  # annotated
    }
    return render_form(request, "people/answer_link.html", context, form)


def _answer(actor: Actor, meeting: Meeting, form: AttendanceAnswerForm, day: str) -> Attendance:
    if day != meeting.date.isoformat():
        raise Conflict(Problem("meeting_outdated"))
    op = Operation(actor, timezone.now())
    state, from_round = form.get_arguments().values()
    return state_own_attendance(op, meeting, state=state, from_round=from_round)


def _no_link(request: HttpRequest) -> HttpResponse:
    context = {"layout": layout.Layout(path=request.path)}
    return render(request, "people/answer_link.html", context, status=404)
