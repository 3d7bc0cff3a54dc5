"""An open night: tables form from whoever is free, one round after the other.

Pure. See docs/algorithms/seating.md, "Open night".
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoring.seating.cost import cost_of, lower_bound
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest, Table

MOVES: Final = 30_000
"""The moves of the search for tables that form now: a tenth of a second."""

MOST_WEIGHT: Final = 12
"""So many earlier meetings of a pair weigh less than one tonight."""


def free_tables(request: SeatingRequest, tonight: Sequence[PlannedRound]) -> PlannedRound:
    """The tables that form now from whoever is free, with the fewest repeats; the others wait.

    A meeting tonight counts more than the earlier ones of a pair, up to `MOST_WEIGHT` of them.
    Those wait who waited least often tonight.

    Args:
        request: players who are free, sizes, constraints, seed; its rounds are not looked at.
        tonight: the earlier rounds of the night; who waited in one is `sitting_out` there.

    Raises:
        Refused: as `plan_seats`.

    >>> met = PlannedRound(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> found = free_tables(SeatingRequest(tuple(range(1, 9)), 1, seed=3), [met])
    >>> sorted(len({1, 2, 3, 4} & set(table)) for table in found.tables)
    [2, 2]
    """
    weight = 1 + min(len(request.history), MOST_WEIGHT)  # no pair meets twice in a round
    history = (*request.history, *list(tonight) * weight)
    moves = MOVES if request.moves is None else request.moves
    asked = replace(
        request, movement="individual", rounds=1, history=history, moves=moves, presence={}
    )
    return plan_seats(asked).rounds[0]


def plan_open_night(request: SeatingRequest) -> SeatingPlan:
    """The rounds of an open night on which everybody is free before each round.

    Each round is formed when those before it are known, and none looks ahead.

    Raises:
        Refused: as `plan_seats`.
    """
    rounds: list[PlannedRound] = []
    for number in range(1, request.rounds + 1):
        here = request.present(number)
        tables_of = {one: at for one, at in request.fixed_tables.items() if one in here}
        now = replace(
            request,
            players=here,
            apart=tuple(pair for pair in request.apart if set(pair) <= set(here)),
            together=tuple(pair for pair in request.together if set(pair) <= set(here)),
            fixed_tables=tables_of,
            seed=request.seed + number - 1,
            stop_after=None,
        )
        rounds.append(free_tables(now, rounds))
    found = tuple(rounds)
    cost = cost_of(request, found)
    return SeatingPlan(found, cost, lower_bound(found), request.seed, 0, "open")


def next_table(formed: PlannedRound, line: Sequence[int]) -> Table:
    """The table to form first: the one of whoever has waited longest.

    Args:
        line: everybody who is free, who has waited longest in front.

    >>> next_table(PlannedRound(((4, 1, 2, 3), (5, 6, 7)), (8,)), (8, 6, 1, 2, 3, 4, 5, 7))
    (5, 6, 7)
    """
    return min(formed.tables, key=lambda table: min(line.index(player) for player in table))
