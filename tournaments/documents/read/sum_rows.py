"""Rows of totals that have no word for it: their numbers are the sums of the rows above them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
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


SUM_OF_PLAYER: Final = "Sum ({name})"
"""Head of the column of running sums of a player, where the file repeats the player's head."""


def is_sum_of_player(label: str) -> bool:
    before, after = SUM_OF_PLAYER.split("{name}")
    return label.startswith(before) and label.endswith(after)


@dataclass(frozen=True, slots=True)
class Beside:
    """The points of somebody in a row and the running sum beside them; None if not a number.

    `is_empty` is whether the cell of the sum is empty.
    """

    points: int | None
    written: int | None
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class SumSlip:
    """A running sum that is not `expected`, which the points so far make; `place` is its column."""

    place: int
    points: int
    written: int
    expected: int

    @property
    def points_by_sum(self) -> int:
        """The points of the row, if its sum is right."""
        return self.points + self.written - self.expected


class SumsBeside:
    """The running sums so far of each player, by the points and, after a slip, as written too.

    After a slip both ways are right: a wrong sum, and points that somebody corrected without the
    sums below them. So each slip is found once. A sum that is no number is not compared, and the
    next one goes on from what it says.
    """

    def __init__(self) -> None:
        self._totals: dict[int, Sequence[int]] = {}
        self._table: Place | None = None

    def slips(self, table: Place, row: Mapping[int, Beside]) -> list[SumSlip]:
        """Compare a row, and go on; sums may begin again with a table, or all at once.

        >>> sums = SumsBeside()
        >>> sums.slips((), {0: Beside(13, 13)}), sums.slips((), {0: Beside(5, 17)})
        ([], [SumSlip(place=0, points=5, written=17, expected=18)])
        >>> sums.slips((), {0: Beside(1, 18)}), sums.slips((), {0: Beside(2, 20)})
        ([], [])
        """
        pairs = [each for each in row.values() if each.written is not None]
        begins_again = table != self._table or all(each.written == each.points for each in pairs)
        self._table = table
        slips = []
        for place, beside in row.items():
            slip = self._compare(place, beside, begins_again=begins_again)
            if slip is not None:
                slips.append(slip)
        return slips

    def _compare(self, place: int, beside: Beside, *, begins_again: bool) -> SumSlip | None:
        points = beside.points or 0
        written = beside.written
        totals = [total + points for total in self._totals.get(place, [0])]
        if written is None:
            if beside.is_empty or beside.points is None:
                self._totals[place] = totals
            else:
                self._totals[place] = ()
            return None
        is_right = not totals or written in totals or (begins_again and written == points)
        if is_right:
            self._totals[place] = [written]
            return None
        self._totals[place] = [totals[0], written]
        return SumSlip(place, points=points, written=written, expected=totals[0])


MOST_SLIPS: Final = Fraction(1, 4)
"""Share of the sums that may be wrong, so that columns are running sums of others."""


def are_mostly_sums(columns: Sequence[Column]) -> bool:
    """Whether columns have the running sums of others, but for some slips.

    >>> are_mostly_sums([[(13, 13), (0, 13), (1, 15)], [(0, 0), (0, 0), (12, 12)]])
    True
    >>> are_mostly_sums([[(13, 13), (5, 5)]]), are_mostly_sums([[(13, 13), (5, 19)]])
    (False, False)
    """
    sums = SumsBeside()
    n_sums = 0
    n_slips = 0
    for cells in zip(*columns, strict=True):
        row = {place: Beside(*pair) for place, pair in enumerate(cells) if None not in pair}
        n_sums += len(row)
        n_slips += len(sums.slips((), row))
    n_grown = sum(1 for column in columns for points, total in column if points != total)
    return n_grown > n_slips and n_slips <= MOST_SLIPS * n_sums


def can_be_a_hand(rules: Rules | None, points: Mapping[str, int]) -> bool:
    """Whether a row that is like the sums of those above may be one more hand all the same."""
    return rules is None or is_hand(rules, tuple(points.values()))
