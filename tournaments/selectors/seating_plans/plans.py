"""The seating plans of an evening, their constraints, and what changed since they were made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from django.db.models import Count, F, QuerySet

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.seating.requests import PlannedRound
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round, RoundState
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
    members_now,
    people_here,
    planned_players,
    seated_rounds,
)

RowT = TypeVar("RowT", SeatingConstraint, SeatingPlan)


def constraints_of(event: Event) -> QuerySet[SeatingConstraint]:
    """Return the constraints of an event, the first one first, with their players and reasons.

    Only who may manage the event reads the reasons: the caller checks it.
    """
    rows = SeatingConstraint.objects.filter(event=event).select_related("player", "other")
    return rows.order_by("created_at", "pk")


def get_constraint(event: Event, constraint: str | UUID) -> SeatingConstraint:
    row = _get_row(constraints_of(event), "constraint", constraint)
    row.event, row.club = event, event.club
    return row


def _get_row(rows: QuerySet[RowT], kind: str, public_id: str | UUID) -> RowT:
    try:
        key = UUID(str(public_id))
    except ValueError:
        raise Missing(kind, {kind: str(public_id)[:40]}) from None
    row = rows.filter(public_id=key).first()
    if row is None:
        raise Missing(kind, {kind: str(key)})
    return row


def plans_of(meeting: Meeting) -> QuerySet[SeatingPlan]:
    """Return the plans of a meeting, the newest first, those made together in their order."""
    return SeatingPlan.objects.filter(meeting=meeting).order_by("-created_at", "pk")


def state_of_plans(meeting: Meeting | None) -> str:
    """Return `chosen` where a plan of a meeting is, `draft` where plans wait, "" without any."""
    if meeting is None:
        return ""
    states = set(SeatingPlan.objects.filter(meeting=meeting).values_list("state", flat=True))
    in_order = (PlanState.CHOSEN.value, PlanState.DRAFT.value)
    return next((state for state in in_order if state in states), "")


def has_planned_rounds(meeting: Meeting | None) -> bool:
    """Whether the chosen plan of a meeting has rounds that were not made; one query."""
    plans = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    plans = plans.exclude(movement=OPEN).annotate(made=Count("made_rounds"))
    return meeting is not None and plans.filter(made__lt=F("round_count")).exists()


def closed_rounds_of_plans(meeting: Meeting) -> Mapping[int, int]:
    """Return plan → how many of its rounds are closed, of the plans of a meeting; one query."""
    rows = Round.objects.filter(plan__meeting=meeting, state=RoundState.CLOSED)
    counts = rows.order_by().values("plan").annotate(closed=Count("pk"))
    return dict(counts.values_list("plan", "closed"))


def plan_at(event: Event, plan: str | UUID) -> SeatingPlan:
    plans = SeatingPlan.objects.filter(event=event).select_related("meeting")
    row = _get_row(plans, "plan", plan)
    row.event, row.club = event, event.club
    return row


def plan_with_reasons(
    event: Event, pk: int, number: int
) -> tuple[SeatingPlan | None, Sequence[JsonDict]]:
    """Return a plan by its row, and why pairs meet in its round of this number; one query."""
    plan = SeatingPlan.objects.filter(event=event, pk=pk).first()
    if plan is None or not plan.is_swiss:
        return None, ()
    return plan, plan.rounds[number - 1].get("reasons", ())


def rounds_of_plan(plan: SeatingPlan) -> tuple[PlannedRound, ...]:
    """Return the rounds of a plan, players as rows; empty while it is computed. No query."""
    return tuple(
        PlannedRound(tuple(map(tuple, body["tables"])), tuple(body["sitting_out"]))
        for body in plan.rounds
    )


def people_of_plan(plan: SeatingPlan) -> frozenset[int]:
    return frozenset(plan.inputs.get("present", ()))


def players_named(plans: Sequence[SeatingPlan]) -> set[int]:
    """Return the rows of all players in some plans. No query."""
    return {player for plan in plans for player in people_of_plan(plan)}


PLAYER_FACTS = ("player", "pair", "players", "pairs", "together")
"""Facts of the planner's problems that hold rows of players, alone or in nested lists."""


def named_problems(club: Club, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems of the planner with full names, for directors; one query."""
    problems = tuple(problems)
    rows = {
        row
        for problem in problems
        for key in PLAYER_FACTS
        for row in _rows_in(problem.facts.get(key))
    }
    names = dict(Player.objects.filter(club=club, pk__in=rows).values_list("pk", "name"))
    return tuple(
        replace(
            problem,
            facts={
                key: _with_names(fact, names) if key in PLAYER_FACTS else fact
                for key, fact in problem.facts.items()
            },
        )
        for problem in problems
    )


def _rows_in(fact: object) -> Iterator[int]:
    if isinstance(fact, int):
        yield fact
    elif isinstance(fact, (list, tuple)):
        for part in fact:
            yield from _rows_in(part)


def _with_names(fact: object, names: Mapping[int, str]) -> object:
    if isinstance(fact, int):
        return names.get(fact, "?")
    if not isinstance(fact, (list, tuple)):
        return fact
    return [_with_names(part, names) for part in fact]


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """What changed since a plan was made.

    Args:
        left: names of players who can no longer play all of it; `came`: of those not in it.
        seated: how many of its rounds of the evening were seated since.
        regrouped: names of players whose pair or team changed.
        rescored: whether a Swiss round was planned by scores that differ from those published now.
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


class EveningNow:
    """Who can be seated at an evening, how many rounds were, and player → pair or team as rows.

    Its people are those of the stage of a number, else of the first of the plans that is not seated
    yet, else of the stage that is played now. Five queries.
    """

    def __init__(
        self, meeting: Meeting, plans: Sequence[SeatingPlan] = (), stage: int | None = None
    ) -> None:
        self.seated = seated_rounds(meeting)
        self.closed_of_plan = closed_rounds_of_plans(meeting)
        stage = stage_of_waiting(plans, self.seated) if stage is None else stage
        self.people = people_here(meeting, stage)
        self.members = members_now(meeting.event)

    def is_over(self, plan: SeatingPlan) -> bool:
        """Whether all rounds of a chosen plan are closed; an open night is not over. No query."""
        if plan.state != PlanState.CHOSEN or plan.movement == OPEN:
            return False
        return 0 < len(plan.rounds) <= self.closed_of_plan.get(plan.pk, 0)

    def changes(self, plan: SeatingPlan, names: Mapping[int, str] | None = None) -> PlanChanges:
        """Return what changed since a plan was made; no query where `names` by row are given.

        Five queries more at most for a Swiss round that was not seated.
        """
        if plan.movement == OPEN:
            return PlanChanges()  # its tables form from the players present
        before = int(plan.inputs.get("first_round", 1)) - 1
        n_rounds = plan.round_count
        nowhere = frozenset[int]()
        available = {
            person.pk: _rounds(
                person.first - before,
                None if person.last is None else person.last - before,
                n_rounds,
            )
            for person in self.people
        }
        bounds = {pk: (begin, end) for pk, begin, end in plan.inputs.get("presence", ())}
        planned = {pk: _rounds(*bounds.get(pk, (1, None)), n_rounds) for pk in people_of_plan(plan)}
        absent = [pk for pk, rounds in planned.items() if rounds - available.get(pk, nowhere)]
        regrouped = regrouped_players(plan, self.members)
        if (absent or regrouped) and names is None:
            players = planned_players(plan.event, {*absent, *regrouped})
            names = {pk: player.name for pk, player in players.items()}
        names = names or {}
        seated = max(0, self.seated - before)
        return PlanChanges(
            left=tuple(sorted(names.get(pk, "?") for pk in absent)),
            came=tuple(
                person.name
                for person in self.people
                if available[person.pk] - planned.get(person.pk, nowhere)
            ),
            seated=seated,
            regrouped=tuple(sorted(names.get(pk, "?") for pk in regrouped)),
            rescored=not seated and is_rescored(plan),
        )


def stage_of_waiting(plans: Sequence[SeatingPlan], seated: int) -> int | None:
    """Return the number of the stage that the first plan after `seated` rounds names; no query."""
    waiting = (plan.inputs for plan in plans if int(plan.inputs.get("first_round", 1)) > seated)
    return next((inputs.get("stage") for inputs in waiting), None)


def is_rescored(plan: SeatingPlan) -> bool:
    """Return whether the scores that a Swiss round was planned by are others now."""
    if not plan.is_swiss:
        return False
    scores = scores_in_stage(plan.event, plan.inputs.get("stage"))
    people = people_of_plan(plan)
    texts = {player: score.text for player, score in scores.items() if player in people}
    return texts != {player: text for player, _value, text in plan.inputs.get("scores", ())}


def regrouped_players(plan: SeatingPlan, members: Mapping[int, int]) -> frozenset[int]:
    """Return the players of a plan with partners who play in another pair or team now. No query.

    In a whist evening these are all entered as a pair or team since.
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


def _rounds(first: int, last: int | None, n_rounds: int) -> frozenset[int]:
    end = n_rounds if last is None else min(last, n_rounds)
    return frozenset(range(max(1, first), end + 1))
