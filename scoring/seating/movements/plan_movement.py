"""The movements of a plan, what each gives for a number of entrants, and open nights."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused
from scoring.seating.brackets import numbered_tables
from scoring.seating.cost import plan_of
from scoring.seating.movements.all_play_all import (
    Meeting,
    all_play_all,
    figures_of_units,
    full_set,
    mitchell_rounds,
)
from scoring.seating.movements.knockout import plan_knockout
from scoring.seating.movements.moving_boards import plan_moving
from scoring.seating.movements.requirements import (
    AT_A_TABLE,
    TEAM,
    placed_by_lot,
    require_plannable,
    require_units,
    require_variation,
    units_of_request,
)
from scoring.seating.movements.swiss_rounds import plan_swiss
from scoring.seating.movements.whist import full_set_of, plan_whist, whist_figures, whist_set
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import (
    MovementFigures,
    PlannedMatch,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)
from scoring.seating.seat_order import PartnerSeats

Units = tuple[tuple[int, ...], ...]

SIDES: Final = ((0, 2), (1, 3))

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""The pairs of a team that play in a match, one for each table."""

ROUND_BY_ROUND: Final = ("swiss", "knockout")
"""Those that plan one round at a time: the next one needs its results."""


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
        moved_on = number - 1
        if keeps_sides:
            moved_on = 0  # those of the first side stay at their tables (`mitchell_rounds`)
        seated = {player for table in tables for player in table}
        rounds_done.append(
            PlannedRound(
                tuple(numbered_tables(tables, request.fixed_tables, moved_on)),
                tuple(sorted(present - seated)),
            )
        )
    return _plan(request, units, tuple(rounds_done), "construction", 0)


def _searched(request: SeatingRequest, units: Units) -> SeatingPlan:
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
        here = [player for player in unit if player in present]
        if len(here) < 2 * self.tables:
            return ()
        rested = sorted(here, key=lambda player: self.played[player])[: 2 * self.tables]
        play = [player for player in here if player in rested]
        return tuple((play[at], play[at + 1]) for at in range(0, len(play), 2))

    def _seated(self, first: Pairs, second: Pairs) -> list[Table]:
        """The tables of a match: the first team has N and S at one, E and W at the other.

        See docs/algorithms/movements.md, "Teams".
        """
        seated = []
        for at, (pair_of_first, pair_of_second) in enumerate(zip(first, second, strict=True)):
            if at == 0:
                north_south, east_west = pair_of_first, pair_of_second
            else:
                north_south, east_west = pair_of_second, pair_of_first
            seated.append(self.seats.seated(north_south, east_west, may_turn=False))
            self.played.update((*pair_of_first, *pair_of_second))
        return seated

    def _numbered(
        self, matches: Sequence[tuple[Meeting, list[Table]]], number: int
    ) -> tuple[list[Table], list[PlannedMatch]]:
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
                fixed.get(member, table) != table
                for table, members in enumerate(tables_of_match, start=len(tables) + 1)
                for member in members
            ):
                tables_of_match = tables_of_match[::-1]
            tables += tables_of_match
            last = len(tables)
            numbered.append(PlannedMatch(meeting, tuple(range(last - self.tables + 1, last + 1))))
        return tables, numbered


@dataclass(frozen=True, slots=True)
class MovementFacts:
    """The result of a movement for a number of entrants.

    Args:
        rounds: the rounds of a full set.
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


def movement_facts(movement: str, count: int, *, variation: str = "") -> MovementFacts:
    """The facts of a full set of whist, pairs or teams, when everybody is there in every round.

    Args:
        movement: `whist`, `pairs` or `teams`.
        count: the players of whist, the pairs or the teams.
        variation: as in a request; without it teams play at one table.

    >>> facts = movement_facts("whist", 13)
    >>> facts.rounds, facts.tables, facts.sitting_out, facts.is_exact
    (13, 3, 1, True)
    """
    require_variation(movement, variation)
    if movement == "whist":
        return _facts_of_whist(count)
    require_units(movement, count)
    length = full_set(count, variation)
    matches = count // 2
    return MovementFacts(
        rounds=length,
        tables=2 * matches if variation == "two_tables" else matches,
        sitting_out=count % 2,
        figures=MovementFigures(length),
    )


def _facts_of_whist(players: int) -> MovementFacts:
    if players < AT_A_TABLE:
        facts = {"found": players, "least": AT_A_TABLE, "round": 1}
        raise Refused(Problem("too_few_to_seat", (), facts))
    length = full_set_of(players)
    figures = None
    if full_set := whist_set(players):
        tables = [
            PlannedRound(tuple((a, c, b, d) for a, b, c, d in of_round)) for of_round in full_set
        ]
        figures = whist_figures(players, tables)
    return MovementFacts(length, players // AT_A_TABLE, players % AT_A_TABLE, figures)


MOVES: Final = 30_000
"""The moves of the search for tables that form now: a tenth of a second."""

MOST_WEIGHT: Final = 12
"""This many earlier meetings of a pair weigh less than one tonight."""


def free_tables(request: SeatingRequest, tonight: Sequence[PlannedRound]) -> PlannedRound:
    """The tables formed now from the free players, with the fewest repeats; the others wait.

    A meeting tonight counts more than the earlier ones of a pair, up to `MOST_WEIGHT` of them.
    Those wait who waited least often tonight.

    Args:
        request: players who are free, sizes, constraints, seed; its rounds are ignored.
        tonight: the earlier rounds of the night; those who waited in one are in its `sitting_out`.

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

    Each round is formed from the earlier ones alone.
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
    """The table to form first: that of the player who has waited longest.

    `line`: all free players, the one who has waited longest first.

    >>> next_table(PlannedRound(((4, 1, 2, 3), (5, 6, 7)), (8,)), (8, 6, 1, 2, 3, 4, 5, 7))
    (5, 6, 7)
    """
    return min(formed.tables, key=lambda table: min(line.index(player) for player in table))


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


MOVEMENTS: Final = tuple(PLANNERS)
"""The movements that a plan may be asked for."""


def plan_movement(request: SeatingRequest) -> SeatingPlan:
    """The plan for a request, by its movement, one of `MOVEMENTS`.

    At the tables of whist, pairs and teams, seats 0 and 2 are partners, and seats 1 and 3; for
    pairs and teams both are of one unit. Matches of teams are in `PlannedRound.matches`.

    >>> asked = SeatingRequest((1, 2, 3, 4, 5, 6), 1, movement="ladder", standing={6: 1, 5: 2})
    >>> 5 in plan_movement(asked).rounds[0].tables[0]
    True
    """
    return PLANNERS[request.movement](request)
