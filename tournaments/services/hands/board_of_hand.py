"""Which board a hand was played with: named in a duplicate event, and never twice by a player."""

from collections.abc import Iterator, Mapping, Sequence

from django.db import connection

from scoring.duplicate.deals import PACK, SEATS
from scoring.errors import Problem
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules
from tournaments.domain.board_movement import moves, rounds_of, table_of
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.boards import Board, DealPrinting
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, HandState
from tournaments.selectors.hands.game_for_update import LockedGame
from tournaments.selectors.rounds.tables import get_stretches, players_at
from tournaments.selectors.rules.rule_sets import rules_of


def board_of_hand(
    *, game: Game, locked: LockedGame, number: int, board: int | None
) -> tuple[Board | None, Sequence[Problem]]:
    """Return the board of a hand, its row locked, or why it cannot be the one that is named.

    Two hands with one board queue at its row, so that a player who is entered at two tables at one
    moment is found. A revision that names none keeps its board; hand 0 is a sheet with totals.
    """
    if not (game.counts and settings_of(game.event).duplicate):
        problem = Problem("board_not_expected", ("board",), {"found": board or 0})
        return None, () if board is None else (problem,)
    if number == 0:
        return None, (Problem("totals_without_boards"),)
    hand = locked.hands.get(number)
    kept_id = hand.board_id if hand is not None else None
    if board is None and kept_id is None:
        return None, (Problem("board_needed", ("board",)),)
    boards = Board.objects.filter(event=game.event_id).select_related("deal")
    if board is None:
        condition = {"pk": kept_id or 0}
    else:
        condition = {"number": board}
    row = boards.select_for_update(of=("self",), no_key=True).filter(**condition).first()
    if row is None:
        numbers = Board.objects.filter(event=game.event_id).order_by("number")
        known = known_boards(list(numbers.values_list("number", flat=True)))
        return None, (Problem("no_such_board", ("board",), {"found": board or 0, "known": known}),)
    if row.pk == kept_id and hand is not None and hand.state != HandState.VOID:
        return row, ()
    problems = [*place_problems(game.table.round.number, game.table.number, row)]
    if not is_table_for_boards(rules_of(game.snapshot), len(locked.seats)):
        problems.insert(0, Problem("board_not_for_table", ("board",), {"found": len(locked.seats)}))
    problems += _repetition_problems(game, locked, number, row)
    problems += _printer_problems(locked, number, row)
    return row, problems


def lock_boards(event: Event, games: Sequence[int]) -> None:
    """Lock the boards that these games played, by ascending id; their rows are locked already."""
    if not (connection.features.has_select_for_update and settings_of(event).duplicate):
        return
    played = Hand.objects.filter(game__in=games, board__isnull=False).values("board")
    boards = Board.objects.filter(event=event, pk__in=played)
    list(boards.select_for_update(of=("self",), no_key=True).order_by("pk"))


def moved_board_problems(
    game: Game, locked: LockedGame, hands: Mapping[int, Hand], numbers: Sequence[int]
) -> Iterator[Problem]:
    """Yield why boards cannot be played at a table to which hands with them come.

    Args:
        hands: what is to stand at the table, by number; `numbers` are those that come.
    """
    boards = Board.objects.select_related("deal").in_bulk(
        [hands[number].board_id for number in numbers if number in hands and hands[number].board_id]
    )
    at_number: dict[int, int] = {}
    for number in sorted(hands):
        board = boards.get(hands[number].board_id or 0)
        if board is None:
            continue
        if board.pk in at_number:
            facts = {"board": board.number, "hand": at_number[board.pk]}
            yield Problem("board_played_at_table", ("to",), facts)
        at_number[board.pk] = number
        if number in numbers:
            table = game.table
            yield from place_problems(table.round.number, table.number, board)
            yield from _printer_problems(locked, number, board)


def require_boards_once(event: Event, games: Sequence[int]) -> None:
    if not settings_of(event).duplicate:
        return
    played = Hand.objects.filter(game__event=event, game__counts=True, board__isnull=False)
    played = played.exclude(state=HandState.VOID)
    boards = played.filter(game__in=games).values_list("board_id", flat=True)
    hands = list(
        played.filter(board__in=set(boards))
        .order_by("game__table__round__number", "game__table__number", "number")
        .values_list("board__number", "number", "game__table_id", "game__table__code")
    )
    sat = get_stretches({table for _, _, table, _ in hands})
    first_at: dict[tuple[int, str], str] = {}
    for board, number, table, code in hands:
        for player in players_at(sat, table, number):
            before = first_at.setdefault((board, player), code)
            if before != code:
                names = Player.objects.filter(club=event.club_id, player_id=player)
                name = names.values_list("name", flat=True).get()
                facts = {"board": board, "player": name, "table": before}
                raise Conflict(Problem("board_played_by_player", (), facts))


def known_boards(numbers: Sequence[int]) -> str:
    """Return the boards of an event as a refusal names them.

    >>> known_boards([1, 2, 3]), known_boards([])
    ('1 to 3', 'none')
    """
    return f"{numbers[0]} to {numbers[-1]}" if numbers else "none"


def is_table_for_boards(rules: Rules, n_seats: int) -> bool:
    return n_seats == len(SEATS) and prepare(rules, n_seats).deck.cards == PACK


def place_problems(round_: int, table: int, board: Board) -> Sequence[Problem]:
    if moves(board):
        right_table = table_of(board, round_)
        if right_table == table:
            return ()
        facts = {"board": board.number}
        if right_table is None:
            rounds = rounds_of(board)
            facts |= {"first": rounds[0], "last": rounds[-1], "found": round_}
            return (Problem("board_not_in_round", ("board",), facts),)
        facts |= {"expected": right_table, "round": round_, "found": table}
        return (Problem("board_at_another_table", ("board",), facts),)
    if board.round in (None, round_):
        return ()
    return (
        Problem(
            "board_of_another_round",
            ("board",),
            {"board": board.number, "expected": board.round or 0, "found": round_},
        ),
    )


def _printer_problems(locked: LockedGame, number: int, board: Board) -> Sequence[Problem]:
    now = _names_at(locked, number)
    printings = DealPrinting.objects.filter(
        deal=board.deal_id,
        printed_by__club_players__club=board.club_id,
        printed_by__club_players__player_id__in=now,
    )
    printers = printings.values_list("printed_by__club_players__player_id", flat=True)
    printer = next((player_id for player_id in printers if player_id in now), None)
    if printer is None:
        return ()
    return (
        Problem(
            "board_known_to_player", ("board",), {"board": board.number, "player": now[printer]}
        ),
    )


def _repetition_problems(
    game: Game, locked: LockedGame, number: int, board: Board
) -> Sequence[Problem]:
    """Say who has played the board already: this table, or one of its players at another."""
    hands = Hand.objects.filter(board=board, game__event=game.event_id, game__counts=True)
    hands = hands.exclude(state=HandState.VOID).exclude(game=game, number=number)
    played = list(
        hands.order_by("game__table__round__number", "game__table__number").values_list(
            "game_id", "number", "game__table_id", "game__table__code"
        )
    )
    facts: dict[str, int | str] = {"board": board.number}
    earlier_hand = next((hand for game_id, hand, _, _ in played if game_id == game.pk), None)
    if earlier_hand is not None:
        return (Problem("board_played_at_table", ("board",), facts | {"hand": earlier_hand}),)
    names = _names_at(locked, number)
    sat = get_stretches({table for _, _, table, _ in played})
    for _, hand, table, code in played:
        for player in players_at(sat, table, hand):
            if player in names:
                facts |= {"player": names[player], "table": code}
                return (Problem("board_played_by_player", ("board",), facts),)
    return ()


def _names_at(locked: LockedGame, number: int) -> dict[str, str]:
    return {row.player_id: row.name for row in locked.sat if row.has(number)}
