"""How often partners and opponents come again in a plan, and how often they must.

Pure. See docs/algorithms/seating.md, "Partners".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from scoring.seating.requests import Table

SEATS_OF_SIDES = ((0, 2), (1, 3))
"""Partners sit opposite each other."""


@dataclass(frozen=True, slots=True)
class PartnershipFigures:
    """Repeats of partners and opponents over some rounds.

    Args:
        partners: sum over pairs of the times beyond the first that they are partners.
        opponents: sum over pairs of the times beyond the second that they are opponents.
        most_opponents: the most often that two players are opponents.
    """

    partners: int
    opponents: int
    most_opponents: int


def partnership_figures(rounds: Sequence[Sequence[Table]]) -> PartnershipFigures:
    """The figures of rounds whose tables have partners in seats 1 and 3, 2 and 4.

    >>> partnership_figures([[(1, 2, 3, 4)], [(1, 2, 3, 4)], [(1, 2, 4, 3)]])
    PartnershipFigures(partners=2, opponents=2, most_opponents=3)
    """
    partners: Counter[frozenset[int]] = Counter()
    opponents: Counter[frozenset[int]] = Counter()
    for table in (table for tables in rounds for table in tables if len(table) == 4):
        sides = [[table[seat] for seat in side] for side in SEATS_OF_SIDES]
        partners.update(frozenset(side) for side in sides)
        opponents.update(frozenset(pair) for pair in product(*sides))
    return PartnershipFigures(
        sum(times - 1 for times in partners.values()),
        sum(times - 2 for times in opponents.values() if times > 2),
        max(opponents.values(), default=0),
    )


def least_partner_repeats(players: int, rounds: Sequence[Sequence[Table]]) -> int:
    """How many repeats of partners no plan with as many tables can do without.

    >>> least_partner_repeats(4, [[(1, 2, 3, 4)]] * 5)
    4
    """
    sides = 2 * sum(len(tables) for tables in rounds)
    return max(0, sides - players * (players - 1) // 2)


def unit_repeats(
    units: Sequence[Sequence[int]], rounds: Sequence[Sequence[Table]]
) -> tuple[int, int]:
    """How often pairs or teams meet beyond the first round, and the least in any plan.

    Two tables of one match are one meeting.

    >>> unit_repeats([(1, 2), (3, 4), (5, 6)], [[(1, 3, 2, 4)], [(1, 3, 2, 4)], [(5, 3, 6, 4)]])
    (1, 0)
    """
    of = {player: at for at, unit in enumerate(units) for player in unit}
    met: Counter[frozenset[int]] = Counter()
    for tables in rounds:
        there = {frozenset(of[player] for player in table if player in of) for table in tables}
        met.update(pair for pair in there if len(pair) == 2)
    possible = len(units) * (len(units) - 1) // 2
    repeats = sum(times - 1 for times in met.values())
    return repeats, max(0, sum(met.values()) - possible)


def full_set(movement: str, variation: str, units: int) -> int | None:
    """The number of rounds after which everybody has met as planned; None where there is none.

    Args:
        movement: `whist`, `pairs` or `teams`.
        units: players of a whist evening, else pairs or teams.

    >>> [full_set("whist", "", n) for n in (8, 9, 10)], full_set("pairs", "mitchell", 8)
    ([7, 9, None], 4)
    """
    if movement == "whist":
        return {0: units - 1, 1: units}.get(units % 4)
    if variation == "mitchell":
        return (units + 1) // 2
    if variation == "swiss":
        return None
    return units - 1 if units % 2 == 0 else units
