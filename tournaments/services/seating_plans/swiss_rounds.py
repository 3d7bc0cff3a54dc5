"""Swiss and knock-out rounds of an event: what they need besides the people who are here.

Scores come from the newest publication, so nothing is planned while a round is open or a change
waits to be published. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections.abc import Mapping
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.movements.knockout import MOST_ENTRANTS
from scoring.seating.movements.moving_boards import LINES
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND
from scoring.seating.table_sizes import sizes_of_rules
from tournaments.models.events import Event, Stage
from tournaments.models.seating_plans import KNOCKOUT, MOVING
from tournaments.selectors.seating_plans.boards_to_plan import BoardsToPlan
from tournaments.selectors.seating_plans.current_stage import (
    CurrentStage,
    scores_in_stage,
    seeds_in_stage,
)
from tournaments.selectors.seating_plans.scores_so_far import (
    PublishedScore,
    floated_down,
    is_behind,
    open_round,
    seated_knockout,
)
from tournaments.services.rules.rule_sets import offered_in
from tournaments.services.seating_plans.finishes import finishes_of_round

ONE_ROUND: Final = 1
INDIVIDUAL: Final = "individual"


def movement_to_plan(
    stage: CurrentStage | None, movement: str, boards: BoardsToPlan | None = None
) -> str:
    """Return the movement of a plan where none was named: that of the boards, else of the stage."""
    moving = MOVING if boards is not None and boards.tables else ""
    return movement or moving or (stage.movement if stage else "") or INDIVIDUAL


def rounds_to_plan(
    stage: CurrentStage | None, movement: str, rounds: int, boards: BoardsToPlan | None = None
) -> int:
    """Return how many rounds a plan has where none were named.

    One of those that need results; of others as many as have boards, or are left of the stage.
    """
    if movement in ROUND_BY_ROUND:
        return rounds or ONE_ROUND
    with_boards = boards.rounds_left if boards is not None else 0
    return rounds or with_boards or (stage.rounds_left if stage else None) or 0


def sizes_to_plan(
    event: Event, stage: CurrentStage | None, boards: BoardsToPlan | None
) -> tuple[int, ...]:
    """Return the table sizes of a plan where none were named; empty for what the club prefers.

    Four where boards are played, else those of the stage that the event's rules allow. One query at
    most.
    """
    if boards is not None:
        return (LINES,)
    if stage is None or not stage.sizes:
        return ()
    rules = offered_in(event).rules(event.variant, event.options)
    return tuple(size for size in stage.sizes if size in sizes_of_rules(rules))


def round_by_round_inputs(
    event: Event, inputs: JsonDict, *, movement: str, stage: Stage | None = None
) -> JsonDict:
    """Return what a Swiss or knock-out round depends on, with rows of players.

    `scores` are [player, value, text]: in one unit, more is better, and as it is shown. `floated`
    are the players who floated down in the Swiss round before. Both are empty in a first round of a
    stage that carries no points over, whose order is `standing`: the seeding of the stage.

    Args:
        inputs: those of any plan (`plan_inputs`).
        stage: where it is not the one that is played now; only its own rounds are to be closed.

    Raises:
        Refused: round_not_closed, standings_not_published, too_many_to_seat.
    """
    if (number := open_round(event, stage)) is not None:
        raise Refused(Problem("round_not_closed", ("movement",), {"round": number}))
    if movement == KNOCKOUT:
        if len(inputs["present"]) > MOST_ENTRANTS:
            facts: dict[str, int | str] = {"found": len(inputs["present"]), "most": MOST_ENTRANTS}
            raise Refused(Problem("too_many_to_seat", (), facts))
        scores = finishes_of_round(event) if seated_knockout(event) else {}
        return inputs | {"scores": _rows(scores), "floated": []}
    if is_behind(event):
        raise Refused(Problem("standings_not_published", ("movement",)))
    here = set(inputs["present"])
    own = stage.number if stage is not None else None
    scored = scores_in_stage(event, own)
    found = {player: one for player, one in scored.items() if player in here}
    seeds = seeds_in_stage(event, own)
    return inputs | {
        "standing": [[player, seeds[player]] for player in inputs["present"] if player in seeds],
        "scores": _rows(found),
        "floated": sorted(here & floated_down(event)) if found else [],
    }


def _rows(scores: Mapping[int, PublishedScore]) -> list[list[int | str]]:
    return [[player, one.value, one.text] for player, one in sorted(scores.items())]
