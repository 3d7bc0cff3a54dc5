"""Who sits in which seat: each player in each seat equally often, with few repeated neighbours."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

from scoring.seating.requests import Pair, PlannedRound, Table

Place = tuple[int, int]
"""A table of the plan and a player who sits at it."""

PASSES = 3
"""Number of passes over all pairs of seats to avoid repeated neighbours."""

KEEP: Final = ((0, 2, 1, 3), (1, 2, 0, 3), (0, 3, 1, 2), (1, 3, 0, 2))
"""Orders of two pairs (0, 1) and (2, 3) in which the first pair has the seats 0 and 2."""

Held = Counter[tuple[int, int, int]]
"""Player, seats of the table, seat → how often."""


def balanced_seats(tables: Sequence[Sequence[int]]) -> list[Table]:
    """Tables of one size in seat order, all rounds together.

    The same players at each table; for each player the numbers of times in two seats differ by at
    most one.

    Source: equitable edge colouring of a bipartite graph (de Werra 1971): as long as a player is
    two times more often in one seat than in another, the two seats are dealt out again along the
    paths of tables and players that hold them.

    >>> balanced_seats([(1, 2), (1, 3), (1, 4), (1, 5)])
    [(2, 1), (1, 3), (4, 1), (1, 5)]
    """
    if not tables:
        return []
    seats = _Seats(tables)
    while (uneven := seats.most_uneven()) is not None:
        seats.share_out(*uneven)
    seats.part_neighbours()
    return list(map(tuple, seats.tables))


class _Seats:
    def __init__(self, tables: Sequence[Sequence[int]]) -> None:
        self.tables = [list(table) for table in tables]
        self.size = len(self.tables[0])
        self.held: dict[int, list[int]] = defaultdict(lambda: [0] * self.size)
        self.at: dict[int, list[int]] = defaultdict(list)
        for number, table in enumerate(self.tables):
            for seat, player in enumerate(table):
                self.held[player][seat] += 1
                self.at[player].append(number)

    def most_uneven(self) -> tuple[int, int] | None:
        """Two seats that some player has held with counts two or more apart; None without any."""
        for counts in self.held.values():
            most = max(counts)
            fewest = min(counts)
            if most - fewest > 1:
                return counts.index(most), counts.index(fewest)
        return None

    def share_out(self, first_seat: int, other: int) -> None:
        """Redistribute two seats so that each player has them equally often, or one apart."""
        for component in self.components(first_seat, other):
            # Along a path or ring of places the two seats take turns.
            for step, (number, player) in enumerate(component):
                seat = first_seat if step % 2 == 0 else other
                table = self.tables[number]
                instead = first_seat + other - seat
                if table[seat] != player and table[instead] == player:
                    self._swap(number, seat, instead)

    def _swap(self, number: int, seat: int, other: int) -> None:
        table = self.tables[number]
        held = self.held
        for at, instead in ((seat, other), (other, seat)):
            held[table[at]][at] -= 1
            held[table[at]][instead] += 1
        table[seat], table[other] = table[other], table[seat]

    def components(self, seat: int, other: int) -> Iterator[list[Place]]:
        """Paths and rings of places in two seats: neighbours at a table, then the same player.

        A player's places are joined two by two, so each place has at most two neighbours; one in
        each seat first, so that where a player has the seats equally often, or one apart, an
        exchange along a whole path leaves it so.
        """
        mates: dict[Place, Place] = {}
        places: dict[int, tuple[list[Place], list[Place]]] = {}
        for number, table in enumerate(self.tables):
            first, second = (number, table[seat]), (number, table[other])
            mates[first], mates[second] = second, first
            places.setdefault(table[seat], ([], []))[0].append(first)
            places.setdefault(table[other], ([], []))[1].append(second)
        again = dict(_joined(places.values()))
        unvisited = set(mates)
        ends = [place for place in mates if place not in again]
        for begin in (*ends, *mates):
            path: list[Place] = []
            place: Place | None = begin
            while place is not None and place in unvisited:
                mate = mates[place]
                path += [place, mate]
                unvisited -= {place, mate}
                place = again.get(mate)
            if path:
                yield path

    def part_neighbours(self) -> None:
        """Exchange two seats along whole paths where fewer neighbours then sit side by side again.

        Such an exchange keeps the seats balanced.
        """
        pairs = Counter(pair for table in self.tables for pair in neighbours(table))
        for _ in range(PASSES):
            if all(count == 1 for count in pairs.values()):
                return
            for seat in range(self.size):
                for other in range(seat + 1, self.size):
                    for component in list(self.components(seat, other)):
                        self._try_exchange(component, seat, other, pairs)

    def _try_exchange(
        self, component: list[Place], seat: int, other: int, pairs: Counter[tuple[int, int]]
    ) -> None:
        numbers = [number for number, _ in component[::2]]

        def repeats() -> int:
            return sum(pairs[pair] - 1 for n in numbers for pair in neighbours(self.tables[n]))

        before = repeats()
        if before == 0:
            return
        self._exchange(numbers, seat, other, pairs)
        if repeats() >= before:
            self._exchange(numbers, seat, other, pairs)

    def _exchange(
        self, numbers: Sequence[int], seat: int, other: int, pairs: Counter[tuple[int, int]]
    ) -> None:
        for number in numbers:
            pairs.subtract(neighbours(self.tables[number]))
            self._swap(number, seat, other)
            pairs.update(neighbours(self.tables[number]))


def _joined(places: Iterable[tuple[list[Place], list[Place]]]) -> Iterator[tuple[Place, Place]]:
    """Places of one player joined two by two, both ways; one is left over where they are odd."""
    for first, second in places:
        paired = min(len(first), len(second))
        rest = first[paired:] + second[paired:]
        pairs = (*zip(first, second, strict=False), *zip(rest[::2], rest[1::2], strict=False))
        for place, another in pairs:
            yield place, another
            yield another, place


def neighbours(table: Sequence[int]) -> list[tuple[int, int]]:
    """Each player with the one to the left, which is the next seat.

    >>> neighbours((7, 3, 12))
    [(7, 3), (3, 12), (12, 7)]
    """
    return [(player, table[(seat + 1) % len(table)]) for seat, player in enumerate(table)]


def seats_by_sides(
    tables: Sequence[Sequence[int]],
    partners: Sequence[tuple[int, int]],
    sides: Sequence[Sequence[int]],
) -> list[Table]:
    """Tables in seat order, table after table, with partners on one side.

    Of all orders that keep partners together the one is taken in which the players have sat least
    often where they sit now, then the one with fewest repeated neighbours, then the first.

    `partners`: pairs who are one side wherever they sit at one table.

    >>> seats_by_sides([(1, 2, 3, 4)], [(1, 2), (3, 4)], ((0, 2), (1, 3)))
    [(1, 3, 2, 4)]
    """
    side_of = {seat: number for number, seats in enumerate(sides) for seat in seats}
    held: Held = Counter()
    pairs: Counter[Pair] = Counter()
    seated = []
    for table in tables:
        order = _Order(table, held, pairs, partners, side_of)
        best = min(permutations(order.players), key=order.cost)
        _count(best, held, pairs)
        seated.append(best)
    return seated


def _count(table: Table, held: "Held", pairs: Counter[Pair]) -> None:
    held.update((player, len(table), seat) for seat, player in enumerate(table))
    pairs.update(neighbours(table))


TURN: Final = (*KEEP, (2, 0, 3, 1), (2, 1, 3, 0), (3, 0, 2, 1), (3, 1, 2, 0))
"""These, and the orders in which it has the seats 1 and 3."""


class PartnerSeats:
    """Assigns seats table after table; remembers each player's seats and neighbours."""

    def __init__(self) -> None:
        self.held: Counter[tuple[int, int]] = Counter()
        self.sides: Counter[Pair] = Counter()

    def seated(self, first: Sequence[int], second: Sequence[int], *, may_turn: bool) -> Table:
        """The table of two pairs in seat order.

        Of all orders the one is taken in which the players had their seats least often, then the
        one with fewest repeated neighbours, then the first.

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


MOST_ORDERS: Final = 6
"""Largest table whose orders are all compared; larger ones are improved by exchanges."""


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

    `partners`: pairs who sit on one side wherever they share a table.

    >>> seats_after([PlannedRound(((1, 2, 3),)), PlannedRound(((2, 3, 1),))], [(1, 2, 3)])
    ((3, 1, 2),)
    """
    held: Held = Counter()
    pairs: Counter[Pair] = Counter()
    for planned in history:
        for table in planned.tables:
            _count(table, held, pairs)
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
        if len(self.players) <= MOST_ORDERS:
            return min(permutations(self.players), key=self.cost)
        order = list(self.players)
        cost = self.cost(order)
        gained = True
        while gained:
            gained = False
            for first, second in combinations(range(len(order)), 2):
                order[first], order[second] = order[second], order[first]
                changed = self.cost(order)
                if changed < cost:
                    cost = changed
                    gained = True
                else:
                    order[first], order[second] = order[second], order[first]
        return tuple(order)

    def cost(self, order: Sequence[int]) -> tuple[int, int, int]:
        """Partners on two sides, then seats held before, then neighbours met before."""
        apart = 0
        if self.partners:
            seat = {player: at for at, player in enumerate(order)}
            apart = sum(
                self.side_of.get(seat[first]) != self.side_of.get(seat[second])
                for first, second in self.partners
            )
        times = self.times
        return (
            apart,
            sum([times[player][at] for at, player in enumerate(order)]),
            sum([self.pairs[pair] for pair in neighbours(order)]),
        )
