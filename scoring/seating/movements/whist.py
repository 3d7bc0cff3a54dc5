"""Whist: partners change in every round.

Pure. See docs/algorithms/movements.md, "Whist".
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from scoring.errors import Problem, Refused
from scoring.seating.constraints import apart_pairs
from scoring.seating.cost import cost_of, lower_bound
from scoring.seating.designs.labels import exchange_known_pairs
from scoring.seating.movements.lots import are_always_there, drawn_by_sit_outs
from scoring.seating.movements.partner_seats import PartnerSeats
from scoring.seating.movements.requirements import AT_A_TABLE, require_plannable
from scoring.seating.movements.whist_search import searched_rounds
from scoring.seating.movements.whist_sets import full_set_of, whist_set
from scoring.seating.requests import (
    MovementFigures,
    Pair,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
    Table,
)
from scoring.seating.splitmix import stream_of
from scoring.seating.table_numbers import numbered_tables

_KNOWN = 7
"""Names the stream of lots for exchanges of players who met in the history."""


def plan_whist(request: SeatingRequest) -> SeatingPlan:
    """The whist movement: in a full set two players are partners once and opponents twice.

    In each table of four, seats 0 and 2 are partners, and 1 and 3. Where a full set is known and
    everybody is there in every round, its first rounds are taken, and after its last one the first
    one follows again. Otherwise a search spreads partners and opponents.

    Raises:
        Refused: too_few_to_seat, together_not_in_whist, constraints_not_met, and all that
            `require_plannable` refuses.

    >>> plan = plan_whist(SeatingRequest(tuple(range(1, 10)), 9, movement="whist"))
    >>> plan.figures.full_set, plan.figures.partner_excess, plan.figures.opponent_excess
    (9, 0, 0)
    """
    require_plannable(request)
    _require_no_partners(request)
    found, method, moves = _rounds(request)
    seats = PartnerSeats()
    rounds = []
    for number, tables in enumerate(found):
        seated = [seats.seated(table[:2], table[2:], may_turn=True) for table in tables]
        playing = {player for table in tables for player in table}
        outside = tuple(one for one in request.present(number + 1) if one not in playing)
        numbered = numbered_tables(seated, request.fixed_tables, number)
        rounds.append(PlannedRound(tuple(numbered), outside))
    plan = tuple(rounds)
    return SeatingPlan(
        plan, cost_of(request, plan), lower_bound(plan), request.seed, moves, method,
        figures=whist_figures(_who_come(request), plan),
    )  # fmt: skip


def whist_figures(players: int, rounds: Sequence[PlannedRound]) -> MovementFigures:
    """The figures of rounds of whist for so many players."""
    length = full_set_of(players)
    sets = -(-len(rounds) // length)
    partners: Counter[Pair] = Counter()
    opponents: Counter[Pair] = Counter()
    for planned in rounds:
        for north, east, south, west in planned.tables:
            partners.update((_pair(north, south), _pair(east, west)))
            opponents.update(_pair(*two) for two in product((north, south), (east, west)))
    pairs = players * (players - 1) // 2
    return MovementFigures(
        length,
        sum(max(0, count - sets) for count in partners.values()),
        sum(max(0, count - 2 * sets) for count in opponents.values()),
        max(0, partners.total() - pairs * sets),
        max(0, opponents.total() - pairs * 2 * sets),
        movement="whist",
    )


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def _who_come(request: SeatingRequest) -> int:
    """How many are there for a round or more."""
    rounds = range(1, request.rounds + 1)
    return len({player for number in rounds for player in request.present(number)})


def _require_no_partners(request: SeatingRequest) -> None:
    """Nobody can stay with somebody else where everybody changes."""
    problems = [
        Problem("together_not_in_whist", (), {"pair": sorted(pair)}) for pair in request.together
    ]
    if problems:
        raise Refused(*problems)
    for number in range(1, request.rounds + 1):
        found = len(request.present(number))
        if found < AT_A_TABLE:
            facts = {"found": found, "least": AT_A_TABLE, "round": number}
            raise Refused(Problem("too_few_to_seat", (), facts))


def _rounds(request: SeatingRequest) -> tuple[list[list[Table]], str, int]:
    """Rounds of tables with the first two against the others; the method and its moves."""
    known = whist_set(len(request.players))
    if not known or apart_pairs(request) or not are_always_there(request):
        found, moves = searched_rounds(request)
        return found, "search", moves
    points = [list(known[number % len(known)]) for number in range(request.rounds)]
    order = sorted(request.players)
    units = [(player,) for player in order]
    places = drawn_by_sit_outs(request, units, points)
    if request.history:
        _keep_known_pairs_apart(request, points, places, order)
    return (
        [[tuple(order[places[point]] for point in table) for table in tables] for tables in points],
        "construction",
        0,
    )


def _keep_known_pairs_apart(
    request: SeatingRequest, points: Sequence[Sequence[Table]], places: list[int], order: list[int]
) -> None:
    """Exchange players so that those who met before meet late or not at all; partners first."""
    position = {player: at for at, player in enumerate(order)}
    weights = [[0] * len(order) for _ in order]
    for planned in request.history:
        for table in planned.tables:
            for one, other in product(table, table):
                if one != other and one in position and other in position:
                    weights[position[one]][position[other]] += 1
    out = Counter(
        point
        for tables in points
        for point in set(range(len(order))) - {one for table in tables for one in table}
    )
    often = {point: out[point] for point in range(len(order))}
    schedule = [
        [group for table in tables for group in (table, table[:2], table[2:])] for tables in points
    ]
    exchange_known_pairs(schedule, weights, often, places, stream_of(request.seed, _KNOWN))
