"""The movement in which boards move: every player meets every set of boards once, no pair twice.

Pure. See docs/algorithms/duplicate.md, "Moving boards".
"""

from dataclasses import dataclass
from typing import Final

from scoring.errors import Problem, Refused

TABLES: Final = (5, 7, 11, 13)
"""Numbers of tables that have such a movement: 2 and 3 divide none of them."""
LINES: Final = 4


@dataclass(frozen=True, slots=True)
class BoardTable:
    """A table of one round: its players N, E, S and W, and the set of boards, all from 1."""

    players: tuple[int, ...]
    board_set: int


def set_at(table: int, number: int, tables: int) -> int:
    """Return the set of boards that is at a table in round `number` of the movement, all from 1.

    >>> [set_at(table, 2, 5) for table in (1, 2, 3, 4, 5)]
    [2, 3, 4, 5, 1]
    """
    return (table + number - 2) % tables + 1


def table_with(board_set: int, number: int, tables: int) -> int:
    """Return the table at which a set of boards is in round `number` of the movement, from 1.

    >>> [table_with(set_at(table, 4, 7), 4, 7) for table in (1, 5, 7)]
    [1, 5, 7]
    """
    return (board_set - number) % tables + 1


def moving_boards(tables: int) -> tuple[tuple[BoardTable, ...], ...]:
    """Return the rounds of the movement, each with its tables in order.

    Players 1 to T are N, the next T are E, then S, then W, and keep their line. In round r, table t
    (from 0, modulo T) has N t, E t - r, S t - 2r, W t - 3r and board set t + r.

    Raises:
        Refused: no_moving_boards, for a number of tables that has no such movement.

    Source: cyclic Latin squares; differences 1, 2, 3 and their own differences have to be prime to
    T, and so has the sum of each with 1.

    >>> moving_boards(5)[1][0]
    BoardTable(players=(1, 10, 14, 18), board_set=2)
    """
    if tables not in TABLES:
        known = ", ".join(map(str, TABLES))
        raise Refused(Problem("no_moving_boards", (), {"found": tables, "known": known}))
    return tuple(
        tuple(
            BoardTable(
                players=tuple(
                    line * tables + (at - line * number) % tables + 1 for line in range(LINES)
                ),
                board_set=set_at(at + 1, number + 1, tables),
            )
            for at in range(tables)
        )
        for number in range(tables)
    )
