"""Which of the people at an evening are expected at a table of a round.

Not those who do not play in the round's stage, and not those who are out of a knock-out.
"""

from collections.abc import Iterable

from tournaments.models.events import Stage, StageKind
from tournaments.models.meetings import Round
from tournaments.models.playoffs import StageEntrant
from tournaments.models.seating_plans import KNOCKOUT, SeatingPlan
from tournaments.selectors.rounds.round_seating import planned_tables


def expected_in(
    players: Iterable[int], stage: Stage | None, plan: SeatingPlan | None, number: int | None
) -> frozenset[int]:
    """Return those of some players who are expected in a round; at most one query.

    Args:
        plan: that the round follows, with the round's `number` in it; None for one without a plan.
    """
    if plan is not None and number is not None and is_later_round(plan):
        planned = plan.rounds[number - 1]
        inside = {player for table in planned_tables(planned) for player in table}
        return frozenset(players) & (inside | set(planned["sitting_out"]))
    if stage is None or stage.cut_at is None:
        return frozenset(players)
    chosen = StageEntrant.objects.filter(stage=stage)
    inside = set(chosen.values_list("entrant__members__player_id", flat=True))
    return frozenset(players) & inside if inside else frozenset(players)


def is_later_round(plan: SeatingPlan) -> bool:
    """Whether a plan is of a knock-out round that only those play who went on."""
    return plan.movement == KNOCKOUT and bool(plan.inputs.get("after") or plan.inputs.get("scores"))


def expected_in_round(
    players: Iterable[int], round_: Round, plan: SeatingPlan | None = None
) -> frozenset[int]:
    """Return those of some players who are expected in a round that is there; three queries.

    Args:
        plan: of its evening, where it is read already.
    """
    if round_.plan_id is None or plan is None or plan.pk != round_.plan_id:
        plan = round_.plan
    before = Round.objects.filter(stage=round_.stage_id, number__lt=round_.number)
    if plan is None and round_.stage.kind == StageKind.KNOCKOUT and before.exists():
        return frozenset()
    return expected_in(players, round_.stage, plan, round_.plan_round)
