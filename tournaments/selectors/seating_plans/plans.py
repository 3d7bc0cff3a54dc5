"""The seating plans of an evening, and what is in one."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, QuerySet

from scoring.json_types import JsonDict
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import OPEN, PlanState, SeatingPlan


@dataclass(frozen=True, slots=True)
class RoundOfPlan:
    """A round of a plan: rows of players at each table in seat order, and who sits out.

    `number` counts the rounds of the plan, `of_evening` those of the evening, both from 1.
    """

    number: int
    of_evening: int
    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...]


def plans_of(meeting: Meeting) -> QuerySet[SeatingPlan]:
    """Return the plans of a meeting, the newest first, those made together in their order."""
    return SeatingPlan.objects.filter(meeting=meeting).order_by("-created_at", "pk")


def state_of_plans(meeting: Meeting | None) -> str:
    """Return `chosen` where a plan of a meeting is, `draft` where plans wait, "" without any."""
    if meeting is None:
        return ""
    states = set(SeatingPlan.objects.filter(meeting=meeting).values_list("state", flat=True))
    known = (PlanState.CHOSEN.value, PlanState.DRAFT.value)
    return next((state for state in known if state in states), "")


def has_planned_rounds(meeting: Meeting | None) -> bool:
    """Whether the chosen plan of a meeting has rounds that were not made; one query."""
    chosen = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    left = chosen.exclude(movement=OPEN).annotate(made=Count("made_rounds"))
    return meeting is not None and left.filter(made__lt=F("round_count")).exists()


def plan_at(event: Event, plan: str | UUID) -> SeatingPlan:
    """Return one plan of an event, with its meeting.

    Raises:
        Missing: unknown_plan.
    """
    try:
        key = plan if isinstance(plan, UUID) else UUID(plan)
    except ValueError:
        raise Missing("plan", {"plan": str(plan)[:40]}) from None
    found = SeatingPlan.objects.filter(event=event, public_id=key).select_related("meeting")
    if (one := found.first()) is None:
        raise Missing("plan", {"plan": str(key)})
    return one


def plan_with_reasons(
    event: Event, pk: int, number: int
) -> tuple[SeatingPlan | None, Sequence[JsonDict]]:
    """Return a plan by its row, and why pairs meet in its round of this number; one query."""
    plan = SeatingPlan.objects.filter(event=event, pk=pk).first()
    if plan is None or not plan.is_swiss:
        return None, ()
    return plan, plan.rounds[number - 1].get("reasons", ())


def rounds_of_plan(plan: SeatingPlan) -> tuple[RoundOfPlan, ...]:
    """Return the rounds of a plan; empty while it is computed. No query."""
    first = int(plan.inputs.get("first_round", 1))
    return tuple(
        RoundOfPlan(
            number,
            first + number - 1,
            tuple(map(tuple, one["tables"])),
            tuple(one["sitting_out"]),
        )
        for number, one in enumerate(plan.rounds, 1)
    )


def people_of_plan(plan: SeatingPlan) -> frozenset[int]:
    """Return the rows of the players that a plan was made for. No query."""
    return frozenset(plan.inputs.get("present", ()))


def players_named(plans: Sequence[SeatingPlan]) -> set[int]:
    """Return the rows of all players in some plans. No query."""
    return {player for plan in plans for player in people_of_plan(plan)}
