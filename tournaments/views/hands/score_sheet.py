"""From the evenings of an event down to a table and a single hand and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.rules.dealing import pass_of, pass_receiver
from scoring.rules.types import Play
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.hands import Game, GameState
from tournaments.models.meetings import RoundState
from tournaments.policy import Actor
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.events import events
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.meetings import club_day, evenings
from tournaments.selectors.hands import score_sheet, score_sheet_views
from tournaments.selectors.hands.disputes import may_dispute, of_hand
from tournaments.selectors.hands.double_entry import double_entry_of_table
from tournaments.selectors.hands.games import game_standing
from tournaments.selectors.hands.score_sheet import game_at, pass_in_words
from tournaments.selectors.hands.score_sheet_views import HandView, SeatView, TableSheet
from tournaments.selectors.people.own_tables import OwnTable
from tournaments.selectors.playoffs.results import decided_ties
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.round_progress import RoundClock, round_clock
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.rounds.rounds import match_rows
from tournaments.selectors.rounds.table_sheets import sheet_verification_of
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.seating_plans.plans import plan_with_reasons
from tournaments.selectors.seating_plans.swiss_facts import meetings_of, reason_line, unit_names
from tournaments.views.hands.change_players_text import changes_in_words
from tournaments.views.hands.phone_queue import KEEP_HEADER, is_open, outbox_json_without_form
from tournaments.views.http import layout
from tournaments.views.http.account_hint import account_hint
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import Link, PageRequest


@dataclass(frozen=True, slots=True)
class FirstHand:
    """A seat in the first hand. `way` is how cards are passed in words, empty where none are.

    `passes_to` is empty where the rules name no one seat for it. In a duplicate event the pass is
    that of the board that comes first (`is_of_board`), and both are empty.
    """

    way: str
    passes_to: str
    partner: str
    is_of_board: bool = False


@dataclass(frozen=True, slots=True)
class OwnTableCard:
    """A table where an own player sits next; `first` is None once it has a hand."""

    table: OwnTable
    first: FirstHand | None
    clock: RoundClock | None


def own_table_cards(tables: Sequence[OwnTable], *, now: datetime) -> tuple[OwnTableCard, ...]:
    """Return the cards of own tables; one query, and one for each round without a clock."""
    asked = Q(pk=None)
    for one in tables:
        asked |= Q(event=one.event, table__code=one.code)
    games = Game.objects.filter(asked, state=GameState.SEATED) if tables else Game.objects.none()
    found = {
        (game.event_id, game.table.code): rules_of(game.snapshot).keys.play
        for game in games.select_related("snapshot", "table").defer("progress")
    }
    return tuple(
        OwnTableCard(
            table=one,
            first=_first_hand(one.event, one.people, one.sides, one.seat_number, play)
            if (play := found.get((one.event.pk, one.code))) is not None
            else None,
            clock=round_clock(one.event, one.row, now=now),
        )
        for one in tables
    )


@dataclass(frozen=True, slots=True)
class SeatOfFirstHand:
    """A seat with its player and what they do in the first hand."""

    seat: SeatView
    first: FirstHand


def first_hand_of_sheet(event: Event, sheet: TableSheet) -> tuple[SeatOfFirstHand, ...]:
    """Return the seats of a table before its first hand; one query."""
    play = rules_of(game_at(event, sheet.code).snapshot).keys.play
    people = tuple(f"{seat.player or '–'} ({seat.label})" for seat in sheet.seats)
    sides = tuple(seat.side for seat in sheet.seats)
    return tuple(
        SeatOfFirstHand(seat, _first_hand(event, people, sides, number, play))
        for number, seat in enumerate(sheet.seats, start=1)
    )


def _first_hand(
    event: Event,
    people: Sequence[str],
    sides: Sequence[str],
    seat: int,
    play: Play,
) -> FirstHand:
    side = sides[seat - 1]
    partners = [
        name
        for number, (name, other) in enumerate(zip(people, sides, strict=True), start=1)
        if side and other == side and number != seat
    ]
    partner = partners[0] if partners else ""
    if settings_of(event).duplicate:
        return FirstHand(way="", passes_to="", partner=partner, is_of_board=True)
    way = pass_of(play, len(people), 1)
    receiver = pass_receiver(way, len(people), seat)
    return FirstHand(
        way=pass_in_words(play, len(people), way),
        passes_to=people[receiver - 1] if receiver else "",
        partner=partner,
    )


def table_reasons(actor: Actor, event: Event, sheet: TableSheet) -> Sequence[str]:
    """Return a sentence for each two players or pairs at a table, the reader's own first.

    Names are those of the sheet, and those of pairs. Two of whom somebody sits elsewhere now are
    left out. A table's link reads no standings, so it does not read the scores in these sentences
    either. No query where the round has no plan, else three at most, and two more for pairs.
    """
    if actor.kind == "link" or sheet.plan is None or sheet.round_state == RoundState.DRAFT:
        return ()
    plan, reasons = plan_with_reasons(event, *sheet.plan)
    if plan is None or not reasons:
        return ()
    shown = {seat.player_id: seat.player for seat in sheet.seats if seat.player}
    people = players_with_ids(event, list(shown))
    names = {player.pk: shown[code] for code, player in people.items()}
    reader = find_own_player(actor, event.club)
    own = reader.pk if reader else None
    here = [
        swiss_meeting
        for swiss_meeting in meetings_of(plan, reasons)
        if names.keys() >= {*swiss_meeting.players}
    ]
    here.sort(key=lambda one: own not in one.players)
    called = unit_names(event, [plan], names, name_column(event))
    return [reason_line(plan, one, called, reader=own) for one in here]


MOST_GAPS: Final = 6


@page("read_public")
def meetings(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print an event's evenings with their rounds, and their games where it has several."""
    found = events.event_at(request.actor, club, event)
    shown = evenings(found)
    context = {
        "layout": layout.event_layout(
            request, found, (layout.event_link(found),), current="evenings"
        ),
        "event": found,
        "evenings": shown,
        "may_change": found.state in ("draft", "open") and clubs.may_do(found, "manage_event"),
        "today": club_day(found.club, timezone.now()),
        "may_take": found.state in ("draft", "open") and clubs.may_do(found, "take_attendance"),
        "games": {game for evening in shown for game in evening.games},
    }
    return render(request, "rounds/meetings.html", context)


@page("read_public")
def round_(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print the tables of one round in short."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    cards = rounds.round_cards(found, shown)
    before, after = events.neighbouring_rounds(found, number)
    context = {
        "layout": layout.event_layout(request, found, _to_evenings(found)),
        "event": found,
        "round": shown,
        "tables": cards,
        "games": rounds.games_of(cards),
        "sit_outs": sit_outs_in(found, shown),
        "matches": match_rows(found, shown),
        "ties": [
            decided_ty
            for decided_ty in decided_ties(found, names_in(found))
            if decided_ty.round == number
        ],
        "may_direct": clubs.may_do(found, "manage_event"),
        "may_enter": clubs.may_do(found, "enter_hand"),
        "previous": before,
        "next": after,
    }
    return render(request, "rounds/round.html", context)


@page("read_public", at_table=True)
def table(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Print a table's sheet, hand by hand; the clock of its round alone where a script asks."""
    found = events.event_at(request.actor, club, event, code=code)
    if request.htmx:
        return _clock_alone(request, found, code)
    sheet = score_sheet.table_sheet(found, code)
    checked = sheet_verification_of(found, sheet)
    context = {
        "layout": layout.event_layout(request, found, _to_round(found, sheet)),
        "event": found,
        "sheet": sheet,
        "firsts": () if sheet.hands else first_hand_of_sheet(found, sheet),
        "clock": _clock(found, sheet),
        "clock_url": request.path,
        "entering": _entering(found, sheet, is_checked=checked is not None and checked.is_current),
        "may_dispute": may_dispute(request.actor, found, code),
        "hint": account_hint(request, found),
        "may_link": clubs.may_do(found, "manage_links"),
        "corrections": _corrections(found, sheet),
        "may_close": clubs.may_do(found, "close_table"),
        "may_enter": clubs.may_do(found, "enter_hand"),
        "read_back": checked,
        "twice": double_entry_of_table(found, code) if settings_of(found).double_entry else None,
        "may_change_players": clubs.may_do(found, "manage_event") and sheet.counts,
        "player_changes": changes_in_words(found, code),
        "reasons": table_reasons(request.actor, found, sheet),
    }
    if not (context["may_enter"] and is_open(sheet)):
        return render(request, "hands/score_sheet.html", context)
    outbox = outbox_json_without_form(found, sheet, timezone.now())
    response = render(request, "hands/score_sheet.html", {**context, "outbox": outbox})
    response[KEEP_HEADER] = "yes"
    return response


def _clock_alone(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Return the clock of a table's round as it is now; nothing where none runs."""
    game = score_sheet.game_at(event, code)
    clock = _clock_at(event, game.table.round.number, game.state)
    context = {"clock": clock, "css": "timer", "from": request.path}
    return render(request, "rounds/_clock.html", context)


def _clock(event: Event, sheet: TableSheet) -> RoundClock | None:
    """The clock of the table's round while it can take hands; one query."""
    if not is_open(sheet):
        return None
    return _clock_at(event, sheet.round_number, sheet.state)


def _clock_at(event: Event, number: int, state: str) -> RoundClock | None:
    """The clock of a round for a table in `state`; a table that is over has no estimated end."""
    clock = round_clock(event, events.round_at(event, number), now=timezone.now())
    is_over = state in score_sheet.OVER
    return None if is_over and clock is not None and clock.is_estimated else clock


@page("read_public", at_table=True)
def hand(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Print one hand: what counts, what the engine made of it, and every revision."""
    found = events.event_at(request.actor, club, event, code=code)
    sheet = score_sheet.table_sheet(found, code)
    shown = score_sheet_views.hand_of(sheet, number)
    numbers = [one.number for one in sheet.hands]
    here = numbers.index(number)
    text = _("Table %(number)s") % {"number": sheet.number}
    to_table = Link(text, request.path.partition("/hands")[0])
    # A void hand comes back through a director only.
    may_restore = shown.state != "void" or clubs.may_do(found, "correct_closed")
    may_edit = may_restore and _may_enter(found, sheet)
    edit = f"{request.path}/edit" if number else f"{to_table.url}/totals"
    context = {
        "layout": layout.event_layout(request, found, (*_to_round(found, sheet), to_table)),
        "event": found,
        "sheet": sheet,
        "hand": shown,
        "edit_url": edit if may_edit else "",
        "undo_text": _undo_text(shown) if may_edit and number else "",
        "may_void": clubs.may_do(found, "void_hand"),
        "may_dispute": may_dispute(request.actor, found, code),
        "hint": account_hint(request, found),
        "may_rule": clubs.may_do(found, "rule_on_disputes"),
        "disputes": of_hand(request.actor, found, code, number),
        "previous": numbers[here - 1] if here else None,
        "next": numbers[here + 1] if here + 1 < len(numbers) else None,
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


@dataclass(frozen=True, slots=True)
class EntryLinks:
    """Where a host goes on from a sheet: the next hand, and the numbers left out before it.

    Where nobody sits yet, the page at `url` asks who plays.
    """

    url: str
    next: int
    gaps: tuple[int, ...]
    asks_who: bool = False
    is_next: bool = True
    """Whether a further hand is the next step: the table is being played, or about to be."""
    to_check: bool = False
    """Whether the next step is to check the sheet: the table is complete, its round not closed."""
    may_go_on: bool = True
    """Whether a further hand can be entered; not where the rules have ended the game."""

    @property
    def totals_url(self) -> str:
        """Where totals are entered for all of it, as long as there is no hand."""
        return "" if self.asks_who or self.next > 1 else self.url.replace("/hands/new", "/totals")


def _undo_text(hand: HandView) -> str:
    """What the button says that takes the newest change of a hand back; empty without one."""
    if hand.state == "void":
        return _("Restore hand") if hand.number else _("Restore totals")
    return _("Undo correction") if hand.revision > 1 else ""


def _corrections(event: Event, sheet: TableSheet) -> tuple[Link, ...]:
    """The pages that correct the hands of a sheet, for a reader who may."""
    if not _may_enter(event, sheet):
        return ()
    may_restore = clubs.may_do(event, "correct_closed")
    address = (event.club.slug, event.slug, sheet.code)
    return tuple(
        Link(
            _("Hand %(number)s") % {"number": one.number},
            reverse("tournaments:edit-hand", args=(*address, one.number)),
        )
        if one.number
        else Link(_("Totals"), reverse("tournaments:totals", args=address))
        for one in sheet.hands
        if one.state != "void" or may_restore
    )


def _may_enter(event: Event, sheet: TableSheet) -> bool:
    """Whether the reader is shown the ways to enter: a closed round is a director's."""
    is_played = event.state == "open" or not sheet.counts
    is_open = is_played and sheet.round_state in ("posted", "playing")
    if event.state == "draft" or sheet.round_state == "draft" or sheet.state == "abandoned":
        return False
    return clubs.may_do(event, "enter_hand" if is_open else "correct_closed")


def _entering(event: Event, sheet: TableSheet, *, is_checked: bool) -> EntryLinks | None:
    numbers = {hand.number for hand in sheet.hands if hand.number or hand.state != "void"}
    is_seated = any(seat.player_id for seat in sheet.seats)
    if 0 in numbers or (numbers and not is_seated) or not sheet.takes_hands:
        return None
    if not _may_enter(event, sheet):
        return None
    if not is_seated and not clubs.may_do(event, "seat_open_table"):
        return None
    coming = max(numbers, default=0) + 1
    gaps = tuple(sorted(set(range(1, coming)) - numbers))
    address = (event.club.slug, event.slug, sheet.code)
    is_open = sheet.round_state in ("posted", "playing")
    is_next = is_open and sheet.state in ("seated", "playing")
    return EntryLinks(
        reverse("tournaments:new-hand", args=address),
        coming,
        gaps[:MOST_GAPS],
        not is_seated,
        is_next=is_next,
        to_check=is_open and not is_next and bool(numbers) and not is_checked,
        may_go_on=is_next or game_standing(event, sheet.code).may_go_on,
    )


def _to_evenings(event: Event) -> tuple[Link, ...]:
    return (layout.event_link(event), layout.evenings_link(event))


def _to_round(event: Event, sheet: TableSheet) -> tuple[Link, ...]:
    return (layout.event_link(event), layout.round_link(event, sheet.round_number))
