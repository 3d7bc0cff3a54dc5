"""Tables by ladder neighbourhood: who is next to each other in a list shares a table.

Pure. See docs/algorithms/seating.md, "Ladder night".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Final

from scoring.seating.constraints import Unit, apart_pairs
from scoring.seating.packing import packed
from scoring.seating.requests import Pair, SeatingRequest
from scoring.seating.search import FORBIDDEN, Tables
from scoring.seating.sit_outs import RoundShape
from scoring.seating.splitmix import stream_of

REPEAT: Final = 16
"""What a meeting in the plan costs when the pair meets again; a distance d in the list costs d²."""

REACH: Final = 2
"""Players change places with those of tables so far away."""

MOST_PASSES: Final = 30
"""So often all tables are gone through; a list of 400 needs fewer than ten."""

_LOT = 5
"""Names the stream of lots for players without a place in the list."""


def in_order(request: SeatingRequest) -> tuple[int, ...]:
    """The players in the order of the list; those without a place follow by lot.

    >>> in_order(SeatingRequest((4, 1, 7), 1, standing={4: 2, 7: 1}))
    (7, 4, 1)
    """
    standing = request.standing
    drawn = stream_of(request.seed, _LOT).shuffled(sorted(request.players))
    last = len(standing) + max(standing.values(), default=0)
    return tuple(sorted(drawn, key=lambda player: standing.get(player, last)))


def ladder_tables(request: SeatingRequest, shapes: Sequence[RoundShape]) -> Tables:
    """The tables of every round, the first table nearest to the top of the list.

    The first round divides the list. In later rounds neighbours of different tables change places
    while that makes smaller: the sum over pairs at a table of the square of their distance in the
    list, and of `REPEAT` for each earlier meeting in the plan.

    Args:
        shapes: of the rounds, as `round_shapes` gives them.

    Returns:
        Rounds of tables of players. Pairs who must be apart may still share a table where no
        exchange parts them.
    """
    line = in_order(request)
    met: Counter[Pair] = Counter()
    for one, other in map(sorted, apart_pairs(request)):
        met[one, other] = FORBIDDEN
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
        there = [player for player in line if player in playing]
        self.place = place = {player: at for at, player in enumerate(there)}
        self.unit = {player: unit for unit in shape.units for player in unit}
        self.cost = {one: {two: (place[one] - place[two]) ** 2 for two in there} for one in there}
        for one, other in met:
            if one in playing and other in playing:
                self.cost[one][other] += REPEAT * met[one, other]
                self.cost[other][one] += REPEAT * met[one, other]
        units = sorted(shape.units, key=lambda unit: min(place[player] for player in unit))
        self.tables = _filled(units, shape.sizes)

    def improve(self) -> None:
        """Exchange units of equal size while the cost falls."""
        for _ in range(MOST_PASSES):
            if not any([self._exchange(*pair) for pair in self._pairs(REACH)]):
                break
        if any(self._is_broken(table) for table in self.tables):
            for pair in self._pairs(len(self.tables)):
                self._exchange(*pair)

    def from_the_top(self) -> list[list[int]]:
        """The tables, that of the best players by their mean place in front."""
        return sorted(
            self.tables,
            key=lambda table: Fraction(sum(self.place[one] for one in table), len(table)),
        )

    def _pairs(self, reach: int) -> Iterator[tuple[int, int]]:
        tables = range(len(self.tables))
        return ((one, other) for one in tables for other in tables[one + 1 : one + reach + 1])

    def _exchange(self, here: int, there: int) -> bool:
        """Make the exchanges of two tables that gain something, and say whether there was one."""
        has_gained = False
        ones, others = (tuple(self.tables[at]) for at in (here, there))
        for one, other in product(ones, others):
            first, second = self.unit[one], self.unit[other]
            is_movable = one in self.tables[here] and other in self.tables[there]
            if is_movable and len(first) == len(second) and self._gain(here, there, first, second):
                self.tables[here] = [*_without(self.tables[here], first), *second]
                self.tables[there] = [*_without(self.tables[there], second), *first]
                has_gained = True
        return has_gained

    def _gain(self, here: int, there: int, first: Unit, second: Unit) -> bool:
        """Whether the cost falls where two units change tables."""
        stay = _without(self.tables[here], first)
        others = _without(self.tables[there], second)
        change = 0
        for unit, old, new in ((first, stay, others), (second, others, stay)):
            for player in unit:
                row = self.cost[player]
                change += sum(row[mate] for mate in new) - sum(row[mate] for mate in old)
        return change < 0

    def _is_broken(self, table: Sequence[int]) -> bool:
        return any(self.cost[one][other] >= FORBIDDEN for one, other in combinations(table, 2))


def _without(table: Sequence[int], unit: Unit) -> list[int]:
    return [player for player in table if player not in unit]


def _filled(units: Sequence[Unit], sizes: Sequence[int]) -> list[list[int]]:
    """The list divided into tables of these sizes; units that do not fit go to a later table."""
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
    if all(len(table) == size for table, size in zip(tables, sizes, strict=True)):
        return tables
    found = packed(units, sizes)
    if found is None:
        raise AssertionError("the shape of a round is one that its groups fit into")
    return found
