"""Drafts that were drawn by results or places: posting them, and drawing them again."""

from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.services.db.locks import lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.drafts.inputs_now import is_drawn, outdated_draft
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.plan_rounds import redraw_round
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans


@atomic_act
def move_drawn_round(
    *, actor: Actor, round_: Round, to: str, now: datetime, reason: str = "", anyway: bool = False
) -> Round:
    """Move a round as `move_round` does, for every interface that posts.

    A draft is not posted if what it was drawn from has changed, unless `anyway`.
    """
    problem = outdated_draft(lock_round(round_)) if to == "posted" and not anyway else None
    moved = move_round(actor=actor, round_=round_, to=to, reason=reason, now=now)
    if problem is not None:  # rolls the move back; what it refuses itself comes first
        raise Conflict(problem)
    return moved


@operation(
    "manage_event",
    locks=lock_round,
    refuses=(
        *("unknown_round", "event_is_over", "draft_not_drawn", "meeting_is_cancelled"),
        *("standings_not_published", "round_not_closed", "knockout_without_results"),
        *("table_tie_open", "table_tie_found", "wild_card_tie_open", "wild_card_tie_found"),
        *("too_few_to_seat", "too_many_to_seat", "knockout_too_few", "no_ladder_order"),
        *("bad_table_sizes", "no_table_sizes", "constraints_not_met", "stage_not_playing"),
        *("players_without_partner", "pair_incomplete", "team_is_no_pair"),
        *("too_few_pairs_or_teams", "movement_needs_sides"),
    ),
)
def draw_round_again(op: Operation, round_: Round, /) -> Round:
    """Draw a draft round again from what is known now; it keeps its number and its evening.

    A new plan with the kind, the sizes and the seed of the one that it was drawn from is made and
    chosen.
    """
    if not is_drawn(round_):
        raise Conflict(Problem("draft_not_drawn", facts={"round": round_.number}))
    plan, meeting = round_.plan, round_.meeting
    assert plan is not None and meeting is not None  # noqa: S101, PT018 - `is_drawn`
    meeting.event = round_.event
    plans = make_plans(
        actor=op.actor,
        meeting=meeting,
        rounds=plan.round_count,
        sizes=plan.inputs.get("chosen_sizes", ()),
        movement=plan.movement,
        variation=plan.inputs.get("variation", ""),
        seed=plan.seed,
        stage=plan.inputs.get("stage"),
        now=op.now,
    )
    policy = plan.inputs.get("policy")
    again = next((row for row in plans if row.inputs["policy"] == policy), plans[0])
    choose_plan(actor=op.actor, event=round_.event, plan=again.public_id, now=op.now, anyway=True)
    return redraw_round(actor=op.actor, round_=round_, plan=again, now=op.now)
