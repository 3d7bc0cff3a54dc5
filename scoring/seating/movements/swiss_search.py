"""Tables of a Swiss round improved by exchanges, from a first division of the order.

Pure. Bounded by numbers of moves, never by time. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import Final

from scoring.seating.splitmix import SplitMix

Division = list[list[int]]
"""Tables of units, by their positions in the order."""

ALL_TABLES: Final = 60
"""Up to this many units any two tables exchange; above it, tables at most `REACH` apart."""

REACH: Final = 6
SWAPS: Final = 3
"""Number of random exchanges in a kick."""

KICKS: Final = 20
"""Number of times a division is disturbed and improved."""

MORE_KICKS: Final = 6000
"""Additional kicks, shared among the units, if a pair meets again or small tables are uneven."""

FEW: Final = 6000
"""All divisions are compared if there are at most this many."""

WIDEST: Final = 100
"""The largest difference of two scores in the cost; larger ones are made smaller in proportion."""


class Weights:
    """The weights of the parts of a cost.

    A pair of different scores weighs 1, a point between two scores `point`, a second meeting
    `again`. Each of the others is more than all before it together: `small` for an earlier seat at
    a small table, `third` for a meeting after the second, `apart` for a pair who must be.

    Args:
        pairs: how many share a table in the round.
        seats_had: the earlier seats at small tables of all players.
        earlier: how many rounds there were.
        meeting: how many points between two scores a second meeting is worth.
    """

    def __init__(self, pairs: int, seats_had: int, earlier: int, meeting: int) -> None:
        self.point = pairs + 1
        self.again = self.point * meeting
        self.small = (self.point * (WIDEST + meeting) + 1) * pairs + 1
        self.third = self.small * (seats_had + 1)
        self.apart = self.third * (earlier * pairs + 1)


class DivisionProblem:
    """The input of the division of a round.

    Args:
        start: tables of units, numbered from 0; the best scores in front.
        seats: the players of each unit.
        weights: of the parts of the costs.
        cost: for each unit, what each other one costs at its table; symmetric, 0 on the diagonal.
        met: for each unit, how many pairs of players meet again where another is at its table.
        had: the earlier seats at small tables of each unit.
        fewest: the least of them that those at small tables can have had together.
        floats: how many units of a table float down for the second time in a row.
    """

    def __init__(
        self,
        start: Division,
        seats: Sequence[int],
        weights: Weights,
        cost: list[list[int]],
        met: list[list[int]],
        had: Sequence[int],
        fewest: int,
        floats: Callable[[Sequence[int]], int],
    ) -> None:
        self.start, self.seats, self.weights = start, seats, weights
        self.cost, self.met = cost, met
        self.at_small = [weights.small * count for count in had]
        self.least_small = weights.small * fewest
        self.floats = floats


@dataclass(frozen=True, slots=True)
class BestDivision:
    """The tables of a round, and how many divisions were compared or kicks made.

    `least_repeats` are the pairs who meet again at least, in any division in which all are apart
    who must be; None where not all divisions were compared.
    """

    tables: Division
    moves: int
    least_repeats: int | None = None


def best_division(problem: DivisionProblem, rng: SplitMix) -> BestDivision:
    """The tables of the round.

    The cost is the sum over pairs at a table; between divisions of one cost fewer units float down
    twice. Few divisions are all compared, and the answer is then a best one.

    Source: first-improvement exchanges with kicks (iterated local search, Lourenço, Martin and
    Stützle 2003).
    """
    if _divisions(problem) <= FEW:
        return _best_of_all(problem)
    search = _Exchanges(problem)
    search.improve(range(len(search.tables)))
    units = len(problem.seats)
    limit = KICKS + max(KICKS, MORE_KICKS // units)
    kicks = 0
    while any(search.worth) and kicks < limit:
        if kicks == KICKS and units > ALL_TABLES and not search.is_forced():
            break
        search.kick(rng)
        kicks += 1
    return BestDivision(search.tables, kicks)


def _divisions(problem: DivisionProblem) -> int:
    """Return how many divisions there are, or a number above `FEW` where that is plain before."""
    if len(set(problem.seats)) > 1:
        # `_all_divisions` keeps the units of a table, and so its players only if all are alike.
        return FEW + 1
    remaining = len(problem.seats)
    number = 1
    sizes = [len(table) for table in problem.start]
    for size in sorted(sizes):
        number *= comb(remaining, size)
        remaining -= size
        if number > FEW * 10_000:
            return number
    for size in set(sizes):
        for times in range(2, sizes.count(size) + 1):
            number //= times
    return number


def _best_of_all(problem: DivisionProblem) -> BestDivision:
    largest = max(map(len, problem.start))
    least = FEW
    best: tuple[tuple[int, int], list[tuple[int, ...]]] | None = None
    count = 0
    costs: dict[tuple[int, ...], tuple[int, int, int]] = {}
    everybody = tuple(range(len(problem.seats)))
    start = [tuple(sorted(table)) for table in problem.start]
    sizes = tuple(sorted(map(len, start), reverse=True))
    for division in chain([start], _all_divisions(everybody, sizes)):
        count += 1
        for table in division:
            if table not in costs:
                pairs = [*combinations(table, 2)]
                cost = sum(problem.cost[first][second] for first, second in pairs)
                if len(table) < largest:
                    cost += sum(problem.at_small[first] for first in table)
                repeats = sum(problem.met[first][second] for first, second in pairs)
                costs[table] = cost, problem.floats(table), repeats
        total, floats, again = map(sum, zip(*(costs[table] for table in division), strict=True))
        if total < problem.weights.apart:
            least = min(least, again)
        if best is None or (total, floats) < best[0]:
            best = (total, floats), division
    if best is None:
        raise AssertionError("every round has a division")
    return BestDivision([list(table) for table in best[1]], count, least)


def _all_divisions(
    units: tuple[int, ...], sizes: tuple[int, ...]
) -> Iterator[list[tuple[int, ...]]]:
    if not sizes:
        yield []
        return
    first, rest = units[0], units[1:]
    for size in dict.fromkeys(sizes):
        remaining = list(sizes)
        remaining.remove(size)
        for mates in combinations(rest, size - 1):
            others = tuple(unit for unit in rest if unit not in mates)
            for division in _all_divisions(others, tuple(remaining)):
                yield [(first, *mates), *division]


class _Exchanges:
    """A division being improved.

    `link[t][u]` is what unit u would cost at table t; so an exchange is judged at once.
    """

    def __init__(self, problem: DivisionProblem) -> None:
        self.problem = problem
        self.cost_of, self.seats = problem.cost, problem.seats
        self.tables = [list(table) for table in problem.start]
        sizes = [sum(problem.seats[unit] for unit in table) for table in self.tables]
        self.is_small = [count < max(sizes) for count in sizes]
        self.is_mixed = len(set(problem.seats)) > 1
        nothing = [0] * len(problem.seats)
        self.link: list[list[int]] = [
            [
                sum(column)
                for column in zip(nothing, *(problem.cost[unit] for unit in table), strict=True)
            ]
            for table in self.tables
        ]
        self.reach = len(self.tables) if len(problem.seats) <= ALL_TABLES else REACH
        self.floating = [problem.floats(table) for table in self.tables]
        self.worth = [self._total(), sum(self.floating)]
        self.made: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []

    def _total(self) -> int:
        pairs = sum(
            self.cost_of[first][second]
            for table in self.tables
            for first, second in combinations(table, 2)
        )
        small = self.problem.at_small
        return pairs + sum(
            small[unit]
            for table, is_small in zip(self.tables, self.is_small, strict=True)
            if is_small
            for unit in table
        )

    def is_forced(self) -> bool:
        """Whether a pair meets again, or a small table is not for who had the fewest."""
        weights = self.problem.weights
        return self.worth[0] >= self.problem.least_small + weights.small or any(
            map(self._meets_again, self.tables)
        )

    def _meets_again(self, table: Sequence[int]) -> bool:
        return any(self.problem.met[first][second] for first, second in combinations(table, 2))

    def _troubled(self) -> Sequence[int]:
        """The tables to change first: of third meetings, small ones, of repeats, of floats."""
        cost = self.cost_of
        weights = self.problem.weights
        third, again = [], []
        for at, table in enumerate(self.tables):
            costs = [cost[first][second] for first, second in combinations(table, 2)]
            third += [at] if any(first >= weights.third for first in costs) else []
            again += [at] if self._meets_again(table) else []
        if not third and self.worth[0] >= self.problem.least_small + weights.small:
            return [at for at, is_small in enumerate(self.is_small) if is_small]
        floating = [at for at, count in enumerate(self.floating) if count]
        return third or again or floating or range(len(self.tables))

    def improve(self, dirty: Sequence[int] | range) -> None:
        waiting = set(dirty)
        while waiting:
            here = min(waiting)
            waiting.remove(here)
            for target in self._near(here):
                if self._improve_two(here, target):
                    waiting |= {here, target}

    def kick(self, rng: SplitMix) -> None:
        """Make random exchanges near a table, improve, and undo all where nothing was gained."""
        before = tuple(self.worth)
        self.made = []
        troubled = self._troubled()
        here = troubled[rng.below(len(troubled))]
        dirty = {here}
        for _ in range(SWAPS):
            near = [at for at in self._near(here) if self.tables[at]]
            if not near:
                return
            target = near[rng.below(len(near))]
            unit = self.tables[here][rng.below(len(self.tables[here]))]
            other = self.tables[target][rng.below(len(self.tables[target]))]
            if self.seats[unit] == self.seats[other]:
                self._exchange(here, target, (unit,), (other,))
                dirty.add(target)
            here = target
        self.improve(sorted(dirty))
        if tuple(self.worth) > before:
            for here, target, ones, others in reversed(self.made):
                self._exchange(here, target, others, ones)

    def _near(self, here: int) -> Iterator[int]:
        last = len(self.tables)
        for step in range(1, min(self.reach, last) + 1):
            if here + step < last:
                yield here + step
            if here - step >= 0:
                yield here - step

    def _improve_two(self, here: int, target: int) -> bool:
        gained = False
        while self._exchange_one(here, target) or (
            self.is_mixed and self._exchange_more(here, target)
        ):
            gained = True
        return gained

    def _exchange_one(self, here: int, target: int) -> bool:
        """Make the first exchange that costs less, or as much with fewer who float down twice."""
        link_here, link_there = self.link[here], self.link[target]
        small = self.problem.at_small
        differ = self.is_small[target] - self.is_small[here]
        for unit in self.tables[here]:
            base = link_there[unit] - link_here[unit]
            row = self.cost_of[unit]
            for other in self.tables[target]:
                change = base + link_here[other] - link_there[other] - 2 * row[other]
                if differ:
                    change += differ * (small[unit] - small[other])
                if change > 0 or (self.is_mixed and self.seats[unit] != self.seats[other]):
                    continue
                if change < 0 or self._parts_floats(here, target, (unit,), (other,)):
                    self._exchange(here, target, (unit,), (other,))
                    return True
        return False

    def _exchange_more(self, here: int, target: int) -> bool:
        turned = ((others, ones) for ones, others in self._larger(target, here))
        for ones, others in (*self._larger(here, target), *turned):
            change = self._change(here, target, ones, others)
            if change < 0 or (change == 0 and self._parts_floats(here, target, ones, others)):
                self._exchange(here, target, ones, others)
                return True
        return False

    def _larger(self, here: int, target: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """A unit of one table, and several units of the other that take as many seats."""
        for leaving in self.tables[here]:
            for count in range(2, self.seats[leaving] + 1):
                for others in combinations(self.tables[target], count):
                    if sum(self.seats[unit] for unit in others) == self.seats[leaving]:
                        yield (leaving,), others

    def _change(
        self, here: int, target: int, ones: tuple[int, ...], others: tuple[int, ...]
    ) -> int:
        link_here = self.link[here]
        link_there = self.link[target]
        cost = self.cost_of
        small = self.problem.at_small
        differ = self.is_small[target] - self.is_small[here]
        change = differ * (sum(small[unit] for unit in ones) - sum(small[two] for two in others))
        change += sum(link_there[unit] - link_here[unit] for unit in ones)
        change += sum(link_here[two] - link_there[two] for two in others)
        change -= 2 * sum(cost[unit][two] for unit in ones for two in others)
        for group in (ones, others):
            change += 2 * sum(cost[unit][two] for unit, two in combinations(group, 2))
        return change

    def _parts_floats(
        self, here: int, target: int, ones: tuple[int, ...], others: tuple[int, ...]
    ) -> bool:
        """Whether fewer units float down twice where these exchange tables."""
        now = self.floating[here] + self.floating[target]
        if not now:
            return False
        first = [unit for unit in self.tables[here] if unit not in ones] + [*others]
        second = [unit for unit in self.tables[target] if unit not in others] + [*ones]
        return self.problem.floats(first) + self.problem.floats(second) < now

    def _exchange(
        self, here: int, target: int, ones: tuple[int, ...], others: tuple[int, ...]
    ) -> None:
        self.worth[0] += self._change(here, target, ones, others)
        for at, leave, come in ((here, ones, others), (target, others, ones)):
            self.tables[at] = [unit for unit in self.tables[at] if unit not in leave] + [*come]
            row = self.link[at]
            for unit in leave:
                row = [have - lost for have, lost in zip(row, self.cost_of[unit], strict=True)]
            for unit in come:
                row = [have + more for have, more in zip(row, self.cost_of[unit], strict=True)]
            self.link[at] = row
            self.worth[1] -= self.floating[at]
            self.floating[at] = self.problem.floats(self.tables[at])
            self.worth[1] += self.floating[at]
        self.made.append((here, target, ones, others))
