"""Pages of a ladder's members: one member, a rating game by game, absences."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.documents import charts
from tournaments.domain.standings.ladder_documents import OutlookDocument
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.find_players import NamedPeople, NamedPerson
from tournaments.selectors.events.entrants import entrant_row, names_in
from tournaments.selectors.events.meetings import club_day
from tournaments.selectors.jobs.queue import get_ladder_progress
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders import ladder_page
from tournaments.selectors.ladders.challenges import absence_rows
from tournaments.selectors.ladders.ladders import (
    absences_of,
    member_at,
    members_in_order,
    moves_with_explanation,
    rating_history,
)
from tournaments.selectors.ladders.ladders import what_if as outlook
from tournaments.services.ladders.members import end_absence, report_absence
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import PageRequest, account_hint
from tournaments.views.http.pages import done, go_to
from tournaments.views.http.service_form import RefusalMessages, operation_of, submit
from tournaments.views.ladders.challenge_forms import AbsenceForm, LadderForm, main_challenge
from tournaments.views.ladders.ladders import (
    challenges_for_reader,
    idle_in,
    ladder_form,
    ladder_view,
    may_take_part,
    members_by_place,
    own_code,
    render_ladder,
)
from tournaments.views.standings.history import chart_response

GAMES: Final = 500

LONGEST_QUERY: Final = 120
"""Moves and rated games of one member on the page; REST has all."""


@ladder_view("read_public")
def absences(request: PageRequest, ladder: Event) -> HttpResponse:
    reader_code = own_code(request, ladder)
    form = absence_form(request, ladder) if may_take_part(ladder, reader_code) else None
    return _absences_page(request, ladder, form, reader_code)


@ladder_form((report_absence, AbsenceForm))
def new(request: PageRequest, ladder: Event) -> HttpResponse:
    form = absence_form(request, ladder, bound=True)
    if request.method == "POST" and submit(request, form, report_absence, ladder) is not None:
        return done(request, _("Absence saved. The member keeps the place."), "absences", ladder)
    return _absences_page(request, ladder, form, own_code(request, ladder))


@ladder_form(end_absence)
def end(request: PageRequest, ladder: Event) -> HttpResponse:
    if request.method == "POST":
        player_id = request.POST.get("player_id", "")
        with RefusalMessages(request, Missing):
            end_absence(operation_of(request), ladder, player_id=player_id)
            messages.success(request, _("Absence ended."))
    return go_to("absences", ladder)


def absence_form(request: PageRequest, event: Event, *, bound: bool = False) -> AbsenceForm:
    is_host = may_do(event, "enter_hand")
    return AbsenceForm(
        (request.POST or {"since": ""}) if bound else None,
        initial={"since": club_day(event.club, timezone.now())},
        members=members_by_place(event) if is_host else (),
        names=names_in(event),
        zone=event.club.time_zone,
    )


def _absences_page(
    request: PageRequest, event: Event, form: AbsenceForm | None, reader_code: str
) -> HttpResponse:
    today = club_day(event.club, timezone.now())
    is_host = may_do(event, "enter_hand")
    names = names_in(event)
    lines = [
        {
            "code": row.entrant.code,
            "name": names.get(row.entrant.code, row.entrant.code),
            "since": row.since,
            "until": row.until,
            "is_now": row.since <= today,
            "may_end": form is not None and (is_host or row.entrant.code == reader_code),
        }
        for row in absence_rows(event)
        if row.until is None or row.until >= today
    ]
    context: dict[str, Any] = {
        "absences": lines,
        "may_read_away": may_do(event, "read_members"),
        "form": form,
        "hint": account_hint(request, event),
    }
    return render_ladder(request, "ladders/absences.html", event, context, form)


MOVES: Final = 50
CHALLENGES: Final = 30


@ladder_view("read_public")
def member(request: PageRequest, ladder: Event, player_id: str) -> HttpResponse:
    who = member_at(ladder, player_id)
    now = timezone.now()
    reader_code = own_code(request, ladder)
    is_own = reader_code == who.code
    view = ladder_page.current_ladder_view(ladder)
    newest = list(rows.challenges_of_member(ladder, who.code).order_by("-number")[:CHALLENGES])
    lines = challenges_for_reader(request, ladder, newest, now=now, own=reader_code)
    may_tell = may_take_part(ladder, reader_code) and (is_own or may_do(ladder, "enter_hand"))
    context: dict[str, Any] = {
        "view": view,
        "who": entrant_row(ladder, player_id),
        "is_own": is_own,
        "row": view.row_of(who.code) if view else None,
        "rated": view.rating_of(who.code) if view else None,
        "idle": idle_in(ladder, view, now=now).get(who.code),
        "moves": ladder_page.moves_with_short_explanation(
            moves_with_explanation(ladder, who)[0:MOVES]
        ),
        "games": rating_history(ladder, who)[0:GAMES],
        "open": [line for line in lines if line["is_open"]],
        "closed": [line for line in lines if not line["is_open"]],
        "main_challenge": main_challenge(lines),
        "absences": list(absences_of(ladder, who)),
        "form": absence_form(request, ladder) if may_tell else None,
        "may_send": may_take_part(ladder, reader_code),
        "progress": get_ladder_progress(ladder.pk, timezone.now()),
        "back": f"member:{who.code}",
    }
    return render_ladder(request, "ladders/member.html", ladder, context)


@ladder_view("read_public")
def ratings_chart(request: PageRequest, ladder: Event, player_id: str) -> HttpResponse:
    who = member_at(ladder, player_id)
    games = rating_history(ladder, who)[0:GAMES][::-1]
    if not games:
        raise Missing("player", {"player": player_id})
    first = games[0]["before"]
    last = games[-1]
    line = charts.ChartLine(
        title=_("Rating from %(first)s before game 1 to %(last)s after game %(n)s")
        % {"first": f"{first:.0f}", "last": last["rating_shown"], "n": last["games"]},
        labels=["", *(str(game["games"]) for game in games)],
        values=[first, *(game["after"] for game in games)],
    )
    return chart_response(request, charts.ratings_chart, line)


@ladder_view("read_public")
def what_if(request: PageRequest, ladder: Event) -> HttpResponse:
    codes = list(dict.fromkeys(request.GET.getlist("player")))
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    names = names_in(ladder)
    form = LadderForm(names=names, zone=ladder.club.time_zone)
    problems: list[str] = []
    players: list[OutlookDocument] = []
    if codes and "search" not in request.GET:
        try:
            players = outlook(ladder, codes)
        except Refused as refused:
            problems = [form.sentence_of(problem) for problem in refused.problems]
    # The list from the top, then ticked members that are not on it.
    order = members_in_order(ladder)
    members: list[dict[str, Any]] = [
        {"code": code, "place": at, "name": names.get(code, code), "is_on": code in codes}
        for at, code in enumerate(order, start=1)
    ]
    members += [
        {"code": code, "place": None, "name": names[code], "is_on": True}
        for code in codes
        if code in names and code not in order
    ]
    if query:  # ticked members stay for every query
        people = NamedPeople(NamedPerson(member["code"], member["name"]) for member in members)
        matches = {person.player_id for person in people.matching(query)}
        members = [member for member in members if member["is_on"] or member["code"] in matches]
    context: dict[str, Any] = {
        "view": ladder_page.current_ladder_view(ladder),
        "members": members,
        "wanted": query,
        "players": players,
        "problems": problems,
        "progress": get_ladder_progress(ladder.pk, timezone.now()),
        "places": range(1, len(players) + 1),
    }
    status = REFUSED if problems else 200
    return render_ladder(request, "ladders/what_if.html", ladder, context, status=status)
