"""Which table has which number: fixed tables first, the others move on.

Pure. See docs/algorithms/seating.md, "Seats".
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

Seated = TypeVar("Seated", bound=Sequence[int])


def numbered_tables(
    tables: Sequence[Seated], fixed: Mapping[int, int], moved_on: int
) -> list[Seated]:
    """The tables of a round by number.

    Args:
        tables: the players of each table.
        fixed: player → number of the table at which the player sits.
        moved_on: by so many numbers the other tables move; 0 on a ladder night, where the first
            table stays at the top of the list.

    >>> numbered_tables([(1, 2), (3, 4), (5, 6)], {5: 1}, 1)
    [(5, 6), (3, 4), (1, 2)]
    """
    found: dict[int, Seated] = {}
    others = []
    for table in tables:
        numbers = [fixed[one] for one in table if one in fixed]
        if numbers and numbers[0] <= len(tables) and numbers[0] - 1 not in found:
            found[numbers[0] - 1] = table
        else:
            others.append(table)
    free = [at for at in range(len(tables)) if at not in found]
    for step, table in enumerate(others):
        found[free[(step + moved_on) % len(free)]] = table
    return [found[at] for at in range(len(tables))]
