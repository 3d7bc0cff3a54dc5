"""How far an evening is: who is here, how many tables are seated and complete, what is published.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, Round
from tournaments.models.seating_plans import OPEN, PlanState, SeatingPlan
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import progress_of_all
from tournaments.selectors.rounds.round_progress import (
    RoundProgress,
    current_round,
    round_progress,
)


@dataclass(frozen=True, slots=True)
class EveningFigures:
    """The figures of an evening; `round` is the one at hand, else the last that was closed.

    `here` is None where nobody's attendance was recorded. `next_round` is the number of the round
    that the chosen plan seats next, None while another one is open. `publication` is None before
    the first one; `is_published` says that it has every result.
    """

    round: RoundProgress | None
    here: int | None
    expected: int
    late: int
    has_plan: bool
    next_round: int | None
    publication: int | None
    is_published: bool


def evening_figures(
    event: Event,
    meeting: Meeting | None,
    *,
    round_: Round | None = None,
    rounds: Sequence[RoundProgress] | None = None,
) -> EveningFigures:
    """Return the figures of an evening in at most six queries.

    Args:
        meeting: None for rounds that belong to no evening.
        round_: the round at hand, where the page is about one.
        rounds: those of the event, as `round_progress` returns them, where they are read already.
    """
    found = round_progress(event) if rounds is None else rounds
    own = [
        one
        for one in found
        if not one.is_playoff and one.row.meeting_id == (meeting.pk if meeting else None)
    ]
    at_hand = current_round(own)
    if round_ is not None:
        at_hand = next((one for one in own if one.row.pk == round_.pk), at_hand)
    here, expected, late = _attendance(meeting)
    plan = _chosen_plan(meeting)
    is_planned_on = plan is not None and at_hand is None and _has_rounds_left(plan)
    publications = Publication.objects.filter(event=event).order_by("-number")
    return EveningFigures(
        round=at_hand or (own[-1] if own else None),
        here=here,
        expected=expected,
        late=late,
        has_plan=plan is not None,
        next_round=(found[-1].number + 1 if found else 1) if is_planned_on else None,
        publication=publications.values_list("number", flat=True).first(),
        is_published=not progress_of_all(event.pk).is_behind,
    )


def _attendance(meeting: Meeting | None) -> tuple[int | None, int, int]:
    """Return how many players are here, how many are expected, and how many come late."""
    if meeting is None:
        return None, 0, 0
    counts = Attendance.objects.filter(meeting=meeting).aggregate(
        all=Count("pk"),
        here=Count("pk", filter=Q(state=AttendanceState.HERE)),
        expected=Count("pk", filter=Q(state=AttendanceState.EXPECTED)),
        late=Count("pk", filter=Q(state=AttendanceState.LATE)),
    )
    here = counts["here"] if counts["all"] else None
    return here, counts["expected"], counts["late"]


def _has_rounds_left(plan: SeatingPlan) -> bool:
    return plan.movement != OPEN and plan.made < plan.round_count  # type: ignore[attr-defined]  # annotated


def _chosen_plan(meeting: Meeting | None) -> SeatingPlan | None:
    """Return the evening's chosen plan with `made`: how many of its rounds were made."""
    if meeting is None:
        return None
    chosen = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    return chosen.annotate(made=Count("made_rounds")).only("pk", "round_count", "movement").first()
