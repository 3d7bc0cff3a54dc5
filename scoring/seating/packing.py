"""Groups that stay together put into tables of given sizes.

Pure. See docs/algorithms/seating.md, "Constraints".
"""

from collections.abc import Sequence

from scoring.seating.constraints import Unit


def packed(units: Sequence[Unit], tables: Sequence[int]) -> list[list[int]] | None:
    """Tables filled with whole units; None where they cannot be.

    Args:
        units: groups and single players, as many players as there are seats; among units of one
            size the earlier ones are placed first.
        tables: seats of each table.

    Returns:
        The players of each table, in the order of `tables`.

    Source: exact search, the largest group first, that remembers what has failed.

    >>> packed([(1, 2), (3,), (4, 5), (6,)], (3, 3))
    [[1, 2, 3], [4, 5, 6]]
    >>> packed([(1, 2), (3, 4), (5, 6)], (3, 3)) is None
    True
    """
    order = sorted(units, key=len, reverse=True)
    seated: list[list[int]] = [[] for _ in tables]
    free = list(tables)
    failed: set[tuple[int, tuple[int, ...]]] = set()
    singles = next((at for at, unit in enumerate(order) if len(unit) == 1), len(order))

    def place(at: int) -> bool:
        if at == singles:
            return True
        key = (at, tuple(sorted(free)))
        if key in failed:
            return False
        tried = set()
        for table, seats in enumerate(free):
            if seats < len(order[at]) or seats in tried:
                continue
            tried.add(seats)
            seated[table].extend(order[at])
            free[table] -= len(order[at])
            if place(at + 1):
                return True
            free[table] += len(order[at])
            del seated[table][-len(order[at]) :]
        failed.add(key)
        return False

    if sum(map(len, order)) != sum(tables) or not place(0):
        return None
    rest = iter(order[singles:])
    for table, seats in enumerate(free):
        seated[table].extend(next(rest)[0] for _ in range(seats))
    return seated


def chosen_of(units: Sequence[Unit], count: int) -> list[Unit] | None:
    """The first units, in their order, with exactly so many players; None where none have.

    A unit is passed over only where taking it leaves a number that the rest cannot make.

    >>> chosen_of([(1, 2), (3,), (4, 5)], 1), chosen_of([(1, 2), (3, 4)], 1)
    ([(3,)], None)
    """
    reachable = [{0}]
    for unit in reversed(units):
        reachable.append(reachable[-1] | {total + len(unit) for total in reachable[-1]})
    reachable.reverse()
    if count not in reachable[0]:
        return None
    chosen, left = [], count
    for at, unit in enumerate(units):
        if left >= len(unit) and left - len(unit) in reachable[at + 1]:
            chosen.append(unit)
            left -= len(unit)
    return chosen
