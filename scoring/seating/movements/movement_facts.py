"""What a movement gives for a number of entrants, before anything is planned: for pages.

Pure. See docs/algorithms/movements.md, "Facts".
"""

from dataclasses import dataclass

from scoring.errors import Problem, Refused
from scoring.seating.movements.circle import full_set
from scoring.seating.movements.requirements import AT_A_TABLE, require_units, require_variation
from scoring.seating.movements.whist import whist_figures
from scoring.seating.movements.whist_sets import full_set_of, whist_set
from scoring.seating.requests import MovementFigures, PlannedRound


@dataclass(frozen=True, slots=True)
class MovementFacts:
    """What a movement gives.

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

    Raises:
        Refused: too_few_to_seat, too_few_in_movement, unknown_variation.

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
    asked = length if rounds is None else rounds
    known = whist_set(players)
    tables = [
        tuple((a, c, b, d) for a, b, c, d in known[number % length])
        for number in range(asked if known else 0)
    ]
    figures = whist_figures(players, [PlannedRound(one) for one in tables]) if known else None
    return MovementFacts(asked, players // AT_A_TABLE, players % AT_A_TABLE, figures)
