"""From players, constraints, history and seed to a plan: by construction, or by a search.

Pure: no clock, no database. See docs/algorithms/seating.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from heapq import nsmallest
from itertools import combinations
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.bounds import least_when_spread
from scoring.seating.constraints import Unit, apart_pairs, require_possible
from scoring.seating.cost import cost_of, lower_bound, meetings
from scoring.seating.designs.constructions import Schedule, construction
from scoring.seating.designs.labels import labelled
from scoring.seating.ladder_night import ladder_tables
from scoring.seating.packing import packed
from scoring.seating.requests import SIT_OUT, Cost, PlannedRound, SeatingPlan, SeatingRequest, Table
from scoring.seating.search import FORBIDDEN, UNEVEN, Search, SearchProblem, Tables
from scoring.seating.seat_order import balanced_seats, seats_by_sides
from scoring.seating.shares import shares, uneven_shares
from scoring.seating.sit_outs import RoundShape, round_shapes, seats_ahead
from scoring.seating.splitmix import stream_of
from scoring.seating.table_numbers import numbered_tables

MOVES: Final = 400_000
"""The moves of a search that is not told how many to make."""

SLOWER: Final = 4
"""A move of groups takes about as long as so many moves of single players."""

_LABELS, _START = 3, 4
"""Names of the streams of lots for players at points, and for where a search starts."""


def plan_seats(request: SeatingRequest) -> SeatingPlan:
    """The plan for a request; the same request gives the same plan.

    Raises:
        Refused: the request cannot be met; each contradiction is named by its pair.

    >>> plan = plan_seats(SeatingRequest(tuple(range(1, 17)), 5, seed=1))
    >>> plan.cost.repeats, plan.cost.seat_spread, plan.method
    (0, 1, 'construction')
    """
    planning = Planning(request)
    while not planning.done:
        planning.advance()
    return planning.plan()


class Planning:
    """A plan under way: `advance` works for a short while, `plan` is the best plan so far.

    Raises:
        Refused: when it is made, where the request cannot be met.
    """

    def __init__(self, request: SeatingRequest) -> None:
        require_possible(request)
        self.request = request
        self.order = sorted(request.players)
        self.shapes = round_shapes(request)
        self.weights = _weights(request, self.order)
        before = shares(request, (), seats_ahead(self.shapes))
        self.seats = {
            size: [times.get(player, 0) for player in self.order]
            for size, times in before.items()
            if size != SIT_OUT
        }
        self.step = self._step()
        self.method = "ladder" if request.movement == "ladder" else "construction"
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
        """The best plan so far.

        Raises:
            Refused: constraints_not_met, where players who must be apart still share a table.
        """
        whole = len(self.constructed) == self.request.rounds
        found = [(self.method, self.constructed)] if whole else []
        if self.search is not None:
            found.append(("search", self.search.best))
        plans = [self._finished(method, tables) for method, tables in found]
        best = min(plans, key=self._rank)
        broken = _broken_pairs(self.request, best.rounds)
        if broken:
            facts = {"pairs": [sorted(pair) for pair in broken], "round": 0}
            raise Refused(Problem("constraints_not_met", (), facts))
        return best

    def _step(self) -> int:
        """What a meeting of the plan counts beside one of the history: more than any pair's."""
        if self.request.rounds == 1:
            return 1
        return 1 + max((met for row in self.weights for met in row if met < FORBIDDEN), default=0)

    def _rank(self, plan: SeatingPlan) -> tuple[object, ...]:
        """Broken constraints first, then what the search counts too."""
        cost = plan.cost
        broken = len(_broken_pairs(self.request, plan.rounds))
        sizes = list(shares(self.request, plan.rounds).values())[1:]
        uneven = sum(count * (count - 1) for times in sizes for count in times.values())
        met_before = 2 * self.step * cost.pair_cost + cost.known_pairs
        return broken, uneven, met_before, astuple(cost)

    def _construct(self) -> Tables:
        """The tables of as many rounds as a construction gives, as positions in the list."""
        if self.method == "ladder":
            position = {player: at for at, player in enumerate(self.order)}
            found = ladder_tables(self.request, self.shapes)
            return [[[position[one] for one in table] for table in tables] for tables in found]
        shape = self.shapes[0]
        plain = all(len(unit) == 1 for unit in shape.units)
        if not plain or shape.sitting_out or any(one != shape for one in self.shapes):
            return []
        if len(shape.units) != len(self.order):
            return []
        schedule = self._longest(shape.sizes)
        if not schedule:
            return []
        seats = {size: before for size, before in self.seats.items() if size in shape.sizes}
        rng = stream_of(self.request.seed, _LABELS)
        players = labelled(schedule, self.weights, seats, rng)
        return [[[players[point] for point in table] for table in tables] for tables in schedule]

    def _longest(self, sizes: Sequence[int]) -> Schedule:
        for rounds in range(self.request.rounds, 0, -1):
            schedule = construction(sizes, rounds)
            if schedule is not None:
                return schedule
        return []

    def _begin_search(self) -> Search:
        position = {player: at for at, player in enumerate(self.order)}
        start = [
            [[position[player] for player in table] for table in self._start(number, shape)]
            for number, shape in enumerate(self.shapes, 1)
        ]
        units = [
            {
                position[player]: tuple(position[one] for one in unit)
                for unit in shape.units
                if len(unit) > 1
                for player in unit
            }
            for shape in self.shapes
        ]
        known = len(self.constructed)
        problem = SearchProblem(
            start,
            self.weights,
            self.seats,
            units,
            self._goal(),
            [*self.constructed, *start[known:]] if 2 * known >= self.request.rounds else None,
            self.step,
        )
        can_move = any(len(shape.sizes) > 1 for shape in self.shapes)
        usual = MOVES // SLOWER if any(units) else MOVES
        moves = usual if self.request.moves is None else self.request.moves
        return Search(problem, self.request.seed, moves if can_move else 0)

    def _start(self, number: int, shape: RoundShape) -> list[list[int]]:
        rng = stream_of(self.request.seed, _START, number)
        units: Sequence[Unit] = rng.shuffled(shape.units)
        tables = packed(units, shape.sizes)
        if tables is None:
            raise AssertionError("the shape of a round is one that its groups fit into")
        return tables

    def _goal(self) -> int:
        """A cost that no search can go below: of the pairs, and of seats at small tables."""
        sizes = [size for shape in self.shapes for size in shape.sizes]
        forced = Counter(
            pair for shape in self.shapes for unit in shape.units for pair in combinations(unit, 2)
        )
        meetings_left = sum(size * (size - 1) // 2 for size in sizes) - forced.total()
        pairs_left = len(self.order) * (len(self.order) - 1) // 2 - len(forced)
        of_groups = sum(count * (count - 1) // 2 for count in forced.values())
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
        cost: Cost = cost_of(self.request, rounds)
        is_even = method == "ladder"
        return SeatingPlan(
            rounds,
            cost,
            lower_bound(rounds),
            self.request.seed,
            self.iterations,
            method,
            uneven=() if is_even else tuple(uneven_shares(self.request, rounds)),
            history_rounds=len(self.request.history),
        )

    def _seated(self, rounds: Tables) -> list[tuple[Table, ...]]:
        """The tables of all rounds in seat order."""
        flat = [table for tables in rounds for table in tables]
        found: list[Table] = [()] * len(flat)
        for size in sorted(set(map(len, flat))):
            places = [at for at, table in enumerate(flat) if len(table) == size]
            of_size = [flat[at] for at in places]
            if self.request.sides:
                seated = seats_by_sides(of_size, self.request.together, self.request.sides)
            else:
                seated = balanced_seats(of_size)
            for at, table in zip(places, seated, strict=True):
                found[at] = table
        ordered = iter(found)
        return [tuple(next(ordered) for _ in tables) for tables in rounds]


def _weights(request: SeatingRequest, order: Sequence[int]) -> list[list[int]]:
    """For each pair of players how often they have met; `FORBIDDEN` where they must not."""
    weights = [[0] * len(order) for _ in order]
    position = {player: at for at, player in enumerate(order)}
    known = dict(meetings(request.history))
    for pair in apart_pairs(request):
        one, other = sorted(pair)
        known[one, other] = FORBIDDEN
    for (one, other), count in known.items():
        if one in position and other in position:
            weights[position[one]][position[other]] = count
            weights[position[other]][position[one]] = count
    return weights


def _broken_pairs(request: SeatingRequest, rounds: Sequence[PlannedRound]) -> list[frozenset[int]]:
    """The pairs who must be apart and share a table."""
    tables = [set(table) for planned in rounds for table in planned.tables]
    pairs = sorted(apart_pairs(request), key=sorted)
    return [pair for pair in pairs if any(pair <= table for table in tables)]
