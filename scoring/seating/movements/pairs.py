"""Fixed pairs: all play all, or two fields (Mitchell).

Pure. See docs/algorithms/movements.md, "Pairs".
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoring.seating.cost import cost_of, lower_bound
from scoring.seating.movements.circle import Meeting, figures_of_units, mitchell_rounds
from scoring.seating.movements.lots import placed_by_lot
from scoring.seating.movements.partner_seats import PartnerSeats
from scoring.seating.movements.requirements import (
    require_plannable,
    require_units,
    units_of_request,
)
from scoring.seating.movements.rest_of_set import all_play_all
from scoring.seating.movements.swiss.draw_swiss import plan_swiss
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from scoring.seating.table_numbers import numbered_tables

Units = tuple[tuple[int, ...], ...]

SIDES: Final = ((0, 2), (1, 3))


def plan_pairs(request: SeatingRequest) -> SeatingPlan:
    """The plan for fixed pairs; in each table of four, seats 0 and 2 are a pair, and 1 and 3.

    All play all: as `all_play_all`; where other players than partners must be together, a search
    spreads the meetings instead. Mitchell: the pairs with seats 0 and 2 keep table and seats, the
    others move on. Swiss: one round, as `plan_swiss`. An odd pair sits out.

    Raises:
        Refused: players_left_over, too_few_in_movement, units that are not pairs,
            constraints_not_met, and all that `require_plannable` refuses.

    >>> plan = plan_pairs(SeatingRequest((1, 2, 3, 4, 5, 6, 7, 8), 3, movement="pairs"))
    >>> plan.figures.full_set, plan.cost.sit_outs, len(plan.rounds[0].tables)
    (3, 0, 2)
    """
    require_plannable(request)
    units = units_of_request(request, 2)
    require_units(request.movement, len(units))
    if request.variation == "swiss":
        return plan_swiss(replace(request, units=units, sizes=(4,), sides=SIDES))
    if request.variation == "mitchell":
        # A pair that is not there has a phantom in its place.
        rounds = placed_by_lot(request, units, mitchell_rounds(len(units), request.rounds))
        return _finished(request, units, rounds, keeps_sides=True)
    if request.together:
        return _searched(request, units)
    return _finished(request, units, all_play_all(request, units), keeps_sides=False)


def _finished(
    request: SeatingRequest, units: Units, rounds: Sequence[Sequence[Meeting]], *, keeps_sides: bool
) -> SeatingPlan:
    seats = PartnerSeats()
    found = []
    for number, of_round in enumerate(rounds, 1):
        there = set(request.present(number))
        tables = [
            seats.seated(units[one], units[other], may_turn=False)
            for one, other in of_round
            if there.issuperset((*units[one], *units[other]))
        ]
        moved_on = 0 if keeps_sides else number - 1
        seated = {player for table in tables for player in table}
        found.append(
            PlannedRound(
                tuple(numbered_tables(tables, request.fixed_tables, moved_on)),
                tuple(sorted(there - seated)),
            )
        )
    return _plan(request, units, tuple(found), "construction", 0)


def _searched(request: SeatingRequest, units: Units) -> SeatingPlan:
    """A plan in which pairs move as units of the search for many opponents."""
    together = tuple((unit[0], unit[1]) for unit in units)
    asked = replace(
        request,
        movement="individual",
        sizes=(4,),
        sides=SIDES,
        together=(*together, *request.together),
    )
    plan = plan_seats(asked)
    return _plan(request, units, plan.rounds, "search", plan.iterations)


def _plan(
    request: SeatingRequest,
    units: Units,
    rounds: tuple[PlannedRound, ...],
    method: str,
    iterations: int,
) -> SeatingPlan:
    return SeatingPlan(
        rounds,
        cost_of(request, rounds),
        lower_bound(rounds),
        request.seed,
        iterations,
        method,
        figures=figures_of_units(
            "pairs", request.variation or "all_play_all", units, rounds, request.history
        ),
        units=units,
    )
