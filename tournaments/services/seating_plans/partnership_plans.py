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
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    PlayingUnit,
    UnitsHere,
    units_here,
)
from tournaments.selectors.seating_plans.plans import listed_names

VARIATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    PAIRS: ("all_play_all", "mitchell", "swiss"),
    TEAMS: ("one_table", "two_tables"),
}
"""Movement → its variations, the usual one first."""

SEATS: Final = 4
BY_PARTNERS: Final = "byes", (SEATS,)
"""The policy and sizes by which a movement with partners divides any head-count."""

_LEAST: Final = {WHIST: 4, PAIRS: 2, TEAMS: 2}


def require_variation(movement: str, variation: str) -> None:
    """Let a movement have one of its own variations, or none.

    Raises:
        Refused: bad_variation.
    """
    known = VARIATIONS.get(movement, ())
    if variation and variation not in known:
        facts: dict[str, int | str] = {"found": shown(variation), "expected": ", ".join(known)}
        if not known:
            facts["expected"] = "–"
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
    """Return what a plan with partners depends on, with rows of players.

    `units` are the pairs or teams in order, `entrants` their rows (null: two by a constraint); both
    are empty in a whist evening.

    Args:
        inputs: those of a plan without partners (`plan_inputs`).

    Raises:
        Refused: movement_needs_sides, whist_of_pairs, players_without_partner, pair_incomplete,
            team_incomplete, team_too_small, too_few_pairs_or_teams, too_few_to_seat; all that are
            found.
    """
    if not plays_opposite(rules):
        raise Refused(Problem("movement_needs_sides", ("movement",)))
    found = units_here(event, people)
    tables = VARIATIONS.get(movement, ("",))
    variation = variation or tables[0]
    problems = tuple(_problems(found, people, movement, variation))
    if problems:
        raise Refused(*problems)
    units = [list(unit.here) for unit in found.units] if movement != WHIST else []
    own_presence = _presence_of_units(inputs["presence"], units)
    own = {
        "variation": variation,
        "units": units,
        "entrants": [unit.entrant for unit in found.units] if units else [],
        "together": inputs["together"] if movement == WHIST else [],
        "presence": inputs["presence"] if movement == TEAMS else own_presence,
    }
    return inputs | own


def require_apart(request: SeatingRequest, plan: SeatingPlan) -> None:
    """Let players who must be apart share no table of a plan, whose movement does not look.

    Raises:
        Refused: constraints_not_met, with rows of players.
    """
    apart = {frozenset(pair) for pair in request.apart}
    shared = {
        frozenset(pair)
        for planned in plan.rounds
        for table in planned.tables
        for pair in combinations(table, 2)
    }
    if broken := sorted(sorted(pair) for pair in apart & shared):
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))


def _problems(
    found: UnitsHere, people: Sequence[PersonHere], movement: str, variation: str
) -> Iterator[Problem]:
    if movement == WHIST:
        yield from _whist_problems(found, people)
        return
    for unit in found.units:
        if problem := _short(unit, movement, variation):
            yield problem
    if found.alone:
        names: dict[str, int | str] = {"names": listed_names([one.name for one in found.alone])}
        code = "players_without_team" if movement == TEAMS else "players_without_partner"
        yield Problem(code, ("movement",), names)
    if len(found.units) < _LEAST[movement]:
        facts: dict[str, int | str] = {"found": len(found.units), "least": _LEAST[movement]}
        yield Problem("too_few_pairs_or_teams", ("movement",), facts)


def _whist_problems(found: UnitsHere, people: Sequence[PersonHere]) -> Iterator[Problem]:
    own = [unit.name for unit in found.units if unit.entrant is not None]
    if own:
        yield Problem("whist_of_pairs", ("movement",), {"names": listed_names(own)})
    if len(people) < _LEAST[WHIST]:
        facts: dict[str, int | str] = {"found": len(people), "least": SEATS, "round": 1}
        yield Problem("too_few_to_seat", (), facts)


def _short(unit: PlayingUnit, movement: str, variation: str) -> Problem | None:
    """Return what is asked of a pair or team that has not the players of its tables here."""
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
    rounds = {player: (first, last) for player, first, last in presence}
    found: dict[int, list[int | None]] = {row[0]: list(row) for row in presence}
    for unit in units:
        own = [rounds[player] for player in unit if player in rounds]
        if own:
            first = max(first for first, _last in own)
            last = min((last for _first, last in own if last is not None), default=None)
            found |= {player: [player, first, last] for player in unit}
    return [found[player] for player in sorted(found)]
