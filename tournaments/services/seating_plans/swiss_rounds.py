"""Swiss and knock-out rounds of an event: what they need besides the people who are here.

Scores come from the newest publication, so nothing is planned while a round is open or a change
waits to be published. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections.abc import Mapping
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.movements.knockout import MOST_ENTRANTS
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND
from tournaments.models.events import Event
from tournaments.models.seating_plans import KNOCKOUT
from tournaments.selectors.seating_plans.scores_so_far import (
    PublishedScore,
    finishes_of_round,
    floated_down,
    is_behind,
    open_round,
    published_scores,
    seated_knockout,
)

ONE_ROUND: Final = 1


def rounds_to_plan(movement: str, rounds: int) -> int:
    """Return how many rounds a plan has where none were named: one of those that need results."""
    return rounds or ONE_ROUND if movement in ROUND_BY_ROUND else rounds


def round_by_round_inputs(event: Event, inputs: JsonDict, *, movement: str) -> JsonDict:
    """Return what a Swiss or knock-out round depends on, with rows of players.

    `scores` are [player, value, text]: in one unit, more is better, and as it is shown. `floated`
    are the players who floated down in the Swiss round before. Both are empty in a first round.

    Args:
        inputs: those of any plan (`plan_inputs`).

    Raises:
        Refused: round_not_closed, standings_not_published, too_many_to_seat.
    """
    if (number := open_round(event)) is not None:
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
    found = {player: one for player, one in published_scores(event).items() if player in here}
    return inputs | {
        "scores": _rows(found),
        "floated": sorted(here & floated_down(event)) if found else [],
    }


def _rows(scores: Mapping[int, PublishedScore]) -> list[list[int | str]]:
    return [[player, one.value, one.text] for player, one in sorted(scores.items())]
