"""What each player of a table does before the first hand: the pass, and who is the partner."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from scoring.rules.dealing import pass_of, pass_receiver
from scoring.rules.types import Play
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.hands import Game, GameState
from tournaments.selectors.hands.score_sheet import game_at, pass_in_words
from tournaments.selectors.hands.score_sheet_views import SeatView, TableSheet
from tournaments.selectors.people.own_tables import OwnTable
from tournaments.selectors.rounds.round_times import RoundClock, round_clock
from tournaments.services.rules.rule_sets import rules_of


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
