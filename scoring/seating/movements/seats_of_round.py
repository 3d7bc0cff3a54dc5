"""Seats of one round, after rounds whose seats are known: those that were held least often.

Pure. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

from scoring.seating.requests import Pair, PlannedRound, Table
from scoring.seating.seat_order import neighbours

MOST_ORDERS: Final = 6
"""A table of so many seats has all its orders compared; a larger one is improved by exchanges."""

Held = Counter[tuple[int, int, int]]
"""Player, seats of the table, seat → how often."""


def seats_after(
    history: Iterable[PlannedRound],
    tables: Sequence[Sequence[int]],
    partners: Iterable[Pair] = (),
    sides: Sequence[Sequence[int]] = (),
) -> tuple[Table, ...]:
    """Tables in seat order.

    Of all orders the one is taken that has the least sum of 2 · c + 1 for c earlier rounds in which
    a player held the seat, then the fewest neighbours who sat side by side before, then the lowest
    numbers in front.

    Args:
        history: earlier rounds in seat order.
        tables: who shares a table.
        partners: pairs who sit on one side wherever they share a table.
        sides: the seats of each side.

    >>> seats_after([PlannedRound(((1, 2, 3),)), PlannedRound(((2, 3, 1),))], [(1, 2, 3)])
    ((3, 1, 2),)
    """
    held: Held = Counter()
    pairs: Counter[Pair] = Counter()
    for planned in history:
        for table in planned.tables:
            held.update((player, len(table), seat) for seat, player in enumerate(table))
            pairs.update(neighbours(table))
    side_of = {seat: number for number, seats in enumerate(sides) for seat in seats}
    couples = [*partners] if sides else []
    return tuple(_Order(table, held, pairs, couples, side_of).best() for table in tables)


class _Order:
    """The orders of one table, and what each costs."""

    def __init__(
        self,
        table: Sequence[int],
        held: Held,
        pairs: Counter[Pair],
        partners: Sequence[Pair],
        side_of: Mapping[int, int],
    ) -> None:
        self.players = sorted(table)
        self.side_of, self.pairs = side_of, pairs
        self.partners = [pair for pair in partners if set(pair) <= set(table)]
        seats = range(len(table))
        self.times = {
            player: [2 * held[player, len(table), seat] + 1 for seat in seats] for player in table
        }

    def best(self) -> Table:
        """The order that costs least."""
        if len(self.players) <= MOST_ORDERS:
            return min(permutations(self.players), key=self.cost)
        order = list(self.players)
        cost = self.cost(order)
        gained = True
        while gained:
            gained = False
            for one, other in combinations(range(len(order)), 2):
                order[one], order[other] = order[other], order[one]
                changed = self.cost(order)
                if changed < cost:
                    cost, gained = changed, True
                else:
                    order[one], order[other] = order[other], order[one]
        return tuple(order)

    def cost(self, order: Sequence[int]) -> tuple[int, int, int]:
        """Partners on two sides, then seats held before, then neighbours met before."""
        apart = 0
        if self.partners:
            seat = {player: at for at, player in enumerate(order)}
            apart = sum(
                self.side_of.get(seat[one]) != self.side_of.get(seat[two])
                for one, two in self.partners
            )
        times = self.times
        return (
            apart,
            sum([times[player][at] for at, player in enumerate(order)]),
            sum([self.pairs[pair] for pair in neighbours(order)]),
        )
