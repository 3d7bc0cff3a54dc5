"""The movements of a plan, what each gives for a number of entrants, and open nights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.cost import plan_of
from scoring.seating.movements.all_play_all import full_set
from scoring.seating.movements.knockout import plan_knockout
from scoring.seating.movements.moving_boards import plan_moving
from scoring.seating.movements.pairs_and_teams import plan_pairs, plan_teams
from scoring.seating.movements.requirements import AT_A_TABLE, require_units, require_variation
from scoring.seating.movements.swiss_rounds import plan_swiss
from scoring.seating.movements.whist import full_set_of, plan_whist, whist_figures, whist_set
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import (
    MovementFigures,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)


@dataclass(frozen=True, slots=True)
class MovementFacts:
    """The result of a movement for a number of entrants.

    Args:
        rounds: the rounds that were asked about.
        tables: the tables of a round.
        sitting_out: players, pairs or teams that sit out in each round.
        figures: the full set, and the excess of these rounds with its bounds; None where a search
            makes the plan, so that the excess is known with the plan alone.
    """

    rounds: int
    tables: int
    sitting_out: int
    figures: MovementFigures | None

    @property
    def is_exact(self) -> bool:
        """Whether partners and opponents are spread as the movement promises."""
        figures = self.figures
        return figures is not None and not (figures.partner_excess or figures.opponent_excess)


def movement_facts(
    movement: str, count: int, *, variation: str = "", rounds: int | None = None
) -> MovementFacts:
    """The facts of whist, pairs or teams, when everybody is there in every round.

    Args:
        movement: `whist`, `pairs` or `teams`.
        count: the players of whist, the pairs or the teams.
        variation: as in a request; without it teams play at one table.
        rounds: how many rounds; None: a full set.

    >>> facts = movement_facts("whist", 13)
    >>> facts.rounds, facts.tables, facts.sitting_out, facts.is_exact
    (13, 3, 1, True)
    """
    require_variation(movement, variation)
    if movement == "whist":
        return _facts_of_whist(count, rounds)
    require_units(movement, count)
    length = full_set(count, variation)
    matches = count // 2
    return MovementFacts(
        rounds=length if rounds is None else rounds,
        tables=2 * matches if variation == "two_tables" else matches,
        sitting_out=count % 2,
        figures=MovementFigures(length),
    )


def _facts_of_whist(players: int, rounds: int | None) -> MovementFacts:
    if players < AT_A_TABLE:
        facts = {"found": players, "least": AT_A_TABLE, "round": 1}
        raise Refused(Problem("too_few_to_seat", (), facts))
    length = full_set_of(players)
    round_count = length if rounds is None else rounds
    figures = None
    if full_set := whist_set(players):
        tables = [
            PlannedRound(tuple((a, c, b, d) for a, b, c, d in full_set[number % length]))
            for number in range(round_count)
        ]
        figures = whist_figures(players, tables)
    return MovementFacts(round_count, players // AT_A_TABLE, players % AT_A_TABLE, figures)


MOVES: Final = 30_000
"""The moves of the search for tables that form now: a tenth of a second."""

MOST_WEIGHT: Final = 12
"""So many earlier meetings of a pair weigh less than one tonight."""


def free_tables(request: SeatingRequest, tonight: Sequence[PlannedRound]) -> PlannedRound:
    """The tables that form now from whoever is free, with the fewest repeats; the others wait.

    A meeting tonight counts more than the earlier ones of a pair, up to `MOST_WEIGHT` of them.
    Those wait who waited least often tonight.

    Args:
        request: players who are free, sizes, constraints, seed; its rounds are not looked at.
        tonight: the earlier rounds of the night; who waited in one is `sitting_out` there.

    >>> met = PlannedRound(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> found = free_tables(SeatingRequest(tuple(range(1, 9)), 1, seed=3), [met])
    >>> sorted(len({1, 2, 3, 4} & set(table)) for table in found.tables)
    [2, 2]
    """
    weight = 1 + min(len(request.history), MOST_WEIGHT)  # no pair meets twice in a round
    history = (*request.history, *list(tonight) * weight)
    moves = MOVES if request.moves is None else request.moves
    request_of_free = replace(
        request, movement="individual", rounds=1, history=history, moves=moves, presence={}
    )
    return plan_seats(request_of_free).rounds[0]


def plan_open_night(request: SeatingRequest) -> SeatingPlan:
    """The rounds of an open night on which everybody is free before each round.

    Each round is formed when those before it are known, and none looks ahead.
    """
    rounds: list[PlannedRound] = []
    for number in range(1, request.rounds + 1):
        present = request.present(number)
        fixed = {player: at for player, at in request.fixed_tables.items() if player in present}
        now = replace(
            request,
            players=present,
            apart=tuple(pair for pair in request.apart if set(pair) <= set(present)),
            together=tuple(pair for pair in request.together if set(pair) <= set(present)),
            fixed_tables=fixed,
            seed=request.seed + number - 1,
            stop_after=None,
        )
        rounds.append(free_tables(now, rounds))
    return plan_of(request, tuple(rounds), "open")


def next_table(formed: PlannedRound, line: Sequence[int]) -> Table:
    """The table to form first: the one of whoever has waited longest.

    `line`: everybody who is free, who has waited longest in front.

    >>> next_table(PlannedRound(((4, 1, 2, 3), (5, 6, 7)), (8,)), (8, 6, 1, 2, 3, 4, 5, 7))
    (5, 6, 7)
    """
    return min(formed.tables, key=lambda table: min(line.index(player) for player in table))


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

    >>> asked = SeatingRequest((1, 2, 3, 4, 5, 6), 1, movement="ladder", standing={6: 1, 5: 2})
    >>> 5 in plan_movement(asked).rounds[0].tables[0]
    True
    """
    return PLANNERS[request.movement](request)
