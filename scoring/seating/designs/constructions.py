"""Plans without a repeat that are written down at once: cyclic starters, rotations, fields.

Pure. Points are 0 to n - 1; who sits at which point is decided in `plan_seats.py`.
See docs/algorithms/seating.md, "Constructions".
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import gcd
from typing import Final, TypeAlias

from scoring.seating.designs.finite_fields import ring_of
from scoring.seating.designs.starters import STARTERS

Schedule: TypeAlias = list[list[tuple[int, ...]]]
"""Rounds of tables of points."""

SEATS_OF_STARTERS: Final = 4


def construction(sizes: Sequence[int], rounds: int) -> Schedule | None:
    """A plan without a repeat, with these tables in every round; None where none is known here.

    Args:
        sizes: the tables of a round: those of g seats and at most as many of g - 1, in any order.
        rounds: how many rounds are needed.

    Returns:
        `rounds` rounds, the tables of each as many and as large as asked, largest first.

    >>> [len(construction([4] * t, 5) or ()) for t in (4, 5, 10)]
    [5, 5, 5]
    """
    seats = max(sizes)
    short = sizes.count(seats - 1)
    if set(sizes) - {seats, seats - 1}:
        return None
    for schedule in _schedules(len(sizes), seats, rounds + (short > 0)):
        shortened = without_points(schedule, short, rounds)
        if shortened is not None:
            return shortened
    return None


def _schedules(tables: int, seats: int, rounds: int) -> Iterator[Schedule]:
    if seats == SEATS_OF_STARTERS and tables * seats in STARTERS:
        yield cyclic_rounds(tables * seats)
    if tables < 2:
        return
    yield rotation(tables, seats)
    yield transversal_rounds(tables, seats)
    if rounds == 1 or tables < seats:
        yield [[tuple(range(t * seats, (t + 1) * seats)) for t in range(tables)]]


def cyclic_rounds(players: int) -> Schedule:
    """The rounds of a cyclic starter, as many as its rings are long.

    Source: method of differences, Anderson, "Combinatorial designs and tournaments" (1997).

    >>> cyclic_rounds(16)[1]
    [(1, 9, 12, 15), (2, 0, 14, 10), (3, 4, 8, 5), (6, 7, 11, 13)]
    """
    length, text = STARTERS[players]
    base = [[int(point) for point in table.split()] for table in text.split("|")]
    return [
        [tuple(_turned(point, turn, length) for point in table) for table in base]
        for turn in range(length)
    ]


def _turned(point: int, turn: int, length: int) -> int:
    ring, value = divmod(point, length)
    return point if ring > 2 else ring * length + (value + turn) % length


def rotation(tables: int, seats: int) -> Schedule:
    """Rounds in which the players of column i move on by i tables.

    Point (i, v) is i * tables + v. Columns i and j meet again after tables / gcd(tables, j - i)
    rounds, so as many rounds as the least of these have no repeat.

    Source: cyclic Latin squares; valid for every number of tables.

    >>> len(rotation(5, 4)), len(rotation(50, 4)), len(rotation(18, 4))
    (5, 25, 6)
    """
    rounds = min(tables // gcd(tables, step) for step in range(1, seats))
    return [
        [tuple(i * tables + (t + turn * i) % tables for i in range(seats)) for t in range(tables)]
        for turn in range(rounds)
    ]


@lru_cache(maxsize=32)
def _transversal(tables: int, seats: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    ring = ring_of(tables)
    if len(ring.multipliers) < seats:
        return ()
    lines = [
        [ring.times(turn, multiplier) for multiplier in ring.multipliers[:seats]]
        for turn in range(tables)
    ]
    return tuple(
        tuple(
            tuple(i * tables + ring.add(t, step) for i, step in enumerate(steps))
            for t in range(tables)
        )
        for steps in lines
    )


def transversal_rounds(tables: int, seats: int) -> Schedule:
    """As many rounds as there are tables, by lines over a finite field or a product of fields.

    Table t of round r holds (i, t + r * a_i) for multipliers a_i no two of which agree anywhere.
    Points of one column never meet, so where the columns can be split into tables themselves,
    further rounds follow within them.

    Source: resolvable transversal designs from Latin squares that are orthogonal to each other
    (Bose 1938, MacNeish 1922); for g * g points of g seats it is the affine plane.

    >>> len(transversal_rounds(4, 4)), len(transversal_rounds(16, 4)), len(transversal_rounds(6, 4))
    (5, 21, 0)
    """
    rounds = [list(tables_of) for tables_of in _transversal(tables, seats)]
    if not rounds or tables % seats:
        return rounds
    within = (
        [[tuple(range(seats))]] if tables == seats else transversal_rounds(tables // seats, seats)
    )
    rounds.extend(
        [
            tuple(column * tables + point for point in table)
            for column in range(seats)
            for table in inner
        ]
        for inner in within
    )
    return rounds


def without_points(schedule: Schedule, count: int, rounds: int) -> Schedule | None:
    """The rounds of a schedule with so many points taken away, each from another table.

    The points are such that never meet in the rounds that are used; otherwise those of one table,
    whose round is dropped. Removing players keeps a plan without repeats.

    Returns:
        None where the schedule is too short, or has no such points; the points left are numbered
        anew, in their order, and the tables sorted, the largest first.

    >>> [len(table) for table in without_points(cyclic_rounds(24), 3, 7)[6]]
    [4, 4, 4, 3, 3, 3]
    """
    if len(schedule) < rounds:
        return None
    used = schedule[:rounds]
    points = sorted(point for table in schedule[0] for point in table)
    dropped = _strangers(used, points, count)
    if dropped is None and len(schedule) > rounds and count <= len(schedule[rounds][0]):
        dropped = schedule[rounds][0][:count]
    if dropped is None:
        return None
    left = {point: at for at, point in enumerate(p for p in points if p not in dropped)}
    return [
        sorted(
            (tuple(left[point] for point in table if point in left) for table in tables),
            key=len,
            reverse=True,
        )
        for tables in used
    ]


def _strangers(used: Schedule, points: Sequence[int], count: int) -> tuple[int, ...] | None:
    """So many points that never meet in these rounds, the last ones first; None without any."""
    met = {
        frozenset(pair) for tables in used for table in tables for pair in combinations(table, 2)
    }
    chosen: list[int] = []

    def extended(candidates: list[int]) -> bool:
        if len(chosen) == count:
            return True
        for at, point in enumerate(candidates):
            chosen.append(point)
            rest = [mate for mate in candidates[at + 1 :] if frozenset((point, mate)) not in met]
            if len(chosen) + len(rest) >= count and extended(rest):
                return True
            chosen.pop()
        return False

    return tuple(chosen) if extended(list(reversed(points))) else None
