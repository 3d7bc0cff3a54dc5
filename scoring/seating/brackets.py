"""A knock-out as data: its rounds and tables, who starts where, and who goes on.

Pure. See docs/algorithms/seating.md, "Knock-out".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.table_sizes import table_sizes

USUAL_ADVANCE: Final = 2
"""So many of each table go on where nothing else is said."""


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


@dataclass(frozen=True, slots=True)
class BracketRound:
    """A round of a knock-out.

    Args:
        byes: slots that go on without playing.
        wild_cards: how many of the others go on, by rank.
        reseeded: whether its players were ranked anew and dealt out.
    """

    number: int
    tables: tuple[BracketTable, ...]
    byes: tuple[Slot, ...] = ()
    wild_cards: int = 0
    reseeded: bool = False

    @property
    def seated(self) -> int:
        """The number of players."""
        return sum(len(table.slots) for table in self.tables)


def dealt_out(seeds: Sequence[int], room: Sequence[int]) -> list[list[int]]:
    """Seeds dealt out to tables, forth and back; a full table is passed over.

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
        pairs.append(
            [(at + 1, 1), (tables - at, 1), (other + 1, 2), (tables - other, 2)],
        )
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
    reseeded = before is not None
    if before is not None:
        extra = len(before.byes) + before.wild_cards
        if is_crossed(len(before.tables), before.tables[0].goes_on, sizes, extra):
            slots = [
                tuple(Slot("place", place, table) for table, place in row)
                for row in crossed(len(before.tables))
            ]
            reseeded = False
    return BracketRound(
        number,
        tuple(BracketTable(at, row, goes_on) for at, row in enumerate(slots, 1)),
        tuple(Slot(kind, rank) for rank in byes),
        wild_cards,
        reseeded,
    )
