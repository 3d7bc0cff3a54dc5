"""What changed since a plan was made: who left, who came, which rounds were seated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import OPEN, PARTNERSHIPS, WHIST, SeatingPlan
from tournaments.selectors.seating_plans.current_stage import scores_in_stage
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    people_here,
    planned_players,
    playing,
    seated_rounds,
)
from tournaments.selectors.seating_plans.plans import people_of_plan
from tournaments.selectors.seating_plans.units import members_now


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
            one.pk: _rounds(one.first - first + 1, _from(one.last, first), plan.round_count)
            for one in playing(self.people, plan.round_count, first)
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
    waiting = (one.inputs for one in plans if int(one.inputs.get("first_round", 1)) > seated)
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
