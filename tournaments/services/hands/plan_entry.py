"""Plan the entry of a hand under the lock of its game: validity and changes.

No part of a hand is written here; a table without players is seated from its sheet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from django.db.models import Q

from scoring.errors import ENTRY_CODES, Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.imported_sheets import same_entry
from tournaments.domain.replay_game import (
    LAST_HAND,
    TOTALS,
    HandRefused,
    PlayedHand,
    Replay,
    beyond_length,
    replay_game,
)
from tournaments.domain.seating_runs import moved_seats
from tournaments.errors import Conflict, refuse_any
from tournaments.models.boards import Board
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand, Source
from tournaments.models.rounds import Seat, Sitting
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import find_current_ids
from tournaments.selectors.events.settings_checks import comparing_problems
from tournaments.selectors.hands.game_for_update import LockedGame, SeatStretch, game_now
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.events import enter_players
from tournaments.services.hands.apply_game import counted_hands, entries_of
from tournaments.services.hands.board_of_hand import board_of_hand
from tournaments.services.operations import Operation
from tournaments.services.permissions import require, require_role
from tournaments.services.playoffs.playoffs import require_takes_hands
from tournaments.services.rounds.seating import store_sittings
from tournaments.services.rounds.seating_checks import (
    NOT_COMPARABLE,
    require_not_abandoned,
    require_open,
)
from tournaments.states import HAND

ADDITIONAL: Final = "correct_closed"
"""The right to record a hand beyond the length of a game."""
OF_AN_ENTRY: Final = (
    *(*ENTRY_CODES, "reason_required", "nothing_changed", "hand_undone", "totals_alone"),
    *("bad_hand_number", "bad_number_of_hands", "event_not_open", "round_is_draft"),
    *("table_abandoned", "table_is_left", "players_sit_elsewhere", "players_moved"),
    *("player_mismatch", "players_needed", "unknown_player", "same_player_twice"),
    *("player_is_merged", "player_already_seated", "not_in_stage", "entrant_sits_out"),
    *("unknown_table", *NOT_COMPARABLE),
    *("board_needed", "board_not_expected", "no_such_board", "totals_without_boards"),
    *("board_not_for_table", "board_of_another_round", "board_at_another_table"),
    *("board_not_in_round", "board_played_at_table", "board_played_by_player"),
    *("board_known_to_player", "playoff_by_hands", "playoff_void", "playoff_over"),
    *("playoff_waived", "playoff_moved", "playoff_state", "playoff_stranger"),
    *("playoff_hand_incomplete", "playoff_hands_over"),
)
"""Error codes of an entry, except those of a conflicting one."""


def seat_by_sheet(*, game: Game, players: Sequence[str] | None) -> Sequence[Problem]:
    """Seat the people named on a sheet, clockwise from seat 1, in the caller's transaction.

    Returns:
        All problems; if there are any, nobody is seated.
    """
    if players is None:
        return [Problem("players_needed", ("players",))]
    players = find_current_ids(game.club_id, players) or players
    known_players = {
        player.player_id: player
        for player in Player.objects.filter(club_id=game.club_id, player_id__in=players)
    }
    problems = [*_count_problems(game, players), *_player_problems(players, known_players)]
    if not problems:
        seated = [known_players[player_id] for player_id in players]
        store_sittings(game.table, game.table.round, seated, rules_of(game.snapshot))
        enter_players(event=game.event, players=seated)
    return problems


def _count_problems(game: Game, players: Sequence[str]) -> Iterator[Problem]:
    seats = Seat.objects.filter(table_id=game.table_id).count()
    least, most = (seats, seats) if seats else rules_of(game.snapshot).keys.players
    if not least <= len(players) <= most:
        facts = {"found": len(players), "least": least, "most": most}
        yield Problem("seat_count", ("players",), facts)
        return
    yield from comparing_problems(
        event=game.event, rules=game.snapshot, seats=len(players), but=(game,)
    )


def _player_problems(players: Sequence[str], known_players: dict[str, Player]) -> Iterator[Problem]:
    for index, player_id in enumerate(players):
        if player_id not in known_players:
            yield Problem("unknown_player", ("players", index), {"player": player_id})
        elif player_id in players[:index]:
            facts = {"player": known_players[player_id].name, "player_id": player_id}
            yield Problem("same_player_twice", ("players", index), facts)


def entry_problems(
    *,
    actor: Actor,
    game: Game,
    entry: Mapping[str, object],
    number: int | None,
    hands: int | None = None,
) -> tuple[Problem, ...]:
    """Return why `entry` could not stand as hand `number` of the game, or as its next one.

    With number 0 it has the totals of a whole game, of `hands` hands if that is known.
    """
    require(actor, game.club, "enter_hand", table_id=game.table_id)
    seats = seats_of_game(game)
    if not seats:
        return ()
    counted = counted_hands(game.hands.select_related("entry"))
    last = counted[-1].number if counted else 0
    place = number if number is not None else last + 1
    if number is not None and (problems := length_problems(game, number, game.hands.all(), hands)):
        return tuple(problems)
    try:
        _replay_with(game, seats, counted, place, entry, hands)
    except HandRefused as refused:
        return refused.problems if place in (TOTALS, refused.number) else ()
    return ()


def _replay_with(
    game: Game,
    seats: Sequence[Seat],
    hands: Iterable[Hand],
    number: int,
    entry: Mapping[str, object],
    hands_of_totals: int | None,
) -> Replay:
    other_entries = entries_of(counted_hands(hand for hand in hands if hand.number != number))
    return replay_game(
        game=game,
        rules=rules_of(game.snapshot),
        seats=seats,
        entries=sorted([*other_entries, (number, entry)], key=itemgetter(0)),
        new=number,
        hands_of_totals=hands_of_totals,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRequest:
    """A request to record a hand; `record_entry` documents each member."""

    op: Operation
    game: Game
    number: int
    entry: Mapping[str, object]
    source: str
    based_on: int | None
    key: str | None
    reason: str
    note: str
    players: Sequence[str] | None
    displayed_players: Sequence[str] | None = None
    is_totals: bool = False
    hands: int | None = None
    board: int | None = None
    additional: bool = False


@dataclass(frozen=True, slots=True)
class EntryPlan:
    """`hand` is the stored one with the number; `is_new` without one, or if it was undone."""

    locked: LockedGame
    hand: Hand | None
    played: Replay
    played_hand: PlayedHand
    board: Board | None = None
    is_new: bool = True


def plan_entry(request: EntryRequest, role: str, locked: LockedGame) -> EntryPlan:
    game, number, hand = request.game, request.number, _hand_to_revise(request, locked)
    _require_open(request, role, locked, hand)
    sitting_ids = {stretch.player_id for stretch in locked.sat}
    players = find_current_ids(game.club_id, request.players, sitting_ids)
    displayed = find_current_ids(game.club_id, request.displayed_players, sitting_ids)
    require_same_seats(displayed, locked.sat)
    theirs = hand.revision if hand is not None else 0
    if hand is not None and request.based_on is None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=hand)
    if (request.based_on or 0) != theirs:
        facts = {"yours": request.based_on or 0, "theirs": theirs}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)
    problems = [*_own_problems(request, hand), *_length_problems(request, role, locked)]
    if locked.sat or locked.hands:
        problems += _mismatches(locked.sat, number, players)
    else:
        require_role(request.op.actor, role, "seat_open_table")
        problems += seat_by_sheet(game=game, players=players)
        locked = game_now(game)
    board, of_board = board_of_hand(game=game, locked=locked, number=number, board=request.board)
    problems += of_board
    played = _replay(request, locked, problems)
    is_complete = all(problem.code == "reason_required" for problem in problems)
    if is_complete and hand is not None and _is_unchanged(request, hand, board):
        raise Refused(Problem("nothing_changed", ("entry",), {"hand": number}))
    refuse_any(problems)
    played_hand = next(hand for hand in played.hands if hand.number == number)
    stored = locked.hands.get(number)
    return EntryPlan(locked, stored, played, played_hand, board, is_new=hand is None)


def _hand_to_revise(request: EntryRequest, locked: LockedGame) -> Hand | None:
    """Return the hand that the entry revises; None for a new one, even in an undone one's place.

    An undone hand is restored as it was or entered again; it is not corrected.
    """
    hand = locked.hands.get(request.number)
    if hand is None or not hand.is_undone or request.source == Source.IMPORT:
        return hand
    if request.based_on is None:
        return None
    if hand.entry is None or hand.entry.typed != request.entry:
        raise Conflict(Problem("hand_undone", facts={"hand": request.number}), there=hand)
    return hand


def _is_unchanged(request: EntryRequest, hand: Hand, board: Board | None) -> bool:
    """Whether a revision would repeat the one that counts; a note that is left out is no change."""
    stored, entry = hand.entry, request.entry
    if hand.state != "accepted" or stored is None:
        return False
    is_same = same_entry(stored.typed, entry, stored.moon)
    is_same_kitty = stored.typed.get("kitty") == entry.get("kitty")
    is_same_board = hand.board_id == (board.pk if board is not None else None)
    is_same_length = not request.is_totals or hand.hands == request.hands
    is_same = is_same and is_same_kitty and is_same_board and is_same_length
    # The note is read only where all else is equal.
    return is_same and request.note in ("", stored.note)


def _require_open(request: EntryRequest, role: str, locked: LockedGame, hand: Hand | None) -> None:
    actor, game, number = request.op.actor, request.game, request.number
    if not game.counts:
        require_takes_hands(game, is_new=hand is None)
        if request.is_totals:  # a play-off is compared hand by hand
            raise Refused(Problem("playoff_by_hands"))
    require_open(actor, role, game)
    require_not_abandoned(actor, role, game, hand)
    if hand is not None and hand.state == "void":
        require_role(actor, role, HAND["void", "accepted"].right)
        _require_not_elsewhere(game, locked.sat, number)
    # At a table that everybody has left, nobody would get a new hand.
    if hand is None and locked.sat and not any(row.has(number) for row in locked.sat):
        raise Conflict(Problem("table_is_left", facts={"table": game.table.code, "number": number}))


def _require_not_elsewhere(game: Game, sat: Sequence[SeatStretch], number: int) -> None:
    codes = [stretch.player_id for stretch in sat if stretch.has(number)]
    rows = Sitting.objects.filter(round=game.table.round_id, player__player_id__in=codes)
    rows = rows.exclude(seat__table=game.table_id)
    condition = Q(seat__table__game__state="abandoned", seat__table__game__hands_counted=0)
    sittings = rows.exclude(condition).order_by("player__player_id", "pk")
    elsewhere = sittings.select_related("player", "seat__table").first()
    if elsewhere is not None:
        raise Conflict(
            Problem(
                "players_sit_elsewhere",
                facts={
                    "number": number,
                    "player": elsewhere.player.name,
                    "player_id": elsewhere.player.player_id,
                    "table": elsewhere.seat.table.code,
                    "table_number": elsewhere.seat.table.number,
                },
            )
        )


def require_same_seats(displayed_players: Sequence[str] | None, sat: Sequence[SeatStretch]) -> None:
    """Refuse an entry whose displayed players have changed seats of the table meanwhile."""
    if displayed_players is None:
        return
    last = {stretch.seat: stretch for stretch in sorted(sat, key=lambda stretch: stretch.from_hand)}
    seats = moved_seats(
        displayed_players, {seat: stretch.player_id for seat, stretch in last.items()}
    )
    if seats:
        names = ", ".join(last[seat].name for seat in seats)
        raise Conflict(Problem("players_moved", facts={"players": names}))


def _own_problems(request: EntryRequest, hand: Hand | None) -> Iterator[Problem]:
    if hand is None and not request.is_totals:
        yield from number_problems(request.number)
    yield from hands_problems(request.hands)
    if hand is not None and not request.reason.strip():
        yield Problem("reason_required", ("reason",))


def _length_problems(request: EntryRequest, role: str, locked: LockedGame) -> list[Problem]:
    hands = locked.hands.values()
    problems = length_problems(request.game, request.number, hands, request.hands)
    if problems and request.additional:
        require_role(request.op.actor, role, ADDITIONAL)
        return []
    return problems


def length_problems(
    game: Game, number: int, hands: Iterable[Hand], n: int | None = None
) -> list[Problem]:
    """Return `match_over` for a new hand beyond the length that the event fixes.

    A stored hand of `hands` may be corrected and restored. `n` is how many hands totals stand for,
    if that is known.
    """
    by_number = {hand.number: hand for hand in hands}
    stored = by_number.pop(number, None)
    if not game.counts or (stored is not None and (number != TOTALS or stored.hands == n)):
        return []
    others = {other: hand.state for other, hand in by_number.items()}
    return beyond_length(settings_of(game.event), number, others, n)


def number_problems(number: int, least: int = 1) -> Iterator[Problem]:
    """Yield what is wrong with the number of a hand; `least` is 0 where totals are hand 0."""
    if not least <= number <= LAST_HAND:
        facts = {"found": number, "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_hand_number", ("number",), facts)


def hands_problems(hands: int | None) -> Iterator[Problem]:
    if hands is not None and not 1 <= hands <= LAST_HAND:
        facts = {"found": hands, "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_number_of_hands", ("hands",), facts)


def _mismatches(
    sat: Sequence[SeatStretch], number: int, players: Sequence[str] | None
) -> Sequence[Problem]:
    """Return a problem for each seat where `players` differ from the seated ones.

    Only people seated at this table are named: the person entering hands may not see the club's
    others.
    """
    if players is None:
        return ()
    seated = {stretch.seat: stretch.player_id for stretch in sat if stretch.has(number)}
    names = {stretch.player_id: stretch.name for stretch in sat}
    problems = []
    for index, player_id in enumerate(players):
        expected = seated.get(index + 1, "nobody")
        if expected == player_id:
            continue
        facts = {
            "seat": index + 1,
            "found": player_id,
            "expected": expected,
            "found_name": names.get(player_id, player_id),
            "expected_name": names.get(expected, expected),
        }
        problems.append(Problem("player_mismatch", ("players", index), facts))
    if len(players) != len(seated) and not problems:
        facts = {"field": "players", "found": len(players), "expected": len(seated)}
        problems.append(Problem("seat_count", ("players",), facts))
    return problems


def _replay(request: EntryRequest, locked: LockedGame, problems: Sequence[Problem]) -> Replay:
    """Play the game with the new entry, before anything is written.

    If its entry is wrong, it is refused with `problems`; another hand that contradicts it raises
    `HandRefused`.
    """
    if not locked.seats:
        raise Refused(*problems)
    # A number that cannot be is judged as the last hand of all, and refused in the end.
    is_number = all(problem.code != "bad_hand_number" for problem in problems)
    place = request.number if is_number else LAST_HAND + 1
    stored = locked.hands.get(request.number)
    n_hands = request.hands if request.is_totals or stored is None else stored.hands
    hands = locked.hands.values()
    try:
        return _replay_with(request.game, locked.seats, hands, place, request.entry, n_hands)
    except HandRefused as refused:
        if refused.number == place:
            raise Refused(*problems, *refused.problems) from refused
        raise
