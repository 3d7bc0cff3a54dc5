"""One Swiss round: players with equal scores share a table, and nobody meets twice in vain.

Pure: no clock, no database. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.brackets import dealt_out
from scoring.seating.constraints import Unit, apart_pairs, contradictions
from scoring.seating.cost import cost_of, lower_bound, meetings, small_times
from scoring.seating.movements.seats_of_round import seats_after
from scoring.seating.movements.swiss.swiss_reasons import (
    floats_of,
    least_repeats_now,
    reasons_of,
    times_down,
)
from scoring.seating.movements.swiss.swiss_search import (
    FORBIDDEN,
    REPEAT,
    Division,
    DivisionProblem,
    best_division,
)
from scoring.seating.packing import packed
from scoring.seating.plan_seats import MOST_PLAYERS
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from scoring.seating.sit_outs import RoundShape, round_shapes
from scoring.seating.splitmix import stream_of

WIDEST: Final = 100
"""The largest difference of two scores in the cost; larger ones are made smaller in proportion."""

SMALL_AGAIN: Final = 150
"""What a seat at a small table costs for each such seat more than somebody else has had."""

SMALL_WITH_SCORE: Final = 4
"""What it costs more for each point of the scaled score: small tables are for low scores."""

SMALL_TOO_OFTEN: Final = 20_000
"""What it costs whoever has had two more than somebody who came to every round so far."""

_ORDER, _SEARCH = 6, 7
"""Names of the streams of lots for the order and for the search."""


def plan_swiss(request: SeatingRequest) -> SeatingPlan:
    """The next round by scores, earlier meetings and lots; the same request gives the same plan.

    Without scores it is a first round: by lot, or dealt out from `standing` where there is one.
    With scores the order is that of the scores, then of `standing`, then of the lot; a player
    without a score has the lowest one. Sit-outs are fixed first, the smaller tables are at the end
    of the order, and exchanges between tables make the cost small: `REPEAT` for each earlier
    meeting of a pair plus the difference of its scores.

    Args:
        request: for one round; `units` are pairs who sit on one side of every table.

    Raises:
        Refused: one_round_at_a_time, and what cannot be kept of the constraints, by its pairs.

    >>> first = plan_swiss(SeatingRequest(tuple(range(1, 9)), 1, movement="swiss", seed=4))
    >>> then = SeatingRequest(
    ...     tuple(range(1, 9)), 1, movement="swiss", history=first.rounds,
    ...     scores={player: 3 * (player < 5) for player in range(1, 9)})
    >>> plan_swiss(then).cost.known_pairs
    4
    """
    asked = _asked(request)
    (shape,) = round_shapes(asked)
    order = _order(asked, shape)
    down = frozenset(asked.floated)

    def floats(table: Sequence[int]) -> int:
        return times_down([order[unit] for unit in table], asked.scores, down) if down else 0

    problem = DivisionProblem(
        start=_start(asked, order, shape.sizes),
        seats=[len(unit) for unit in order],
        cost=_costs(asked, order),
        at_small=_at_small(asked, order),
        floats=floats,
    )
    division, moves = best_division(problem, stream_of(asked.seed, _SEARCH))
    _require_apart(problem, division, order)
    return _plan(asked, shape, [[order[unit] for unit in table] for table in division], moves)


def _asked(request: SeatingRequest) -> SeatingRequest:
    """The request with members of units together; refused where it cannot be met."""
    if request.rounds != 1:
        raise Refused(Problem("one_round_at_a_time", ("rounds",), {"found": request.rounds}))
    if len(set(request.players)) != len(request.players):
        raise ValueError("a player is named twice")
    if len(request.players) > MOST_PLAYERS:
        facts = {"found": len(request.players), "most": MOST_PLAYERS}
        raise Refused(Problem("too_many_to_seat", (), facts))
    if not request.sizes:
        raise Refused(Problem("no_table_sizes"))
    there = set(request.players)
    members = [pair for unit in request.units for pair in pairwise(unit) if there >= set(pair)]
    asked = replace(request, together=tuple(dict.fromkeys((*request.together, *members))))
    found = contradictions(asked)
    if found:
        raise Refused(*found)
    return asked


def _order(request: SeatingRequest, shape: RoundShape) -> list[Unit]:
    """The units that play, the best score in front."""
    scores, standing = request.scores, request.standing
    lowest = min(scores.values(), default=0)
    last = len(request.players) + max(standing.values(), default=0)
    drawn = stream_of(request.seed, _ORDER).shuffled(sorted(shape.units))

    def place(unit: Unit) -> tuple[float, int]:
        total = sum(scores.get(player, lowest) for player in unit)
        return -total / len(unit), min(standing.get(player, last) for player in unit)

    return sorted(drawn, key=place)


def _start(request: SeatingRequest, order: Sequence[Unit], sizes: Sequence[int]) -> Division:
    """The order divided into tables, or dealt out among them in a first round by seeds."""
    seats = sorted(sizes, reverse=True)
    if len(set(map(len, order))) > 1:
        place = {player: at for at, unit in enumerate(order) for player in unit}
        found = packed(order, seats)
        if found is None:
            raise AssertionError("the shape of a round is one that its groups fit into")
        return [sorted({place[player] for player in table}) for table in found]
    each = len(order[0])
    room = [size // each for size in seats]
    if request.standing and not request.scores:
        return dealt_out(range(len(order)), room)
    units = iter(range(len(order)))
    return [[next(units) for _ in range(count)] for count in room]


def scaled(scores: Mapping[int, int], players: Sequence[int]) -> dict[int, int]:
    """Scores as small whole numbers that keep their order and, roughly, their differences.

    >>> scaled({1: 4_324_320, 2: 1_081_080, 3: 0}, (1, 2, 3, 4))
    {1: 4, 2: 1, 3: 0, 4: 0}
    """
    lowest = min(scores.values(), default=0)
    over = {player: scores.get(player, lowest) - lowest for player in players}
    step = gcd(*over.values()) or 1
    found = {player: value // step for player, value in over.items()}
    most = max(found.values(), default=0)
    if most <= WIDEST:
        return found
    return {player: value * WIDEST // most for player, value in found.items()}


def _costs(request: SeatingRequest, order: Sequence[Unit]) -> list[list[int]]:
    """For each unit, what each other one costs at its table."""
    place = {player: at for at, unit in enumerate(order) for player in unit}
    score = scaled(request.scores, [*place])
    alike = all(len(unit) == 1 for unit in order)
    flat = [score[unit[0]] for unit in order]
    costs = (
        [[abs(one - two) for two in flat] for one in flat]
        if alike
        else [
            [sum(abs(score[one] - score[two]) for one in ones for two in twos) for twos in order]
            for ones in order
        ]
    )
    known = {pair: REPEAT * count for pair, count in meetings(request.history).items()}
    for pair in apart_pairs(request):
        one, two = sorted(pair)
        known[one, two] = FORBIDDEN
    for (one, two), cost in known.items():
        here, there = place.get(one), place.get(two)
        if here is not None and there is not None:
            costs[here][there] += cost
            costs[there][here] += cost
    for at, row in enumerate(costs):
        row[at] = 0
    return costs


def _at_small(request: SeatingRequest, order: Sequence[Unit]) -> list[int]:
    """What a seat at a small table costs each unit."""
    times: Counter[int] = small_times(request.history)
    players = [player for unit in order for player in unit]
    score = scaled(request.scores, players)
    # Who came later has had fewer, and is not due before the others for that.
    came = [{one for table in earlier.tables for one in table} for earlier in request.history]
    always = [player for player in players if all(player in there for there in came)]
    fewest = min(times[player] for player in always or players)

    def cost(unit: Unit) -> int:
        more = max(0, max(times[player] for player in unit) - fewest)
        too_often = more >= 2
        points = max(score[player] for player in unit)
        return SMALL_WITH_SCORE * points + SMALL_AGAIN * more + SMALL_TOO_OFTEN * too_often

    return [cost(unit) for unit in order]


def _require_apart(problem: DivisionProblem, division: Division, order: Sequence[Unit]) -> None:
    broken = [
        [order[one][0], order[two][0]]
        for table in division
        for one in table
        for two in table
        if one < two and problem.cost[one][two] >= FORBIDDEN
    ]
    if broken:
        facts = {"pairs": [sorted(pair) for pair in broken], "round": 1}
        raise Refused(Problem("constraints_not_met", (), facts))


def _plan(
    request: SeatingRequest, shape: RoundShape, tables: Sequence[Sequence[Unit]], moves: int
) -> SeatingPlan:
    numbered = _numbered(request, [[one for unit in table for one in unit] for table in tables])
    seated = seats_after(request.history, numbered, request.together, request.sides)
    planned = PlannedRound(seated, shape.sitting_out)
    return SeatingPlan(
        (planned,),
        cost_of(request, [planned]),
        lower_bound([planned]),
        request.seed,
        moves,
        "swiss",
        reasons=reasons_of(planned, request.scores, request.history, request.together),
        floats=floats_of(planned, request.scores, request.floated, request.together),
        least_repeats=least_repeats_now(planned, request.history),
    )


def _numbered(request: SeatingRequest, tables: list[list[int]]) -> list[list[int]]:
    """The tables by number: fixed ones first, the others from the best scores down."""
    lowest = min(request.scores.values(), default=0)

    def mean(table: Sequence[int]) -> float:
        return -sum(request.scores.get(player, lowest) for player in table) / len(table)

    found: dict[int, list[int]] = {}
    others = []
    for table in sorted(tables, key=mean) if request.scores else tables:
        fixed = [request.fixed_tables[one] for one in table if one in request.fixed_tables]
        if fixed and fixed[0] - 1 not in found:
            found[fixed[0] - 1] = table
        else:
            others.append(table)
    free = (at for at in range(len(tables)) if at not in found)
    found.update(zip(free, others, strict=False))
    return [found[at] for at in range(len(tables))]
