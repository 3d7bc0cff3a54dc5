"""The seating plans of an evening, their constraints, and what changed since they were made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, F, QuerySet

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import (
    OPEN,
    PARTNERSHIPS,
    WHIST,
    PlanState,
    SeatingConstraint,
    SeatingPlan,
)
from tournaments.selectors.seating_plans.current_stage import scores_in_stage
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    members_now,
    people_here,
    planned_players,
    playing,
    seated_rounds,
)


def constraints_of(event: Event) -> QuerySet[SeatingConstraint]:
    """Return the constraints of an event, the first one first, with their players.

    The caller has asked whether the reader may manage the event: reasons are in them.
    """
    rows = SeatingConstraint.objects.filter(event=event).select_related("player", "other")
    return rows.order_by("created_at", "pk")


def constraint_at(event: Event, constraint: str | UUID) -> SeatingConstraint:
    """Return one constraint of an event, with its players.

    Raises:
        Missing: unknown_constraint.
    """
    try:
        key = constraint if isinstance(constraint, UUID) else UUID(constraint)
    except ValueError:
        raise Missing("constraint", {"constraint": str(constraint)[:40]}) from None
    found = constraints_of(event).filter(public_id=key).first()
    if found is None:
        raise Missing("constraint", {"constraint": str(key)})
    return found


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
    plans = SeatingPlan.objects.filter(event=event, public_id=key).select_related("meeting")
    if (one := plans.first()) is None:
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


_ONE = ("player",)
_SEVERAL = ("pair", "players")
_PAIRS = ("pairs", "together")


def named_problems(club: Club, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems of the planner with full names, for directors; one query."""
    found = tuple(problems)
    rows = {player for problem in found for player in _rows_in(problem.facts)}
    names = dict(Player.objects.filter(club=club, pk__in=rows).values_list("pk", "name"))
    return tuple(
        Problem(one.code, one.at, _named(one.facts, names), one.suggestions) for one in found
    )


def _rows_in(facts: Mapping[str, Any]) -> Iterable[int]:
    yield from (facts[key] for key in _ONE if isinstance(facts.get(key), int))
    for key in _SEVERAL:
        yield from facts.get(key, ())
    for key in _PAIRS:
        for pair in facts.get(key, ()):
            yield from pair


def _named(facts: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    found = dict(facts)
    for key in _ONE:
        if isinstance(facts.get(key), int):
            found[key] = names.get(facts[key], "?")
    for key in _SEVERAL:
        if key in facts:
            found[key] = [names.get(one, "?") for one in facts[key]]
    for key in _PAIRS:
        if key in facts:
            found[key] = [[names.get(one, "?") for one in pair] for pair in facts[key]]
    return found


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """Names of who cannot play all of a plan any more, and of who is there and not in it.

    `seated` are the rounds of the evening that were seated since; `regrouped` the players of a plan
    with partners whose pair or team is another one now; `rescored` says that a Swiss round was
    planned by other scores than those that are published now.
    """

    left: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    seated: int = 0
    regrouped: tuple[str, ...] = ()
    rescored: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether the plan cannot be played as it is."""
        return bool(self.left or self.seated or self.regrouped or self.rescored)


@dataclass(frozen=True, slots=True)
class EveningNow:
    """An evening as it is: who can be seated, and how many rounds were seated.

    `members` is player → pair or team, as rows.
    """

    people: tuple[PersonHere, ...]
    seated: int
    members: Mapping[int, int] = field(default_factory=dict)

    def changes(self, plan: SeatingPlan, names: Mapping[int, str] | None = None) -> PlanChanges:
        """Return what changed since a plan was made; no query where `names` are given.

        Five queries more at most for a Swiss round that was not seated.

        Args:
            names: of the players of the plan, by row.
        """
        if plan.movement == OPEN:
            return PlanChanges()  # its tables form from whoever is there
        first = int(plan.inputs.get("first_round", 1))
        there = {
            person.pk: _rounds(
                person.first - first + 1, _from(person.last, first), plan.round_count
            )
            for person in playing(self.people, plan.round_count, first)
        }
        bounds = {pk: (begin, end) for pk, begin, end in plan.inputs.get("presence", ())}
        planned = {
            pk: _rounds(*bounds.get(pk, (1, None)), plan.round_count) for pk in people_of_plan(plan)
        }
        gone = [pk for pk, rounds in planned.items() if rounds - there.get(pk, frozenset())]
        more = [
            one
            for one in self.people
            if there.get(one.pk, frozenset()) - planned.get(one.pk, frozenset())
        ]
        regrouped = regrouped_players(plan, self.members)
        if (gone or regrouped) and names is None:
            named = planned_players(plan.event, {*gone, *regrouped})
            names = {pk: one.name for pk, one in named.items()}
        left = sorted((names or {}).get(pk, "?") for pk in gone)
        came = tuple(one.name for one in more)
        moved = tuple(sorted((names or {}).get(pk, "?") for pk in regrouped))
        seated = max(0, self.seated + 1 - first)
        rescored = not seated and is_rescored(plan)
        return PlanChanges(tuple(left), came, seated, moved, rescored)


def evening_now(
    meeting: Meeting, plans: Sequence[SeatingPlan] = (), stage: int | None = None
) -> EveningNow:
    """Return an evening as it is; four queries.

    Args:
        plans: the stage of the first one that is not seated yet is looked at, else the stage that
            is played now.
        stage: the number of the stage to look at in their place.
    """
    seated = seated_rounds(meeting)
    stage = stage_of_waiting(plans, seated) if stage is None else stage
    return EveningNow(people_here(meeting, stage), seated, members_now(meeting.event))


def stage_of_waiting(plans: Sequence[SeatingPlan], seated: int) -> int | None:
    """Return the number of the stage that the first plan after `seated` rounds names; no query."""
    waiting = (plan.inputs for plan in plans if int(plan.inputs.get("first_round", 1)) > seated)
    return next((one.get("stage") for one in waiting), None)


def is_rescored(plan: SeatingPlan) -> bool:
    """Return whether the scores that a Swiss round was planned by are others now."""
    if not plan.is_swiss:
        return False
    now = scores_in_stage(plan.event, plan.inputs.get("stage"))
    people = people_of_plan(plan)
    texts = {player: one.text for player, one in now.items() if player in people}
    return texts != {player: text for player, _value, text in plan.inputs.get("scores", ())}


def regrouped_players(plan: SeatingPlan, members: Mapping[int, int]) -> frozenset[int]:
    """Return the players of a plan with partners who play in another pair or team now. No query.

    In a whist evening these are all who were entered as a pair or team since.
    """
    if plan.movement not in PARTNERSHIPS:
        return frozenset()
    if plan.movement == WHIST:
        return people_of_plan(plan).intersection(members)
    entrants = plan.inputs["entrants"]
    return frozenset(
        player
        for entrant, unit in zip(entrants, plan.inputs["units"], strict=True)
        for player in unit
        if entrant is not None and members.get(player) != entrant
    )


def _from(last: int | None, first: int) -> int | None:
    return None if last is None else last - first + 1


def _rounds(first: int, last: int | None, rounds: int) -> frozenset[int]:
    end = rounds if last is None else min(last, rounds)
    return frozenset(range(max(1, first), end + 1))


def listed_names(names: Sequence[str], most: int = 8) -> str:
    """Return names in a line; where there are many, the others are counted.

    >>> listed_names(["Ada", "Bo", "Cy"], most=2)
    'Ada, Bo and 1 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
