"""The least disturbing ways to change a seated round: an arrival, a departure, a closed table.

Pure. Ways are compared by the people who lose their seat, then by how many wait, then by the pairs
who meet again. See docs/algorithms/seating.md, "Changes during the evening".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, permutations, product
from typing import Final

from scoring.seating.requests import Pair, Table

MOST_TRIED: Final = 400
"""So many choices of people are compared for one choice of table sizes."""
MOST_WAYS: Final = 6
"""So many ways are proposed."""
MOST_LARGER: Final = 3
"""A table that helps another one changes by so many seats at most."""
NEAREST: Final = 10
"""So many tables, the nearest by number, are looked at where two help at once."""
ALTERNATIVES: Final = 1
"""Ways that move so many more people than the best one are proposed, too."""

Counts = tuple[int, ...]


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


def ways_to_seat(before: Arrangement, player: int, limits: SeatingLimits) -> tuple[Way, ...]:
    """Ways to seat an arrival: at a table with room, at a new table, or waiting.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6, 7)))
    >>> [way.after.tables for way in ways_to_seat(round_, 8, SeatingLimits((4, 3)))][:2]
    [((1, 2, 3, 8), (4, 5, 6, 7)), ((1, 2, 3), (4, 5, 6, 7))]
    """
    others = _without(before.waiting, player)
    start = Arrangement(before.tables, (player, *others))
    ways = [
        way
        for counts in _counts_of_arrival(start, limits)
        for way in _ways_of(start, counts, limits, first=player)
    ]
    return _in_order([*ways, Way(Arrangement(before.tables, (*others, player)), (), ())])


def ways_to_release(before: Arrangement, player: int, limits: SeatingLimits) -> tuple[Way, ...]:
    """Ways to continue after a departure: a smaller table, another person, fewer tables.

    >>> round_ = Arrangement(((1, 2, 3, 4), (5, 6, 7, 8)), (9,))
    >>> [way.after.tables[0] for way in ways_to_release(round_, 2, SeatingLimits((4, 3)))][:2]
    [(1, 9, 3, 4), (1, 3, 4)]
    """
    if player in before.waiting:
        rest = _without(before.waiting, player)
        return (Way(Arrangement(before.tables, rest), (), ()),)
    focus = before.homes().get(player, -1)
    if focus < 0 or focus in limits.locked:
        raise ValueError(f"player {player} has no seat that can be given up")
    table = before.tables[focus]
    start = _with_tables(before, {focus: _without(table, player)})
    gap = table.index(player)
    return _in_order(_best_ways(start, focus, (*limits.sizes, 0), limits, gap=gap))


def ways_to_close(before: Arrangement, table: int, limits: SeatingLimits) -> tuple[Way, ...]:
    """Ways to do without a table: its players go to tables with room, the others wait.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6), (7, 8, 9)))
    >>> ways_to_close(round_, 2, SeatingLimits((4, 3)))[0].after
    Arrangement(tables=((1, 2, 3, 7), (4, 5, 6, 8), ()), waiting=(9,))
    """
    if table in limits.locked:
        raise ValueError(f"table {table} is locked")
    return _in_order(_best_ways(before, table, (0,), limits))


def ways_to_move(before: Arrangement, player: int, limits: SeatingLimits) -> tuple[Way, ...]:
    """Ways to move a person: to a table with room, or in exchange with a waiting person.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6, 7)), (8,))
    >>> [way.after.tables for way in ways_to_move(round_, 7, SeatingLimits((4, 3)))]
    [((1, 2, 3, 7), (4, 5, 6)), ((1, 2, 3), (4, 5, 6, 8))]
    """
    if player in before.waiting:
        return ways_to_seat(before, player, limits)
    home = before.homes()[player]
    if home in limits.locked:
        return ()
    shorter = _without(before.tables[home], player)
    rounds = [
        _with_tables(before, {home: shorter, at: (*table, player)})
        for at, table in enumerate(before.tables)
        if at not in limits.locked and at != home and len(table) + 1 in limits.sizes
        if len(shorter) in (*limits.sizes, 0)
    ]
    for other in before.waiting:
        tables = swapped(before, player, other).tables
        rounds.append(Arrangement(tables, (*_without(before.waiting, other), player)))
    return _in_order(
        [
            way_from(before, after, limits)
            for after in rounds
            if keeps_constraints(before, after, limits)
        ]
    )


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


def least_disturbing(
    before: Arrangement, leaving: Sequence[int], arriving: Sequence[int], limits: SeatingLimits
) -> Arrangement:
    """A round without those who left and with those who came, each change made the best way.

    >>> round_ = Arrangement(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> least_disturbing(round_, [2], [9], SeatingLimits((4, 3))).tables
    ((1, 9, 3, 4), (5, 6, 7, 8))
    """
    newcomers = (player for player in arriving if player not in before.waiting)
    after = Arrangement(before.tables, (*before.waiting, *newcomers))
    for player in leaving:
        after = ways_to_release(after, player, limits)[0].after
    for player in arriving:
        if player in after.waiting:
            after = ways_to_seat(after, player, limits)[0].after
    return after


def way_from(before: Arrangement, after: Arrangement, limits: SeatingLimits) -> Way:
    """The way that leads from one arrangement to another."""
    home, table_of = before.homes(), after.homes()
    moved = [
        player
        for player, at in home.items()
        if table_of.get(player, -1) != at and player in (*table_of, *after.waiting)
    ]
    repeats = [
        (first, second)
        for table in after.tables
        for first, second in combinations(sorted(table), 2)
        if frozenset((first, second)) in limits.met
        and (first not in home or home[first] != home.get(second))
    ]
    return Way(after, tuple(sorted(moved)), tuple(repeats))


def _in_order(ways: Sequence[Way]) -> tuple[Way, ...]:
    unique = {(way.after.tables, way.after.waiting): way for way in reversed(ways)}
    return tuple(sorted(reversed(unique.values()), key=lambda way: way.cost))[:MOST_WAYS]


def _counts_of_arrival(start: Arrangement, limits: SeatingLimits) -> Iterator[Counts]:
    """Sizes of tables after an arrival: one table larger, or a new one filled from other tables."""
    sizes = [len(table) for table in start.tables]
    for at, size in enumerate(sizes):
        if at not in limits.locked and size and size + 1 in limits.sizes:
            yield (*sizes[:at], size + 1, *sizes[at + 1 :])
    for size in sorted(limits.sizes):
        missing = size - len(start.waiting)
        if missing > 2:
            continue
        donors = [
            at
            for at, count in enumerate(sizes)
            if at not in limits.locked and count - 1 in limits.sizes
        ]
        near = donors if missing < 2 else donors[:NEAREST]
        for smaller in combinations(near, max(missing, 0)):
            yield (*(count - (at in smaller) for at, count in enumerate(sizes)), size)


def _best_ways(
    start: Arrangement, focus: int, sizes: Sequence[int], limits: SeatingLimits, gap: int = -1
) -> list[Way]:
    """Ways to bring the table `focus` to one of `sizes`, the least people moved first."""
    possible = sorted(
        _counts_around(start, focus, sizes, limits),
        key=lambda counts: (_moved(start, counts), _unseated(start, counts)),
    )
    ways: list[Way] = []
    for counts in possible:
        moved, unseated = _moved(start, counts), _unseated(start, counts)
        if ways and moved > len(ways[0].moved) + ALTERNATIVES:
            break
        if any(len(way.moved) < moved and len(way.after.waiting) < unseated for way in ways):
            continue
        ways += _ways_of(start, counts, limits, focus=focus, gap=gap)
        if len(ways) > 2 * MOST_WAYS:
            break
    return ways


def _counts_around(
    start: Arrangement, focus: int, sizes: Sequence[int], limits: SeatingLimits
) -> Iterator[Counts]:
    """Sizes of tables in which `focus` has one of `sizes` and two others at most change."""
    now = [len(table) for table in start.tables]
    others = [at for at in range(len(now)) if at != focus and at not in limits.locked and now[at]]
    for size in sizes:
        for changing in (0, 1, 2):
            near = others
            if changing == 2:
                near = sorted(sorted(others, key=lambda at: (abs(at - focus), at))[:NEAREST])
            for helpers in combinations(near, changing):
                options = (
                    [other for other in limits.sizes if 0 < abs(other - now[at]) <= MOST_LARGER]
                    for at in helpers
                )
                for new_sizes in product(*options):
                    new = {focus: size, **dict(zip(helpers, new_sizes, strict=True))}
                    counts = tuple(new.get(at, count) for at, count in enumerate(now))
                    if _unseated(start, counts) >= 0:
                        yield counts


def _moved(start: Arrangement, counts: Counts) -> int:
    pairs = zip(start.tables, counts, strict=False)
    return sum(max(0, len(table) - count) for table, count in pairs)


def _unseated(start: Arrangement, counts: Counts) -> int:
    return len(start.people) - sum(counts)


def _ways_of(
    start: Arrangement,
    counts: Counts,
    limits: SeatingLimits,
    *,
    first: int | None = None,
    focus: int = -1,
    gap: int = -1,
) -> list[Way]:
    """The best choice of people for these sizes; one for each person who could take a single seat.

    `first`: a person who is seated in any case.
    """
    tables = (*start.tables, *((),) * (len(counts) - len(start.tables)))
    grown = Arrangement(tables, start.waiting)
    best: dict[tuple[int, ...], Way] = {}
    for leaving, seats in islice(_choices(grown, counts, first), MOST_TRIED):
        after = _applied(grown, leaving, seats, focus, gap)
        if not keeps_constraints(grown, after, limits):
            continue
        way = way_from(start, after, limits)
        # Who takes the only free seat is for the director to choose.
        key = tuple(seats) if len(seats) == 1 and not leaving else ()
        if key not in best or way.cost < best[key].cost:
            best[key] = way
    return list(best.values())


def _choices(
    start: Arrangement, counts: Counts, first: int | None
) -> Iterator[tuple[frozenset[int], dict[int, int]]]:
    """The players who leave the tables that become smaller, and their new tables."""
    giving = [
        combinations(table, len(table) - count)
        for table, count in zip(start.tables, counts, strict=True)
        if count < len(table)
    ]
    free = [
        at
        for at, (table, count) in enumerate(zip(start.tables, counts, strict=True))
        for _ in range(count - len(table))
    ]
    for groups in product(*giving):
        leaving = tuple(player for group in groups for player in group)
        # Whoever had a seat gets one before somebody who waits, except for who just came.
        line = (*([first] if first is not None else ()), *leaving)
        line += tuple(player for player in start.waiting if player != first)
        sure = line[: len(free)] if leaving or first is not None else ()
        for seated in [sure] if sure else combinations(line, len(free)):
            tried: set[tuple[tuple[int, int], ...]] = set()
            for order in permutations(seated):
                key = tuple(sorted(zip(order, free, strict=True)))
                if key not in tried:
                    tried.add(key)
                    yield frozenset(leaving), dict(zip(order, free, strict=True))


def _applied(
    start: Arrangement, leaving: frozenset[int], seats: Mapping[int, int], focus: int, gap: int
) -> Arrangement:
    tables = [[player for player in table if player not in leaving] for table in start.tables]
    for player, at in seats.items():
        if at == focus and 0 <= gap <= len(tables[at]):
            tables[at].insert(gap, player)
            gap = -1
        else:
            tables[at].append(player)
    waiting = [player for player in (*start.waiting, *sorted(leaving)) if player not in seats]
    return Arrangement(tuple(map(tuple, tables)), tuple(waiting))


def keeps_constraints(before: Arrangement, after: Arrangement, limits: SeatingLimits) -> bool:
    """Whether the change breaks no further constraint."""
    home, table_of = before.homes(), after.homes()
    for player, at in table_of.items():
        if home.get(player) != at and limits.fixed.get(player, at) != at:
            return False
    for pair in limits.apart:
        places = {table_of.get(player, -1) for player in pair}
        if len(places) == 1 and -1 not in places and places != {home.get(p) for p in pair}:
            return False
    for pair in limits.together:
        was = {home.get(player, -1) for player in pair}
        if len(was) == 1 and len({table_of.get(p, -1) for p in pair if p in after.people}) > 1:
            return False
    return True


def _with_tables(before: Arrangement, tables: Mapping[int, Table]) -> Arrangement:
    return Arrangement(
        tuple(tables.get(at, table) for at, table in enumerate(before.tables)), before.waiting
    )


def _without(players: Sequence[int], player: int) -> tuple[int, ...]:
    return tuple(other for other in players if other != player)


def table_to_form(before: Arrangement, limits: SeatingLimits) -> Table:
    """The first who wait and may share a new table, of the first size that is possible; else ().

    >>> round_ = Arrangement(((1, 2, 3),), (4, 5, 6, 7))
    >>> table_to_form(round_, SeatingLimits((3,), apart=frozenset({frozenset((4, 5))})))
    (4, 6, 7)
    >>> table_to_form(round_, SeatingLimits((5,)))
    ()
    """
    for size in sorted(limits.sizes, key=lambda seats: (seats != 4, seats)):
        for players in islice(combinations(before.waiting, size), MOST_TRIED):
            if ways_to_form(before, players, limits):
                return players
    return ()


def ways_to_form(
    before: Arrangement, players: Sequence[int], limits: SeatingLimits
) -> tuple[Way, ...]:
    """The way to seat some who wait at a new table; none where a constraint forbids it.

    >>> round_ = Arrangement(((1, 2, 3),), (4, 5, 6, 7))
    >>> [way.after for way in ways_to_form(round_, (5, 6, 7), SeatingLimits((3,)))]
    [Arrangement(tables=((1, 2, 3), (5, 6, 7)), waiting=(4,))]
    """
    if len(players) not in limits.sizes or not set(players) <= set(before.waiting):
        return ()
    waiting = tuple(player for player in before.waiting if player not in players)
    after = Arrangement((*before.tables, tuple(players)), waiting)
    return (way_from(before, after, limits),) if keeps_constraints(before, after, limits) else ()
