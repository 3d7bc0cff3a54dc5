"""From the evenings of an event down to a table and a single hand and back."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.rules.dealing import pass_of, pass_receiver
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import beyond_length
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, MeetingState, RoundState
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_entry import (
    may_enter_attendance,
    takes_attendance,
)
from tournaments.selectors.attendance.places import list_places
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events import events
from tournaments.selectors.events.evening_series import list_gaps
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import (
    date_of,
    evening_day,
    evenings,
    meeting_on,
)
from tournaments.selectors.events.players import player_for
from tournaments.selectors.hands import score_sheet, score_sheet_views
from tournaments.selectors.hands.disputes import list_disputes_of_hand, may_dispute
from tournaments.selectors.hands.double_entry import double_entry_of_table
from tournaments.selectors.hands.games import OVER, game_standing
from tournaments.selectors.hands.score_sheet import (
    get_game,
    own_running_totals,
    pass_in_words,
)
from tournaments.selectors.hands.score_sheet_views import HandView, TableSheet
from tournaments.selectors.ladders.log import tables_on_ladder
from tournaments.selectors.people.own_results import OwnEveningResult, own_result
from tournaments.selectors.people.own_tables import list_own_codes, list_own_sit_outs
from tournaments.selectors.rounds.evening_end import EveningEnd, find_due_evening_end
from tournaments.selectors.rounds.round_progress import RoundClock, round_clock
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.rounds.table_sheets import (
    may_enter_sheet,
    sheet_verification_of,
    stored_photos,
)
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.seating_plans.plans import plan_with_reasons
from tournaments.selectors.seating_plans.swiss_facts import UnitNames, meetings_of, reason_line
from tournaments.selectors.standings.ended_evenings import times_of_corrections
from tournaments.selectors.standings.evenings import (
    NothingOfEvening,
    evening_table,
    first_places,
)
from tournaments.selectors.standings.publications import current_publication
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.hands.check_entry import ADDITIONAL
from tournaments.views.hands.change_players import changes_in_words
from tournaments.views.hands.move_hands import moves_in_words
from tournaments.views.hands.phone_queue import KEEP_HEADER, is_open, outbox_json_without_form
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_page, page
from tournaments.views.http.layout import Link, PageRequest, account_hint
from tournaments.views.http.pages import render_event


def first_hand_of_sheet(event: Event, sheet: TableSheet) -> list[dict[str, Any]]:
    """Return the seats of a table before its first hand; one query.

    Each has its partner, the direction of the pass, and its receiver. The pass is empty if there is
    none, and in a duplicate event, where the first board decides it; the receiver is empty if the
    rules name no single seat.
    """
    play = rules_of(get_game(event, sheet.code).snapshot).keys.play
    n_seats = len(sheet.seats)
    people = [f"{seat.player or '–'} ({seat.label})" for seat in sheet.seats]
    is_of_board = settings_of(event).duplicate
    way = None if is_of_board else pass_of(play, n_seats, 1)
    rows: list[dict[str, Any]] = []
    for number, seat in enumerate(sheet.seats, start=1):
        receiver = pass_receiver(way, n_seats, number)
        others = zip(people, sheet.seats, strict=True)
        partners = (
            name
            for name, other in others
            if seat.side and other.side == seat.side and other != seat
        )
        first = {
            "way": pass_in_words(play, n_seats, way),
            "passes_to": people[receiver - 1] if receiver else "",
            "partner": next(partners, ""),
            "is_of_board": is_of_board,
        }
        rows.append({"seat": seat, "first": first})
    return rows


def table_reasons(actor: Actor, event: Event, sheet: TableSheet) -> Sequence[str]:
    """Return a sentence for each two players or pairs at a table, the reader's own first.

    Names are those of the sheet, and those of pairs. Sentences about players who moved away are
    left out. A table's link reads no standings, so it does not read the scores in these sentences
    either. No query where the round has no plan, else three at most, and two more for pairs.
    """
    if actor.kind == "link" or sheet.plan is None or sheet.round_state == RoundState.DRAFT:
        return ()
    plan, reasons = plan_with_reasons(event, *sheet.plan)
    if plan is None or not reasons:
        return ()
    names_by_id = {seat.player_id: seat.player for seat in sheet.seats if seat.player}
    people = players_with_ids(event, list(names_by_id))
    names = {player.pk: names_by_id[code] for code, player in people.items()}
    reader = find_own_player(actor, event.club)
    reader_id = reader.pk if reader else None
    at_table = [
        swiss_meeting
        for swiss_meeting in meetings_of(plan, reasons)
        if names.keys() >= {*swiss_meeting.players}
    ]
    at_table.sort(key=lambda pair_meeting: reader_id not in pair_meeting.players)
    called = UnitNames(event, [plan], names, name_column(event))
    return [reason_line(plan, pair_meeting, called, reader=reader_id) for pair_meeting in at_table]


@event_page("read_public")
def meetings(request: PageRequest, event: Event) -> HttpResponse:
    now = timezone.now()
    today = evening_day(event, now)
    event_meetings = evenings(event, now)
    first = first_places({event.pk: event})
    for row in event_meetings:
        row["first"] = first.get((event.pk, row["date"]))
        row["takes_attendance"] = row["date"] is not None and takes_attendance(
            row["date"], row["state"], today
        )
    gathers = any(row["date"] == today and row["gathers"] for row in event_meetings)
    may_change = not event.is_over and clubs.may_do(event, "manage_event")
    ahead = [
        row["meeting"]
        for row in event_meetings
        if row["state"] == "planned" and row["gathers"] and row["date"] >= today
    ]
    places = list_places(event, ahead)
    for row in event_meetings:
        if row["date"] is not None:
            row["places"] = places.get(row["meeting"].pk)
    context = {
        "evenings": event_meetings,
        "may_change": may_change,
        "may_enter": not event.is_over and clubs.may_do(event, "import_sheets"),
        "gaps": () if event.is_over else list_gaps(event, now),
        "has_planned": any(row["state"] == MeetingState.PLANNED for row in event_meetings),
        "today": today,
        "tonight": today if gathers else None,
        "may_take": may_enter_attendance(event),
        "games": {
            game
            for evening in event_meetings
            for _number, games in evening["rounds"]
            for game in games
        },
    }
    return render_event(request, "rounds/meetings.html", event, context)


@event_page("read_public", at_table=True)
def table(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Print a table's sheet, hand by hand; the clock of its round alone where a script asks."""
    if request.htmx:
        return _clock_alone(request, event, code)
    sheet = score_sheet.table_sheet(event, code)
    page = "hands/score_sheet.html"
    crumbs = (layout.round_link(event, sheet.round_number),)
    checked = sheet_verification_of(event, sheet)
    played = [hand for hand in sheet.hands if hand.state != "void" and sheet.counts]
    may_change_players = clubs.may_do(event, "manage_event") and sheet.counts
    context = {
        "sheet": sheet,
        "additional": played[settings_of(event).hands or len(played) :],
        "firsts": () if sheet.hands else first_hand_of_sheet(event, sheet),
        "clock": _clock_at(event, sheet.round_number, sheet.state) if is_open(sheet) else None,
        "clock_url": request.path,
        "entering": _entry_links(
            event, sheet, is_checked=checked is not None and checked["is_current"]
        ),
        "may_dispute": may_dispute(request.actor, event, code),
        "hint": account_hint(request, event),
        "may_link": clubs.may_do(event, "manage_links"),
        "corrections": _corrections(event, sheet),
        "may_close": clubs.may_do(event, "close_table"),
        "may_enter": clubs.may_do(event, "enter_hand"),
        "may_save": (may_save := may_enter_sheet(event, sheet)),
        "has_photos": may_save
        or (clubs.may_do(event, "enter_hand") and stored_photos(event, code)),
        "read_back": checked,
        "twice": double_entry_of_table(event, code) if settings_of(event).double_entry else None,
        "may_change_players": may_change_players,
        "player_changes": changes_in_words(event, code),
        "moves": moves_in_words(request.actor, event, code, may_undo=may_change_players),
        "reasons": table_reasons(request.actor, event, sheet),
        "on_ladder": tables_on_ladder(event, table__code=code).get(code),
        "end": _evening_end(event, sheet),
    }
    if not (context["may_enter"] and is_open(sheet)):
        return render_event(request, page, event, context, crumbs=crumbs)
    context["outbox"] = outbox_json_without_form(event, sheet, timezone.now())
    response = render_event(request, page, event, context, crumbs=crumbs)
    response[KEEP_HEADER] = "yes"
    return response


def _evening_end(event: Event, sheet: TableSheet) -> EveningEnd | None:
    """Return the end of the evening of a complete table, once it is due."""
    if sheet.state not in OVER:
        return None
    end = find_due_evening_end(event, now=timezone.now())
    if end is None or end.meeting.date != sheet.date:
        return None
    return end


@event_page("read_public")
def player_evening(request: PageRequest, event: Event, day: str, player_id: str) -> HttpResponse:
    """Show where a player sits on an evening, and the points of each hand; newest table first."""
    meeting = meeting_on(event, date_of(day))
    player = player_for(request.actor, event.club, player_id)
    tables = tables_of_player(event, meeting, player)
    stored = current_publication(event)
    view = standings_view(stored) if stored else None
    context = {
        "name": name_of(player, name_column(event)),
        "meeting": meeting,
        "tables": tables,
        "sit_outs": list_own_sit_outs(meeting, player),
        "view": view,
        "row": view.row_of(tables[0]["seat"].entrant_id) if view and tables else None,
        "result": _result_of_evening(event, meeting, tables),
        "is_open": any(is_open(table["sheet"]) for table in tables),
    }
    return render_event(request, "people/player_evening.html", event, context)


def _result_of_evening(
    event: Event, meeting: Meeting, tables: Sequence[dict[str, Any]]
) -> OwnEveningResult | None:
    """Return the place on an evening of a player with these tables there; None without a table."""
    if not tables or event.is_ladder:
        return None
    try:
        table = evening_table(event, meeting)
    except NothingOfEvening:
        return None
    due_at = times_of_corrections([meeting]).get(meeting.pk)
    return own_result(meeting, table, tables[0]["seat"].entrant_id, due_at=due_at)


def tables_of_player(event: Event, meeting: Meeting, player: Player) -> list[dict[str, Any]]:
    """Return the tables of an evening where a player sat, as the event's reader reads them."""
    sheets = [score_sheet.table_sheet(event, code) for code in list_own_codes(meeting, player)]
    return [
        own_table for sheet in sheets if (own_table := _own_table(event, sheet, player.player_id))
    ]


def _own_table(event: Event, sheet: TableSheet, code: str) -> dict[str, Any] | None:
    """Return a sheet as one player has it: the seat, the hands, the first pass and the finish.

    Who shared the seat has its place, and totals over their own hands.
    """
    cells = [(hand, cell) for hand in sheet.hands for cell in hand.cells]
    own = [(hand, cell) for hand, cell in cells if cell.seat.player_id == code]
    # Only the sheet has room to say why a hand does not count, and where it went.
    hands = [(hand, cell) for hand, cell in own if hand.state != "void"]
    seats = (*sheet.seats, *(cell.seat for _hand, cell in own))
    seat = next((seat for seat in seats if seat.player_id == code), None)
    if seat is None:
        return None
    finish = next((finish for finish in sheet.finishes if finish.seat.number == seat.number), None)
    if finish is not None and finish.parts:
        hands = [*own_running_totals(hands)]
    firsts = () if sheet.hands else first_hand_of_sheet(event, sheet)
    return {
        "event": event,
        "sheet": sheet,
        "seat": seat,
        "hands": hands,
        "first": next((row["first"] for row in firsts if row["seat"] == seat), None),
        "finish": finish,
        "clock": _clock_at(event, sheet.round_number, sheet.state) if is_open(sheet) else None,
    }


def _clock_alone(request: PageRequest, event: Event, code: str) -> HttpResponse:
    game = score_sheet.get_game(event, code)
    clock = _clock_at(event, game.table.round.number, game.state)
    context = {"clock": clock, "css": "timer", "from": request.path}
    return render(request, "rounds/_clock.html", context)


def _clock_at(event: Event, number: int, state: str) -> RoundClock | None:
    """The clock of a round for a table in `state`; a table that is over has no estimated end."""
    clock = round_clock(event, events.get_round(event, number), now=timezone.now())
    is_over = state in OVER
    return None if is_over and clock is not None and clock.is_estimated else clock


@event_page("read_public", at_table=True)
def hand(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    sheet = score_sheet.table_sheet(event, code)
    view = score_sheet_views.hand_of(sheet, number)
    numbers = [table_hand.number for table_hand in sheet.hands]
    place = numbers.index(number)
    # A void hand comes back through a director only.
    may_restore = view.state != "void" or clubs.may_do(event, "correct_closed")
    may_edit = may_restore and view.moved_to is None and _may_enter(event, sheet)
    undo_text = _undo_text(view) if may_edit and number else ""
    edit = request.path.partition("/hands")[0] + (f"/hands/{number}/edit" if number else "/totals")
    context = {
        "layout": layout.table_layout(request, event, sheet),
        "event": event,
        "sheet": sheet,
        "hand": view,
        "edit_url": edit if may_edit else "",
        "undo_text": undo_text,
        "may_void": clubs.may_do(event, "void_hand")
        and not (undo_text and view.state == "void")
        and view.moved_to is None,
        "may_dispute": may_dispute(request.actor, event, code),
        "hint": account_hint(request, event),
        "may_rule": clubs.may_do(event, "rule_on_disputes"),
        "disputes": list_disputes_of_hand(request.actor, event, code, number),
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
    }
    return render(request, "hands/hand.html", context)


@page("read_public")
def to_meetings(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Send `…/rounds`, a list that REST has, to the evenings, which show their rounds."""
    return redirect("tournaments:meetings", club=club, event=event)


@page("read_public")
def to_table(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Send `…/hands`, the list that REST has, to the sheet, which shows all of them."""
    return redirect("tournaments:table", club=club, event=event, code=code)


@page("read_public")
def to_hand(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Send `…/revisions`, the list that REST has, to the hand, which shows all of them."""
    return redirect("tournaments:hand", club=club, event=event, code=code, number=number)


def _undo_text(hand: HandView) -> str:
    """The label of the button that undoes the newest change of a hand; empty without one."""
    if hand.state == "void":
        return _("Restore hand") if hand.number else _("Restore totals")
    return _("Undo correction") if hand.is_corrected else ""


def _corrections(event: Event, sheet: TableSheet) -> tuple[Link, ...]:
    if not _may_enter(event, sheet):
        return ()
    may_restore = clubs.may_do(event, "correct_closed")
    return tuple(
        Link(
            _("Hand %(number)s") % {"number": table_hand.number},
            event_url("edit-hand", event, sheet.code, table_hand.number),
        )
        if table_hand.number
        else Link(_("Totals"), event_url("totals", event, sheet.code))
        for table_hand in sheet.hands
        if table_hand.moved_to is None and (table_hand.state != "void" or may_restore)
    )


def _may_enter(event: Event, sheet: TableSheet) -> bool:
    return sheet.state != "abandoned" and may_enter_sheet(event, sheet)


def _entry_links(event: Event, sheet: TableSheet, *, is_checked: bool) -> dict[str, object] | None:
    """Return the links for a host on a sheet: the next hand, and the numbers left out before it.

    At a table without players, the page at `url` asks for them. `is_step`: the table waits for one
    of them; `is_next`: the next step is another hand; `to_check`: it is checking the sheet;
    `may_go_on`: the rules have not ended the game.
    """
    hands = [hand for hand in sheet.hands if not hand.is_undone]
    numbers = {hand.number for hand in hands if hand.number or hand.state != "void"}
    is_seated = any(seat.player_id for seat in sheet.seats)
    if 0 in numbers or (numbers and not is_seated) or not sheet.takes_hands:
        return None
    if not _may_enter(event, sheet):
        return None
    if not is_seated and not clubs.may_do(event, "seat_open_table"):
        return None
    coming = max(numbers, default=0) + 1
    is_open = sheet.round_state in ("posted", "playing")
    is_going_on = is_open and sheet.state in ("seated", "playing")
    states = {hand.number: hand.state for hand in hands}
    is_within = not (sheet.counts and beyond_length(settings_of(event), coming, states, None))
    may_add = is_within or clubs.may_do(event, ADDITIONAL)
    is_next = is_going_on and may_add
    url = event_url("new-hand", event, sheet.code)
    totals_url = "" if coming > 1 or not is_seated else url.replace("/hands/new", "/totals")
    gaps = sorted(set(range(1, coming)) - numbers)[:6]
    to_check = is_open and not is_going_on and bool(numbers) and not is_checked
    return {
        "url": url,
        "totals_url": totals_url,
        "next": coming,
        "gaps": gaps,
        "asks_who": not is_seated,
        "is_step": is_next or to_check or bool(gaps) or not is_seated,
        "is_next": is_next,
        "to_check": to_check,
        "may_go_on": is_next or (may_add and game_standing(event, sheet.code)["may_go_on"]),
    }
