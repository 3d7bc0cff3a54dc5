"""The evening of one player in the hall: the short code of a card opens it, until noon."""

from datetime import datetime
from typing import Any, Final, cast

from django.contrib import messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from scoring.errors import Problem
from tournaments.domain.client_address import client_network
from tournaments.models.clubs import Club
from tournaments.models.rounds import AttendanceState
from tournaments.selectors.access.evening_codes import (
    COOKIE,
    PHONE_COOKIE,
    OpenedEvening,
    evening_cookie,
    find_evening_in_cookie,
    find_evening_of_codes,
    find_link_by_evening_code,
    find_link_of_phone,
    person_of_evening,
)
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.attendance.own_evenings import (
    OwnEvening,
    evenings_to_check_in,
    own_next_evenings,
)
from tournaments.selectors.clubs.clubs import note_actor
from tournaments.selectors.people.own_results import list_own_evening_results
from tournaments.selectors.people.own_tables import events_of_person, list_own_events
from tournaments.services.attendance.own_attendance import state_attendance_tonight
from tournaments.views.access.join import WrongLinkThrottle
from tournaments.views.hands.score_sheet import tables_of_player
from tournaments.views.http import errors
from tournaments.views.http.decorators import NO_INDEX, REFUSED, answer_once, runs
from tournaments.views.http.layout import Layout, PageRequest
from tournaments.views.http.responses import get_or_post, set_cookie
from tournaments.views.http.service_form import (
    ServiceForm,
    operation_of,
    posted,
    render_form,
    text_field,
)
from tournaments.views.people.me import AttendanceAnswerForm, said_of

A_DAY: Final = 24 * 60 * 60


class EveningCodeForm(ServiceForm):
    code = text_field(
        _("Code of your card"),
        _("6 letters and digits. Spaces, hyphens and case do not matter."),
        autocomplete="off",
        autocapitalize="characters",
        spellcheck="false",
    )


class WrongCodeThrottle(WrongLinkThrottle):
    """Counts the codes that opened no evening of a club, over all callers.

    A network from which a right code came on this day is counted by itself: who tries out codes
    from elsewhere closes no hall.
    """

    scope = "evening_code"

    def __init__(self, club: Club | None) -> None:
        super().__init__()
        self.club = club.pk if club is not None else 0

    def get_ident(self, request: Any) -> str:
        if cache.get(self._key_of_hall(request)):
            return f"{self.club}-{client_network(request)}"
        return str(self.club)

    def note_right_code(self, request: HttpRequest) -> None:
        cache.set(self._key_of_hall(request), True, A_DAY)

    def _key_of_hall(self, request: HttpRequest) -> str:
        return f"evening-code-hall-{self.club}-{client_network(request)}"


@never_cache
@get_or_post
@runs(state_attendance_tonight)
def tonight(request: HttpRequest, club: str) -> HttpResponse:
    """Show a person this evening once the code of their card was typed on this device.

    What it says without one is the same for every club, be it private or unknown.
    """
    page_request = cast(PageRequest, request)
    now = timezone.now()
    row = Club.objects.filter(slug=club, delete_after=None).first()
    if "code" in request.POST:
        return _code_typed(request, row, now)
    opened = None
    if row is not None and COOKIE in request.COOKIES:
        opened = find_evening_in_cookie(row, request.COOKIES[COOKIE], now)
    if opened is None or "leave" in request.POST:
        response = _code_page(request, EveningCodeForm())
        if COOKIE in request.COOKIES:
            response.delete_cookie(COOKIE)
        return response
    page_request.actor = note_actor(person_of_evening(opened))
    response = answer_once(page_request, lambda: _evening_page(page_request, opened, now))
    response["X-Robots-Tag"] = NO_INDEX
    return response


def _code_typed(request: HttpRequest, club: Club | None, now: datetime) -> HttpResponse:
    throttles = (WrongLinkThrottle(), WrongCodeThrottle(club))
    # Before the code is looked up, or whoever tries out codes would learn the right one.
    seconds = max(throttle.seconds_to_wait(request) for throttle in throttles)
    if seconds:
        return errors.too_many_evening_codes(request, seconds)
    form = EveningCodeForm(request.POST)
    evening = find_evening_of_codes(club, now) if club is not None else None
    if club is not None and evening is not None and form.is_valid():
        link = find_link_by_evening_code(club, form.cleaned_data["code"])
        if link is not None:
            throttles[1].note_right_code(request)
            on = redirect(request.path)
            set_cookie(on, COOKIE, evening_cookie(link, evening), expires=evening.until)
            return on
    for throttle in throttles:
        throttle.count()
    form.place([Problem("evening_code_opens_nothing", ("code",))])
    return _code_page(request, form)


def _code_page(request: HttpRequest, form: EveningCodeForm) -> HttpResponse:
    context = {"layout": Layout(path=request.path, at_table=True), "form": form}
    # Nothing was to be saved, as the title of a refused form says.
    status = REFUSED if form.has_problems else 200
    response = render(request, "access/evening_code.html", context, status=status)
    response["X-Robots-Tag"] = NO_INDEX
    return response


def _evening_page(request: PageRequest, opened: OpenedEvening, now: datetime) -> HttpResponse:
    player = opened.link.player
    day = opened.evening.day
    evenings = [
        evening
        for evening in own_next_evenings(events_of_person(player), [player], now=now)
        if evening.day == day
    ]
    form = AttendanceAnswerForm(posted(request) if "answer" in request.POST else None)
    if request.method == "POST":
        with form.placing():
            saved = _save(request, form, evenings)
            if saved:
                messages.success(request, saved)
                return redirect(request.path)
    tables = [
        table
        for evening in evenings
        for table in tables_of_player(evening.event, evening.meeting, player)
    ]
    to_check_in = evenings_to_check_in(evenings)
    own_events = list_own_events(events_of_person(player), [player.pk])
    results = list_own_evening_results(own_events, [player], now=now)
    context = {
        "layout": Layout(
            path=request.path,
            club_name=player.club.name,
            zone=player.club.time_zone,
            at_table=True,
        ),
        "club": player.club,
        "player": player,
        "day": day,
        "until": opened.evening.until,
        "form": form,
        "evenings": evenings,
        "may_check_in": bool(to_check_in),
        "waits_for_table": not tables and any(evening.waits_for_table for evening in evenings),
        "tables": tables,
        "own_results": [result for result in results if result.meeting.date == day],
        "is_several": len(evenings) > 1,
    }
    return render_form(request, "people/tonight.html", context, form)


def _save(request: PageRequest, form: AttendanceAnswerForm, evenings: list[OwnEvening]) -> str:
    """Check in, or save an answer; return what to say, "" where nothing was asked for."""
    op = operation_of(request)
    if "check_in" in request.POST:
        to_check_in = evenings_to_check_in(evenings)
        for evening in to_check_in or evenings[:1]:
            state_attendance_tonight(op, evening.meeting, state=str(AttendanceState.HERE))
        return gettext("You are checked in.") if evenings else ""
    answered = request.POST.get("meeting", "")
    for evening in evenings:
        if str(evening.meeting.pk) == answered and form.is_valid():
            arguments = form.get_arguments()
            row = state_attendance_tonight(
                op,
                evening.meeting,
                state=arguments["state"],
                from_round=arguments["from_round"],
            )
            return said_of(evening.meeting, row)
    return ""


@never_cache
@require_safe
def arrive(request: HttpRequest, **address: str) -> HttpResponse:
    """Lead who scans the code on the wall to where they check in: their account, or the personal
    link that this phone has opened.

    For all others it says what there is. That page is the same for every club and evening, be they
    private or unknown.
    """
    check_in_path = reverse("tournaments:check-in", kwargs=address)
    if request.user.is_authenticated:
        return redirect(check_in_path)
    if request.COOKIES.get(COOKIE):
        # Whose evening is open on this phone; without one the page asks for a code.
        return redirect("tournaments:tonight", address["club"])
    cookie = request.COOKIES.get(PHONE_COOKIE, "")
    link = find_link_of_phone(cookie, address["club"]) if cookie else None
    if link is not None:
        return redirect(personal_path(link))
    context = {
        "layout": Layout(path=request.path, at_table=True),
        "club_slug": address["club"],
        "check_in_path": check_in_path,
    }
    response = render(request, "people/arrive.html", context)
    response["X-Robots-Tag"] = NO_INDEX
    return response
