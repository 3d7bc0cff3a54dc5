"""Changes of a seated round that concern several players at once: whole sides, several departures.

Pure. Partners on a side move as one unit: a round of sides is changed as a round of units, and its
ways are turned back into ways of players. See docs/algorithms/seating.md, "Changes during the
evening".
"""

from collections.abc import Iterable, Sequence
from itertools import chain, product

from scoring.seating.arrangements import Arrangement, SeatingLimits, Way, in_line, way_from
from scoring.seating.changes import MOST_WAYS, Comparisons, in_order, ways_to_release
from scoring.seating.requests import Pair, Table


def ways_to_release_all(
    before: Arrangement,
    players: Sequence[int],
    limits: SeatingLimits,
    tried: Comparisons | None = None,
) -> tuple[Way, ...]:
    """Ways to continue after several departures, the least disturbing first.

    >>> round_ = Arrangement(((1, 2, 3, 4), (5, 6, 7, 8)), (9,))
    >>> ways_to_release_all(round_, (2, 6), SeatingLimits((4, 3)))[0].after
    Arrangement(tables=((1, 9, 3, 4), (5, 7, 8)), waiting=())
    """
    tried = tried or Comparisons()
    reached = [before]
    for player in players:
        ways = chain.from_iterable(
            ways_to_release(after, player, limits, tried) for after in reached
        )
        reached = [way.after for way in ways][:MOST_WAYS]
    return in_order([way_from(before, after, limits) for after in reached])


class RoundOfSides:
    """A seated round as one of units: the players of each side, and of each whole side that waits.

    Tables of another number of seats stay as they are.

    >>> round_ = RoundOfSides(Arrangement(((1, 3, 2, 4),), (5, 6, 7)), ((0, 2), (1, 3)), [(5, 6)])
    >>> round_.units, round_.arrangement
    (((1, 2), (3, 4), (5, 6)), Arrangement(tables=((0, 1),), waiting=(2,)))
    """

    def __init__(
        self, before: Arrangement, sides: Sequence[Sequence[int]], waiting: Iterable[Table]
    ) -> None:
        self.before, self.sides = before, sides
        units: list[Table] = []
        tables: list[Table] = []
        locked: set[int] = set()
        n_seats = sum(map(len, sides))
        for at, table in enumerate(before.tables):
            group: Table = ()
            if len(table) == n_seats:
                group = tuple(range(len(units), len(units) + len(sides)))
                units += [tuple(table[seat] for seat in side) for side in sides]
            elif table:
                locked.add(at)
            tables.append(group)
        first_waiting = len(units)
        units += waiting
        self.units = tuple(units)
        self.other_tables = frozenset(locked)
        self.arrangement = Arrangement(tuple(tables), tuple(range(first_waiting, len(units))))
        self.unit_of = {player: at for at, unit in enumerate(units) for player in unit}

    def units_of(self, players: Iterable[int]) -> tuple[int, ...]:
        """Return the units of some players, each once; players without one are left out."""
        return tuple(
            dict.fromkeys(self.unit_of[player] for player in players if player in self.unit_of)
        )

    def limits(self, limits: SeatingLimits) -> SeatingLimits:
        """Return the limits of players as those of their units."""
        return SeatingLimits(
            sizes=(len(self.sides),),
            apart=self._pairs(limits.apart),
            fixed={
                self.unit_of[player]: table
                for player, table in limits.fixed.items()
                if player in self.unit_of
            },
            locked=limits.locked | self.other_tables,
            met=self._pairs(limits.met),
        )

    def _pairs(self, pairs: Iterable[frozenset[int]]) -> frozenset[frozenset[int]]:
        units = (frozenset(self.units_of(players)) for players in pairs)
        return frozenset(pair for pair in units if len(pair) > 1)

    def way_of_players(self, way: Way) -> Way:
        """Return a way of units as one of players; partners sit on one side."""
        tables = tuple(self._players_at(at, group) for at, group in enumerate(way.after.tables))
        seated = set(chain.from_iterable(tables))
        stays = set(way.after.people)
        leave = {
            player
            for unit in self.arrangement.people
            if unit not in stays
            for player in self.units[unit]
        }
        waiting = tuple(
            player
            for player in (*self.before.waiting, *chain.from_iterable(self.before.tables))
            if player not in seated and player not in leave
        )
        moved = sorted(player for unit in way.moved for player in self.units[unit])
        return Way(Arrangement(tables, waiting), tuple(moved), tuple(self._repeats(way)))

    def _players_at(self, at: int, group: Table) -> Table:
        tables = self.arrangement.tables
        if at < len(tables) and tables[at] == group:
            return self.before.tables[at]
        return in_line(chain.from_iterable(self.units[unit] for unit in group), self.sides)

    def _repeats(self, way: Way) -> Iterable[Pair]:
        for first, second in way.repeats:
            for player, other in product(self.units[first], self.units[second]):
                yield min(player, other), max(player, other)
