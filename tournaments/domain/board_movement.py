"""Where the boards of an event are in a round: at every table, or at one where boards move."""

from collections.abc import Iterable, Sequence

from scoring.seating.movements.moving_boards import table_with
from tournaments.models.boards import Board


def moves(board: Board) -> bool:
    """Whether a board moves between tables in a known order."""
    return board.board_set is not None and board.deal.moving_tables is not None


def rounds_of(board: Board) -> range:
    first = board.deal.first_round or 1
    return range(first, first + (board.deal.moving_tables or 0))


def table_of(board: Board, round_number: int) -> int | None:
    rounds = rounds_of(board)
    if round_number not in rounds:
        return None
    return table_with(board.board_set or 1, round_number - rounds[0] + 1, len(rounds))


def boards_at(boards: Iterable[Board], round_number: int, table_number: int) -> tuple[int, ...]:
    """Return the numbers of those boards that a table plays in a round.

    Boards without a round are left out: no table is set for them.
    """
    return tuple(
        board.number
        for board in boards
        if board.round == round_number
        or (moves(board) and table_of(board, round_number) == table_number)
    )


def in_words(numbers: Sequence[int]) -> str:
    """Return numbers as a run where they are one.

    >>> in_words((4, 5, 6)), in_words((4, 6)), in_words((4,))
    ('4–6', '4, 6', '4')
    """
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))
