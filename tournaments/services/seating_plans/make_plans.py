"""Making the plans of an evening that a director compares."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.seating.brackets import size_choices, sizes_of_rules
from scoring.seating.constraints import MOST_PLAYERS, MOST_ROUNDS, require_possible
from scoring.seating.movements.plan_movement import MOVEMENTS, ROUND_BY_ROUND, plan_movement
from scoring.seating.movements.requirements import VARIATIONS
from scoring.seating.requests import PlannedRound
from scoring.seating.sit_outs import round_shapes
from tournaments.domain.seating_preferences import preferred_policies, preferred_sizes
from tournaments.errors import Missing, refuse_any
from tournaments.models.events import Event
from tournaments.models.jobs import SEATING_PREFIX, Dirty, seating_scope
from tournaments.models.rounds import Meeting
from tournaments.models.seating_plans import (
    KNOCKOUT,
    LADDER,
    LETTERS,
    MOVING,
    OPEN,
    PAIRS,
    PARTNERSHIPS,
    SWISS,
    TEAMS,
    PlanState,
    SeatingPlan,
)
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.selectors.rules.rule_sets import rules_of_event
from tournaments.selectors.seating_plans.current_stage import (
    boards_to_plan,
    current_stage,
    movement_to_plan,
    rounds_to_plan,
    standing_of,
)
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    earlier_rounds,
    people_here,
    seated_rounds,
    units_here,
)
from tournaments.selectors.seating_plans.plans import named_problems
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import hint_after_commit
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation
from tournaments.services.seating_plans.compute_plan import (
    SMALL,
    EveningConstraints,
    columns_of,
    evening_constraints,
    plan_inputs,
    seating_request,
)
from tournaments.services.seating_plans.constraints import UNMET
from tournaments.services.seating_plans.movement_inputs import (
    AS_BOARDS_MOVE,
    BY_PARTNERS,
    conditions_now,
    knockout_inputs,
    moving_inputs,
    partnership_inputs,
    problems_of_units,
    require_apart,
    require_enough,
    require_variation,
    sizes_to_plan,
    stage_of_plans,
    swiss_inputs,
)

AT_ONCE: Final = (*PARTNERSHIPS, *ROUND_BY_ROUND, MOVING, LADDER)
"""Movements whose plans are made while their director waits, however large the evening is."""


Draft: TypeAlias = tuple[JsonDict, JsonDict]
"""The inputs of a plan, and the columns of the plan where it is made already."""


class _Drafts:
    """The plans to make for an evening, before they are stored.

    `sizes` are empty for those that the club prefers. `stage` is the stage to plan for where one
    was named, and of a knock-out always.
    """

    def __init__(
        self,
        meeting: Meeting,
        *,
        rounds: int,
        sizes: Sequence[int],
        movement: str,
        variation: str,
        seed: int | None,
        stage: int | None,
    ) -> None:
        self.meeting, self.event, self.variation = meeting, meeting.event, variation
        event = meeting.event
        stage_now = current_stage(meeting.event, stage)
        self.boards = boards = boards_to_plan(event)
        self.movement = movement = movement_to_plan(stage_now, movement, boards)
        # Swiss rounds of pairs are planned one by one, as those of players.
        planned_as = SWISS if variation == SWISS else movement
        rounds = rounds_to_plan(stage_now, planned_as, rounds, boards)
        _require_plain(rounds, movement, seed)
        require_variation(movement, variation)
        self.rounds = rounds if movement != OPEN else 1
        # Empty for the sizes of the stage or the club.
        self.chosen_sizes = list(dict.fromkeys(sizes))
        self.sizes = tuple(self.chosen_sizes) or sizes_to_plan(event, stage_now, boards)
        self.seed = secrets.randbelow(LARGEST_SEED) if seed is None else seed
        self.stage = stage_of_plans(event, stage, always=movement == KNOCKOUT)
        self.rules = rules_of_event(event)
        self.first_round = seated_rounds(meeting) + 1

    def plans(self) -> list[SeatingPlan]:
        if self.movement == OPEN:
            drafts = [self._open()]
        else:
            drafts = self._planned()
        return [
            SeatingPlan(
                movement=self.movement,
                seed=self.seed,
                round_count=self.rounds,
                inputs=inputs,
                moves=inputs["moves"],
                moves_done=inputs["moves"] if columns else 0,
                **columns,
            )
            for inputs, columns in drafts
        ]

    def _people(self) -> tuple[PersonHere, ...]:
        return people_here(self.meeting, self.stage.number if self.stage else None)

    def _people_to_plan(self) -> list[PersonHere]:
        rounds, first = self.rounds, self.first_round
        return [
            person
            for person in self._people()
            if person.first < first + rounds and (person.last is None or person.last >= first)
        ]

    def list_partner_problems(self) -> tuple[Problem, ...]:
        if self.movement not in (PAIRS, TEAMS):
            return ()
        units, alone = units_here(self.event, self._people_to_plan())
        variation = self.variation or VARIATIONS[self.movement][0]
        return tuple(problems_of_units(units, alone, self.movement, variation))

    def _open(self) -> Draft:
        inputs = plan_inputs(
            people=self._people(),
            rounds=1,
            first_round=self.first_round,
            sizes=_allowed_sizes(self.event, sizes_of_rules(self.rules), self.sizes),
            policy="mixed",
            constraints=EveningConstraints(),
            history={},
            standing={},
        )
        return inputs | {"moves": 0}, {"is_ready": True}

    def _planned(self) -> list[Draft]:
        """Return the plans; those that cannot be made are left out while others can."""
        event, stage, rounds, first = self.event, self.stage, self.rounds, self.first_round
        people = self._people_to_plan()
        if len(people) > MOST_PLAYERS:
            facts = {"found": len(people), "most": MOST_PLAYERS}
            raise Refused(Problem("too_many_to_seat", (), facts))
        constraints = evening_constraints(event, self.rules, people)
        drawn_from = conditions_now(event, stage) | {"chosen_sizes": self.chosen_sizes}
        history = earlier_rounds(event)
        standing = standing_of(event)
        if self.movement == LADDER and not any(person.pk in standing for person in people):
            raise Refused(Problem("no_ladder_order", ("movement",)))
        at_first = sum(person.first <= first for person in people)
        sizes = self.sizes
        if self.movement == KNOCKOUT and stage is not None:
            sizes = sizes or tuple(stage.table_sizes or ())
            require_enough(stage, at_first, sizes or sizes_of_rules(self.rules))
        problems: tuple[Problem, ...] = ()
        drafts = []
        for policy, allowed in self._ways(at_first, sizes):
            inputs = plan_inputs(
                people=people,
                rounds=rounds,
                first_round=first,
                sizes=allowed,
                policy=policy,
                constraints=constraints,
                history=history,
                standing=standing,
            )
            try:
                inputs = self._inputs(people, inputs | drawn_from, history)
                drafts.append(self._draft(inputs, history))
            except Refused as refused:
                problems = problems or refused.problems
        if not drafts:
            raise Refused(*named_problems(event.club, problems))
        return drafts

    def _inputs(
        self,
        people: Sequence[PersonHere],
        inputs: JsonDict,
        history: Mapping[int, PlannedRound],
    ) -> JsonDict:
        movement, variation, stage = self.movement, self.variation, self.stage
        if movement in PARTNERSHIPS:
            inputs = partnership_inputs(
                self.event, self.rules, people, inputs, movement=movement, variation=variation
            )
        if movement == MOVING:
            inputs = moving_inputs(inputs, self.boards, history)
        elif movement == KNOCKOUT:
            return knockout_inputs(self.event, inputs, stage)
        elif movement in ROUND_BY_ROUND or variation == SWISS:
            inputs = swiss_inputs(self.event, inputs, stage)
        return inputs | ({"stage": stage.number} if stage is not None else {})

    def _draft(self, inputs: JsonDict, history: Mapping[int, PlannedRound]) -> Draft:
        rounds, movement = self.rounds, self.movement
        request = seating_request(
            inputs, rounds=rounds, seed=self.seed, history=history, movement=movement
        )
        if len(inputs["present"]) * rounds <= SMALL or movement in AT_ONCE:
            plan = plan_movement(request)
            if movement in PARTNERSHIPS:
                require_apart(request, plan)
            return inputs, columns_of(plan)
        require_possible(request)  # before a job begins
        round_shapes(request)
        return inputs, {}

    def _ways(
        self, head_count: int, sizes: tuple[int, ...]
    ) -> Sequence[tuple[str, tuple[int, ...]]]:
        if self.movement == MOVING:
            return (AS_BOARDS_MOVE,)
        if self.movement in PARTNERSHIPS:
            return (BY_PARTNERS,)
        of_rules = sizes_of_rules(self.rules)
        allowed = _allowed_sizes(self.event, of_rules, sizes)
        choices = size_choices(head_count, allowed)
        if not choices:
            facts = {"found": head_count, "least": min(allowed or of_rules), "round": 1}
            raise Refused(Problem("too_few_to_seat", (), facts))
        policies = preferred_policies(self.event.club.seating)
        ways = [(policy, choice) for policy, choice, _tables in choices]
        return sorted(ways, key=lambda way: policies.index(way[0]))[:3]


LARGEST_SEED: Final = (1 << 53) - 1
"""Every program reads a number as large without rounding it."""


def _allowed_sizes(
    event: Event, of_rules: Sequence[int], sizes: tuple[int, ...]
) -> tuple[int, ...]:
    if not of_rules:
        raise Refused(Problem("no_table_sizes"))
    if unknown := [size for size in sizes if size not in of_rules]:
        facts = {
            "found": ", ".join(map(str, unknown)),
            "expected": ", ".join(map(str, sorted(of_rules))),
        }
        raise Refused(Problem("bad_table_sizes", ("sizes",), facts))
    if not sizes:
        return preferred_sizes(event.club.seating, of_rules)
    return tuple(size for size in of_rules if size in sizes)


def _require_plain(rounds: int, movement: str, seed: int | None) -> None:
    problems = []
    if movement not in MOVEMENTS:
        problems.append(Problem("not_yet", ("movement",), {"movement": movement}))
    if movement != OPEN and not 1 <= rounds <= MOST_ROUNDS:
        facts: dict[str, int | str] = {"found": rounds, "most": MOST_ROUNDS}
        problems.append(Problem("bad_round_count", ("rounds",), facts))
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        facts = {"found": shown(seed), "most": LARGEST_SEED}
        problems.append(Problem("bad_seed", ("seed",), facts))
    refuse_any(problems)


def _draft_plans(
    meeting: Meeting,
    /,
    *,
    rounds: int = 0,
    sizes: Sequence[int] = (),
    movement: str = "",
    variation: str = "",
    seed: int | None = None,
    stage: int | None = None,
) -> Mapping[str, object]:
    require_running(meeting.event)
    require_held(meeting)
    drafts = _Drafts(
        meeting,
        rounds=rounds,
        sizes=sizes,
        movement=movement,
        variation=variation,
        seed=seed,
        stage=stage,
    )
    return {"drafts": drafts.plans()}


def list_partner_problems(
    meeting: Meeting,
    /,
    *,
    rounds: int = 0,
    sizes: Sequence[int] = (),
    movement: str = "",
    variation: str = "",
    stage: int | None = None,
) -> tuple[Problem, ...]:
    """Return why plans of pairs or teams would be refused: who has no partner or team here."""
    drafts = _Drafts(
        meeting,
        rounds=rounds,
        sizes=sizes,
        movement=movement,
        variation=variation,
        seed=0,
        stage=stage,
    )
    return drafts.list_partner_problems()


def lock_meeting(meeting: Meeting) -> Meeting:
    event = lock_event(meeting.event)
    require_running(event)
    locked = meeting_on(event, meeting.date)
    if locked.pk != meeting.pk:
        raise Missing("meeting", {"date": meeting.date.isoformat()})
    require_held(locked)
    locked.event = event
    return locked


NOT_PLANNED: Final = (
    *("unknown_meeting", "event_is_over", "meeting_is_cancelled", "stage_not_playing"),
    *("not_yet", "bad_round_count", "bad_seed", "bad_variation", "one_round_at_a_time"),
    *("bad_table_sizes", "no_table_sizes", "too_few_to_seat", "too_many_to_seat"),
    *UNMET,
    *("movement_needs_sides", "whist_of_pairs", "together_not_in_whist", "no_tables_of_four"),
    *("players_without_partner", "players_without_team", "pair_incomplete", "team_is_no_pair"),
    *("pair_of_another_size", "team_incomplete", "team_too_small", "team_too_large"),
    *("too_few_pairs_or_teams", "too_few_in_movement", "players_left_over", "no_ladder_order"),
    *("no_boards_move", "no_moving_boards", "moving_head_count", "moving_rounds_left"),
    *("moving_seats_differ", "moving_needs_everybody"),
    *("standings_not_published", "round_not_closed", "knockout_without_results"),
    *("knockout_too_few", "knockout_does_not_shrink", "knockout_is_over", "knockout_tie"),
    *("wild_card_tie", "table_tie_open", "table_tie_found", "wild_card_tie_open"),
    "wild_card_tie_found",
)
"""Error codes of plans of an evening."""


@operation("manage_event", locks=lock_meeting, check=_draft_plans, refuses=NOT_PLANNED)
def make_plans(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    rounds: int = 0,
    sizes: Sequence[int] = (),
    movement: str = "",
    variation: str = "",
    seed: int | None = None,
    stage: int | None = None,
    drafts: Sequence[SeatingPlan] = (),
) -> tuple[SeatingPlan, ...]:
    """Create one to three plans for the players who are here; they replace earlier drafts.

    A small evening is planned at once: 201. For a larger one the answer is 202, and a worker
    computes the plans; ask for them at the address in `Location`.
    """
    # Each way to divide the head-count that the rules and the club's preferences allow is one plan,
    # the preferred one first. `drafts` are the unsaved plans of `_draft_plans`, which plans before
    # the transaction. Without `rounds`, `sizes` or `movement` those of the boards, else of the
    # stage, else of the club's preferences are taken.
    event = meeting.event
    # A worker that has the job of a draft notices that it is gone.
    earlier = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.DRAFT)
    scopes = [seating_scope(pk) for pk in earlier.values_list("pk", flat=True)]
    Dirty.objects.filter(scope__in=scopes).delete()
    earlier.delete()
    chosen = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    letters = {inputs.get("letter") for inputs in chosen.values_list("inputs", flat=True)}
    spare = (letter for letter in LETTERS if letter not in letters)
    plans = []
    for plan, letter in zip(drafts, spare, strict=False):
        plan.club = event.club
        plan.event = event
        plan.meeting = meeting
        plan.inputs |= {"letter": letter}
        plan.created_at, plan.created_by_id = op.now, op.actor.user_id
        plan.save(force_insert=True)
        if not plan.is_ready:
            mark_due(seating_scope(plan.pk), now=op.now)
            hint_after_commit(SEATING_PREFIX, plan.pk)
        plans.append(plan)
    facts = {
        "date": meeting.date.isoformat(),
        "rounds": plans[0].round_count,
        "players": len(plans[0].inputs["present"]),
        "movement": plans[0].movement,
        "seed": plans[0].seed,
        "plans": [str(plan.public_id) for plan in plans],
    }
    op.audit(event, facts)
    return tuple(plans)
