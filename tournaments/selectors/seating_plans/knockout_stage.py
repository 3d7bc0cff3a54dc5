"""What a knock-out plan reads of its stage: which one it is, and its walk-overs."""

from tournaments.models.events import EntrantMember, Event, Stage, StageKind, StagePlan
from tournaments.models.meetings import Round
from tournaments.models.walk_overs import WalkOver


def stage_to_plan(event: Event, number: int | None = None) -> Stage | None:
    """Return the stage that a plan is made for: the last that has begun, or the one of a number.

    None where the event has no such stage.
    """
    stages = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF)
    begun = stages.exclude(plan=StagePlan.PLANNED).order_by("-number")
    return (begun if number is None else begun.filter(number=number)).first()


def forfeits_in(round_: Round) -> frozenset[int]:
    """Return the players who gave up their table in a round, by row; one query."""
    given_up = WalkOver.objects.filter(round=round_).values("entrant")
    members = EntrantMember.objects.filter(entrant__in=given_up)
    return frozenset(members.values_list("player_id", flat=True))
