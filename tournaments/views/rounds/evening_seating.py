"""The seating of an evening: the next round, swaps and moves, redrawing, posting."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.models.events import EntrantKind, Event, StageKind
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import OPEN
from tournaments.selectors.chat_text import expected_text, seating_text
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import entrant_name, names_in, sit_outs_in
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.notices.notifications import is_hint_new
from tournaments.selectors.playoffs.playoffs import list_decided_ties
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.round_names import label_of_round
from tournaments.selectors.rounds.round_seating import chosen_plan, players_with_ids, round_seating
from tournaments.selectors.rounds.seating_changes import KINDS, ChangeKind, SeatingChange
from tournaments.selectors.seating_plans.people_here import open_night_page
from tournaments.selectors.seating_plans.seating_page import SeatingPage, seating_page
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.redraw_tables import redraw_tables
from tournaments.services.rounds.arrange_round import change_seating
from tournaments.services.rounds.plan_rounds import make_round_of_plan, plan_of, redraw_round
from tournaments.services.rounds.seating_checks import ASKED
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.services.seating_plans.next_round import make_next_round
from tournaments.views.events.manage.partners import PartnersStep
from tournaments.views.hands.change_players import BACK, TO_SEATING
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_manage
from tournaments.views.http.service_form import ServiceForm, operation_of
from tournaments.views.playoffs.playoff_text import playoff_links
from tournaments.views.rounds.round_page import next_step, render_round, sit_out_action

PickedAction: TypeAlias = tuple[str, int | None]
"""Words for an act, and the number of its round; 0 for several, None leads to the plans."""


@event_page("read_public")
def round_page(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Show the tables of a round: as seats to pick for its directors until it is closed."""
    form = ServiceForm({})
    form.is_valid()
    return _show(request, event, events.get_round(event, number), form)


@event_form_page(
    *(make_next_round, make_round_of_plan, redraw_round, redraw_tables, change_seating),
    *(form_tables, add_entrant),
)
def evening_seating(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Perform the pressed button's action; lead to the current round, and before it seat one."""
    meeting = meeting_on(event, date_of(day))
    form = ServiceForm(request.POST)
    if form.is_valid() and request.method == "POST":
        with form.placing():
            done = _action(request, event, meeting)
            messages.success(request, done[0])
            if done[1] is None:
                return go_to("seating-plans", event, day=day)
            if done[1]:
                return go_to("round", event, number=done[1])
            return redirect(request.path)
    if night := open_night_page(event, meeting):
        return _open_night(request, event, meeting, night, form)
    page = seating_page(event, meeting)
    number = number_in(request.POST.get("round", "")) or (page.round.number if page.round else 0)
    if form.has_problems and number:
        return _show(request, event, events.get_round(event, number), form)
    if number:
        query = request.GET.urlencode()
        url = layout.round_link(event, number).url
        return redirect(f"{url}?{query}" if query else url)
    context = {
        **_seats(request, event, meeting, page, form),
        "refused_links": playoff_links(event, form.placed),
        "meeting": meeting,
        "chat": expected_text(meeting),
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, "rounds/evening_seating.html", event, context, form, below=below)


def _show(request: PageRequest, event: Event, round_: Round, form: ServiceForm) -> HttpResponse:
    context: dict[str, Any] = {"form": form}
    step = next_step(event, round_)
    blocked = step if isinstance(step, PartnersStep) else None
    is_next = step is not None and (blocked or step.action.field == "next_round")
    meeting = round_.meeting
    if (is_next or _has_seats_to_pick(event, round_)) and meeting is not None:
        page = None
        with form.placing():
            page = seating_page(event, meeting, _change(request, event), round_)
        page = page or seating_page(event, meeting, round_=round_)
        context = _seats(request, event, meeting, page, form)
    if context.get("panel"):
        step = None
    context |= {"step": step, "blocked": blocked, "chat": seating_text(event, round_)}
    context["refused_links"] = playoff_links(event, form.placed)
    if round_.state == "closed" or "page" not in context:
        cards = rounds.round_cards(event, round_)
        ties = list_decided_ties(event, names_in(event))
        context |= {
            "tables": cards,
            "games": rounds.games_of(cards),
            "sit_outs": sit_outs_in(event, round_),
            "matches": rounds.match_rows(event, round_),
            "ties": [tie for tie in ties if tie.round == round_.number],
        }
    before, after = events.neighbouring_rounds(event, round_.number)
    context |= {"previous": before, "next": after}
    return render_round(request, "rounds/round.html", event, round_, context, form)


def _has_seats_to_pick(event: Event, round_: Round) -> bool:
    meeting = round_.meeting
    if round_.state == "closed" or meeting is None or round_.stage.kind == StageKind.PLAYOFF:
        return False
    if event.is_over or not may_do(event, "manage_event"):
        return False
    plan = chosen_plan(meeting)
    return plan is None or plan.movement != OPEN


SENT_AGAIN: Final = frozenset(
    {
        *("do", "about", "way", "tag", "round", "plan_round", "next_round", "adjust"),
        *("scope", "reason", "hands"),
    }
)
"""Fields of an action that is sent again when its question is answered."""


def _seats(
    request: PageRequest, event: Event, meeting: Meeting, page: SeatingPage, form: ServiceForm
) -> dict[str, Any]:
    """Return what the seats of a round show, and which `panel` asks something above them."""
    redraw = _redraw_context(request, page)
    following = page.next_round or {}
    is_changed = following.get("changed") or following.get("needs_plan")
    choices = (
        ("redraw", redraw),
        ("picked", page.picked),
        ("plan", page.plan_differs),
        ("urgent", page.urgent),
        ("next", is_changed or (following and page.round is None)),
    )
    return {
        "page": page,
        "day": meeting.date.isoformat(),
        "panel": next((name for name, choice in choices if choice), ""),
        "sit_out": page.round and sit_out_action(event, page.round.number, page.unseated),
        "form": form,
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
        "sent": {name: value for name, value in request.POST.items() if name in SENT_AGAIN},
        "said": {name: request.POST.get(name, "") for name in ("reason", "scope")},
        "change_url": _change_url(event, page),
        "hint": is_hint_new(request.actor, "seats"),
        **redraw,
    }


def _open_night(
    request: PageRequest, event: Event, meeting: Meeting, night: JsonDict, form: ServiceForm
) -> HttpResponse:
    context = {
        "meeting": meeting,
        "day": meeting.date.isoformat(),
        "night": night,
        "form": form,
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
        "picked": request.POST.getlist("player"),
    }
    below = (layout.evenings_link(event),)
    return render_manage(request, "rounds/open_night.html", event, context, form, below=below)


def _bad_change(at: str, text: str) -> Refused:
    return Refused(Problem("bad_seating_change", (at,), {"found": shown(text)}))


def _action(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    actions: Mapping[str, Callable[[PageRequest, Event, Meeting], PickedAction]] = {
        "next_round": _next_round,
        "seat_round": _seat_round,
        "redraw": _redraw,
        "redraw_tables": _redraw_tables,
        "change": _change_seats,
        "form": _form_tables,
        "make_pair": _make_pair,
    }
    name = request.POST.get("do", "seat_round")
    if "next_round" in request.POST:
        name = "next_round"
    if name not in actions:
        raise _bad_change("do", name)
    return actions[name](request, event, meeting)


def _seat_round(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    round_ = make_round_of_plan(
        operation_of(request),
        plan_of(meeting),
        plan_round=number_in(request.POST.get("plan_round", "")),
        adjust=request.POST.get("adjust") == "yes",
        split_sides=request.POST.get("split") == "yes",
    )
    notice = _("Round %(number)s is seated. Post it to announce it to the players.")
    return notice % {"number": label_of_round(event, round_)}, round_.number


def _next_round(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    meeting.event = event
    planned = seating_page(event, meeting).next_round or {}
    round_ = make_next_round(
        operation_of(request),
        meeting,
        after=number_in(request.POST["next_round"]),
        split_sides=request.POST.get("split") == "yes",
    )
    if round_ is None:
        return _("Plans are being computed. Choose one of them."), None
    notice = _("Round %(number)s is seated. Post it to announce it to the players.")
    text = notice % {"number": label_of_round(event, round_)}
    if planned.get("changed") and not planned["needs_plan"]:
        text = f"{text} {planned['changed']}"
    return text, round_.number


def _make_pair(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    """Make two players without a partner a pair, and lead to the plans or to the round."""
    ids = [request.POST.get("one", ""), request.POST.get("other", "")]
    players = players_with_ids(event, ids)
    _rows(event, ids)
    pair = add_entrant(
        operation_of(request),
        event,
        kind=EntrantKind.PAIR,
        players=[players[player_id] for player_id in ids],
    )
    notice = _("%(name)s are a pair now.") % {"name": entrant_name(pair, FULL_NAME)}
    return notice, number_in(request.POST.get("round", ""))


def _form_tables(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    choice = request.POST.get("which", "")
    picked = request.POST.getlist("player")
    is_picked = choice in ("picked", "anyway")
    if is_picked and not picked:
        raise Refused(Problem("nobody_picked", ("player",)))
    meeting.event = event
    formed = form_tables(
        operation_of(request),
        meeting,
        players=picked if is_picked else (),
        is_single=choice == "one",
        split_sides=choice == "anyway",
    )
    numbers = get_text_list([str(table["number"]) for table in formed], _("and"))
    text = ngettext("Table %(numbers)s formed.", "Tables %(numbers)s formed.", len(formed))
    return text % {"numbers": numbers}, 0


def _redraw(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    round_ = _round(request, event)
    redraw_round(
        operation_of(request),
        round_,
        plan=plan_of(meeting),
        tag=request.POST.get("tag", ""),
        split_sides=request.POST.get("split") == "yes",
    )
    notice = _("Round %(number)s is seated by the chosen plan.")
    return notice % {"number": label_of_round(event, round_)}, round_.number


def _redraw_tables(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    round_ = redraw_tables(
        operation_of(request),
        _round(request, event),
        scope=request.POST.get("scope", ""),
        reason=request.POST.get("reason", ""),
        hands=number_in(request.POST.get("hands", "")) or 0,
        tag=request.POST.get("tag", ""),
        split_sides=request.POST.get("split") == "yes",
    )
    notice = _("Round %(number)s is redrawn.")
    return notice % {"number": label_of_round(event, round_)}, round_.number


def _redraw_context(request: PageRequest, page: SeatingPage) -> Mapping[str, object]:
    if request.GET.get("redraw") != "yes" or page.round is None or page.round.state == "closed":
        return {}
    seating = round_seating(page.round)
    numbers = get_text_list([str(table.number) for table in seating.unplayed], _("and"))
    return {"redraw": seating, "unplayed": numbers}


def _change_seats(request: PageRequest, event: Event, meeting: Meeting) -> PickedAction:
    change = _read_change(event, request.POST.get("about", ""))
    round_ = _round(request, event)
    change_seating(
        operation_of(request),
        round_,
        change=change,
        way=request.POST.get("way", ""),
        tag=request.POST.get("tag", ""),
        split_sides=request.POST.get("split") == "yes",
    )
    notice = _("Seats of round %(number)s changed.")
    return notice % {"number": label_of_round(event, round_)}, round_.number


def _round(request: PageRequest, event: Event) -> Round:
    return events.get_round(event, number_in(request.POST.get("round", "")) or 0)


def _change(request: PageRequest, event: Event) -> SeatingChange | None:
    if close := number_in(request.GET.get("close", "")):
        return SeatingChange("close", table=close)
    picked = list(dict.fromkeys(request.GET.getlist("seat")))
    if not picked:
        return None
    if request.GET.get("as") == "leave":
        return SeatingChange("leave", _rows(event, picked))
    kinds: Mapping[int, ChangeKind] = {1: "move", 2: "swap"}
    return SeatingChange(kinds.get(len(picked), "form"), _rows(event, picked))


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
    choices = [choice for choice in (page.picked, page.urgent) if choice and "at_table" in choice]
    if not choices:
        return ""
    choice = choices[0]
    query = {BACK: TO_SEATING, "seat": choice["seat"]}
    query["act"] = choice["act"]
    if choice["player"]:
        query["player"] = choice["player"]
    return f"{event_url('change-players', event, choice['at_table'])}?{urlencode(query)}"
