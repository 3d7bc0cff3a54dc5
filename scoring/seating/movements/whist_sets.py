"""The full set of a whist movement: partners once, opponents twice.

Pure. See docs/algorithms/movements.md, "Whist".
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from scoring.seating.designs.finite_fields import prime_powers, ring_of
from scoring.seating.movements.published import published_movements
from scoring.seating.requests import Table

LARGEST: Final = 400


def full_set_of(players: int) -> int:
    """The rounds of a full set: one less than players where all play, otherwise as many.

    >>> [full_set_of(players) for players in (8, 9, 10, 11)]
    [7, 9, 10, 11]
    """
    return players - 1 if players % 4 == 0 else players


@lru_cache(maxsize=64)
def whist_set(players: int) -> tuple[tuple[Table, ...], ...]:
    """The full set as rounds of tables of points; empty where none is known here.

    Returns:
        Tables of four points, the first two against the others. Prefixes have balanced sit-outs.

    >>> whist_set(5)[0]
    ((1, 4, 2, 3),)
    """
    if players in published_movements():
        return tuple(map(tuple, published_movements()[players].rounds()))
    if players % 4 == 1 and len(prime_powers(players)) == 1:
        return tuple(_rounds_of_field(players))
    return ()


def _rounds_of_field(players: int) -> Iterator[tuple[Table, ...]]:
    """The movement over a field of 4k + 1 elements.

    With w a generator of the field, table i of the first round has the partners w^i and w^(i + 2k)
    against w^(i + k) and w^(i + 3k); round r adds r.

    Source: Moore, "Tactical memoranda" (1896).
    """
    field = ring_of(players)
    powers = next(found for start in range(2, players) if (found := _powers(start, players)))
    k = players // 4
    base = [tuple(powers[i + part * k] for part in (0, 2, 1, 3)) for i in range(k)]
    for turn in range(players):
        yield tuple(tuple(field.add(point, turn) for point in table) for table in base)


def _powers(start: int, size: int) -> list[int]:
    """The powers of an element of a field from the 0th on; empty where it generates less."""
    times = ring_of(size).times
    found, power = [1], start
    while power != 1:
        found.append(power)
        power = times(power, start)
    return found if len(found) == size - 1 else []
