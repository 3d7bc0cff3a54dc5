"""Which seat each player has where seats 0 and 2 are partners, and 1 and 3.

Pure. See docs/algorithms/movements.md, "Seats".
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from scoring.seating.requests import Pair, Table
from scoring.seating.seat_order import neighbours

KEEP: Final = ((0, 2, 1, 3), (1, 2, 0, 3), (0, 3, 1, 2), (1, 3, 0, 2))
"""Orders of two pairs (0, 1) and (2, 3) in which the first pair has the seats 0 and 2."""

TURN: Final = (*KEEP, (2, 0, 3, 1), (2, 1, 3, 0), (3, 0, 2, 1), (3, 1, 2, 0))
"""These, and the orders in which it has the seats 1 and 3."""


class PartnerSeats:
    """Gives seats table after table; remembers who had which seat and who sat next to whom."""

    def __init__(self) -> None:
        self.held: Counter[tuple[int, int]] = Counter()
        self.sides: Counter[Pair] = Counter()

    def seated(self, first: Sequence[int], second: Sequence[int], *, may_turn: bool) -> Table:
        """The table of two pairs in seat order.

        Of all orders the one is taken in which the players had their seats least often, then the
        one with fewest repeated neighbours, then the first.

        Args:
            first: the pair on the first side.
            second: the pair on the second side.
            may_turn: whether the sides may be exchanged.

        >>> seats = PartnerSeats()
        >>> seats.seated((1, 2), (3, 4), may_turn=True), seats.seated((1, 2), (5, 6), may_turn=True)
        ((1, 3, 2, 4), (2, 5, 1, 6))
        """
        people = (*first, *second)
        orders = [tuple(people[at] for at in order) for order in (TURN if may_turn else KEEP)]
        best = min(orders, key=self._cost)
        self.held.update((player, at) for at, player in enumerate(best))
        self.sides.update(neighbours(best))
        return best

    def _cost(self, order: Table) -> tuple[int, int]:
        return (
            sum(2 * self.held[player, at] + 1 for at, player in enumerate(order)),
            sum(self.sides[pair] for pair in neighbours(order)),
        )
