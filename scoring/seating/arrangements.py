"""A seated round, the limits of its changes, and what a change does to the people in it.

Pure. See docs/algorithms/seating.md, "Changes during the evening".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, zip_longest

from scoring.seating.requests import Pair, Table


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A seated round: tables in seat order, and those present without a seat, in order of waiting.

    An empty tuple is a table number without players.
    """

    tables: tuple[Table, ...]
    waiting: tuple[int, ...] = ()

    @property
    def people(self) -> tuple[int, ...]:
        """Everybody present."""
        return (*chain(*self.tables), *self.waiting)

    def homes(self) -> dict[int, int]:
        """Seated player → index of the table."""
        return {player: at for at, table in enumerate(self.tables) for player in table}


@dataclass(frozen=True, slots=True)
class SeatingLimits:
    """The limits that a change must keep.

    Args:
        sizes: numbers of seats that a table may have.
        apart: pairs who never share a table.
        together: pairs who share a table or wait together.
        fixed: player → index of the table at which the player always sits.
        locked: indices of tables that stay as they are, such as those with hands.
        met: pairs who share a table in another round of the evening.
    """

    sizes: tuple[int, ...]
    apart: frozenset[frozenset[int]] = frozenset()
    together: frozenset[frozenset[int]] = frozenset()
    fixed: Mapping[int, int] = field(default_factory=dict)
    locked: frozenset[int] = frozenset()
    met: frozenset[frozenset[int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Way:
    """One way to change a round.

    Args:
        after: the round after the change.
        moved: people who change tables or lose their seat, except those who leave.
        repeats: pairs who meet again only after the change, the smaller number first.
    """

    after: Arrangement
    moved: tuple[int, ...]
    repeats: tuple[Pair, ...]

    @property
    def cost(self) -> tuple[int, int, int]:
        """The costs that order ways; less is better."""
        return len(self.moved), len(self.after.waiting), len(self.repeats)


def swapped(before: Arrangement, first: int, second: int) -> Arrangement:
    """Two people with their places exchanged.

    >>> swapped(Arrangement(((1, 2), (3, 4)), (5,)), 2, 5)
    Arrangement(tables=((1, 5), (3, 4)), waiting=(2,))
    """
    other = {first: second, second: first}
    *tables, waiting = (
        tuple(other.get(player, player) for player in group)
        for group in (*before.tables, before.waiting)
    )
    return Arrangement(tuple(tables), waiting)


def way_from(before: Arrangement, after: Arrangement, limits: SeatingLimits) -> Way:
    """The way that leads from one arrangement to another."""
    home, table_of = _changed_homes(before, after)
    present = {*table_of, *after.waiting}
    moved = [
        player
        for player, at in home.items()
        if table_of.get(player, -1) != at and player in present
    ]
    repeats = [
        (first, second)
        for at in dict.fromkeys(table_of.values())
        for first, second in combinations(sorted(after.tables[at]), 2)
        if frozenset((first, second)) in limits.met
        and (first not in home or home[first] != home.get(second))
    ]
    return Way(after, tuple(sorted(moved)), tuple(repeats))


def _changed_homes(
    before: Arrangement, after: Arrangement
) -> tuple[dict[int, int], dict[int, int]]:
    """Player → index of the table, before and after, for the tables that differ only."""
    changed = [
        at
        for at, (old, new) in enumerate(zip_longest(before.tables, after.tables, fillvalue=()))
        if old is not new
    ]
    home, table_of = (
        {player: at for at in changed if at < len(tables) for player in tables[at]}
        for tables in (before.tables, after.tables)
    )
    return home, table_of


def keeps_constraints(before: Arrangement, after: Arrangement, limits: SeatingLimits) -> bool:
    """Whether the change breaks no further constraint."""
    home, table_of = _changed_homes(before, after)
    for player, at in table_of.items():
        if home.get(player) != at and limits.fixed.get(player, at) != at:
            return False
    for pair in limits.apart:
        places = {table_of.get(player, -1) for player in pair}
        if len(places) == 1 and -1 not in places and places != {home.get(p) for p in pair}:
            return False
    waited = set(before.waiting)
    waits = set(after.waiting)
    for pair in limits.together:
        was = {home.get(player, -1 if player in waited else -2) for player in pair}
        present = [player for player in pair if player in table_of or player in waits]
        if len(was) == 1 and len({table_of.get(player, -1) for player in present}) > 1:
            return False
    return True


def partners_opposite(
    table: Table, unit_of: Mapping[int, int], sides: Sequence[Sequence[int]]
) -> Table:
    """A new table with a side for each unit that is whole; the others fill the other seats.

    >>> partners_opposite((1, 2, 3, 4), {1: 7, 2: 7, 4: 8}, ((0, 2), (1, 3)))
    (1, 3, 2, 4)
    """
    units = [unit_of.get(player, -player) for player in table]

    def rank(player: int) -> tuple[bool, int]:
        unit = unit_of.get(player, -player)
        return units.count(unit) != len(sides[0]), units.index(unit)

    if not sides or all(is_part for is_part, _ in map(rank, table)):
        return table
    return in_line(sorted(table, key=rank), sides)


def in_line(players: Iterable[int], sides: Sequence[Sequence[int]]) -> Table:
    """Seat players in order, side after side."""
    line = iter(players)
    seats = {seat: player for side in sides for seat, player in zip(side, line, strict=False)}
    return tuple(seats[seat] for seat in sorted(seats))
