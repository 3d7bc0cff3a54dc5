"""A round by rank in which equal ranks change places so that the fewest pairs meet again.

Pure. See docs/algorithms/seating.md, "Knock-out".
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Final

from scoring.seating.cost import pairs_of

MOST_LOOKS: Final = 400_000
"""How often the search compares a player with a seat at most, about half a second."""


@dataclass(slots=True)
class FewestRepeats:
    """The search for the order of players with the fewest repeats, of these the first one.

    Players are numbered by rank from 0, seats by the rank of the player who has them so far. Only
    players with the same place in the round before change seats. Orders are compared from the first
    seat on: the better rank comes first. After `order`, `least` is a number below which no order
    is, and the order has so many, unless the search ended at `MOST_LOOKS` (`is_exact`): then the
    seats that are left go to the player with the fewest repeats, one after the other.

    Args:
        tables: the table of each seat.
        places: the place of each player in the round before, in ascending order.
        met: the players whom each player met.
    """

    tables: Sequence[int]
    places: Sequence[int]
    met: Sequence[set[int]]
    least: int = 0
    looks: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether no order is better."""
        return self.looks <= MOST_LOOKS

    def order(self) -> list[int]:
        """The player of each seat."""
        meetings = sum(map(pairs_of, Counter(self.tables).values()))
        strangers = pairs_of(len(self.met)) - sum(map(len, self.met)) // 2
        for self.least in count(max(0, meetings - strangers)):
            order = self._order(range(len(self.tables)), defaultdict(list), self.least)
            if order:
                break
        return order

    def _order(self, free: Sequence[int], seated: dict[int, list[int]], rest: int) -> list[int]:
        """The players of the last seats, of those who are `free`; empty where there is no way."""
        seat = len(self.tables) - len(free)
        table = seated[self.tables[seat]]
        players = [player for player in free if self.places[player] == self.places[seat]]
        again = {player: len(self.met[player].intersection(table)) for player in players}
        if not self.is_exact:
            players = [min(players, key=again.__getitem__)]
        for player in players:
            is_other_order = bool(table) and player < table[-1]
            if self.is_exact and (again[player] > rest or is_other_order):
                continue
            others = [other for other in free if other != player]
            if not others:
                return [player]
            table.append(player)
            if self._forced(others, seated) <= rest - again[player] or not self.is_exact:
                order = self._order(others, seated, rest - again[player])
                if order:
                    return [player, *order]
            table.pop()
        return []

    def _forced(self, free: Sequence[int], seated: Mapping[int, Sequence[int]]) -> int:
        """At least so many pairs meet again between those who are free and those at tables."""
        open_seats = range(len(self.tables) - len(free), len(self.tables))
        self.looks += len(free) ** 2
        again: dict[int, dict[int, int]] = {player: {} for player in free}
        for player, seat in product(free, open_seats):
            if self.places[player] == self.places[seat]:
                table = seated.get(self.tables[seat], ())
                again[player][seat] = len(self.met[player].intersection(table))
        by_seat = (
            min(seats[seat] for seats in again.values() if seat in seats) for seat in open_seats
        )
        return max(sum(min(seats.values()) for seats in again.values()), sum(by_seat))
