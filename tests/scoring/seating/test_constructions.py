"""Constructions have no repeat, and as many rounds as the documentation says."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import pytest

from scoring.seating.brackets import table_sizes
from scoring.seating.constructions import (
    STARTERS,
    Schedule,
    construction,
    cyclic_rounds,
    transversal_rounds,
)
from scoring.seating.finite_fields import ring_of

LAST = {
    14: 4, 16: 5, 20: 5, 24: 7, 26: 8, 28: 9, 32: 9, 36: 11, 38: 12, 40: 13, 41: 13, 44: 14,
    48: 15,
}  # fmt: skip
"""The last head-count from 13 on → rounds without a repeat, for it and those before it."""

ROUNDS = {9: 4, 52: 17, 56: 18, 60: 19, 64: 21, 72: 23, 84: 24, 100: 24} | {
    players: next(rounds for last, rounds in LAST.items() if players <= last)
    for players in range(13, 49)
}
"""Players → rounds without a repeat, of the first 24, with tables of four and three."""


def repeats(schedule: Schedule) -> int:
    """Meetings beyond the first."""
    met = Counter(
        frozenset(pair)
        for tables in schedule
        for table in tables
        for pair in combinations(table, 2)
    )
    return sum(met.values()) - len(met)


def seated_once(tables: Iterable[tuple[int, ...]], count: int) -> bool:
    return sorted(point for table in tables for point in table) == list(range(count))


@pytest.mark.parametrize("players", sorted(STARTERS))
def test_starter_turns_into_rounds_without_a_repeat(players: int) -> None:
    schedule = cyclic_rounds(players)
    assert len(schedule) == STARTERS[players][0]
    assert repeats(schedule) == 0
    assert all(seated_once(tables, players) for tables in schedule)


@pytest.mark.parametrize(("players", "most"), ROUNDS.items())
def test_as_many_rounds_as_are_known_have_no_repeat(players: int, most: int) -> None:
    sizes = table_sizes(players, (4, 3))
    assert sizes is not None
    schedule = construction(sizes.tables, most)
    assert schedule is not None
    assert (len(schedule), repeats(schedule)) == (most, 0)
    for tables in schedule:
        assert seated_once(tables, players)
        assert tuple(map(len, tables)) == sizes.tables
    assert most == 24 or construction(sizes.tables, most + 1) is None


@pytest.mark.parametrize(("tables", "seats", "rounds"), [(5, 5, 6), (16, 4, 21), (9, 3, 13)])
def test_lines_of_a_field_meet_every_pair_once(tables: int, seats: int, rounds: int) -> None:
    schedule = transversal_rounds(tables, seats)
    points = tables * seats
    assert len(schedule) == rounds
    assert repeats(schedule) == 0
    assert sum(len(table) * (seats - 1) for one in schedule for table in one) == points * (
        points - 1
    )


@pytest.mark.parametrize("size", [8, 9, 25, 20])
def test_products_of_differences_of_multipliers_are_all_different(size: int) -> None:
    ring = ring_of(size)
    for one, other in combinations(ring.multipliers, 2):
        difference = next(step for step in range(size) if ring.add(other, step) == one)
        assert len({ring.times(number, difference) for number in range(size)}) == size
