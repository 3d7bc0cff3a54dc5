"""The boards that the hands of a file name: checked as where a hand is entered by itself.

A board is one of the event and of the round, played once at a table and once by a player, and
by nobody who has printed its cards. The file is compared with the event and with itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from django.db import connection

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.import_report import Finding, Spot, from_problem
from tournaments.domain.imports.imported_sheet import NOBODY, TypedHand, TypedSheet
from tournaments.domain.replay_game import TOTALS
from tournaments.models.deals import Board, DealPrinting
from tournaments.models.events import Event
from tournaments.models.hands import Hand, HandState
from tournaments.models.meetings import Sitting
from tournaments.services.hands.board_of_hand import (
    is_table_for_boards,
    known_boards,
    place_problems,
)
from tournaments.services.rounds.seating import table_code

Names = Callable[[int], str]


@dataclass(slots=True)
class FileBoards:
    """The boards of an event, and who has played them; nothing where it has none.

    Attributes:
        rows: number of a board → its row.
    """

    is_needed: bool = False
    rows: dict[int, int] = field(default_factory=dict)
    _boards: dict[int, Board] = field(default_factory=dict)
    _at_table: dict[tuple[int, str], int] = field(default_factory=dict)
    _by_player: dict[tuple[int, int], str] = field(default_factory=dict)
    _printed: frozenset[tuple[int, int]] = frozenset()

    def read(self, event: Event | None, *, is_locking: bool) -> None:
        """Read the boards of an event, and which hands were played with them.

        What the file itself has said so far is kept.

        Args:
            is_locking: whether the rows of the boards are locked, after those of games.
        """
        self.is_needed = event is not None and settings_of(event).duplicate
        if event is None or not self.is_needed:
            return
        boards = Board.objects.filter(event=event).select_related("deal").order_by("pk")
        if is_locking and connection.features.has_select_for_update:
            boards = boards.select_for_update(of=("self",), no_key=True)
        self._boards = {board.number: board for board in boards}
        self.rows = {board.number: board.pk for board in self._boards.values()}
        self._read_played(event)
        printings = DealPrinting.objects.filter(
            deal__event=event, printed_by__club_players__club=event.club_id
        )
        pairs = printings.values_list("deal_id", "printed_by__club_players")
        self._printed = frozenset(pairs.distinct())

    def checked(
        self, sheet: TypedSheet, hands: Sequence[TypedHand], rules: Rules, names: Names
    ) -> tuple[list[TypedHand], list[Finding]]:
        """Return new hands of a sheet, held where their boards cannot be, and why."""
        if not self.is_needed:
            return list(hands), []
        kept, findings = [], []
        for hand in hands:
            problems = list(self._problems(sheet, hand, rules, names))
            spot = Spot(hand.lines, sheet.round, sheet.table, hand.number)
            findings += [from_problem(problem, spot) for problem in problems]
            kept.append(replace(hand, is_held=True) if problems else hand)
            if not problems:
                self._note(table_code(sheet.round, sheet.table), hand)
        return kept, findings

    def _read_played(self, event: Event) -> None:
        hands = Hand.objects.filter(game__event=event, game__counts=True, board__isnull=False)
        played = list(
            hands.exclude(state=HandState.VOID)
            .order_by("game__table__round__number", "game__table__number", "number")
            .values_list("board__number", "number", "game__table_id", "game__table__code")
        )
        sat: dict[int, list[tuple[int, int, int | None]]] = {}
        sittings = Sitting.objects.filter(seat__table__in={table for _, _, table, _ in played})
        for at, player, first, last in sittings.values_list(
            "seat__table_id", "player_id", "from_hand", "to_hand"
        ):
            sat.setdefault(at, []).append((player, first, last))
        for board, number, table, code in played:
            self._at_table.setdefault((board, code), number)
            for player, first, last in sat.get(table, ()):
                if first <= number and (last is None or number <= last):
                    self._by_player.setdefault((board, player), code)

    def _note(self, code: str, hand: TypedHand) -> None:
        board = hand.board or 0
        self._at_table.setdefault((board, code), hand.number)
        for player in hand.players:
            if player != NOBODY:
                self._by_player.setdefault((board, player), code)

    def _problems(
        self, sheet: TypedSheet, hand: TypedHand, rules: Rules, names: Names
    ) -> Iterator[Problem]:
        if hand.number == TOTALS:
            yield Problem("totals_without_boards")
            return
        if hand.board is None:
            yield Problem("board_needed", ("board",))
            return
        board = self._boards.get(hand.board)
        if board is None:
            facts: dict[str, int | str] = {
                "found": hand.board,
                "known": known_boards(sorted(self._boards)),
            }
            yield Problem("no_such_board", ("board",), facts)
            return
        if not is_table_for_boards(rules, sheet.seats):
            yield Problem("board_not_for_table", ("board",), {"found": sheet.seats})
        yield from place_problems(sheet.round, sheet.table, board)
        yield from self._repeated(table_code(sheet.round, sheet.table), hand, board, names)
        known = next((one for one in hand.players if (board.deal_id, one) in self._printed), None)
        if known is not None:
            facts = {"board": board.number, "player": names(known)}
            yield Problem("board_known_to_player", ("board",), facts)

    def _repeated(
        self, code: str, hand: TypedHand, board: Board, names: Names
    ) -> Iterator[Problem]:
        """Say who has played the board already: this table, or one of its players at another."""
        here = self._at_table.get((board.number, code), hand.number)
        if here != hand.number:
            facts: dict[str, int | str] = {"board": board.number, "hand": here}
            yield Problem("board_played_at_table", ("board",), facts)
            return
        for player in hand.players:
            table = self._by_player.get((board.number, player), code)
            if table != code:
                facts = {"board": board.number, "player": names(player), "table": table}
                yield Problem("board_played_by_player", ("board",), facts)
                return
