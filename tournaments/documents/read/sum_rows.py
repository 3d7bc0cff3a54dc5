"""Rows of totals that have no word for it: their numbers are the sums of the rows above them."""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.game.running_totals import is_hand
from scoring.rules.rules import Rules

LEAST: Final = 2
"""Number of hands above a row of their totals; the totals of one hand look like a hand."""

Place = tuple[str, ...]
"""Date, round and table of a row, as written."""


class SumsAbove:
    """The sums of the rows so far: of each table, and of the whole file."""

    def __init__(self) -> None:
        self.of_file: dict[str, int] = {}
        self.of_table: dict[str, int] = {}
        self.n_of_file = 0
        self.n_of_table = 0
        self.table: Place | None = None

    def add(self, place: Place, points: Mapping[str, int]) -> None:
        """Add a hand; `points` are those of each player."""
        if place != self.table:
            self.table = place
            self.of_table = {}
            self.n_of_table = 0
        for player, number in points.items():
            self.of_table[player] = self.of_table.get(player, 0) + number
            self.of_file[player] = self.of_file.get(player, 0) + number
        self.n_of_table += 1
        self.n_of_file += 1

    def are(self, points: Mapping[str, int]) -> bool:
        """Whether these are the sums of the last table so far, or of the whole file.

        >>> sums = SumsAbove()
        >>> sums.add(("", "", "1"), {"Ann": 13, "Bo": 0})
        >>> sums.are({"Ann": 13, "Bo": 0})
        False
        >>> sums.add(("", "", "1"), {"Ann": 1, "Bo": 12})
        >>> sums.are({"Ann": 14, "Bo": 12}), sums.are({"Ann": 14, "Bo": 13})
        (True, False)
        """
        if self.n_of_table >= LEAST and _without_zeros(points) == _without_zeros(self.of_table):
            return True
        return self.n_of_file >= LEAST and _without_zeros(points) == _without_zeros(self.of_file)


def _without_zeros(points: Mapping[str, int]) -> dict[str, int]:
    """Return points without those of who has none, or did not play: programs sum both to 0."""
    return {player: number for player, number in points.items() if number}


Column = Sequence[tuple[int | None, int | None]]
"""Two numbers of each row, in two columns; None where a cell has none."""


def have_sums(columns: Sequence[Column]) -> bool:
    """Whether each of these columns has the running sums of its first numbers, and one grows.

    >>> have_sums([[(13, 13), (0, 13), (1, 14)], [(0, 0), (0, 0), (12, 12)]])
    True
    >>> have_sums([[(13, 13), (5, 5)]]), have_sums([[(13, 13), (5, 19)]])
    (False, False)
    """
    return all(map(are_sums, columns)) and any(map(_grows, columns))


def are_sums(column: Column) -> bool:
    """Whether the second numbers are the running sums of the first; a sum may begin again."""
    total = 0
    for points, written in column:
        if points is None and written is None:
            continue
        if points is None or written not in (total + points, points):
            return False
        total = written
    return True


def _grows(column: Column) -> bool:
    return any(points is not None and points != written for points, written in column)


def can_be_a_hand(rules: Rules | None, points: Mapping[str, int]) -> bool:
    """Whether a row that is like the sums of those above may be one more hand all the same."""
    return rules is None or is_hand(rules, tuple(points.values()))
