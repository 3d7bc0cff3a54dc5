"""Whist by annealing: where no full set fits, partners and opponents are spread evenly.

Pure. See docs/algorithms/movements.md, "Search".
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.constraints import apart_pairs
from scoring.seating.cost import least_when_spread
from scoring.seating.requests import SeatingRequest, Table
from scoring.seating.search import FORBIDDEN
from scoring.seating.sit_outs import round_shapes
from scoring.seating.splitmix import SplitMix, stream_of

MOVES: Final = 120_000
"""The moves of a search that is not told how many to make."""

STAGES: Final = 100
HOTTEST, COLDEST = 1.5, 0.25
"""The temperatures of the first and the last stage, in units of one repeated opponent."""

AS_PARTNERS: Final = 4
"""A repeated partner counts as much as so many repeated opponents."""

_SEARCH: Final = 8
"""Names the stream of lots for the search."""

Counts = list[list[int]]


def searched_rounds(request: SeatingRequest) -> tuple[list[list[Table]], int]:
    """Rounds of tables of four, the first two against the others, and the moves that were made.

    The cost is, over pairs of players, `AS_PARTNERS` * p(p - 1) / 2 + o(o - 1) / 2 for p rounds as
    partners and o as opponents, those of the history included. Sit-outs are fixed before.
    """
    shapes = round_shapes(replace(request, movement="individual", sizes=(4,)))
    rng = stream_of(request.seed, _SEARCH)
    order = sorted(request.players)
    position = {player: at for at, player in enumerate(order)}
    start = [
        rng.shuffled(position[player] for unit in shape.units for player in unit)
        for shape in shapes
    ]
    search = _Search(start, *_known(request, position))
    moves = MOVES if request.moves is None else request.moves
    if request.stop_after is not None:
        moves = min(moves, request.stop_after)
    search.run(rng, moves)
    rounds = [
        [tuple(order[at] for at in seats[base : base + 4]) for base in range(0, len(seats), 4)]
        for seats in search.best
    ]
    _require_apart(request, rounds)
    return rounds, search.moves


def _known(request: SeatingRequest, position: dict[int, int]) -> tuple[Counts, Counts]:
    """The partners and opponents of two players before; `FORBIDDEN` for those apart."""
    partners, opponents = ([[0] * len(position) for _ in position] for _ in range(2))
    for planned in request.history:
        for table in planned.tables:
            for (seat, first), (other_seat, second) in product(enumerate(table), repeat=2):
                if seat != other_seat and first in position and second in position:
                    is_partner = len(table) == 4 and (seat - other_seat) % 2 == 0
                    (partners if is_partner else opponents)[position[first]][position[second]] += 1
    for pair in apart_pairs(request):
        first, second = (position[player] for player in pair)
        for counts in (partners, opponents):
            counts[first][second] = counts[second][first] = FORBIDDEN
    return partners, opponents


def _require_apart(request: SeatingRequest, rounds: Sequence[Sequence[Table]]) -> None:
    broken = [
        sorted(pair)
        for pair in sorted(apart_pairs(request), key=sorted)
        if any(pair <= set(table) for tables in rounds for table in tables)
    ]
    if broken:
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))


class _Search:
    """Rounds under improvement: seat 4t + i is seat i of table t; i and i ^ 1 are partners."""

    def __init__(self, start: list[list[int]], partners: Counts, opponents: Counts) -> None:
        self.rounds = start
        self.best = [list(seats) for seats in start]
        self.partners, self.opponents = partners, opponents
        self.moves = 0
        self.cost = 0
        for seats in start:
            for base in range(0, len(seats), 4):
                self.cost += self._count(seats[base : base + 4], 1)
        self.least = self.cost
        self.goal = self._goal()

    def _goal(self) -> int:
        """The least cost that counting allows, over the meetings of the plan alone."""
        tables = sum(map(len, self.rounds)) // 4
        pairs = len(self.partners) * (len(self.partners) - 1) // 2
        return AS_PARTNERS * least_when_spread(2 * tables, pairs) + least_when_spread(
            4 * tables, pairs
        )

    def run(self, rng: SplitMix, moves: int) -> None:
        """Make so many moves, cooling down, and keep the best rounds."""
        if self.least <= self.goal:
            return
        stages = [HOTTEST * (COLDEST / HOTTEST) ** (at / (STAGES - 1)) for at in range(STAGES)]
        places = [(seats, at) for seats in self.rounds for at in range(len(seats))]
        for at, heat in enumerate(stages):
            chances = [exp(-step / heat) for step in range(40)]
            for _ in range(moves * at // STAGES, moves * (at + 1) // STAGES):
                seats, first = places[rng.below(len(places))]
                self._move(seats, first, rng.below(len(seats)), chances, rng)
                if self.least <= self.goal:
                    return

    def _move(
        self, seats: list[int], first: int, second: int, chances: Sequence[float], rng: SplitMix
    ) -> None:
        self.moves += 1
        if second in (first, first ^ 1):
            return
        bases = {first & ~3, second & ~3}
        change = sum(self._count(seats[base : base + 4], -1) for base in bases)
        seats[first], seats[second] = seats[second], seats[first]
        change += sum(self._count(seats[base : base + 4], 1) for base in bases)
        is_taken = change <= 0 or (
            change < len(chances) and rng.next64() < chances[change] * 2.0**64
        )
        if not is_taken:
            for base in bases:
                self._count(seats[base : base + 4], -1)
            seats[first], seats[second] = seats[second], seats[first]
            for base in bases:
                self._count(seats[base : base + 4], 1)
            return
        self.cost += change
        if self.cost < self.least:
            self.least = self.cost
            self.best = [list(round_) for round_ in self.rounds]

    def _count(self, table: Sequence[int], step: int) -> int:
        """Count the pairs of a table in or out, and give the change of the cost."""
        a, b, c, d = table
        change = 0
        for first, second in ((a, b), (c, d)):
            change += AS_PARTNERS * self._pair(self.partners, first, second, step)
        for first, second in ((a, c), (a, d), (b, c), (b, d)):
            change += self._pair(self.opponents, first, second, step)
        return change

    @staticmethod
    def _pair(counts: Counts, first: int, second: int, step: int) -> int:
        before = counts[first][second]
        counts[first][second] = counts[second][first] = before + step
        return before if step > 0 else 1 - before
