"""How many tables of which size, how many players sit out, and which number each table has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules

LEAST: Final = 3
"""No plan seats two players at a table where more can play."""

USUAL: Final = 4
"""The number of seats that a table has where the rules allow it."""


@dataclass(frozen=True, slots=True)
class TableSizes:
    """The sizes of a round's tables, the preferred ones first, and how many sit out."""

    tables: tuple[int, ...]
    sit_outs: int = 0

    @property
    def seats(self) -> int:
        """The number of seated players."""
        return sum(self.tables)


def sizes_of_rules(rules: Rules) -> tuple[int, ...]:
    """The table sizes that a variant can be played at, the preferred one first.

    A size is allowed where the cards can be dealt evenly and, under rules with sides, where the
    sides take every seat. Four is preferred, then three, then the sizes above four; two only
    where no more can play.

    Empty where the rules seat nobody.
    """
    least, most = rules.keys.players
    held = sum(map(len, rules.keys.teams.shape))
    allowed = [
        seats
        for seats in range(max(least, min(LEAST, most)), most + 1)
        if uneven(rules, seats) is None and held in {0, seats}
    ]
    return preferred_order(allowed)


def preferred_order(sizes: Sequence[int]) -> tuple[int, ...]:
    """Sizes with four first, then three, then those above four.

    >>> preferred_order([3, 4, 5, 6])
    (4, 3, 5, 6)
    """
    return tuple(sorted(set(sizes), key=lambda size: (abs(size - USUAL), size)))


def table_sizes(players: int, sizes: Sequence[int]) -> TableSizes | None:
    """The tables for a head-count, with the fewest sit-outs that the sizes allow.

    Among those the least preferred size is used as rarely as possible, then the one before it, so
    a size is only used where the ones before it do not do. Where four is not allowed and one
    table seats all, it does: the cancellation table.

    None where not even one table can be seated.

    Source: the balanced division of pods in tournament practice; docs/algorithms/seating.md.

    >>> table_sizes(17, (4, 3, 5, 6)).tables, table_sizes(5, (4, 3, 5, 6)).tables
    ((4, 4, 3, 3, 3), (5,))
    >>> table_sizes(18, (4,)), table_sizes(10, (5, 6, 7, 8, 9, 10, 11)).tables
    (TableSizes(tables=(4, 4, 4, 4), sit_outs=2), (10,))
    """
    if players in sizes and USUAL not in sizes and sizes[0] == min(sizes):
        return TableSizes((players,))
    for seated in range(players, 0, -1):
        counts = fewest_of_the_last(seated, tuple(sizes))
        if counts is not None:
            tables = tuple(
                size for size, count in zip(sizes, counts, strict=True) for _ in range(count)
            )
            return TableSizes(tables, players - seated)
    return None


@lru_cache(maxsize=4096)
def fewest_of_the_last(seated: int, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The number of tables of each size that seat exactly so many; None where no numbers do.

    The counts, read from the last size to the first, are the smallest possible.

    >>> fewest_of_the_last(9, (4, 3, 5)), fewest_of_the_last(11, (4, 5))
    ((0, 3, 0), None)
    """
    if not sizes:
        return () if seated == 0 else None
    *before, last = sizes
    for count in range(seated // last + 1):
        rest = fewest_of_the_last(seated - count * last, tuple(before))
        if rest is not None:
            return (*rest, count)
    return None


def size_choices(
    players: int, sizes: Sequence[int]
) -> list[tuple[str, tuple[int, ...], TableSizes]]:
    """The ways to seat a head-count that a director chooses between, without doubles.

    Each is a policy, `threes`, `fives`, `byes`, `single` or `mixed`, the sizes that it allows, and
    the tables.

    >>> [(policy, tables.tables) for policy, _, tables in size_choices(9, (4, 3, 5, 6))]
    [('threes', (3, 3, 3)), ('fives', (4, 5)), ('byes', (4, 4))]
    """
    choices: dict[TableSizes, tuple[str, tuple[int, ...]]] = {}
    for policy, allowed in _policies(players, sizes):
        tables = table_sizes(players, allowed)
        if tables is not None:
            choices.setdefault(tables, (policy, allowed))
    return [(*choice, tables) for tables, choice in choices.items()]


def _policies(players: int, sizes: Sequence[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    if USUAL in sizes:
        for policy, other in (("threes", 3), ("fives", 5)):
            if other in sizes and fewest_of_the_last(players, (USUAL, other)):
                yield policy, (USUAL, other)
        yield "byes", (USUAL,)
    if players in sizes:
        yield "single", (players,)
    yield "mixed", tuple(sizes)


Seated = TypeVar("Seated", bound=Sequence[int])


def numbered_tables(
    tables: Sequence[Seated], fixed: Mapping[int, int], moved_on: int
) -> list[Seated]:
    """The tables of a round by number.

    `fixed` is player → number of the table at which the player sits; by `moved_on` numbers the
    other tables move: 0 on a ladder night, where the first table stays at the top of the list.

    >>> numbered_tables([(1, 2), (3, 4), (5, 6)], {5: 1}, 1)
    [(5, 6), (3, 4), (1, 2)]
    """
    tables_by_number: dict[int, Seated] = {}
    others = []
    for table in tables:
        numbers = [fixed[player] for player in table if player in fixed]
        if numbers and numbers[0] <= len(tables) and numbers[0] - 1 not in tables_by_number:
            tables_by_number[numbers[0] - 1] = table
        else:
            others.append(table)
    free = [at for at in range(len(tables)) if at not in tables_by_number]
    for step, table in enumerate(others):
        tables_by_number[free[(step + moved_on) % len(free)]] = table
    return [tables_by_number[at] for at in range(len(tables))]
