"""Plans in which partners sit opposite each other: whist, fixed pairs, matches of teams."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from scoring.seating.requests import SeatingPlan, SeatingRequest
from tournaments.domain.stage_plan import plays_opposite
from tournaments.models.events import Event
from tournaments.models.seating_plans import PAIRS, TEAMS, WHIST
from tournaments.selectors.seating_plans.people_here import PersonHere, PlayingUnit, units_here
from tournaments.selectors.seating_plans.plans import listed_names

VARIATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    PAIRS: ("all_play_all", "mitchell", "swiss"),
    TEAMS: ("one_table", "two_tables"),
}
"""Movement → its variations, the usual one first."""

SEATS: Final = 4
BY_PARTNERS: Final = "byes", (SEATS,)
"""The policy and sizes by which a movement with partners divides any head-count."""

LEAST_UNITS: Final = 2


def require_variation(movement: str, variation: str) -> None:
    """Refuse a variation that a movement does not have."""
    variations = VARIATIONS.get(movement, ())
    if variation and variation not in variations:
        facts = {"found": shown(variation), "expected": ", ".join(variations) or "–"}
        raise Refused(Problem("bad_variation", ("variation",), facts))


def partnership_inputs(
    event: Event,
    rules: Rules,
    people: Sequence[PersonHere],
    inputs: JsonDict,
    *,
    movement: str,
    variation: str,
) -> JsonDict:
    """Return the inputs of a plan with partners, with rows of players, from those of any plan.

    `units` are the pairs or teams in order, `entrants` their rows (null: two by a constraint); both
    are empty in a whist evening.
    """
    if not plays_opposite(rules):
        raise Refused(Problem("movement_needs_sides", ("movement",)))
    units, alone = units_here(event, people)
    variation = variation or VARIATIONS.get(movement, ("",))[0]
    if movement == WHIST:
        problems = tuple(_whist_problems(units, people))
        units = []
    else:
        problems = tuple(_problems_of_units(units, alone, movement, variation))
    if problems:
        raise Refused(*problems)
    players = [list(unit.here) for unit in units]
    presence = inputs["presence"]
    return inputs | {
        "variation": variation,
        "units": players,
        "entrants": [unit.entrant for unit in units],
        "together": inputs["together"] if movement == WHIST else [],
        "presence": presence if movement == TEAMS else _presence_of_units(presence, players),
    }


def require_apart(request: SeatingRequest, plan: SeatingPlan) -> None:
    """Refuse a plan with partners in which players who must be apart share a table."""
    apart = {frozenset(pair) for pair in request.apart}
    shared = {
        frozenset(pair)
        for planned in plan.rounds
        for table in planned.tables
        for pair in combinations(table, 2)
    }
    if broken := sorted(sorted(pair) for pair in apart & shared):
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))


def _problems_of_units(
    units: Sequence[PlayingUnit], alone: Sequence[PersonHere], movement: str, variation: str
) -> Iterator[Problem]:
    for unit in units:
        if problem := _problem_of_size(unit, movement, variation):
            yield problem
    if alone:
        names = listed_names([person.name for person in alone])
        code = "players_without_team" if movement == TEAMS else "players_without_partner"
        yield Problem(code, ("movement",), {"names": names})
    if len(units) < LEAST_UNITS:
        facts = {"found": len(units), "least": LEAST_UNITS}
        yield Problem("too_few_pairs_or_teams", ("movement",), facts)


def _whist_problems(
    units: Sequence[PlayingUnit], people: Sequence[PersonHere]
) -> Iterator[Problem]:
    if names := [unit.name for unit in units if unit.entrant is not None]:
        yield Problem("whist_of_pairs", ("movement",), {"names": listed_names(names)})
    if len(people) < SEATS:
        facts = {"found": len(people), "least": SEATS, "round": 1}
        yield Problem("too_few_to_seat", (), facts)


def _problem_of_size(unit: PlayingUnit, movement: str, variation: str) -> Problem | None:
    """Return the problem of a pair or team that has not the players of its tables here."""
    needed = SEATS if variation == "two_tables" else 2
    facts: dict[str, int | str] = {
        "name": unit.name,
        "missing": listed_names(unit.missing) or "–",
        "found": len(unit.here),
        "expected": needed,
    }
    if movement == PAIRS and len(unit.here) != 2:
        code = "pair_incomplete" if len(unit.here) < 2 else "team_is_no_pair"
        return Problem(code, ("movement",), facts)
    if movement == TEAMS and not needed <= len(unit.here) <= SEATS:
        few = "team_incomplete" if unit.missing else "team_too_small"
        code = few if len(unit.here) < needed else "team_too_large"
        return Problem(code, ("movement",), facts | {"most": SEATS})
    return None


def _presence_of_units(
    presence: Sequence[Sequence[Any]], units: Sequence[Sequence[int]]
) -> list[list[int | None]]:
    """Return who is there for some rounds only: partners play while all of them are there."""
    rows: dict[int, list[int | None]] = {row[0]: list(row) for row in presence}
    for unit in units:
        of_unit = [row for row in presence if row[0] in unit]
        if of_unit:
            first = max(first for _player, first, _last in of_unit)
            last = min((last for *_row, last in of_unit if last is not None), default=None)
            rows |= {player: [player, first, last] for player in unit}
    return [rows[player] for player in sorted(rows)]
