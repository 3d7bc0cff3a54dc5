"""The next round of an evening in one act: planned where no plan has it, chosen, and seated.

The round is a draft until it is posted, in a second act; until then another plan can be chosen.
"""

from typing import Any

from scoring.errors import Problem, Refused
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND
from tournaments.models.events import StageKind
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import OPEN, PAIRS, PARTNERSHIPS, SWISS, TEAMS, SeatingPlan
from tournaments.selectors.events.events import ordinary_rounds
from tournaments.selectors.rounds.round_seating import chosen_plan, next_plan_round
from tournaments.selectors.seating_plans.current_stage import CurrentStage, current_stage
from tournaments.selectors.seating_plans.people_here import members_now
from tournaments.selectors.seating_plans.plan_cards import find_best
from tournaments.selectors.seating_plans.plans import regrouped_players
from tournaments.selectors.seating_plans.seating_page import gone_from
from tournaments.services.events.events import BAD_RULES
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.arrange_round import NOT_PLACED
from tournaments.services.rounds.plan_rounds import UNUSABLE, make_round_of_plan
from tournaments.services.seating_plans.compute_plan import NOT_CHOSEN, choose_plan
from tournaments.services.seating_plans.make_plans import (
    NOT_PLANNED,
    list_partner_problems,
    lock_meeting,
    make_plans,
)


@operation(
    "manage_event",
    locks=lock_meeting,
    refuses=(
        *("previous_round_open", "planned_players_changed", "bad_plan_round"),
        *(*NOT_PLANNED, *NOT_CHOSEN, *UNUSABLE, *BAD_RULES, *NOT_PLACED),
    ),
)
def make_next_round(
    op: Operation, meeting: Meeting, /, *, after: int | None = None, split_sides: bool = False
) -> Round | None:
    """Seat the next round of an evening as a draft; a repeated call returns the existing one.

    It follows the chosen plan, adjusted to who came and left. Where that has no more rounds, or
    partners left or changed, new plans are made like the last ones, and the best one is chosen.
    None where a worker computes them.

    Args:
        after: number of the round that it follows; None for the last round of the event.
        split_sides: whether the questions about pairs are answered.
    """
    event = meeting.event
    rounds = ordinary_rounds(event).select_related("stage", "plan").order_by("number")
    if after is not None:
        previous = rounds.filter(number=after).first()
    else:
        previous = rounds.last()
    stage = _stage_to_seat(meeting, previous)
    if previous is not None:
        later = rounds.filter(meeting=meeting, number__gt=previous.number)
        if stage is not None:
            later = later.filter(stage=stage.pk)
        if existing := later.first():
            return existing
    plan = chosen_plan(meeting)
    if plan is not None and _goes_on(plan, stage):
        return make_round_of_plan(op, plan, adjust=True, split_sides=split_sides)
    plans = make_plans(op, meeting, **_like_before(previous, stage))
    if not all(row.is_ready for row in plans):
        return None
    best = find_best(plans)
    plan = choose_plan(op, next((row for row in plans if row.pk == best), plans[0]))
    return make_round_of_plan(op, plan, split_sides=split_sides)


def partner_problems(
    meeting: Meeting, previous: Round, current: CurrentStage | None
) -> tuple[Problem, ...]:
    """Return why the next round cannot be planned: who has no partner or team; empty if it can.

    Args:
        previous: the last round of the event.
        current: the current stage of the event.
    """
    movements = {current.movement if current is not None else ""}
    if previous.plan is not None:
        movements.add(previous.plan.movement)
    if not movements & {PAIRS, TEAMS}:
        return ()
    stage = _stage_to_seat(meeting, previous)
    plan = chosen_plan(meeting)
    if plan is not None and _goes_on(plan, stage):
        return ()
    try:
        return list_partner_problems(meeting, **_like_before(previous, stage))
    except Refused as refused:
        return refused.problems


def _stage_to_seat(meeting: Meeting, previous: Round | None) -> CurrentStage | None:
    """Return the stage of the round before, or the current one where that has begun since."""
    stage = current_stage(meeting.event)
    if stage is None or previous is None or previous.stage_id == stage.pk or not stage.seated:
        return stage
    return current_stage(meeting.event, previous.stage.number)


def _goes_on(plan: SeatingPlan, stage: CurrentStage | None) -> bool:
    """Whether a chosen plan has a round that can be played by who is here."""
    number = next_plan_round(plan)
    of_stage = plan.inputs.get("stage")
    is_other = of_stage is not None and stage is not None and of_stage != stage.number
    if plan.movement == OPEN or number is None or is_other:
        return False
    if plan.movement not in PARTNERSHIPS:
        return True
    if regrouped_players(plan, members_now(plan.event)):
        return False
    return not gone_from(plan, number)


def _like_before(previous: Round | None, stage: CurrentStage | None) -> dict[str, Any]:
    """Return the arguments of new plans for the round after a round."""
    last = previous.plan if previous is not None else None
    rounds_left = stage.rounds_left if stage is not None else None
    is_new_stage = previous is not None and stage is not None and stage.pk != previous.stage_id
    if last is None or last.movement == OPEN or is_new_stage:
        is_cup = stage is not None and stage.movement == StageKind.KNOCKOUT
        number = stage.number if stage is not None and is_cup else None
        return {"rounds": rounds_left or 1, "stage": number}
    variation = last.inputs.get("variation", "")
    is_round_by_round = last.movement in ROUND_BY_ROUND or variation == SWISS
    return {
        "rounds": 1 if is_round_by_round else rounds_left or 1,
        "sizes": last.inputs.get("chosen_sizes", ()),
        "movement": last.movement,
        "variation": variation,
        "stage": last.inputs.get("stage"),
    }
