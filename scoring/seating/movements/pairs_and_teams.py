"""Movements of fixed pairs (all play all, Mitchell) and of teams (matches at one or two tables)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused
from scoring.seating.cost import plan_of
from scoring.seating.movements.all_play_all import (
    Meeting,
    all_play_all,
    figures_of_units,
    mitchell_rounds,
)
from scoring.seating.movements.requirements import (
    TEAM,
    placed_by_lot,
    require_plannable,
    require_units,
    units_of_request,
)
from scoring.seating.movements.swiss_rounds import plan_swiss
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import PlannedMatch, PlannedRound, SeatingPlan, SeatingRequest, Table
from scoring.seating.seat_order import PartnerSeats
from scoring.seating.table_sizes import numbered_tables

Units = tuple[tuple[int, ...], ...]

SIDES: Final = ((0, 2), (1, 3))


def plan_pairs(request: SeatingRequest) -> SeatingPlan:
    """The plan for fixed pairs; in each table of four, seats 0 and 2 are a pair, and 1 and 3.

    All play all: as `all_play_all`; where other players than partners must be together, a search
    spreads the meetings instead. Mitchell: the pairs with seats 0 and 2 keep table and seats, the
    others move on. Swiss: one round, as `plan_swiss`. An odd pair sits out.

    >>> plan = plan_pairs(SeatingRequest((1, 2, 3, 4, 5, 6, 7, 8), 3, movement="pairs"))
    >>> plan.figures.full_set, plan.cost.sit_outs, len(plan.rounds[0].tables)
    (3, 0, 2)
    """
    require_plannable(request)
    units = units_of_request(request, 2)
    require_units(request.movement, len(units))
    if request.variation == "swiss":
        return plan_swiss(replace(request, units=units, sizes=(4,), sides=SIDES))
    if request.variation == "mitchell":
        # A pair that is not there has a phantom in its place.
        rounds = placed_by_lot(request, units, mitchell_rounds(len(units), request.rounds))
        return _finished(request, units, rounds, keeps_sides=True)
    if request.together:
        return _searched(request, units)
    return _finished(request, units, all_play_all(request, units), keeps_sides=False)


def _finished(
    request: SeatingRequest, units: Units, rounds: Sequence[Sequence[Meeting]], *, keeps_sides: bool
) -> SeatingPlan:
    seats = PartnerSeats()
    rounds_done = []
    for number, of_round in enumerate(rounds, 1):
        present = set(request.present(number))
        tables = [
            seats.seated(units[first], units[second], may_turn=False)
            for first, second in of_round
            if present.issuperset((*units[first], *units[second]))
        ]
        moved_on = 0 if keeps_sides else number - 1
        seated = {player for table in tables for player in table}
        rounds_done.append(
            PlannedRound(
                tuple(numbered_tables(tables, request.fixed_tables, moved_on)),
                tuple(sorted(present - seated)),
            )
        )
    return _plan(request, units, tuple(rounds_done), "construction", 0)


def _searched(request: SeatingRequest, units: Units) -> SeatingPlan:
    """A plan in which pairs move as units of the search for many opponents."""
    together = tuple((unit[0], unit[1]) for unit in units)
    request_of_units = replace(
        request,
        movement="individual",
        sizes=(4,),
        sides=SIDES,
        together=(*together, *request.together),
    )
    plan = plan_seats(request_of_units)
    return _plan(request, units, plan.rounds, "search", plan.iterations)


def _plan(
    request: SeatingRequest,
    units: Units,
    rounds: tuple[PlannedRound, ...],
    method: str,
    iterations: int,
) -> SeatingPlan:
    variation = request.variation or "all_play_all"
    figures = figures_of_units("pairs", variation, units, rounds, request.history)
    return replace(plan_of(request, rounds, method, iterations), figures=figures, units=units)


Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""The pairs of a team that play in a match, one for each table."""


def plan_teams(request: SeatingRequest) -> SeatingPlan:
    """The plan for teams: each meets each other one once in a full set, as `all_play_all`.

    At one table two members of each team play, those who played least often so far. At two tables
    the first pair of a team has seats 0 and 2 of the first table, and its second pair seats 1 and 3
    of the second one. A match of a team that has too few people in a round has no tables; those
    who are there sit out. An odd team has no match.

    >>> plan = plan_teams(SeatingRequest(tuple(range(1, 9)), 1, movement="teams"))
    >>> plan.rounds[0].matches
    (PlannedMatch(units=(0, 1), tables=(1, 2)),)
    """
    require_plannable(request)
    units = units_of_request(request, TEAM)
    require_units(request.movement, len(units))
    tables = tables_of_match(request.variation, units)
    problems = [
        Problem(
            "team_too_small",
            (),
            {"unit": number, "found": len(unit), "least": 2 * tables, "players": list(unit)},
        )
        for number, unit in enumerate(units, 1)
        if len(unit) < 2 * tables
    ]
    if problems:
        raise Refused(*problems)
    rounds = _Rounds(request, units, tables)
    planned = tuple(
        rounds.planned(number, meetings)
        for number, meetings in enumerate(all_play_all(request, units), 1)
    )
    variation = "two_tables" if tables > 1 else "one_table"
    figures = figures_of_units("teams", variation, units, planned, request.history)
    return replace(plan_of(request, planned, "construction"), figures=figures, units=units)


def tables_of_match(variation: str, units: Sequence[Sequence[int]]) -> int:
    """The number of tables of a match; by default two where every team has four members."""
    if variation:
        return 2 if variation == "two_tables" else 1
    return 2 if all(len(unit) >= TEAM for unit in units) else 1


class _Rounds:
    """Makes the rounds one after the other; remembers who played and who had which seat."""

    def __init__(
        self, request: SeatingRequest, units: Sequence[Sequence[int]], tables: int
    ) -> None:
        self.request, self.units, self.tables = request, units, tables
        self.seats = PartnerSeats()
        self.played: Counter[int] = Counter()

    def planned(self, number: int, meetings: Sequence[Meeting]) -> PlannedRound:
        present = frozenset(self.request.present(number))
        matches: list[tuple[Meeting, list[Table]]] = []
        unplayed = []
        for meeting in meetings:
            pairs = [self._pairs(self.units[at], present) for at in meeting]
            if all(len(tables_of_pair) == self.tables for tables_of_pair in pairs):
                matches.append((meeting, self._seated(*pairs)))
            else:
                unplayed.append(PlannedMatch(meeting, ()))
        tables, numbered = self._numbered(matches, number)
        seated = {player for table in tables for player in table}
        return PlannedRound(tuple(tables), tuple(sorted(present - seated)), (*numbered, *unplayed))

    def _pairs(self, unit: Sequence[int], present: frozenset[int]) -> Pairs:
        """The pairs that play; empty where the team has too few people."""
        here = [player for player in unit if player in present]
        if len(here) < 2 * self.tables:
            return ()
        rested = sorted(here, key=lambda player: self.played[player])[: 2 * self.tables]
        play = [player for player in here if player in rested]
        return tuple((play[at], play[at + 1]) for at in range(0, len(play), 2))

    def _seated(self, first: Pairs, second: Pairs) -> list[Table]:
        seated = []
        for at, (first_team, second_team) in enumerate(zip(first, second, strict=True)):
            north, east = (first_team, second_team) if at == 0 else (second_team, first_team)
            seated.append(self.seats.seated(north, east, may_turn=False))
            self.played.update((*first_team, *second_team))
        return seated

    def _numbered(
        self, matches: Sequence[tuple[Meeting, list[Table]]], number: int
    ) -> tuple[list[Table], list[PlannedMatch]]:
        """The tables by number, and the matches with theirs, which follow each other."""
        fixed = self.request.fixed_tables
        blocks = {
            tuple(player for table in tables_of_match for player in table): at
            for at, (_, tables_of_match) in enumerate(matches)
        }
        wanted_pairs = {player: -(-table // self.tables) for player, table in fixed.items()}
        tables: list[Table] = []
        numbered = []
        for people in numbered_tables(list(blocks), wanted_pairs, number - 1):
            meeting, tables_of_match = matches[blocks[people]]
            if any(
                fixed.get(member, len(tables) + 1) != len(tables) + 1
                for member in tables_of_match[0]
            ):
                tables_of_match = tables_of_match[::-1]
            tables += tables_of_match
            last = len(tables)
            numbered.append(PlannedMatch(meeting, tuple(range(last - self.tables + 1, last + 1))))
        return tables, numbered
