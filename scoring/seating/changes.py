"""The least disturbing ways to change a seated round: an arrival, a departure, a closed table.

Pure. Ways are compared by the people who lose their seat, then by how many wait, then by the pairs
who meet again. See docs/algorithms/seating.md, "Changes during the evening".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, groupby, product
from operator import itemgetter
from typing import Final, TypeVar

from scoring.seating.arrangements import (
    Arrangement,
    SeatingLimits,
    Way,
    in_line,
    keeps_constraints,
    swapped,
    way_from,
)
from scoring.seating.requests import Table

MOST_TRIED: Final = 400
"""Maximum number of groups compared for one choice of table sizes."""
MOST_COMPARED: Final = 4_000
"""Maximum number of groups compared for one change, or for all changes of a planned round."""
MOST_WAYS: Final = 6
"""Maximum number of proposed ways."""
MOST_LARGER: Final = 3
"""Maximum change in seats of a table that helps another one."""
NEAREST: Final = 10
"""Number of nearest tables that are tried where two help at once."""
ALTERNATIVES: Final = 1
"""Ways are proposed that move at most this many more people than the best one."""

Counts = tuple[int, ...]
Choice = TypeVar("Choice")


@dataclass(slots=True)
class Comparisons:
    """Counts the choices that are compared, at most `most`.

    `cut`: not every choice was compared, only those of the people who have waited longest.
    """

    most: int = MOST_COMPARED
    compared: int = 0
    cut: bool = False

    def first(self, choices: Iterator[Choice]) -> Iterator[Choice]:
        """Yield the first of the choices for one choice of table sizes."""
        for number, choice in enumerate(choices):
            if number == MOST_TRIED or self.compared >= self.most:
                self.cut = True
                return
            self.compared += 1
            yield choice


def ways_to_seat(
    before: Arrangement, player: int, limits: SeatingLimits, tried: Comparisons | None = None
) -> tuple[Way, ...]:
    """Ways to seat an arrival: at a table with room, at a new table, or waiting.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6, 7)))
    >>> [way.after.tables for way in ways_to_seat(round_, 8, SeatingLimits((4, 3)))][:2]
    [((1, 2, 3, 8), (4, 5, 6, 7)), ((1, 2, 3), (4, 5, 6, 7))]
    """
    others = _without(before.waiting, player)
    start = Arrangement(before.tables, (player, *others))
    tried = tried or Comparisons()
    ways = [
        way
        for counts in _counts_of_arrival(start, limits)
        for way in _ways_of(start, counts, limits, tried, first=player)
    ]
    return in_order([*ways, Way(Arrangement(before.tables, (*others, player)), (), ())])


def ways_to_release(
    before: Arrangement, player: int, limits: SeatingLimits, tried: Comparisons | None = None
) -> tuple[Way, ...]:
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
    sizes = (*limits.sizes, 0)
    return in_order(_best_ways(start, focus, sizes, limits, tried or Comparisons(), gap=gap))


def ways_to_close(
    before: Arrangement, table: int, limits: SeatingLimits, tried: Comparisons | None = None
) -> tuple[Way, ...]:
    """Ways to do without a table: its players go to tables with room, the others wait.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6), (7, 8, 9)))
    >>> ways_to_close(round_, 2, SeatingLimits((4, 3)))[0].after
    Arrangement(tables=((1, 2, 3, 7), (4, 5, 6, 8), ()), waiting=(9,))
    """
    if table in limits.locked:
        raise ValueError(f"table {table} is locked")
    return in_order(_best_ways(before, table, (0,), limits, tried or Comparisons()))


def ways_to_move(
    before: Arrangement, player: int, limits: SeatingLimits, tried: Comparisons | None = None
) -> tuple[Way, ...]:
    """Ways to move a person: to a table with room, or in exchange with a waiting person.

    >>> round_ = Arrangement(((1, 2, 3), (4, 5, 6, 7)), (8,))
    >>> [way.after.tables for way in ways_to_move(round_, 7, SeatingLimits((4, 3)))]
    [((1, 2, 3, 7), (4, 5, 6)), ((1, 2, 3), (4, 5, 6, 8))]
    """
    if player in before.waiting:
        return ways_to_seat(before, player, limits, tried)
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
    return in_order(
        [
            way_from(before, after, limits)
            for after in rounds
            if keeps_constraints(before, after, limits)
        ]
    )


def least_disturbing(
    before: Arrangement,
    leaving: Sequence[int],
    arriving: Sequence[int],
    limits: SeatingLimits,
    tried: Comparisons | None = None,
) -> Arrangement:
    """A round without those who left and with those who came, each change made the best way.

    The changes share the choices that `tried` may still compare equally.

    >>> round_ = Arrangement(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> least_disturbing(round_, [2], [9], SeatingLimits((4, 3))).tables
    ((1, 9, 3, 4), (5, 6, 7, 8))
    """
    newcomers = (player for player in arriving if player not in before.waiting)
    after = Arrangement(before.tables, (*before.waiting, *newcomers))
    tried = tried or Comparisons()
    share = tried.most // max(1, len(leaving) + len(arriving))
    for player in leaving:
        tried.most = tried.compared + share
        after = ways_to_release(after, player, limits, tried)[0].after
    for player in arriving:
        # A departure may have seated a newcomer already: they were among those waiting.
        if player in after.waiting:
            tried.most = tried.compared + share
            after = ways_to_seat(after, player, limits, tried)[0].after
    return after


def least_disturbing_units(
    before: Arrangement,
    units: Sequence[Table],
    leaving: Sequence[int],
    arriving: Sequence[int],
    sides: Sequence[Sequence[int]],
    limits: SeatingLimits,
    tried: Comparisons | None = None,
) -> Arrangement:
    """A round of fixed partners without those who left and with those who came; units stay whole.

    Newcomers without a unit wait, and so do the partners of those who left.

    Args:
        units: the partners of each unit, in seat order, of the round and of those who came.
        sides: the seats (from 0) of each side of a table.

    >>> round_, units = Arrangement(((1, 3, 2, 4),), (5, 6)), [(1, 2), (3, 4), (5, 6), (7, 8)]
    >>> sides = ((0, 2), (1, 3))
    >>> least_disturbing_units(round_, units, (), (9, 8, 7), sides, SeatingLimits((4,)))
    Arrangement(tables=((1, 3, 2, 4), (7, 5, 8, 6)), waiting=(9,))
    """
    unit_of = {player: at for at, unit in enumerate(units) for player in unit}

    def of_players(players: Iterable[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(unit_of[player] for player in players if player in unit_of))

    def of_pairs(pairs: Iterable[frozenset[int]]) -> frozenset[frozenset[int]]:
        return frozenset(
            pair for players in pairs if len(pair := frozenset(of_players(players))) > 1
        )

    groups = tuple(of_players(table[side[0]] for side in sides if table) for table in before.tables)
    of_units = SeatingLimits(
        sizes=(len(sides),),
        apart=of_pairs(limits.apart),
        fixed={unit_of[player]: at for player, at in limits.fixed.items() if player in unit_of},
        met=of_pairs(limits.met),
    )
    start = Arrangement(groups, of_players(before.waiting))
    after = least_disturbing(start, of_players(leaving), of_players(arriving), of_units, tried)
    tables = tuple(
        before.tables[at]
        if groups[at : at + 1] == (group,)
        else in_line(chain.from_iterable(units[unit] for unit in group), sides)
        for at, group in enumerate(after.tables)
    )
    seated = {*chain(*tables), *leaving}
    people = dict.fromkeys((*before.waiting, *arriving, *chain(*before.tables)))
    return Arrangement(tables, tuple(player for player in people if player not in seated))


def in_order(ways: Sequence[Way]) -> tuple[Way, ...]:
    """The different ways, the least disturbing first; at most `MOST_WAYS`."""
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
    start: Arrangement,
    focus: int,
    sizes: Sequence[int],
    limits: SeatingLimits,
    tried: Comparisons,
    *,
    gap: int = -1,
) -> list[Way]:
    """Ways to bring the table `focus` to one of `sizes`, the least people moved first.

    `sizes` has 0: the table can be closed, however few choices are compared.
    """
    ways: list[Way] = []
    now = [len(table) for table in start.tables]
    for moved, unseated, new in sorted(
        _sizes_around(start, focus, sizes, limits), key=itemgetter(0, 1)
    ):
        if ways and moved > len(ways[0].moved) + ALTERNATIVES:
            break
        if any(len(way.moved) < moved and len(way.after.waiting) < unseated for way in ways):
            continue
        counts = tuple(new.get(at, count) for at, count in enumerate(now))
        ways += _ways_of(start, counts, limits, tried, focus=focus, gap=gap)
        if len(ways) > 2 * MOST_WAYS or tried.compared >= tried.most:
            break
    tables = _with_tables(start, {focus: ()}).tables
    closed = Arrangement(tables, (*start.waiting, *sorted(start.tables[focus])))
    return ways or [way_from(start, closed, limits)]


def _sizes_around(
    start: Arrangement, focus: int, sizes: Sequence[int], limits: SeatingLimits
) -> Iterator[tuple[int, int, Mapping[int, int]]]:
    """New sizes in which `focus` has one of `sizes` and two others at most change.

    Each as the number of people who are moved, the number without a seat, and table → new size.
    """
    now = [len(table) for table in start.tables]
    others = [at for at in range(len(now)) if at != focus and at not in limits.locked and now[at]]
    near = sorted(sorted(others, key=lambda at: (abs(at - focus), at))[:NEAREST])
    options = {
        at: [other for other in limits.sizes if 0 < abs(other - now[at]) <= MOST_LARGER]
        for at in others
    }
    for size, changing in product(sizes, (0, 1, 2)):
        for helpers in combinations(near if changing == 2 else others, changing):
            for new_sizes in product(*(options[at] for at in helpers)):
                new = {focus: size, **dict(zip(helpers, new_sizes, strict=True))}
                moved = sum(max(0, now[at] - count) for at, count in new.items())
                unseated = len(start.waiting) + sum(now[at] - count for at, count in new.items())
                if unseated >= 0:
                    yield moved, unseated, new


def _ways_of(
    start: Arrangement,
    counts: Counts,
    limits: SeatingLimits,
    tried: Comparisons,
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
    for leaving, seats in tried.first(_choices(grown, counts, first)):
        sure = len(leaving) + (first is not None)
        tried.cut |= 0 < sure < len(seats) < sure + len(_without(grown.waiting, first))
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
            for order in _shared_out(seated, [len(list(run)) for _, run in groupby(free)]):
                yield frozenset(leaving), dict(zip(order, free, strict=True))


def _shared_out(players: Table, sizes: Sequence[int]) -> Iterator[Table]:
    """Every way to share out players to groups; their order in a group makes no difference.

    >>> ["".join(map(str, order)) for order in _shared_out((1, 2, 3), (1, 2))]
    ['123', '213', '312']
    """
    if not sizes:
        yield ()
        return
    for group in combinations(players, sizes[0]):
        rest = tuple(player for player in players if player not in group)
        for others in _shared_out(rest, sizes[1:]):
            yield *group, *others


def _applied(
    start: Arrangement, leaving: frozenset[int], seats: Mapping[int, int], focus: int, gap: int
) -> Arrangement:
    tables = [
        table if leaving.isdisjoint(table) else tuple(p for p in table if p not in leaving)
        for table in start.tables
    ]
    for player, at in seats.items():
        place = len(tables[at])
        if at == focus and 0 <= gap <= place:
            place, gap = gap, -1
        tables[at] = (*tables[at][:place], player, *tables[at][place:])
    waiting = [player for player in (*start.waiting, *sorted(leaving)) if player not in seats]
    return Arrangement(tuple(tables), tuple(waiting))


def _with_tables(before: Arrangement, tables: Mapping[int, Table]) -> Arrangement:
    return Arrangement(
        tuple(tables.get(at, table) for at, table in enumerate(before.tables)), before.waiting
    )


def _without(players: Sequence[int], player: int | None) -> tuple[int, ...]:
    return tuple(other for other in players if other != player)


def table_to_form(
    before: Arrangement, limits: SeatingLimits, tried: Comparisons | None = None
) -> Table:
    """The first who wait and may share a new table, of the first size that is possible; else ().

    >>> round_ = Arrangement(((1, 2, 3),), (4, 5, 6, 7))
    >>> table_to_form(round_, SeatingLimits((3,), apart=frozenset({frozenset((4, 5))})))
    (4, 6, 7)
    >>> table_to_form(round_, SeatingLimits((5,)))
    ()
    """
    tried = tried or Comparisons()
    for size in sorted(limits.sizes, key=lambda seats: (seats != 4, seats)):
        for players in tried.first(combinations(before.waiting, size)):
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
    if not keeps_constraints(before, after, limits):
        return ()
    return (way_from(before, after, limits),)
