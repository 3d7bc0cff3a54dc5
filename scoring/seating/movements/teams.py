"""Teams: all play all, a match at one table or at two.

Pure. See docs/algorithms/movements.md, "Teams".
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from scoring.errors import Problem, Refused
from scoring.seating.cost import cost_of, lower_bound
from scoring.seating.movements.circle import Meeting, figures_of_units
from scoring.seating.movements.partner_seats import PartnerSeats
from scoring.seating.movements.requirements import (
    TEAM,
    require_plannable,
    require_units,
    units_of_request,
)
from scoring.seating.movements.rest_of_set import all_play_all
from scoring.seating.requests import (
    PlannedMatch,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)
from scoring.seating.table_numbers import numbered_tables

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""The pairs of a team that play in a match, one for each table."""


def plan_teams(request: SeatingRequest) -> SeatingPlan:
    """The plan for teams: each meets each other one once in a full set, as `all_play_all`.

    At one table two members of each team play, those who played least often so far. At two tables
    the first pair of a team has seats 0 and 2 of the first table, and its second pair seats 1 and 3
    of the second one. A match of a team that has too few people in a round has no tables; those
    who are there sit out. An odd team has no match.

    Raises:
        Refused: players_left_over, too_few_in_movement, team_too_small, constraints_not_met,
            and all that `require_plannable` refuses.

    >>> plan = plan_teams(SeatingRequest(tuple(range(1, 9)), 1, movement="teams"))
    >>> plan.rounds[0].matches
    (PlannedMatch(units=(0, 1), tables=(1, 2)),)
    """
    require_plannable(request)
    units = units_of_request(request, TEAM)
    require_units(request.movement, len(units))
    tables = tables_of_match(request.variation, units)
    short = [at for at, unit in enumerate(units) if len(unit) < 2 * tables]
    if short:
        raise Refused(*[_too_small(at + 1, units[at], tables) for at in short])
    rounds = _Rounds(request, units, tables)
    found = tuple(
        rounds.planned(number, meetings)
        for number, meetings in enumerate(all_play_all(request, units), 1)
    )
    variation = "two_tables" if tables > 1 else "one_table"
    figures = figures_of_units("teams", variation, units, found, request.history)
    return SeatingPlan(
        found, cost_of(request, found), lower_bound(found), request.seed, 0, "construction",
        figures=figures, units=units,
    )  # fmt: skip


def tables_of_match(variation: str, units: Sequence[Sequence[int]]) -> int:
    """How many tables a match has; without a variation two where every team has four members."""
    if variation:
        return 2 if variation == "two_tables" else 1
    return 2 if all(len(unit) >= TEAM for unit in units) else 1


def _too_small(number: int, unit: Sequence[int], tables: int) -> Problem:
    facts = {"unit": number, "found": len(unit), "least": 2 * tables, "players": list(unit)}
    return Problem("team_too_small", (), facts)


class _Rounds:
    """Makes the rounds one after the other; remembers who played and who had which seat."""

    def __init__(
        self, request: SeatingRequest, units: Sequence[Sequence[int]], tables: int
    ) -> None:
        self.request, self.units, self.tables = request, units, tables
        self.seats = PartnerSeats()
        self.played: Counter[int] = Counter()

    def planned(self, number: int, meetings: Sequence[Meeting]) -> PlannedRound:
        there = frozenset(self.request.present(number))
        matches: list[tuple[Meeting, list[Table]]] = []
        unplayed = []
        for meeting in meetings:
            pairs = [self._pairs(self.units[at], there) for at in meeting]
            if all(len(found) == self.tables for found in pairs):
                matches.append((meeting, self._seated(*pairs)))
            else:
                unplayed.append(PlannedMatch(meeting, ()))
        tables, numbered = self._numbered(matches, number)
        seated = {player for table in tables for player in table}
        return PlannedRound(tuple(tables), tuple(sorted(there - seated)), (*numbered, *unplayed))

    def _pairs(self, unit: Sequence[int], there: frozenset[int]) -> Pairs:
        """The pairs that play; empty where the team has too few people."""
        here = [player for player in unit if player in there]
        if len(here) < 2 * self.tables:
            return ()
        rested = sorted(here, key=lambda player: self.played[player])[: 2 * self.tables]
        play = [player for player in here if player in rested]
        return tuple((play[at], play[at + 1]) for at in range(0, len(play), 2))

    def _seated(self, first: Pairs, second: Pairs) -> list[Table]:
        found = []
        for at, (one, other) in enumerate(zip(first, second, strict=True)):
            north, east = (one, other) if at == 0 else (other, one)
            found.append(self.seats.seated(north, east, may_turn=False))
            self.played.update((*one, *other))
        return found

    def _numbered(
        self, matches: Sequence[tuple[Meeting, list[Table]]], number: int
    ) -> tuple[list[Table], list[PlannedMatch]]:
        """The tables by number, and the matches with theirs, which follow each other."""
        fixed = self.request.fixed_tables
        blocks = {
            tuple(player for table in found for player in table): at
            for at, (_, found) in enumerate(matches)
        }
        wanted = {player: -(-table // self.tables) for player, table in fixed.items()}
        tables: list[Table] = []
        numbered = []
        for people in numbered_tables(list(blocks), wanted, number - 1):
            meeting, found = matches[blocks[people]]
            if any(fixed.get(one, len(tables) + 1) != len(tables) + 1 for one in found[0]):
                found = found[::-1]
            tables += found
            last = len(tables)
            numbered.append(PlannedMatch(meeting, tuple(range(last - self.tables + 1, last + 1))))
        return tables, numbered
