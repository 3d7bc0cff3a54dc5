"""Plans of an evening before they are stored: what they depend on, and small ones made at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from scoring.seating.constraints import MOST_PLAYERS, require_possible
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND
from scoring.seating.sit_outs import round_shapes
from scoring.seating.table_sizes import SizesChoice, size_choices, sizes_of_rules
from tournaments.domain.seating.seating_preferences import read_preferences
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import KNOCKOUT, LADDER, MOVING, PARTNERSHIPS, SWISS
from tournaments.selectors.seating_plans.boards_to_plan import BoardsToPlan
from tournaments.selectors.seating_plans.history import EarlierRound, earlier_rounds
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    people_here,
    playing,
    seated_rounds,
)
from tournaments.selectors.seating_plans.standing import standing_of
from tournaments.services.rules.rule_sets import offered_in
from tournaments.services.seating_plans.compute_plan import columns_of, computed
from tournaments.services.seating_plans.knockout_rounds import knockout_inputs, require_enough
from tournaments.services.seating_plans.moving_rounds import AS_BOARDS_MOVE, moving_inputs
from tournaments.services.seating_plans.named_problems import named_problems
from tournaments.services.seating_plans.partnership_plans import BY_PARTNERS, partnership_inputs
from tournaments.services.seating_plans.plan_requests import (
    EveningConstraints,
    evening_constraints,
    is_small,
    plan_inputs,
    seating_request,
)
from tournaments.services.seating_plans.swiss_rounds import round_by_round_inputs

MOST_PLANS: Final = 3
AT_ONCE: Final = (*PARTNERSHIPS, *ROUND_BY_ROUND, MOVING)
"""Movements whose plans are made while their director waits, however large the evening is."""


@dataclass(frozen=True, slots=True)
class WantedPlans:
    """What a director asks for; `sizes` are empty for those that the club prefers.

    `stage` is the stage to plan for where one was named, and of a knock-out always; `boards` are
    those of a duplicate event.
    """

    meeting: Meeting
    rounds: int
    sizes: tuple[int, ...]
    seed: int
    movement: str
    variation: str = ""
    stage: Stage | None = None
    boards: BoardsToPlan | None = None

    @property
    def event(self) -> Event:
        """The event that plays."""
        return self.meeting.event


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """A plan that is to be stored: what it depends on, and the plan where it is made already."""

    inputs: JsonDict
    columns: dict[str, Any]


def open_draft(wanted: WantedPlans) -> PlanDraft:
    """Return the plan of an open night: table sizes, and no rounds.

    Raises:
        Refused: bad_table_sizes, no_table_sizes.
    """
    event, meeting = wanted.event, wanted.meeting
    rules = offered_in(event).rules(event.variant, event.options)
    inputs = plan_inputs(
        people=people_here(meeting, wanted.stage.number if wanted.stage else None),
        rounds=1,
        first_round=seated_rounds(meeting) + 1,
        sizes=_allowed_sizes(event, sizes_of_rules(rules), wanted.sizes),
        policy="mixed",
        constraints=EveningConstraints(),
        history=(),
        standing={},
    )
    return PlanDraft(inputs | {"moves": 0}, {"is_ready": True})


def plan_drafts(wanted: WantedPlans) -> Iterator[PlanDraft]:
    """Yield the plans for an evening; those that cannot be made are left out while others can.

    Raises:
        Refused: where none can be made.
    """
    event, meeting, stage, rounds = wanted.event, wanted.meeting, wanted.stage, wanted.rounds
    rules = offered_in(event).rules(event.variant, event.options)
    first_round = seated_rounds(meeting) + 1
    here = people_here(meeting, stage.number if stage is not None else None)
    people = playing(here, rounds, first_round)
    if len(people) > MOST_PLAYERS:
        facts: dict[str, int | str] = {"found": len(people), "most": MOST_PLAYERS}
        raise Refused(Problem("too_many_to_seat", (), facts))
    constraints = evening_constraints(event, rules, people)
    history = earlier_rounds(event)
    standing = standing_of(event)
    if wanted.movement == LADDER and not any(one.pk in standing for one in people):
        raise Refused(Problem("no_ladder_order", ("movement",)))
    problems: tuple[Problem, ...] = ()
    found = []
    at_first = sum(one.first <= first_round for one in people)
    sizes = wanted.sizes
    if wanted.movement == KNOCKOUT and stage is not None:
        sizes = sizes or tuple(stage.table_sizes or ())
        require_enough(stage, at_first, sizes or sizes_of_rules(rules))
    for policy, allowed in _ways(wanted, at_first, rules, sizes):
        inputs = plan_inputs(
            people=people,
            rounds=rounds,
            first_round=first_round,
            sizes=allowed,
            policy=policy,
            constraints=constraints,
            history=history,
            standing=standing,
        )
        try:
            found.append(_draft(wanted, _own_inputs(wanted, rules, people, inputs, history)))
        except Refused as refused:
            problems = problems or refused.problems
    if not found:
        raise Refused(*named_problems(event.club, problems))
    yield from found


def _own_inputs(
    wanted: WantedPlans,
    rules: Rules,
    people: Sequence[PersonHere],
    inputs: JsonDict,
    history: Sequence[EarlierRound],
) -> tuple[JsonDict, Sequence[EarlierRound]]:
    """Return what a movement depends on besides, with the rounds before."""
    event, movement, variation = wanted.event, wanted.movement, wanted.variation
    if movement in PARTNERSHIPS:
        inputs = partnership_inputs(
            event, rules, people, inputs, movement=movement, variation=variation
        )
    if movement == MOVING:
        inputs = moving_inputs(inputs, wanted.boards, history)
    elif movement == KNOCKOUT:
        return knockout_inputs(event, inputs, wanted.stage), history
    elif movement in ROUND_BY_ROUND or variation == SWISS:
        inputs = round_by_round_inputs(event, inputs, movement=movement, stage=wanted.stage)
    own = {"stage": wanted.stage.number} if wanted.stage is not None else {}
    return inputs | own, history


def _draft(wanted: WantedPlans, depends_on: tuple[JsonDict, Sequence[EarlierRound]]) -> PlanDraft:
    """Return a plan to store: made at once where it is small.

    Raises:
        Refused: the constraints contradict each other, or too few are there in a round.
    """
    inputs, history = depends_on
    rounds, movement = wanted.rounds, wanted.movement
    request = seating_request(
        inputs, rounds=rounds, seed=wanted.seed, history=history, movement=movement
    )
    if is_small(inputs, rounds) or movement in AT_ONCE:
        return PlanDraft(inputs, columns_of(computed(request)))
    require_possible(request)  # before a job begins
    round_shapes(request)
    return PlanDraft(inputs, {})


def _ways(
    wanted: WantedPlans, head_count: int, rules: Rules, sizes: tuple[int, ...]
) -> Sequence[tuple[str, tuple[int, ...]]]:
    """Return policies with their table sizes, one for each plan to make."""
    if wanted.movement == MOVING:
        return (AS_BOARDS_MOVE,)
    if wanted.movement in PARTNERSHIPS:
        return (BY_PARTNERS,)
    choices = _choices(wanted.event, head_count, sizes_of_rules(rules), sizes)
    return [(one.policy, one.sizes) for one in choices]


def _choices(
    event: Event, head_count: int, of_rules: Sequence[int], wanted: tuple[int, ...]
) -> Sequence[SizesChoice]:
    """Return how the head-count can be divided, the preferred way first."""
    preferences = read_preferences(event.club.seating)
    allowed = _allowed_sizes(event, of_rules, wanted)
    choices = size_choices(head_count, allowed)
    if not choices:
        least: dict[str, int | str] = {
            "found": head_count,
            "least": min(allowed or of_rules),
            "round": 1,
        }
        raise Refused(Problem("too_few_to_seat", (), least))
    return sorted(choices, key=lambda one: preferences.policies.index(one.policy))[:MOST_PLANS]


def _allowed_sizes(
    event: Event, of_rules: Sequence[int], wanted: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the sizes that are wanted, else those that the club prefers."""
    if not of_rules:
        raise Refused(Problem("no_table_sizes"))
    if unknown := [size for size in wanted if size not in of_rules]:
        facts = {
            "found": ", ".join(map(str, unknown)),
            "expected": ", ".join(map(str, sorted(of_rules))),
        }
        raise Refused(Problem("bad_table_sizes", ("sizes",), facts))
    preferences = read_preferences(event.club.seating)
    return (
        tuple(one for one in of_rules if one in wanted) if wanted else preferences.allowed(of_rules)
    )
