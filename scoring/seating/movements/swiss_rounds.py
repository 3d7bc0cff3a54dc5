"""Swiss rounds: drawn table by table, with the reasons of each pairing."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise, product, starmap
from math import gcd
from typing import Final

from scoring.errors import Problem, Refused
from scoring.seating.brackets import dealt_out, numbered_tables
from scoring.seating.constraints import Unit, apart_pairs, require_possible, seated_units
from scoring.seating.cost import least_when_spread, meetings, pairs_of, plan_of
from scoring.seating.movements.swiss_search import (
    WIDEST,
    BestDivision,
    Division,
    DivisionProblem,
    Weights,
    best_division,
)
from scoring.seating.requests import (
    FloatSeat,
    Pair,
    PairReason,
    PlannedRound,
    SeatingPlan,
    SeatingRequest,
)
from scoring.seating.seat_order import seats_after
from scoring.seating.sit_outs import RoundShape, round_shapes
from scoring.seating.splitmix import stream_of

SAME_SCORE, OTHER_SCORE = "same_score", "other_score"
NOT_MET, MET = "not_met", "met"
DOWN, UP = "down", "up"

_ORDER, _SEARCH = 6, 7
"""Names of the streams of lots for the order and for the search."""


def reasons_of(
    planned: PlannedRound,
    scores: Mapping[int, int],
    history: Iterable[PlannedRound],
    together: Iterable[Pair] = (),
) -> tuple[PairReason, ...]:
    """A reason for each pair at a table, partners left out; table by table, in seat order.

    >>> planned = PlannedRound(((1, 2, 3),))
    >>> [one.codes for one in reasons_of(planned, {1: 5, 2: 5}, [PlannedRound(((3, 1),))])]
    [('same_score', 'not_met'), ('other_score', 'met'), ('other_score', 'not_met')]
    """
    met = meetings([*history])
    lowest = min(scores.values(), default=0)
    partners = {frozenset(pair) for pair in together}
    reasons = []
    for number, table in enumerate(planned.tables, 1):
        for pair in combinations(table, 2):
            if frozenset(pair) in partners:
                continue
            low, high = sorted(pair)
            count = met[low, high]
            values = tuple(scores.get(player, lowest) for player in pair) if scores else ()
            is_same = scores.get(pair[0]) == scores.get(pair[1])
            alike = (SAME_SCORE if is_same else OTHER_SCORE,) if values else ()
            codes = (*alike, MET if count else NOT_MET)
            reasons.append(PairReason(number, pair, codes, count, values))
    return tuple(reasons)


def floats_of(
    planned: PlannedRound,
    scores: Mapping[int, int],
    before: Collection[int] = (),
    together: Iterable[Pair] = (),
) -> tuple[FloatSeat, ...]:
    """The players who meet a score further away than the next score group; none without scores.

    The direction is that of the one who is furthest away. Players without a score have the lowest
    one.

    Args:
        before: who floated down in the round before.
        together: pairs who are there as one; a partner is not one of the others.

    >>> planned = PlannedRound(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> scores = {1: 6, 2: 6, 3: 4, 4: 0, 5: 4, 6: 4, 7: 2, 8: 2}
    >>> [(one.player, one.direction) for one in floats_of(planned, scores)]
    [(1, 'down'), (2, 'down'), (3, 'down'), (4, 'up')]
    """
    if not scores:
        return ()
    groups: dict[int, set[int]] = {}
    for first, second in together:
        both = groups.get(first, {first}) | groups.get(second, {second})
        groups |= dict.fromkeys(both, both)
    ranks = ranks_of(scores, [player for table in planned.tables for player in table])
    floats = []
    for number, table in enumerate(planned.tables, 1):
        units = list(dict.fromkeys(tuple(sorted(groups.get(first, {first}))) for first in table))
        for player, direction in _directions(units, ranks):
            again = direction == DOWN and player in before
            floats.append(FloatSeat(player, number, direction, again))
    return tuple(floats)


def ranks_of(scores: Mapping[int, int], players: Iterable[int]) -> dict[int, int]:
    """The score group of each player, from 0 for the lowest.

    >>> ranks_of({1: 7, 2: 7, 3: 2}, (1, 2, 3, 4))
    {1: 1, 2: 1, 3: 0, 4: 0}
    """
    lowest = min(scores.values(), default=0)
    values = {player: scores.get(player, lowest) for player in players}
    ranks = {value: rank for rank, value in enumerate(sorted({*values.values()}))}
    return {player: ranks[value] for player, value in values.items()}


def times_down(
    units: Sequence[Sequence[int]], ranks: Mapping[int, int], before: Collection[int]
) -> int:
    """The number of players of a table who float down and did so in the round before.

    `ranks`: the score group of each player.

    >>> times_down([(1,), (2,), (3,)], {1: 2, 2: 1, 3: 0}, {1, 2})
    1
    """
    if not any(player in before for unit in units for player in unit):
        return 0
    directions = _directions(units, ranks)
    return sum(direction == DOWN and player in before for player, direction in directions)


def _directions(units: Sequence[Sequence[int]], ranks: Mapping[int, int]) -> list[tuple[int, str]]:
    """The players of a table who float, and where to; a partner is not one of the others."""
    directions = []
    for unit in units:
        others = [ranks[player] for other in units if other is not unit for player in other]
        for player in unit:
            rank = ranks[player]
            down = rank - min(others, default=rank)
            up = max(others, default=rank) - rank
            if max(down, up) > 1:
                directions.append((player, DOWN if down >= up else UP))
    return directions


def least_repeats_now(planned: PlannedRound, history: Sequence[PlannedRound]) -> int:
    """The least number of pairs of a round that meet again, for every division of its players.

    The larger of two counts: the players of a table come from no more tables than an earlier round
    had, and all meetings of the event are no more than its pairs.

    >>> five = PlannedRound(((1, 2, 3, 4, 5), (6, 7, 8, 9, 10)))
    >>> least_repeats_now(five, [five])
    8
    """
    seated = {player for table in planned.tables for player in table}
    sizes = [len(table) for table in planned.tables]
    most = 0
    for earlier in history:
        came = Counter(
            at for at, table in enumerate(earlier.tables) for player in table if player in seated
        )
        strangers = len(seated) - came.total()
        sources = len(came) + strangers
        # The pairs of a table who come from one source at least.
        most = max(most, sum(least_when_spread(size, sources) for size in sizes))
    met = [pair for pair in meetings(history) if seated >= set(pair)]
    return max(most, sum(map(pairs_of, sizes)) + len(met) - pairs_of(len(seated)))


def plan_swiss(request: SeatingRequest) -> SeatingPlan:
    """The next round by scores, earlier meetings and lots; the same request gives the same plan.

    Without scores it is a first round: by lot, or dealt out from `standing` where there is one.
    With scores the order is that of the scores, then of `standing`, then of the lot; a player
    without a score has the lowest one. Sit-outs are fixed first. Then exchanges between tables make
    the cost small, in this order: third meetings, seats at small tables of those who had more of
    them, the sum of differences of scores and second meetings, pairs of different scores.

    `request`: for one round; `units` are pairs who sit on one side of every table.

    >>> first = plan_swiss(SeatingRequest(tuple(range(1, 9)), 1, movement="swiss", seed=4))
    >>> then = SeatingRequest(
    ...     tuple(range(1, 9)), 1, movement="swiss", history=first.rounds,
    ...     scores={player: 3 * (player < 5) for player in range(1, 9)})
    >>> plan_swiss(then).cost.known_pairs
    6
    """
    present = set(request.players)
    members = [pair for unit in request.units for pair in pairwise(unit) if present >= set(pair)]
    request = replace(request, together=tuple(dict.fromkeys((*request.together, *members))))
    require_possible(request, most_rounds=1)
    (shape,) = round_shapes(request)
    order = _order(request, shape)
    scores, down = request.scores, request.floated
    ranks = ranks_of(scores, shape.playing)

    def floats(table: Sequence[int]) -> int:
        if not down:
            return 0
        return times_down([order[unit] for unit in table], ranks, down)

    times = small_seats(request.history, request.players)
    had = [sum(times[player] for player in unit) for unit in order]
    seats = sum(size for size in shape.sizes if size < max(shape.sizes))
    fewest = sorted(times[player] for player in shape.playing)[:seats]
    points = scaled(scores, shape.playing)
    pairs = sum(map(pairs_of, shape.sizes))
    weights = Weights(pairs, sum(had), len(request.history), worth_of_meeting(points.values()))
    problem = DivisionProblem(
        _start(request, order, shape.sizes, had),
        [len(unit) for unit in order],
        weights,
        _costs(request, order, points, weights),
        _repeats(request, order),
        had,
        sum(fewest),
        floats,
    )
    best = best_division(problem, stream_of(request.seed, _SEARCH))
    _require_apart(problem, best.tables, order)
    return _plan(request, shape, order, best)


def _order(request: SeatingRequest, shape: RoundShape) -> list[Unit]:
    scores, standing = request.scores, request.standing
    lowest = min(scores.values(), default=0)
    last = len(request.players) + max(standing.values(), default=0)
    drawn = stream_of(request.seed, _ORDER).shuffled(sorted(shape.units))

    def place(unit: Unit) -> tuple[float, int]:
        total = sum(scores.get(player, lowest) for player in unit)
        return -total / len(unit), min(standing.get(player, last) for player in unit)

    return sorted(drawn, key=place)


def _start(
    request: SeatingRequest, order: Sequence[Unit], sizes: Sequence[int], had: Sequence[int]
) -> Division:
    """The order divided into tables, or dealt out among them in a first round by seeds.

    Small tables are for those who had the fewest, of these for the last in the order.
    """
    seats = sorted(sizes, reverse=True)
    if len(set(map(len, order))) > 1:
        place = {player: at for at, unit in enumerate(order) for player in unit}
        return [sorted({place[player] for player in t}) for t in seated_units(order, seats)]
    each = len(order[0])
    room = [size // each for size in seats]
    if request.standing and not request.scores:
        return dealt_out(range(len(order)), room)
    large = sum(count for count in room if count == room[0])
    places = sorted(range(len(order)), key=lambda at: (-had[at], at))
    units = iter(sorted(places[:large]) + sorted(places[large:]))
    return sorted([next(units) for _ in range(count)] for count in room)


def scaled(scores: Mapping[int, int], players: Sequence[int]) -> dict[int, int]:
    """Scores as small whole numbers that keep their order and, roughly, their differences.

    >>> scaled({1: 4_324_320, 2: 1_081_080, 3: 0}, (1, 2, 3, 4))
    {1: 4, 2: 1, 3: 0, 4: 0}
    """
    lowest = min(scores.values(), default=0)
    over = {player: scores.get(player, lowest) - lowest for player in players}
    step = gcd(*over.values()) or 1
    scores_scaled = {player: value // step for player, value in over.items()}
    most = max(scores_scaled.values(), default=0)
    if most <= WIDEST:
        return scores_scaled
    return {player: value * WIDEST // most for player, value in scores_scaled.items()}


SECOND_MEETING: Final = Fraction(9, 4)
"""A second meeting is worth so many times the mean difference of two players of the round.

Measured over five rounds of 12 to 40 players: repeats grow by a seventh at most against an order
of score groups before second meetings (docs/algorithms/seating.md).
"""


def worth_of_meeting(points: Collection[int]) -> int:
    """The difference of scores that weighs as much as a second meeting, at least 1.

    >>> worth_of_meeting([0, 0, 12, 12])
    18
    """
    ordered = sorted(points)
    differences = sum((2 * at + 1 - len(ordered)) * value for at, value in enumerate(ordered))
    return max(1, int(SECOND_MEETING * differences / max(1, pairs_of(len(ordered)))))


def small_seats(history: Sequence[PlannedRound], players: Sequence[int]) -> dict[int, int]:
    """The number of seats at small tables of each player, in rounds with other sizes.

    Players who join or return count at least the rounded average of those who stayed.

    >>> first = PlannedRound(((1, 2, 3, 4), (5, 6, 7)))
    >>> small_seats([first, PlannedRound(((1, 5, 2, 6), (4, 3, 7)))], (2, 3, 4, 7, 8))
    {2: 0, 3: 1, 4: 1, 7: 2, 8: 1}
    """
    times: dict[int, int] = {}
    before: set[int] = set()
    for planned in (*history, PlannedRound((), tuple(players))):
        here = set(planned.sitting_out).union(*planned.tables)
        stayed = [times[player] for player in here & before]
        average = (2 * sum(stayed) + len(stayed)) // (2 * len(stayed)) if stayed else 0
        times |= {player: max(times.get(player, 0), average) for player in here - before}
        largest = max(map(len, planned.tables), default=0)
        for player in chain(*(table for table in planned.tables if len(table) < largest)):
            times[player] += 1
        before = here
    return {player: times[player] for player in players}


def _repeats(request: SeatingRequest, order: Sequence[Unit]) -> list[list[int]]:
    """For each unit, how many pairs of players meet again where another is at its table."""
    place = {player: at for at, unit in enumerate(order) for player in unit}
    repeats = [[0] * len(order) for _ in order]
    for first, second in meetings(request.history):
        if first in place and second in place and place[first] != place[second]:
            repeats[place[first]][place[second]] += 1
            repeats[place[second]][place[first]] += 1
    return repeats


def _costs(
    request: SeatingRequest, order: Sequence[Unit], points: Mapping[int, int], weights: Weights
) -> list[list[int]]:
    place = {player: at for at, unit in enumerate(order) for player in unit}
    groups = {player: request.scores.get(player) for player in place}

    def apart(first: int, second: int) -> int:
        distance = abs(points[first] - points[second])
        return weights.point * distance + (groups[first] != groups[second])

    costs = [[sum(starmap(apart, product(unit, other))) for other in order] for unit in order]
    # Two fixed pairs at a table have no other opponents: their second meeting counts as a third.
    usual = 0 if request.units else 1
    pair_costs = {
        pair: weights.again + weights.third * (count - usual)
        for pair, count in meetings(request.history).items()
    }
    for pair in apart_pairs(request):
        first, second = sorted(pair)
        pair_costs[first, second] = weights.apart
    for (first, second), cost in pair_costs.items():
        if first in place and second in place:
            costs[place[first]][place[second]] += cost
            costs[place[second]][place[first]] += cost
    for at, row in enumerate(costs):
        row[at] = 0
    return costs


def _require_apart(problem: DivisionProblem, division: Division, order: Sequence[Unit]) -> None:
    broken = [
        sorted((order[unit][0], order[other][0]))
        for table in division
        for unit, other in product(table, repeat=2)
        if unit < other and problem.cost[unit][other] >= problem.weights.apart
    ]
    if broken:
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 1}))


def _plan(
    request: SeatingRequest, shape: RoundShape, order: Sequence[Unit], best: BestDivision
) -> SeatingPlan:
    tables = [[player for unit in table for player in order[unit]] for table in best.tables]
    if request.scores:  # the best scores at the first tables
        lowest = min(request.scores.values())
        scores = {player: request.scores.get(player, lowest) for player in chain(*tables)}
        tables.sort(key=lambda table: -sum(map(scores.__getitem__, table)) / len(table))
    numbered = numbered_tables(tables, request.fixed_tables, 0)
    seated = seats_after(request.history, numbered, request.together, request.sides)
    planned = PlannedRound(seated, shape.sitting_out)
    before = meetings(request.history)
    again = sum(pair in before for unit in order for pair in combinations(sorted(unit), 2))
    counted = least_repeats_now(planned, request.history)
    return replace(
        plan_of(request, (planned,), "swiss", best.moves),
        reasons=reasons_of(planned, request.scores, request.history, request.together),
        floats=floats_of(planned, request.scores, request.floated, request.together),
        least_repeats=counted if best.least_repeats is None else best.least_repeats + again,
        is_exact=best.least_repeats is not None,
        small_seats=small_seats((*request.history, planned), request.players),
    )
