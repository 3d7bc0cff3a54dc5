"""What a plan costs, part by part, and the least that it can cost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from scoring.seating.requests import Cost, PlannedRound, SeatingPlan, SeatingRequest
from scoring.seating.seat_order import neighbours
from scoring.seating.sit_outs import shares, spread

Meetings = Counter[tuple[int, int]]
"""Pairs, the smaller number first → how often they share a table."""


def least_pair_cost(players: int, tables: Iterable[int]) -> int:
    """The least sum over pairs of m * (m - 1) / 2, for m meetings.

    `tables`: the size of every table of every round.

    0 where the meetings do not exceed the pairs.

    Source: convexity; the meetings are spread as evenly as whole numbers allow.

    >>> least_pair_cost(16, [4] * 4 * 8), least_pair_cost(12, [4] * 3 * 8)
    (72, 90)
    """
    return least_when_spread(sum(map(pairs_of, tables)), pairs_of(players))


def pairs_of(count: int) -> int:
    """The number of pairs among so many players."""
    return count * (count - 1) // 2


def least_when_spread(meetings: int, pairs: int) -> int:
    """The pair cost of meetings that are spread over pairs as evenly as can be.

    >>> least_when_spread(7, 5), least_when_spread(3, 0)
    (2, 0)
    """
    if pairs <= 0:
        return 0
    whole, rest = divmod(meetings, pairs)
    return rest * pairs_of(whole + 1) + (pairs - rest) * pairs_of(whole)


def least_repeats(players: int, tables: Iterable[int]) -> int:
    """The fewest repeats by counting: meetings less pairs.

    >>> least_repeats(10, [4, 3, 3] * 4), least_repeats(16, [4] * 4 * 5)
    (3, 0)
    """
    return max(0, sum(map(pairs_of, tables)) - pairs_of(players))


def cost_of(request: SeatingRequest, rounds: Sequence[PlannedRound]) -> Cost:
    """The cost of a plan; who met in the history meets again.

    >>> plan = [PlannedRound(((1, 2, 3),)), PlannedRound(((1, 3, 2),))]
    >>> cost_of(SeatingRequest((1, 2, 3), 2), plan).repeats
    3
    """
    met = meetings(rounds)
    before = meetings(request.history)
    sides = Counter(
        pair for planned in rounds for table in planned.tables for pair in neighbours(table)
    )
    sit_outs, *uncommon = shares(request, rounds).values()
    return Cost(
        repeats=sum(met.values()) - len(met.keys() - before.keys()),
        max_meet=max(met.values(), default=0),
        pair_cost=sum(map(pairs_of, met.values())),
        known_pairs=sum(count for pair, count in met.items() if pair in before),
        neighbour_repeats=sum(sides.values()) - len(sides),
        small_table_spread=max(map(spread, uncommon), default=0),
        sit_out_spread=spread(sit_outs),
        seat_spread=_seat_spread(rounds),
        sit_outs=sum(len(planned.sitting_out) for planned in rounds),
    )


def plan_of(
    request: SeatingRequest, rounds: tuple[PlannedRound, ...], method: str, iterations: int = 0
) -> SeatingPlan:
    """The plan that has these rounds, with its cost."""
    cost = cost_of(request, rounds)
    bound = lower_bound(rounds)
    return SeatingPlan(rounds, cost, bound, request.seed, iterations, method)


def meetings(rounds: Sequence[PlannedRound]) -> Meetings:
    """The number of tables that each pair shares."""
    return Counter(
        (first, second)
        for planned in rounds
        for table in planned.tables
        for first, second in combinations(sorted(table), 2)
    )


def lower_bound(rounds: Sequence[PlannedRound]) -> int:
    """The least pair cost that a plan with these tables can have."""
    players = {
        player
        for planned in rounds
        for group in (*planned.tables, planned.sitting_out)
        for player in group
    }
    sizes = [len(table) for planned in rounds for table in planned.tables]
    return least_pair_cost(len(players), sizes)


def _seat_spread(rounds: Sequence[PlannedRound]) -> int:
    held: dict[tuple[int, int], list[int]] = defaultdict(list)
    for planned in rounds:
        for table in planned.tables:
            for seat, player in enumerate(table):
                counts = held[player, len(table)]
                counts.extend([0] * (len(table) - len(counts)))
                counts[seat] += 1
    return max((max(counts) - min(counts) for counts in held.values()), default=0)
