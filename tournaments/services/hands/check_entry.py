"""What refuses the entry of a hand, asked under the lock of its game.

No part of a hand is written here; a table without players is seated from its sheet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Final

from django.db.models import Q

from scoring.entry.codec import same_entry
from scoring.errors import ENTRY_CODES, Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import (
    LAST_HAND,
    TOTALS,
    HandRefused,
    Replay,
    beyond_length,
    counted_hands,
    entries_of,
    replay_game,
)
from tournaments.domain.seating_runs import SeatRun, moved_seats
from tournaments.domain.table_codes import round_and_table
from tournaments.errors import Conflict
from tournaments.models.boards import Board
from tournaments.models.clubs import Player
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.rounds import Seat, Sitting
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import find_current_ids
from tournaments.selectors.events.settings_checks import comparing_problems
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rounds.moved_hands import find_newest_move
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.events import enter_players
from tournaments.services.operations import require, require_role
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

    With number 0 it has the totals of a whole game, of `hands` hands if that is known. What the
    rules refuse of another hand is not told: the game is played again with all of its hands.
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
        replay_with(game, seats, counted, place, entry, hands)
    except HandRefused as refused:
        return refused.problems if place in (TOTALS, refused.number) else ()
    return ()


def replay_with(
    game: Game,
    seats: Sequence[Seat],
    hands: Iterable[Hand],
    number: int,
    entry: Mapping[str, object],
    hands_of_totals: int | None,
) -> Replay:
    """Play the game with `entry` as its hand `number`, in the place of a stored one."""
    other_entries = entries_of(counted_hands(hand for hand in hands if hand.number != number))
    return replay_game(
        game=game,
        rules=rules_of(game.snapshot),
        seats=seats,
        entries=sorted([*other_entries, (number, entry)], key=itemgetter(0)),
        new=number,
        hands_of_totals=hands_of_totals,
    )


def hand_to_revise(hand: Hand | None, row: Entry, based_on: int | None) -> Hand | None:
    """Return the hand that an entry revises; None for a new one, even in an undone one's place.

    An undone hand is restored as it was or entered again; it is not corrected.
    """
    if hand is None or not hand.is_undone or row.source == Source.IMPORT:
        return hand
    if based_on is None:
        return None
    if hand.entry is None or hand.entry.typed != row.typed:
        raise Conflict(Problem("hand_undone", facts={"hand": hand.number}), there=hand)
    return hand


def require_newest(hand: Hand | None, number: int, based_on: int | None) -> None:
    """Refuse a second entry of a hand, and one of a host who has not read its newest revision."""
    if hand is not None and based_on is None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=hand)
    theirs = hand.revision if hand is not None else 0
    if (based_on or 0) != theirs:
        facts = {"yours": based_on or 0, "theirs": theirs}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)


def is_unchanged(hand: Hand, row: Entry, board: Board | None) -> bool:
    """Whether a revision would repeat the one that counts; a note that is left out is no change."""
    stored = hand.entry
    if hand.state != "accepted" or stored is None:
        return False
    is_same = same_entry(stored.typed, row.typed, stored.moon)
    is_same_kitty = stored.typed.get("kitty") == row.typed.get("kitty")
    is_same_board = hand.board_id == (board.pk if board is not None else None)
    # The note is read only where all else is equal.
    return is_same and is_same_kitty and is_same_board and row.note in ("", stored.note)


def require_takes_entry(
    actor: Actor,
    role: str,
    game: Game,
    sat: Sequence[SeatRun],
    number: int,
    hand: Hand | None,
    *,
    is_totals: bool,
) -> None:
    """Check the states of event, round, table and hand; `hand` is the revised one."""
    if not game.counts:
        require_takes_hands(game, is_new=hand is None)
        if is_totals:  # a play-off is compared hand by hand
            raise Refused(Problem("playoff_by_hands"))
    require_open(actor, role, game)
    require_not_abandoned(actor, role, game, hand)
    if hand is not None and hand.state == "void":
        require_role(actor, role, HAND["void", "accepted"].right)
        _require_not_elsewhere(game, sat, number)
    # At a table that everybody has left, nobody would get a new hand.
    if hand is None and sat and not any(run.has(number) for run in sat):
        raise Conflict(Problem("table_is_left", facts={"table": game.table.code, "number": number}))


def _require_not_elsewhere(game: Game, sat: Sequence[SeatRun], number: int) -> None:
    players = [run.player for run in sat if run.has(number)]
    rows = Sitting.objects.filter(round=game.table.round_id, player__in=players)
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


def require_same_seats(
    game: Game, displayed_players: Sequence[str] | None, sat: Sequence[SeatRun]
) -> None:
    """Refuse an entry whose displayed players have changed seats of the table meanwhile."""
    displayed = find_current_ids(game.club_id, displayed_players, {run.player_id for run in sat})
    if displayed is None:
        return
    last = {run.seat: run for run in sorted(sat, key=attrgetter("first"))}
    seats = moved_seats(displayed, {seat: run.player_id for seat, run in last.items()})
    if seats:
        names = ", ".join(last[seat].name for seat in seats)
        raise Conflict(Problem("players_moved", facts={"players": names}))


def require_known_moves(game: Game, known_moves: int | None) -> None:
    """Refuse an entry whose author does not know that hands went from or to its table meanwhile.

    `moves` of the problem is what knows of them.
    """
    if known_moves is None or known_moves == game.moves:
        return
    move = find_newest_move(game.event, game.table.code)
    if move is None:
        return
    source, target = str(move.facts["from"]), str(move.facts["to"])
    other = target if source == game.table.code else source
    round_number, number = round_and_table(other)
    facts = {
        "table": game.table.number,
        "round": round_number,
        "other": number,
        "code": other,
        "moves": game.moves,
    }
    raise Conflict(Problem("hands_moved", facts=facts))


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


def player_mismatches(
    game: Game, sat: Sequence[SeatRun], number: int, players: Sequence[str] | None
) -> Sequence[Problem]:
    """Return a problem for each seat where `players` differ from the seated ones.

    Only people seated at this table are named: the person entering hands may not see the club's
    others.
    """
    names = {run.player_id: run.name for run in sat}
    players = find_current_ids(game.club_id, players, names)
    if players is None:
        return ()
    seated = {run.seat: run.player_id for run in sat if run.has(number)}
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
