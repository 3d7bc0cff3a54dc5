"""Computing a plan that waits, in slices, and storing it.

A plan depends on its inputs and its seed only. Where the worker is killed it is begun again, and
ends as it would have ended. See docs/algorithms/seating.md, "Plans of an evening".
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from django.db.models import F

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.movements.reasons_json import of_method_as_json
from scoring.seating.plan_seats import Planning
from scoring.seating.requests import PlannedRound, SeatingRequest
from scoring.seating.requests import SeatingPlan as FoundPlan
from tournaments.models.seating_plans import PARTNERSHIPS, SeatingPlan
from tournaments.selectors.seating_plans.history import earlier_rounds
from tournaments.services.seating_plans.partnership_plans import require_apart
from tournaments.services.seating_plans.plan_requests import digest_of, seating_request

STAGES: Final = 20
"""A slice has so many stages of the search: about a tenth of a second."""


def computed(request: SeatingRequest) -> FoundPlan:
    """Return the plan for a request, made at once.

    Raises:
        Refused: as `Planning`; constraints_not_met, where a movement with partners seats people
            together who must be apart.
    """
    plan = plan_movement(request)
    if request.movement in PARTNERSHIPS:
        require_apart(request, plan)
    return plan


def planning_steps(plan_id: int) -> Iterator[Mapping[str, int]]:
    """Compute a plan that waits, and yield how far it is after each slice.

    Nothing happens where it is ready, was refused, or was deleted. A director who takes the best
    plan so far ends it with the slice under way.
    """
    plan = SeatingPlan.objects.filter(pk=plan_id, is_ready=False, problem__isnull=True)
    row = plan.select_related("event").first()
    if row is None:
        return
    history = earlier_rounds(row.event)
    row.inputs["history"] = digest_of(history)  # a round may have been seated since it was asked
    request = seating_request(
        row.inputs,
        rounds=row.round_count,
        seed=row.seed,
        history=history,
        movement=row.movement,
    )
    try:
        planning = Planning(request)
        while not planning.done:
            for _ in range(STAGES):
                planning.advance()
            done = min(planning.iterations, row.moves)
            if not plan.update(moves_done=done):
                return
            if plan.filter(stop_requested=True).exists():
                break
            yield {"done": done, "of": row.moves}
        found = planning.plan()
    except Refused as refused:
        plan.update(problem=problem_as_json(refused.problems[0]))
        return
    plan.update(inputs=row.inputs, moves_done=F("moves"), **columns_of(found))


def columns_of(found: FoundPlan) -> dict[str, Any]:
    """Return the columns of a row that hold a plan that is ready."""
    of_round = of_method_as_json(found)
    return {
        "rounds": [
            of_round
            | {
                "tables": [list(table) for table in planned.tables],
                "sitting_out": list(planned.sitting_out),
                **_matches(planned),
            }
            for planned in found.rounds
        ],
        "cost": {
            **asdict(found.cost),
            "lower_bound": found.lower_bound,
            "method": found.method,
            **_of_units(found),
            "uneven": [
                [player, one.size, one.reason] for one in found.uneven for player in one.players
            ],
        },
        "iterations": found.iterations,
        "is_ready": True,
    }


def _of_units(found: FoundPlan) -> JsonDict:
    """Return the figures of pairs or teams, which count the whole event."""
    if found.figures is None or not found.figures.variation:
        return {}
    figures = asdict(found.figures)
    return {name: figures[name] for name in ("opponent_excess", "opponent_bound", "sets", "unmet")}


def _matches(planned: PlannedRound) -> JsonDict:
    """Return the matches of a round of teams: indices of two units, and their tables."""
    if not planned.matches:
        return {}
    found = [{"units": [*one.units], "tables": [*one.tables]} for one in planned.matches]
    return {"matches": found}


def problem_as_json(problem: Problem) -> JsonDict:
    """Return a problem as a row holds it, with rows of players."""
    return {"code": problem.code, "facts": dict(problem.facts)}
