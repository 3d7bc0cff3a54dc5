"""Table sizes for a number of players, and a knock-out as data: its rounds, tables and advances.

Pure. See docs/algorithms/seating.md, "Knock-out".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from scoring.errors import Problem, Refused
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules

FEWEST_AT_A_TABLE: Final = 3
"""No plan seats two players at a table where more can play."""

USUAL_TABLE_SIZE: Final = 4
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


USUAL_ADVANCE: Final = 2
"""Default number of players of each table who go on."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a bracket: a seed of the first round, a place at an earlier table, or a rank.

    Args:
        kind: `seed` (1 the best), `place` (of `table` of the round before), or `rank` (among all
            who go on, by place, score against the mean of the table, and seed).
    """

    kind: str
    number: int
    table: int = 0


@dataclass(frozen=True, slots=True)
class BracketTable:
    """A table of a knock-out round; `goes_on` of its players are in the next round."""

    number: int
    slots: tuple[Slot, ...]
    goes_on: int


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
        for seats in range(max(least, min(FEWEST_AT_A_TABLE, most)), most + 1)
        if uneven(rules, seats) is None and held in {0, seats}
    ]
    return preferred_order(allowed)


def preferred_order(sizes: Sequence[int]) -> tuple[int, ...]:
    """Sizes with four first, then three, then those above four.

    >>> preferred_order([3, 4, 5, 6])
    (4, 3, 5, 6)
    """
    return tuple(sorted(set(sizes), key=lambda size: (abs(size - USUAL_TABLE_SIZE), size)))


def table_sizes(players: int, sizes: Sequence[int]) -> TableSizes | None:
    """The tables for a head-count, with the fewest sit-outs that the sizes allow.

    Among those the least preferred size is used as rarely as possible, then the one before it, so
    a size is only used where the ones before it do not suffice. If four is not allowed and one
    table seats all, the result is that cancellation table.

    None if not even one table can be seated.

    Source: the balanced division of pods in tournament practice; docs/algorithms/seating.md.

    >>> table_sizes(17, (4, 3, 5, 6)).tables, table_sizes(5, (4, 3, 5, 6)).tables
    ((4, 4, 3, 3, 3), (5,))
    >>> table_sizes(18, (4,)), table_sizes(10, (5, 6, 7, 8, 9, 10, 11)).tables
    (TableSizes(tables=(4, 4, 4, 4), sit_outs=2), (10,))
    """
    if players in sizes and USUAL_TABLE_SIZE not in sizes and sizes[0] == min(sizes):
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
    """The number of tables of each size that seat exactly this many players; None if impossible.

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
    """The ways to seat a head-count that a director chooses between, without duplicates.

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
    if USUAL_TABLE_SIZE in sizes:
        for policy, other in (("threes", 3), ("fives", 5)):
            if other in sizes and fewest_of_the_last(players, (USUAL_TABLE_SIZE, other)):
                yield policy, (USUAL_TABLE_SIZE, other)
        yield "byes", (USUAL_TABLE_SIZE,)
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


@dataclass(frozen=True, slots=True)
class BracketRound:
    """A round of a knock-out.

    Args:
        byes: slots that go on without playing.
        wild_cards: how many of the others go on, by rank.
    """

    number: int
    tables: tuple[BracketTable, ...]
    byes: tuple[Slot, ...] = ()
    wild_cards: int = 0

    @property
    def seated(self) -> int:
        """The number of players."""
        return sum(len(table.slots) for table in self.tables)


def dealt_out(seeds: Sequence[int], room: Sequence[int]) -> list[list[int]]:
    """Seeds dealt out to tables, back and forth; full tables are skipped.

    >>> dealt_out(range(1, 17), [4, 4, 4, 4])
    [[1, 8, 9, 16], [2, 7, 10, 15], [3, 6, 11, 14], [4, 5, 12, 13]]
    """
    tables: list[list[int]] = [[] for _ in room]
    waiting = iter(seeds)
    rest = len(seeds)
    turn = range(len(room))
    while rest:
        for at in turn:
            if len(tables[at]) < room[at]:
                tables[at].append(next(waiting))
                rest -= 1
        turn = turn[::-1]
    return tables


def drawn(count: int, sizes: Sequence[int], round_: int = 1) -> tuple[list[list[int]], list[int]]:
    """Ranks from 1 at the tables of a round, and those who have a bye, the best ones.

    Smaller tables are those of the best ranks.

    >>> drawn(13, (4, 3))[0]
    [[1, 8, 9], [2, 7, 10], [3, 6, 11], [4, 5, 12, 13]]
    """
    sizes_of_round = table_sizes(count, sizes)
    if sizes_of_round is None:
        facts = {"found": count, "least": min(sizes), "round": round_}
        raise Refused(Problem("too_few_to_seat", (), facts))
    byes = list(range(1, sizes_of_round.sit_outs + 1))
    return dealt_out(range(len(byes) + 1, count + 1), sorted(sizes_of_round.tables)), byes


def crossed(tables: int) -> list[list[tuple[int, int]]]:
    """Tables of the next round, as (table, place) from 1, where the first two of each go on.

    Table j of the next round has the winners of tables j and T − 1 − j, and the runners-up of
    tables i and T − 1 − i for i = j + 1 modulo T ÷ 2, counted from 0. So nobody meets a player of
    the table before, except where there are two tables.

    >>> crossed(4)
    [[(1, 1), (4, 1), (2, 2), (3, 2)], [(2, 1), (3, 1), (1, 2), (4, 2)]]
    """
    half = tables // 2
    pairs = []
    for at in range(half):
        other = (at + 1) % half
        pairs.append([(at + 1, 1), (tables - at, 1), (other + 1, 2), (tables - other, 2)])
    return pairs


def is_crossed(tables: int, goes_on: int, sizes: Sequence[int], extra: int) -> bool:
    """Whether the next round is paired crosswise: two of each of an even number of tables.

    `extra`: byes and wild cards.
    """
    if goes_on != USUAL_ADVANCE or extra or tables % 2 or tables < 2:
        return False
    sizes_of_round = table_sizes(2 * tables, sizes)
    return (
        sizes_of_round is not None
        and sizes_of_round.tables == (4,) * (tables // 2)
        and not sizes_of_round.sit_outs
    )


def bracket_of(
    players: int, sizes: Sequence[int] = (4, 3), advance: int = USUAL_ADVANCE, wild_cards: int = 0
) -> tuple[BracketRound, ...]:
    """The rounds of a knock-out, down to the final at one table.

    `wild_cards`: how many of the others go on, in every round but the last two.

    >>> [[len(table.slots) for table in round_.tables] for round_ in bracket_of(13)]
    [[3, 3, 3, 4], [4, 4], [4]]
    >>> [round_.seated for round_ in bracket_of(20)]
    [20, 10, 6, 4]
    """
    rounds: list[BracketRound] = []
    count = players
    while True:
        before = rounds[-1] if rounds else None
        tables, byes = drawn(count, sizes, len(rounds) + 1)
        is_final = len(tables) == 1 and not byes
        extra = wild_cards_in(len(tables), len(byes), wild_cards, advance, count)
        remaining = 1 if is_final else len(tables) * advance + len(byes) + extra
        if not is_final and (remaining >= count or advance >= max(map(len, tables))):
            facts = {"found": count, "advance": advance, "next": remaining}
            raise Refused(Problem("knockout_does_not_shrink", (), facts))
        rounds.append(_round(before, tables, byes, 1 if is_final else advance, extra, sizes))
        if is_final:
            return tuple(rounds)
        count = remaining


def wild_cards_in(tables: int, byes: int, number: int, advance: int, count: int) -> int:
    """The wild cards of a round: none before the final, or where they would keep everybody."""
    goes_on = tables * advance + byes
    return number if number and tables > 2 and goes_on + number < count else 0


def _round(
    before: BracketRound | None,
    tables: Sequence[Sequence[int]],
    byes: Sequence[int],
    goes_on: int,
    wild_cards: int,
    sizes: Sequence[int],
) -> BracketRound:
    number = before.number + 1 if before else 1
    kind = "rank" if before else "seed"
    slots = [tuple(Slot(kind, rank) for rank in table) for table in tables]
    if before is not None:
        extra = len(before.byes) + before.wild_cards
        if is_crossed(len(before.tables), before.tables[0].goes_on, sizes, extra):
            slots = [
                tuple(Slot("place", place, table) for table, place in row)
                for row in crossed(len(before.tables))
            ]
    return BracketRound(
        number,
        tuple(BracketTable(at, row, goes_on) for at, row in enumerate(slots, 1)),
        tuple(Slot(kind, rank) for rank in byes),
        wild_cards,
    )
