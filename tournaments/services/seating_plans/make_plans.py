"""Making the plans of an evening that a director compares."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused, shown
from scoring.seating.constraints import MOST_ROUNDS
from scoring.seating.movements.plan_movement import BUILT
from tournaments.errors import Conflict, Missing
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.models.outbox import Dirty, seating_scope
from tournaments.models.seating_plans import KNOCKOUT, LETTERS, OPEN, SWISS, PlanState, SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.seating_plans.boards_to_plan import boards_to_plan
from tournaments.selectors.seating_plans.current_stage import current_stage
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import hint_seating
from tournaments.services.jobs.queue import mark_due
from tournaments.services.seating_plans.knockout_rounds import stage_of_plans
from tournaments.services.seating_plans.partnership_plans import require_variation
from tournaments.services.seating_plans.plan_drafts import (
    PlanDraft,
    WantedPlans,
    open_draft,
    plan_drafts,
)
from tournaments.services.seating_plans.swiss_rounds import (
    movement_to_plan,
    rounds_to_plan,
    sizes_to_plan,
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
    wanted = WantedPlans(
        meeting=meeting,
        rounds=rounds if movement != OPEN else 1,
        sizes=tuple(dict.fromkeys(sizes)) or sizes_to_plan(event, current, boards),
        seed=secrets.randbelow(LARGEST_SEED) if seed is None else seed,
        movement=movement,
        variation=variation,
        stage=stage_of_plans(event, stage, always=movement == KNOCKOUT),
        boards=boards,
    )
    drafts = (open_draft(wanted),) if movement == OPEN else tuple(plan_drafts(wanted))
    return _store(actor, wanted, drafts, now)


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
    actor: Actor, wanted: WantedPlans, drafts: Sequence[PlanDraft], now: datetime
) -> tuple[SeatingPlan, ...]:
    meeting = wanted.meeting
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
            movement=wanted.movement,
            seed=wanted.seed,
            round_count=wanted.rounds,
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
    _audit(actor, there, wanted.rounds, made, now)
    return tuple(made)


def _delete_drafts(meeting: Meeting) -> None:
    """Delete the drafts of a meeting, and their jobs; a worker that has one notices."""
    drafts = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.DRAFT)
    scopes = [seating_scope(pk) for pk in drafts.values_list("pk", flat=True)]
    Dirty.objects.filter(scope__in=scopes).delete()
    drafts.delete()


def _audit(
    actor: Actor, meeting: Meeting, rounds: int, made: Sequence[SeatingPlan], now: datetime
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
            "players": len(made[0].inputs["present"]),
            "movement": made[0].movement,
            "seed": made[0].seed,
            "plans": [str(plan.public_id) for plan in made],
        },
        now=now,
    )
