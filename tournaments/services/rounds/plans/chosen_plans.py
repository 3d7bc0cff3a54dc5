"""The plan that an evening is played by, as it was chosen."""

from datetime import date

from scoring.errors import Problem
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import chosen_plan


def plan_to_seat(event: Event, on: date) -> SeatingPlan:
    """Return the plan that was chosen for an evening.

    Raises:
        Missing: the event does not meet then.
        Conflict: no_plan_chosen.
    """
    meeting = Meeting.objects.filter(event=event, date=on).first()
    if meeting is None:
        raise Missing("meeting", {"date": on.isoformat()})
    return _plan_of(meeting)


def plan_of_round(round_: Round) -> SeatingPlan:
    """Return the plan that is chosen for a round's evening.

    Raises:
        Conflict: no_plan_chosen.
    """
    return _plan_of(round_.meeting)


def _plan_of(meeting: Meeting | None) -> SeatingPlan:
    plan = chosen_plan(meeting) if meeting is not None else None
    if plan is None:
        on = meeting.date.isoformat() if meeting is not None else "–"
        raise Conflict(Problem("no_plan_chosen", facts={"date": on}))
    return plan
