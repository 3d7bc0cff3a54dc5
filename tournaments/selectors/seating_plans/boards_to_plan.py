"""What the boards of a duplicate event ask of its next seating plan: rounds, tables, the movement.

See docs/algorithms/duplicate.md, "Plans".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Max

from tournaments.domain.board_movement import moves, rounds_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.deals import Board
from tournaments.models.events import Event
from tournaments.models.meetings import Round, RoundState

AT_A_TABLE: Final = 4


@dataclass(frozen=True, slots=True)
class BoardsToPlan:
    """The boards of the next rounds of an event.

    `round` is the number of the event's next round, `rounds_left` how many rounds from it on have
    boards. Where boards move, `tables` is between how many, and `first_round` the round in which
    that began; both are 0 where every table plays the same boards.
    """

    round: int
    rounds_left: int
    tables: int = 0
    first_round: int = 0

    @property
    def players(self) -> int:
        """How many players the tables need where boards move; 0 where they do not."""
        return AT_A_TABLE * self.tables

    @property
    def movement_round(self) -> int:
        """The next round of the movement, from 1."""
        return self.round - self.first_round + 1


def boards_to_plan(event: Event) -> BoardsToPlan | None:
    """Return what boards the next rounds of an event have; None without any. Two queries."""
    if not settings_of(event).duplicate:
        return None
    boards = list(Board.objects.filter(event=event).select_related("deal").order_by("number"))
    seated = Round.objects.filter(event=event).exclude(state=RoundState.DRAFT)
    last = seated.aggregate(last=Max("number"))["last"] or 0
    return _of_boards(boards, last + 1)


def _of_boards(boards: Sequence[Board], number: int) -> BoardsToPlan | None:
    for board in boards:
        if moves(board) and number in rounds_of(board):
            rounds = rounds_of(board)
            return BoardsToPlan(number, rounds[-1] - number + 1, len(rounds), rounds[0])
    with_boards = {board.round for board in boards}
    after = number
    while after in with_boards:
        after += 1
    return BoardsToPlan(number, after - number) if after > number else None
