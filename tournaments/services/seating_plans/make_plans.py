"""Making the plans of an evening that a director compares."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from scoring.seating.constraints import MOST_PLAYERS, MOST_ROUNDS, require_possible
from scoring.seating.movements.plan_movement import BUILT, ROUND_BY_ROUND
from scoring.seating.sit_outs import round_shapes
from scoring.seating.table_sizes import SizesChoice, size_choices, sizes_of_rules
from tournaments.domain.seating.seating_preferences import read_preferences
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.models.outbox import Dirty, seating_scope
from tournaments.models.seating_plans import (
    KNOCKOUT,
    LADDER,
    LETTERS,
    MOVING,
    OPEN,
    PARTNERSHIPS,
    SWISS,
    PlanState,
    SeatingPlan,
)
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.selectors.seating_plans.current_stage import (
    BoardsToPlan,
    boards_to_plan,
    current_stage,
    movement_to_plan,
    rounds_to_plan,
    standing_of,
)
from tournaments.selectors.seating_plans.people_here import (
    EarlierRound,
    PersonHere,
    earlier_rounds,
    people_here,
    playing,
    seated_rounds,
)
from tournaments.selectors.seating_plans.plans import named_problems
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import hint_seating
from tournaments.services.jobs.queue import mark_due
from tournaments.services.permissions import require
from tournaments.services.seating_plans.compute_plan import (
    EveningConstraints,
    columns_of,
    computed,
    evening_constraints,
    is_small,
    plan_inputs,
    seating_request,
)
from tournaments.services.seating_plans.partnership_plans import (
    BY_PARTNERS,
    partnership_inputs,
    require_variation,
)
from tournaments.services.seating_plans.swiss_and_knockout import (
    AS_BOARDS_MOVE,
    knockout_inputs,
    moving_inputs,
    require_enough,
    round_by_round_inputs,
    sizes_to_plan,
    stage_of_plans,
)

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


def open_draft(options: WantedPlans) -> PlanDraft:
    """Return the plan of an open night: table sizes, and no rounds.

    Raises:
        Refused: bad_table_sizes, no_table_sizes.
    """
    event, meeting = options.event, options.meeting
    rules = offered_in(event).rules(event.variant, event.options)
    inputs = plan_inputs(
        people=people_here(meeting, options.stage.number if options.stage else None),
        rounds=1,
        first_round=seated_rounds(meeting) + 1,
        sizes=_allowed_sizes(event, sizes_of_rules(rules), options.sizes),
        policy="mixed",
        constraints=EveningConstraints(),
        history=(),
        standing={},
    )
    return PlanDraft(inputs | {"moves": 0}, {"is_ready": True})


def plan_drafts(options: WantedPlans) -> Iterator[PlanDraft]:
    """Yield the plans for an evening; those that cannot be made are left out while others can.

    Raises:
        Refused: where none can be made.
    """
    event, meeting, stage, rounds = options.event, options.meeting, options.stage, options.rounds
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
    if options.movement == LADDER and not any(one.pk in standing for one in people):
        raise Refused(Problem("no_ladder_order", ("movement",)))
    problems: tuple[Problem, ...] = ()
    found = []
    at_first = sum(one.first <= first_round for one in people)
    sizes = options.sizes
    if options.movement == KNOCKOUT and stage is not None:
        sizes = sizes or tuple(stage.table_sizes or ())
        require_enough(stage, at_first, sizes or sizes_of_rules(rules))
    for policy, allowed in _ways(options, at_first, rules, sizes):
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
            found.append(_draft(options, _own_inputs(options, rules, people, inputs, history)))
        except Refused as refused:
            problems = problems or refused.problems
    if not found:
        raise Refused(*named_problems(event.club, problems))
    yield from found


def _own_inputs(
    options: WantedPlans,
    rules: Rules,
    people: Sequence[PersonHere],
    inputs: JsonDict,
    history: Sequence[EarlierRound],
) -> tuple[JsonDict, Sequence[EarlierRound]]:
    """Return what a movement depends on besides, with the rounds before."""
    event, movement, variation = options.event, options.movement, options.variation
    if movement in PARTNERSHIPS:
        inputs = partnership_inputs(
            event, rules, people, inputs, movement=movement, variation=variation
        )
    if movement == MOVING:
        inputs = moving_inputs(inputs, options.boards, history)
    elif movement == KNOCKOUT:
        return knockout_inputs(event, inputs, options.stage), history
    elif movement in ROUND_BY_ROUND or variation == SWISS:
        inputs = round_by_round_inputs(event, inputs, movement=movement, stage=options.stage)
    own = {"stage": options.stage.number} if options.stage is not None else {}
    return inputs | own, history


def _draft(options: WantedPlans, depends_on: tuple[JsonDict, Sequence[EarlierRound]]) -> PlanDraft:
    """Return a plan to store: made at once where it is small.

    Raises:
        Refused: the constraints contradict each other, or too few are there in a round.
    """
    inputs, history = depends_on
    rounds, movement = options.rounds, options.movement
    request = seating_request(
        inputs, rounds=rounds, seed=options.seed, history=history, movement=movement
    )
    if is_small(inputs, rounds) or movement in AT_ONCE:
        return PlanDraft(inputs, columns_of(computed(request)))
    require_possible(request)  # before a job begins
    round_shapes(request)
    return PlanDraft(inputs, {})


def _ways(
    options: WantedPlans, head_count: int, rules: Rules, sizes: tuple[int, ...]
) -> Sequence[tuple[str, tuple[int, ...]]]:
    """Return policies with their table sizes, one for each plan to make."""
    if options.movement == MOVING:
        return (AS_BOARDS_MOVE,)
    if options.movement in PARTNERSHIPS:
        return (BY_PARTNERS,)
    choices = _choices(options.event, head_count, sizes_of_rules(rules), sizes)
    return [(choice.policy, choice.sizes) for choice in choices]


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
        tuple(of_rule for of_rule in of_rules if of_rule in wanted)
        if wanted
        else preferences.allowed(of_rules)
    )


LARGEST_SEED: Final = (1 << 53) - 1
"""Every program reads a number as large without rounding it."""


def make_plans(
    *,
    actor: Actor,
    meeting: Meeting,
    now: datetime,
    rounds: int = 0,
    sizes: Sequence[int] = (),
    movement: str = "",
    variation: str = "",
    seed: int | None = None,
    stage: int | None = None,
) -> tuple[SeatingPlan, ...]:
    """Make one to three plans for the people who are at a meeting, in the place of earlier drafts.

    Each way to divide the head-count that the rules and the club's preferences allow is one plan,
    the preferred one first. A small evening is planned at once. For a larger one the rows are
    stored, and a worker computes them.

    Args:
        meeting: with its event, and the event with its club.
        rounds: 1 to `MOST_ROUNDS`; not looked at for an open night. 0: those that have boards, else
            those that are left of the stage; one of a Swiss or a knock-out.
        sizes: the numbers of seats that tables may have; empty: those of the stage, four in a
            duplicate event, else those that the club prefers.
        movement: empty: `moving` where boards move, else the one of the stage, else `individual`;
            `moving`, where players move as the boards do; `ladder`, where neighbours in
            the ladder or in the standings share a table; `open`, one plan without rounds: tables
            form during the evening; `whist`, `pairs` or `teams`, one plan in which partners sit
            opposite each other; `swiss` or `knockout`, the next round by the results so far.
        variation: of `pairs` and `teams`, as `SeatingRequest`; empty: the usual one.
        seed: of all lots; None: one is drawn.
        stage: the number of a stage that has begun, whose players are seated; None: the last.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_meeting.
        Conflict: event_is_over, meeting_is_cancelled.
        Refused: not_yet, bad_variation, bad_round_count, bad_table_sizes, bad_seed,
            too_few_to_seat, too_many_to_seat, no_table_sizes, no_ladder_order, each
            contradiction between constraints, and as `partnership_inputs` and
            `round_by_round_inputs`, `knockout_inputs` and `moving_inputs`; one_round_at_a_time,
            stage_not_playing, knockout_too_few.
    """
    event = meeting.event
    require(actor, event.club, "manage_event")
    require_running(event)
    _require_held(meeting)
    current = current_stage(event, stage)
    boards = boards_to_plan(event)
    movement = movement_to_plan(current, movement, boards)
    rounds = rounds_to_plan(current, SWISS if variation == SWISS else movement, rounds, boards)
    _require_plain(rounds, movement, seed)
    require_variation(movement, variation)
    options = WantedPlans(
        meeting=meeting,
        rounds=rounds if movement != OPEN else 1,
        sizes=tuple(dict.fromkeys(sizes)) or sizes_to_plan(event, current, boards),
        seed=secrets.randbelow(LARGEST_SEED) if seed is None else seed,
        movement=movement,
        variation=variation,
        stage=stage_of_plans(event, stage, always=movement == KNOCKOUT),
        boards=boards,
    )
    drafts = (open_draft(options),) if movement == OPEN else tuple(plan_drafts(options))
    return _store(actor, options, drafts, now)


def _require_held(meeting: Meeting) -> None:
    state = getattr(meeting, "state_now", meeting.state)
    if state == MeetingState.CANCELLED:
        facts: dict[str, int | str] = {"date": meeting.date.isoformat()}
        raise Conflict(Problem("meeting_is_cancelled", (), facts))


def _require_plain(rounds: int, movement: str, seed: int | None) -> None:
    """Refuse numbers out of range, and movements that are not built."""
    problems = []
    if movement not in BUILT:
        problems.append(Problem("not_yet", ("movement",), {"movement": movement}))
    if movement != OPEN and not 1 <= rounds <= MOST_ROUNDS:
        facts: dict[str, int | str] = {"found": rounds, "most": MOST_ROUNDS}
        problems.append(Problem("bad_round_count", ("rounds",), facts))
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        facts = {"found": shown(seed), "most": LARGEST_SEED}
        problems.append(Problem("bad_seed", ("seed",), facts))
    if problems:
        raise Refused(*problems)


@atomic_act
def _store(
    actor: Actor, options: WantedPlans, drafts: Sequence[PlanDraft], now: datetime
) -> tuple[SeatingPlan, ...]:
    meeting = options.meeting
    event = lock_event(meeting.event)
    require_running(event)
    there = meeting_on(event, meeting.date)
    if there.pk != meeting.pk:
        raise Missing("meeting", {"date": meeting.date.isoformat()})
    _require_held(there)
    _delete_drafts(meeting)
    chosen = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    used = {inputs.get("letter") for inputs in chosen.values_list("inputs", flat=True)}
    spare = (letter for letter in LETTERS if letter not in used)
    made = []
    for draft, letter in zip(drafts, spare, strict=False):
        moves = int(draft.inputs["moves"])
        plan = SeatingPlan.objects.create(
            club_id=event.club_id,
            event=event,
            meeting=there,
            movement=options.movement,
            seed=options.seed,
            round_count=options.rounds,
            inputs=draft.inputs | {"letter": letter},
            moves=moves,
            moves_done=moves if draft.columns else 0,
            created_at=now,
            created_by_id=actor.user_id,
            **draft.columns,
        )
        if not draft.columns:
            mark_due(seating_scope(plan.pk), now=now)
            hint_seating(plan.pk)
        made.append(plan)
    _audit(actor, there, options.rounds, made, now)
    return tuple(made)


def _delete_drafts(meeting: Meeting) -> None:
    """Delete the drafts of a meeting, and their jobs; a worker that has one notices."""
    drafts = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.DRAFT)
    scopes = [seating_scope(pk) for pk in drafts.values_list("pk", flat=True)]
    Dirty.objects.filter(scope__in=scopes).delete()
    drafts.delete()


def _audit(
    actor: Actor, meeting: Meeting, rounds: int, plans: Sequence[SeatingPlan], now: datetime
) -> None:
    event = meeting.event
    append_audit(
        club=event.club,
        actor=actor,
        act="make_plans",
        subject=f"event:{event.slug}",
        facts={
            "date": meeting.date.isoformat(),
            "rounds": rounds,
            "players": len(plans[0].inputs["present"]),
            "movement": plans[0].movement,
            "seed": plans[0].seed,
            "plans": [str(plan.public_id) for plan in plans],
        },
        now=now,
    )
