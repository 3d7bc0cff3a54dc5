"""What counts in the stages of an event of the games before them."""

from collections import defaultdict

from scoring.standings.counting import CARRIES, CarryRule
from tournaments.models.events import Carry, Event, Stage, StageKind, StagePlan
from tournaments.models.meetings import Round
from tournaments.models.playoffs import StageEntrant


def carry_rules(event: Event) -> tuple[CarryRule, ...]:
    """Return the stages that have begun and do not count everything, in order.

    One query where every stage counts everything, else three.
    """
    stages = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF)
    begun = stages.exclude(plan=StagePlan.PLANNED).exclude(carry=Carry.ALL).order_by("number")
    found = list(begun.values_list("pk", "carry"))
    if not found:
        return ()
    own = [pk for pk, _ in found]
    rounds: dict[int, list[int]] = defaultdict(list)
    for stage, number in Round.objects.filter(stage__in=own).values_list("stage_id", "number"):
        rounds[stage].append(number)
    codes: dict[int, list[str]] = defaultdict(list)
    chosen = StageEntrant.objects.filter(stage__in=own)
    for stage, code in chosen.values_list("stage_id", "entrant__code"):
        codes[stage].append(code)
    return tuple(
        CarryRule(
            frozenset(rounds[pk]),
            CARRIES[carry],
            frozenset(codes[pk]) if pk in codes else None,
        )
        for pk, carry in found
    )
