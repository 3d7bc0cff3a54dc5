"""Rounds of a plan with moving boards are seated in the round that they were planned for."""

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.seating_plans import MOVING, SeatingPlan


def require_round_of_boards(plan: SeatingPlan, plan_round: int, number: int) -> None:
    """Refuse to seat a round of a plan in which other boards move than it was planned for.

    Args:
        plan_round: of the plan, from 1; `number` is the round of the event that takes it.

    Raises:
        Conflict: plan_of_other_boards.
    """
    if plan.movement != MOVING:
        return
    planned = int(plan.inputs["event_round"]) + plan_round - 1
    if planned != number:
        facts: dict[str, int | str] = {"round": number, "expected": planned}
        raise Conflict(Problem("plan_of_other_boards", (), facts))
