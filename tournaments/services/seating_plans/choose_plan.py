"""Choosing a plan for an evening, and taking the best plan so far."""

from datetime import datetime
from uuid import UUID

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.models.seating_plans import PlanState, SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import PLAN_KIND
from tournaments.selectors.events.meetings import meetings_of
from tournaments.selectors.seating_plans.plans import (
    EveningNow,
    PlanChanges,
    listed_names,
    plan_at,
)
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require
from tournaments.states import SEATING_PLAN, find_move


@atomic_act
def choose_plan(
    *, actor: Actor, event: Event, plan: str | UUID, now: datetime, anyway: bool = False
) -> SeatingPlan:
    """Choose a plan for its evening; the one that was chosen before is superseded.

    Choosing the chosen plan again changes nothing. The event's row is locked: of two directors who
    choose two plans at once, the later one's plan is the chosen one.

    Args:
        anyway: choose it though more people came since; they are not in it.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    row = plan_at(event, plan)
    if row.state == PlanState.CHOSEN:
        return row
    find_move(SEATING_PLAN, row.state, PlanState.CHOSEN)
    require_running(event)
    meeting = meetings_of(event).get(pk=row.meeting_id)
    _require_ready(row, meeting)
    _require_current(EveningNow(meeting, [row]).changes(row), anyway=anyway)
    before = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    superseded = list(before.values_list("public_id", flat=True))
    before.update(state=PlanState.SUPERSEDED)
    row.state, row.chosen_at = PlanState.CHOSEN, now
    row.save(update_fields=["state", "chosen_at"])
    facts = {"date": meeting.date.isoformat(), "plan": str(row.public_id)}
    if superseded:
        facts["superseded"] = str(superseded[0])
    _audit(actor, event, "choose_plan", facts, now)
    note_change(
        event=event,
        version=mark_changed(event=event, now=now),
        kind=PLAN_KIND,
        by=get_role(actor, event.club_id),
        now=now,
        facts={"date": facts["date"]},
    )
    return row


def take_best_so_far(*, actor: Actor, event: Event, plan: str | UUID, now: datetime) -> SeatingPlan:
    """Have a plan that is computed end with the best so far; nothing happens where it is ready.

    The worker stores the number of its moves, so that the plan can be made again.
    """
    require(actor, event.club, "manage_event")
    row = plan_at(event, plan)
    waiting = SeatingPlan.objects.filter(pk=row.pk, is_ready=False, stop_requested=False)
    if waiting.update(stop_requested=True):
        _audit(actor, event, "take_best_plan", {"plan": str(row.public_id)}, now)
    row.refresh_from_db()
    return row


def _require_ready(plan: SeatingPlan, meeting: Meeting) -> None:
    if meeting.state_now == MeetingState.CANCELLED:  # type: ignore[attr-defined]  # annotated
        facts: dict[str, int | str] = {"date": meeting.date.isoformat()}
        raise Conflict(Problem("meeting_is_cancelled", (), facts))
    if plan.problem:
        raise Conflict(Problem("plan_failed"))
    if not plan.is_ready:
        raise Conflict(Problem("plan_not_ready"))


def _require_current(changes: PlanChanges, *, anyway: bool) -> None:
    if changes.seated:
        raise Conflict(Problem("plan_round_is_over", (), {"found": changes.seated}))
    if changes.regrouped:
        facts: dict[str, int | str] = {"names": listed_names(changes.regrouped)}
        raise Conflict(Problem("plan_partners_changed", (), facts))
    if changes.rescored:
        raise Conflict(Problem("plan_scores_changed"))
    if changes.left:
        facts = {"left": listed_names(changes.left)}
        if changes.came:
            facts["came"] = listed_names(changes.came)
        raise Conflict(Problem("plan_outdated", (), facts))
    if changes.came and not anyway:
        raise Conflict(Problem("plan_lacks_players", (), {"came": listed_names(changes.came)}))


def _audit(actor: Actor, event: Event, act: str, facts: dict[str, str], now: datetime) -> None:
    append_audit(
        club=event.club, actor=actor, act=act, subject=f"event:{event.slug}", facts=facts, now=now
    )
