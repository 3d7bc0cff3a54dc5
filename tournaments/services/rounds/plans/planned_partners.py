"""Whether a round of a plan with partners can still be seated as it was planned."""

from collections.abc import Sequence

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.seating_plans import PARTNERSHIPS, SeatingPlan
from tournaments.selectors.seating_plans.outdated import listed_names, regrouped_players
from tournaments.selectors.seating_plans.people_here import planned_players
from tournaments.selectors.seating_plans.units import members_now


def require_partners(plan: SeatingPlan, gone: Sequence[int]) -> None:
    """Ask for a new plan where partners left or changed; nothing is asked of other plans.

    The least disturbing change would seat somebody with a partner that nobody planned.

    Args:
        gone: players of the round who do not play in it, as rows.

    Raises:
        Conflict: plan_partners_changed, plan_partners_left.
    """
    if plan.movement not in PARTNERSHIPS:
        return
    if regrouped := regrouped_players(plan, members_now(plan.event)):
        raise Conflict(_problem("plan_partners_changed", plan, sorted(regrouped)))
    if gone:
        raise Conflict(_problem("plan_partners_left", plan, gone))


def _problem(code: str, plan: SeatingPlan, players: Sequence[int]) -> Problem:
    named = planned_players(plan.event, set(players))
    names = sorted(one.name for one in named.values())
    return Problem(code, (), {"names": listed_names(names)})
