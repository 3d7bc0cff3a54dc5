"""Plans from players, constraints, history and seed: by construction, neighbourhood or search."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from fractions import Fraction
from heapq import nsmallest
from itertools import chain, combinations, product
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.brackets import numbered_tables
from scoring.seating.constraints import (
    Unit,
    apart_pairs,
    broken_pairs,
    require_possible,
    seated_units,
)
from scoring.seating.constructions import construction, design, labelled
from scoring.seating.cost import least_when_spread, meetings, pairs_of, plan_of
from scoring.seating.requests import SIT_OUT, Pair, PlannedRound, SeatingPlan, SeatingRequest, Table
from scoring.seating.search import FORBIDDEN, UNEVEN, Search, Tables
from scoring.seating.seat_order import balanced_seats, seats_by_sides
from scoring.seating.sit_outs import RoundShape, round_shapes, seats_ahead, shares, uneven_shares
from scoring.seating.splitmix import SplitMix, stream_of

REPEAT: Final = 16
"""Cost of a repeated meeting in the plan; a distance d in the list costs d²."""

REACH: Final = 2
"""Players change places with those of tables so far away."""

MOST_PASSES: Final = 30
"""Maximum number of passes over all tables; a list of 400 needs fewer than ten."""

_LOT = 5
"""Names the stream of lots for players without a place in the list."""


def by_standing(players: Iterable[int], standing: Mapping[int, int], lot: SplitMix) -> Table:
    """Players by their ranks or seeds, the best in front; those without one follow by lot.

    >>> by_standing((4, 1, 7), {4: 2, 7: 1}, SplitMix(0))
    (7, 4, 1)
    """
    last = max(standing.values(), default=0) + 1
    drawn = lot.shuffled(sorted(players))
    return tuple(sorted(drawn, key=lambda player: standing.get(player, last)))


def ladder_tables(request: SeatingRequest, shapes: Sequence[RoundShape]) -> Tables:
    """The tables of every round, the first table nearest to the top of the list.

    The first round divides the list. In later rounds neighbours of different tables change places
    while that makes smaller: the sum over pairs at a table of the square of their distance in the
    list, and of `REPEAT` for each earlier meeting in the plan.

    Rounds of tables of players. Pairs who must be apart may still share a table where no exchange
    parts them.
    """
    line = by_standing(request.players, request.standing, stream_of(request.seed, _LOT))
    met: Counter[Pair] = Counter()
    for first, second in map(sorted, apart_pairs(request)):
        met[first, second] = FORBIDDEN
    rounds = []
    for shape in shapes:
        round_ = _Neighbours(line, shape, met)
        round_.improve()
        rounds.append(round_.from_the_top())
        met.update(pair for table in round_.tables for pair in combinations(sorted(table), 2))
    return rounds


class _Neighbours:
    """The tables of a round while they are improved; a unit keeps together."""

    def __init__(self, line: Sequence[int], shape: RoundShape, met: Mapping[Pair, int]) -> None:
        playing = set(shape.playing)
        present = [player for player in line if player in playing]
        self.place = place = {player: at for at, player in enumerate(present)}
        self.unit = {player: unit for unit in shape.units for player in unit}
        self.cost = {
            first: {two: (place[first] - place[two]) ** 2 for two in present} for first in present
        }
        for first, second in met:
            if first in playing and second in playing:
                self.cost[first][second] += REPEAT * met[first, second]
                self.cost[second][first] += REPEAT * met[first, second]
        units = sorted(shape.units, key=lambda unit: min(place[player] for player in unit))
        self.tables = _filled(units, shape.sizes)

    def improve(self) -> None:
        for _ in range(MOST_PASSES):
            if not any([self._exchange(*pair) for pair in self._pairs(REACH)]):
                break
        pairs = chain(*(combinations(table, 2) for table in self.tables))
        if any(self.cost[first][second] >= FORBIDDEN for first, second in pairs):
            for pair in self._pairs(len(self.tables)):
                self._exchange(*pair)

    def from_the_top(self) -> list[list[int]]:
        """The tables, that of the best players by their mean place in front."""
        return sorted(
            self.tables,
            key=lambda table: Fraction(sum(self.place[player] for player in table), len(table)),
        )

    def _pairs(self, reach: int) -> Iterator[tuple[int, int]]:
        tables = range(len(self.tables))
        return (
            (first, second) for first in tables for second in tables[first + 1 : first + reach + 1]
        )

    def _exchange(self, here: int, target: int) -> bool:
        has_gained = False
        ones, others = (tuple(self.tables[at]) for at in (here, target))
        for unit, other in product(ones, others):
            first, second = self.unit[unit], self.unit[other]
            is_movable = unit in self.tables[here] and other in self.tables[target]
            if is_movable and len(first) == len(second) and self._gain(here, target, first, second):
                self.tables[here] = [*_without(self.tables[here], first), *second]
                self.tables[target] = [*_without(self.tables[target], second), *first]
                has_gained = True
        return has_gained

    def _gain(self, here: int, target: int, first: Unit, second: Unit) -> bool:
        stay = _without(self.tables[here], first)
        others = _without(self.tables[target], second)
        change = 0
        for unit, old, new in ((first, stay, others), (second, others, stay)):
            for player in unit:
                row = self.cost[player]
                change += sum(row[mate] for mate in new) - sum(row[mate] for mate in old)
        return change < 0


def _without(table: Sequence[int], unit: Unit) -> list[int]:
    return [player for player in table if player not in unit]


def _filled(units: Sequence[Unit], sizes: Sequence[int]) -> list[list[int]]:
    waiting = list(units)
    tables: list[list[int]] = []
    for size in sizes:
        table: list[int] = []
        for unit in list(waiting):
            if len(table) + len(unit) <= size:
                table += unit
                waiting.remove(unit)
            if len(table) == size:
                break
        tables.append(table)
    if list(map(len, tables)) == list(sizes):
        return tables
    return seated_units(units, sizes)


MOVES: Final = 400_000
"""The moves of a search that is not told how many to make."""

SLOWER: Final = 4
"""Cost of a move of groups, in moves of single players."""

_LABELS, _START = 3, 4
"""Names of the streams of lots for players at points, and for where a search starts."""


def plan_seats(request: SeatingRequest) -> SeatingPlan:
    """The plan for a request; the same request gives the same plan.

    >>> plan = plan_seats(SeatingRequest(tuple(range(1, 17)), 5, seed=1))
    >>> plan.cost.repeats, plan.cost.seat_spread, plan.method
    (0, 1, 'construction')
    """
    planning = Planning(request)
    while not planning.done:
        planning.advance()
    return planning.plan()


class Planning:
    """A plan being computed: `advance` works for a short while, `plan` is the best plan so far."""

    def __init__(self, request: SeatingRequest) -> None:
        require_possible(request)
        self.request = request
        self.order = sorted(request.players)
        self.shapes = round_shapes(request)
        self.weights = weights_of(request, self.order)
        before = shares(request, (), seats_ahead(self.shapes))
        self.seats = {
            size: [times.get(player, 0) for player in self.order]
            for size, times in before.items()
            if size != SIT_OUT
        }
        # A meeting of the plan weighs more than those of the history of any pair.
        met = [count for row in self.weights for count in row if count < FORBIDDEN]
        self.step = 1 if request.rounds == 1 else 1 + max(met, default=0)
        self.method = "ladder" if request.movement == "ladder" else "construction"
        self.is_best_known = False
        self.constructed = self._construct()
        self.search = None if self.method == "ladder" else self._begin_search()

    @property
    def done(self) -> bool:
        """Whether `advance` cannot make the plan better any more."""
        search = self.search
        if search is None or search.done:
            return True
        stop = self.request.stop_after
        return stop is not None and search.iterations >= stop

    @property
    def iterations(self) -> int:
        """The moves made so far; `stop_after` with this number gives the same plan again."""
        return self.search.iterations if self.search else 0

    def advance(self) -> None:
        """Make the moves of one stage of the search, some thousands."""
        if self.search is not None and not self.done:
            self.search.advance()

    def plan(self) -> SeatingPlan:
        """The best plan so far."""
        whole = len(self.constructed) == self.request.rounds
        candidates = [(self.method, self.constructed)] if whole else []
        if self.search is not None:
            candidates.append(("search", self.search.best))
        plans = [self._finished(method, tables) for method, tables in candidates]
        best = min(plans, key=self._rank)
        if broken := self._broken(best):
            raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))
        return best

    def _broken(self, plan: SeatingPlan) -> list[list[int]]:
        return broken_pairs(self.request, chain(*(planned.tables for planned in plan.rounds)))

    def _rank(self, plan: SeatingPlan) -> tuple[object, ...]:
        """Broken constraints first, then what the search counts too."""
        cost = plan.cost
        broken = len(self._broken(plan))
        sizes = list(shares(self.request, plan.rounds).values())[1:]
        uneven = sum(count * (count - 1) for times in sizes for count in times.values())
        met_before = 2 * self.step * cost.pair_cost + cost.known_pairs
        return broken, uneven, met_before, astuple(cost)

    def _construct(self) -> Tables:
        """The tables of as many rounds as a construction gives, as positions in the list."""
        if self.method == "ladder":
            position = {player: at for at, player in enumerate(self.order)}
            neighbours = ladder_tables(self.request, self.shapes)
            return [
                [[position[player] for player in table] for table in tables]
                for tables in neighbours
            ]
        shape = self.shapes[0]
        if len(shape.units) != len(self.order) or len(set(self.shapes)) > 1:
            return []  # somebody sits out, or some stay together
        lengths = range(self.request.rounds, 0, -1)
        schedules = (construction(shape.sizes, rounds) for rounds in lengths)
        best_known = design(shape.sizes, self.request.rounds)
        self.is_best_known = best_known is not None
        schedule = best_known or next(filter(None, schedules), None)
        if schedule is None:
            return []
        seats = {size: before for size, before in self.seats.items() if size in shape.sizes}
        rng = stream_of(self.request.seed, _LABELS)
        players = labelled(schedule, self.weights, seats, rng)
        return [[[players[point] for point in table] for table in tables] for tables in schedule]

    def _begin_search(self) -> Search:
        position = {player: at for at, player in enumerate(self.order)}
        start = [
            [[position[player] for player in table] for table in self._start(number, shape)]
            for number, shape in enumerate(self.shapes, 1)
        ]
        units = [
            {
                position[player]: tuple(position[member] for member in unit)
                for unit in shape.units
                if len(unit) > 1
                for player in unit
            }
            for shape in self.shapes
        ]
        n_constructed = len(self.constructed)
        good_start = None
        if 2 * n_constructed >= self.request.rounds:
            good_start = [*self.constructed, *start[n_constructed:]]
        can_move = any(len(shape.sizes) > 1 for shape in self.shapes)
        moves = self.request.moves
        if moves is None:
            moves = MOVES // SLOWER if any(units) else MOVES
        search = Search(
            start,
            self.weights,
            self.seats,
            units,
            self._goal(),
            good_start,
            step=self.step,
            seed=self.request.seed,
            moves=moves if can_move else 0,
        )
        if self.is_best_known and not (self.request.history or apart_pairs(self.request)):
            search.goal = search.best_cost
        return search

    def _start(self, number: int, shape: RoundShape) -> list[list[int]]:
        lot = stream_of(self.request.seed, _START, number)
        return seated_units(lot.shuffled(shape.units), shape.sizes)

    def _goal(self) -> int:
        """A lower bound of the cost: of the pairs, and of seats at small tables."""
        sizes = [size for shape in self.shapes for size in shape.sizes]
        forced = Counter(
            pair for shape in self.shapes for unit in shape.units for pair in combinations(unit, 2)
        )
        meetings_left = sum(map(pairs_of, sizes)) - forced.total()
        pairs_left = pairs_of(len(self.order)) - len(forced)
        of_groups = sum(map(pairs_of, forced.values()))
        least = 2 * self.step * (of_groups + least_when_spread(meetings_left, pairs_left))
        for size, before in self.seats.items():
            times = (count + more for count in before for more in range(self.request.rounds))
            least += UNEVEN * sum(nsmallest(sizes.count(size) * size, times))
        return least

    def _finished(self, method: str, tables: Tables) -> SeatingPlan:
        seated = self._seated(
            [
                numbered_tables(
                    [[self.order[at] for at in table] for table in of_round],
                    self.request.fixed_tables,
                    0 if self.method == "ladder" else number,
                )
                for number, of_round in enumerate(tables)
            ]
        )
        rounds = tuple(
            PlannedRound(of_round, shape.sitting_out)
            for of_round, shape in zip(seated, self.shapes, strict=True)
        )
        return replace(
            plan_of(self.request, rounds, method, self.iterations),
            uneven=() if method == "ladder" else tuple(uneven_shares(self.request, rounds)),
            history_rounds=len(self.request.history),
        )

    def _seated(self, rounds: Tables) -> list[tuple[Table, ...]]:
        flat = [table for tables in rounds for table in tables]
        tables_seated: list[Table] = [()] * len(flat)
        for size in sorted(set(map(len, flat))):
            places = [at for at, table in enumerate(flat) if len(table) == size]
            of_size = [flat[at] for at in places]
            if self.request.sides:
                seated = seats_by_sides(of_size, self.request.together, self.request.sides)
            else:
                seated = balanced_seats(of_size)
            for at, table in zip(places, seated, strict=True):
                tables_seated[at] = table
        ordered = iter(tables_seated)
        return [tuple(next(ordered) for _ in tables) for tables in rounds]


def weights_of(request: SeatingRequest, order: Sequence[int]) -> list[list[int]]:
    """For each player of `order`, the earlier meetings with each other; `FORBIDDEN` if apart."""
    weights = [[0] * len(order) for _ in order]
    position = {player: at for at, player in enumerate(order)}
    meeting_counts = dict(meetings(request.history))
    for pair in apart_pairs(request):
        first, second = sorted(pair)
        meeting_counts[first, second] = FORBIDDEN
    for (first, second), count in meeting_counts.items():
        if first in position and second in position:
            weights[position[first]][position[second]] = count
            weights[position[second]][position[first]] = count
    return weights
