"""The movements of a plan: how its rounds follow each other.

Pure. See docs/algorithms/seating.md and docs/algorithms/movements.md.
"""

from collections.abc import Callable, Mapping
from typing import Final

from scoring.seating.movements.knockout import plan_knockout
from scoring.seating.movements.moving import plan_moving
from scoring.seating.movements.open_night import plan_open_night
from scoring.seating.movements.pairs import plan_pairs
from scoring.seating.movements.swiss.draw_swiss import plan_swiss
from scoring.seating.movements.teams import plan_teams
from scoring.seating.movements.whist import plan_whist
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import SeatingPlan, SeatingRequest

MOVEMENTS: Final = (
    "individual", "ladder", "open", "whist", "pairs", "teams", "swiss", "knockout",
    "moving",
)  # fmt: skip
"""The movements that a plan may be asked for."""

PLANNERS: Final[Mapping[str, Callable[[SeatingRequest], SeatingPlan]]] = {
    "individual": plan_seats,
    "ladder": plan_seats,
    "open": plan_open_night,
    "whist": plan_whist,
    "pairs": plan_pairs,
    "teams": plan_teams,
    "swiss": plan_swiss,
    "knockout": plan_knockout,
    "moving": plan_moving,
}
"""Movement → what plans it."""

ROUND_BY_ROUND: Final = ("swiss", "knockout")
"""Those that plan one round at a time: the next one needs its results."""

BUILT: Final = tuple(PLANNERS)
"""Those that can be planned."""


def plan_movement(request: SeatingRequest) -> SeatingPlan:
    """The plan for a request, by its movement, one of `BUILT`.

    At the tables of whist, pairs and teams, seats 0 and 2 are partners, and seats 1 and 3; for
    pairs and teams both are of one unit. Matches of teams are in `PlannedRound.matches`.

    Raises:
        Refused: as the planner of the movement.

    >>> asked = SeatingRequest((1, 2, 3, 4, 5, 6), 1, movement="ladder", standing={6: 1, 5: 2})
    >>> 5 in plan_movement(asked).rounds[0].tables[0]
    True
    """
    return PLANNERS[request.movement](request)
