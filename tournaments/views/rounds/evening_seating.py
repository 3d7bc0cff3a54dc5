"""The seating of an evening: the next round, swaps and moves, redrawing, posting."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, Round
from tournaments.selectors.events import events
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.rounds.round_seating import (
    players_with_ids,
    round_seating,
    tables_to_redraw,
)
from tournaments.selectors.rounds.seating_changes import KINDS, ChangeKind, SeatingChange
from tournaments.selectors.seating_plans.current_stage import current_stage
from tournaments.selectors.seating_plans.people_here import open_night_page
from tournaments.selectors.seating_plans.seating_page import SeatingPage, seating_page
from tournaments.services.hands.redraw_tables import redraw_tables
from tournaments.services.rounds.arrange_round import change_seating
from tournaments.services.rounds.plan_rounds import make_round_of_plan, plan_of, redraw_round
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating_checks import ASKED
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.views.events.evening_stages import evening_stages
from tournaments.views.hands.change_players import BACK, TO_SEATING
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_manage
from tournaments.views.http.service_form import ServiceForm, attempt
from tournaments.views.rounds.rounds import ROUND_SAYS, round_form

MOVES: Final = ("posted", "draft", "closed")
"""States that the page takes a round to."""


@event_form_page("manage_event")
def evening_seating(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Show the seating of the current round, and perform the pressed button's action."""
    meeting = meeting_on(event, date_of(day))
    form = ServiceForm(request.POST)
    if form.is_valid() and request.method == "POST":
        notice = attempt(form, lambda: _act(request, event, meeting))
        if notice:
            messages.success(request, notice)
        if notice is not None:
            return go_to("evening-seating", event, day=day)
    if night := open_night_page(event, meeting):
        return _open_night(request, event, meeting, night, form)
    change = attempt(form, lambda: _change(request, event))
    shown_page = attempt(form, lambda: seating_page(event, meeting, change))
    page = shown_page or seating_page(event, meeting)
    context = {
        "meeting": meeting,
        "day": day,
        "page": page,
        "stages": evening_stages(event, meeting, round_=page.round, page="seating"),
        "stage": current_stage(event),
        "form": form,
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
        "sent": {name: request.POST.get(name, "") for name in ("about", "way", "tag")},
        "said": {name: request.POST.get(name, "") for name in ("reason", "scope")},
        "change_url": _change_url(event, page),
        **_redraw_context(request, page),
        "game_form": round_form(event, initial={"variant": request.POST.get("variant", "")}),
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, "rounds/evening_seating.html", event, context, form, below=below)


def _open_night(
    request: PageRequest, event: Event, meeting: Meeting, night: JsonDict, form: ServiceForm
) -> HttpResponse:
    context = {
        "meeting": meeting,
        "day": meeting.date.isoformat(),
        "night": night,
        "stages": evening_stages(event, meeting, page="seating"),
        "form": form,
        "picked": request.POST.getlist("player"),
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, "rounds/open_night.html", event, context, form, below=below)


def _bad_change(at: str, text: str) -> Refused:
    return Refused(Problem("bad_seating_change", (at,), {"found": shown(text)}))


def _act(request: PageRequest, event: Event, meeting: Meeting) -> str:
    acts: Mapping[str, Callable[[PageRequest, Event, Meeting], str]] = {
        "seat_round": _seat_round,
        "redraw": _redraw,
        "redraw_tables": _redraw_tables,
        "change": _change_seats,
        "move": _move,
        "form": _form_tables,
    }
    name = request.POST.get("do", "")
    if name not in acts:
        raise _bad_change("do", name)
    return acts[name](request, event, meeting)


def _seat_round(request: PageRequest, event: Event, meeting: Meeting) -> str:
    round_ = make_round_of_plan(
        actor=request.actor,
        plan=plan_of(meeting),
        plan_round=number_in(request.POST.get("plan_round", "")),
        adjust=request.POST.get("adjust") == "yes",
        variant=request.POST.get("variant", ""),
        now=timezone.now(),
    )
    return _("Round %(number)s is seated. Post it to announce it to the players.") % {
        "number": round_.number
    }


def _form_tables(request: PageRequest, event: Event, meeting: Meeting) -> str:
    choice, picked = request.POST.get("which", ""), request.POST.getlist("player")
    if choice == "picked" and not picked:
        raise Refused(Problem("nobody_picked", ("player",)))
    meeting.event = event
    formed = form_tables(
        actor=request.actor,
        meeting=meeting,
        players=picked if choice == "picked" else (),
        is_single=choice == "one",
        now=timezone.now(),
    )
    numbers = get_text_list([str(table.number) for table in formed], _("and"))
    text = ngettext("Table %(numbers)s formed.", "Tables %(numbers)s formed.", len(formed))
    return text % {"numbers": numbers}


def _redraw(request: PageRequest, event: Event, meeting: Meeting) -> str:
    round_ = _round(request, event)
    redraw_round(
        actor=request.actor,
        round_=round_,
        plan=plan_of(meeting),
        tag=request.POST.get("tag", ""),
        now=timezone.now(),
    )
    return _("Round %(number)s is seated by the chosen plan.") % {"number": round_.number}


def _redraw_tables(request: PageRequest, event: Event, meeting: Meeting) -> str:
    round_ = redraw_tables(
        actor=request.actor,
        round_=_round(request, event),
        scope=request.POST.get("scope", ""),
        reason=request.POST.get("reason", ""),
        hands=number_in(request.POST.get("hands", "")) or 0,
        tag=request.POST.get("tag", ""),
        now=timezone.now(),
    )
    return _("Round %(number)s is redrawn.") % {"number": round_.number}


def _redraw_context(request: PageRequest, page: SeatingPage) -> Mapping[str, object]:
    if request.GET.get("redraw") != "yes" or page.round is None or page.round.state == "closed":
        return {}
    seating = round_seating(page.round)
    tables = tables_to_redraw(page.round, seating)
    numbers = get_text_list([str(table.number) for table in tables.unplayed], _("and"))
    return {"redraw": tables, "redraw_tag": seating.tag, "unplayed": numbers}


def _change_seats(request: PageRequest, event: Event, meeting: Meeting) -> str:
    change = _read_change(event, request.POST.get("about", ""))
    round_ = _round(request, event)
    change_seating(
        actor=request.actor,
        round_=round_,
        change=change,
        way=request.POST.get("way", ""),
        tag=request.POST.get("tag", ""),
        split_sides=request.POST.get("split") == "yes",
        now=timezone.now(),
    )
    return _("Seats of round %(number)s changed.") % {"number": round_.number}


def _move(request: PageRequest, event: Event, meeting: Meeting) -> str:
    round_, to = _round(request, event), request.POST.get("to", "")
    if to not in MOVES:
        raise _bad_change("to", to)
    if round_.state == to:
        return ""  # a second tap
    try:
        moved_round = move_round(actor=request.actor, round_=round_, to=to, now=timezone.now())
    except Conflict:
        if _round(request, event).state == to:
            return ""  # two taps at once: the other one moved it
        raise
    return str(ROUND_SAYS[moved_round.state])


def _round(request: PageRequest, event: Event) -> Round:
    return events.get_round(event, number_in(request.POST.get("round", "")) or 0)


def _change(request: PageRequest, event: Event) -> SeatingChange | None:
    if close := number_in(request.GET.get("close", "")):
        return SeatingChange("close", table=close)
    picked = list(dict.fromkeys(request.GET.getlist("seat")))
    if not picked:
        return None
    kind: ChangeKind = "leave" if request.GET.get("as") == "leave" else "move"
    if len(picked) > 1:
        kind = "swap" if len(picked) == 2 else "form"
    return SeatingChange(kind, _rows(event, picked))


def _read_change(event: Event, text: str) -> SeatingChange:
    kind, _sep, subject = text.partition(":")
    change_kind = next((choice for choice in KINDS if choice == kind), None)
    if change_kind == "close":
        return SeatingChange("close", table=number_in(subject) or 0)
    if change_kind is None or not subject:
        raise _bad_change("about", text)
    return SeatingChange(change_kind, _rows(event, subject.split(",")))


def _rows(event: Event, ids: Sequence[str]) -> tuple[int, ...]:
    players = players_with_ids(event, ids)
    if missing := [player_id for player_id in ids if player_id not in players]:
        raise Refused(Problem("unknown_player", ("seat",), {"player": shown(missing[0])}))
    return tuple(players[player_id].pk for player_id in ids)


def _change_url(event: Event, page: SeatingPage) -> str:
    choice = page.picked if page.picked and page.picked.at_table else page.urgent
    if choice is None or not choice.at_table:
        return ""
    query: dict[str, int | str] = {BACK: TO_SEATING, "seat": choice.seat}
    query["act"] = "swap" if choice.player else "substitute"
    if choice.player:
        query["player"] = choice.player
    address = (event.club.slug, event.slug, choice.at_table)
    return f"{reverse('tournaments:change-players', args=address)}?{urlencode(query)}"
