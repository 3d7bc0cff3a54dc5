"""Later rounds of a knock-out: the fewest repeats that players of equal rank can have."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import pytest

from scoring.seating.brackets import drawn, wild_cards_in
from scoring.seating.movements.knockout import MOST_LOOKS, FewestRepeats
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.requests import PlannedRound, SeatingRequest
from tests.support.lengths import short_or_long

FOURS_AND_THREES = (4, 3)


def cup(players: int, advance: int, wild_cards: int, seed: int) -> Iterator[SeatingRequest]:
    """The requests for the later rounds of a cup; every second one follows a league evening."""
    chance = Random(f"{players} {seed}")  # noqa: S311 - the same cup each time
    everybody = tuple(range(1, players + 1))
    line_up = chance.sample(everybody, players)
    evening = PlannedRound(tuple(tuple(line_up[at::4]) for at in range(4)))
    request = SeatingRequest(
        everybody,
        1,
        sizes=FOURS_AND_THREES,
        movement="knockout",
        standing={player: player for player in everybody},
        history=(evening,) * (seed % 2),
        advance=advance,
        wild_cards=wild_cards,
    )
    while True:
        planned = plan_movement(request).rounds[0]
        if len(planned.tables) == 1:
            return
        scores = {
            player: points * 10 + chance.randrange(10)
            for table in planned.tables
            for points, player in enumerate(chance.sample(table, len(table)))
        }
        request = replace(request, history=(*request.history, planned), scores=scores)
        yield request


def ranked(request: SeatingRequest) -> list[tuple[int, Fraction, int]]:
    """Those who go on, the best rank first: place, score against the mean of the table, seed."""
    before = request.history[-1]
    sure: list[tuple[int, Fraction, int]] = []
    others: list[tuple[int, Fraction, int]] = []
    for table in before.tables:
        places = sorted(table, key=lambda player: -request.scores[player])
        mean = Fraction(sum(request.scores[player] for player in table), len(table))
        for place, player in enumerate(places, 1):
            rank = (place, mean - request.scores[player], player)
            (sure if place <= request.advance else others).append(rank)
    people = sum(map(len, before.tables))
    wild = wild_cards_in(len(before.tables), 0, request.wild_cards, request.advance, people)
    return sorted(sure + sorted(others)[:wild])


def is_crosswise(request: SeatingRequest, people: int) -> bool:
    tables = len(request.history[-1].tables)
    return (
        (request.advance, request.wild_cards) == (2, 0) and people == 2 * tables and not people % 4
    )


def best_of_all(request: SeatingRequest) -> tuple[int, list[set[int]]]:
    """The first of all orders of those with one place that has the fewest repeats."""
    ranks = ranked(request)
    met = {
        frozenset(pair)
        for earlier in request.history
        for table in earlier.tables
        for pair in combinations(table, 2)
    }
    snake = drawn(len(ranks), FOURS_AND_THREES)[0]
    groups = defaultdict(list)
    for place, _score, player in ranks:
        groups[place].append(player)
    best: tuple[int, list[set[int]]] | None = None
    for parts in product(*(permutations(group) for group in groups.values())):
        order = [player for part in parts for player in part]
        tables = [[order[rank - 1] for rank in table] for table in snake]
        found = sum(frozenset(pair) in met for table in tables for pair in combinations(table, 2))
        if best is None or found < best[0]:
            best = found, [set(table) for table in tables]
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(short_or_long(2, 20)))
@pytest.mark.parametrize(
    ("players", "advance", "wild_cards"),
    [
        *((players, 2, 0) for players in range(8, 14)),
        # Second rounds of 8, 9, 10, 11 and 12 people
        *((11, 2, 2), (11, 2, 3), (19, 2, 0), (19, 2, 1), (19, 2, 2)),
    ],
)
def test_reseeded_round_is_the_first_of_all_orders_with_the_fewest_repeats(
    players: int, advance: int, wild_cards: int, seed: int
) -> None:
    for request in cup(players, advance, wild_cards, seed):
        if not is_crosswise(request, len(ranked(request))):
            plan = plan_movement(request)
            least, tables = best_of_all(request)
            assert [set(table) for table in plan.rounds[0].tables] == tables
            assert (plan.least_repeats, plan.is_exact) == (plan.cost.known_pairs, True)
            assert plan.least_repeats == least


@pytest.mark.tier_long
def test_second_round_of_13_people_is_the_best_of_518400_orders() -> None:
    request = next(cup(23, 2, 1, 1))
    plan = plan_movement(request)
    assert (plan.least_repeats, [set(table) for table in plan.rounds[0].tables]) == best_of_all(
        request
    )


def test_second_round_of_a_cup_of_19_repeats_no_meeting() -> None:
    for seed in range(0, 200, 2):
        plan = plan_movement(next(cup(19, 2, 0, seed)))
        assert (plan.cost.known_pairs, plan.least_repeats, plan.is_exact) == (0, 0, True)


def test_round_paired_crosswise_keeps_its_tables_and_says_the_fewest_repeats() -> None:
    first = PlannedRound(((1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13)))
    request = replace(
        next(cup(16, 2, 0, 0)), history=(first,), scores={n: -n for n in range(1, 17)}
    )
    assert [set(table) for table in plan_movement(request).rounds[0].tables] == [
        {1, 4, 7, 6},
        {2, 3, 8, 5},
    ]
    evening = PlannedRound(((1, 4), (2, 3)))
    plan = plan_movement(replace(request, history=(evening, first)))
    assert [set(table) for table in plan.rounds[0].tables] == [{1, 4, 7, 6}, {2, 3, 8, 5}]
    assert (plan.cost.known_pairs, plan.least_repeats, plan.is_exact) == (2, 0, True)


@pytest.mark.parametrize(("share", "is_exact"), [(0.1, True), (0.5, False), (1.0, True)])
def test_search_is_bounded_for_the_largest_round_whoever_met(share: float, is_exact: bool) -> None:
    players = 96
    chance = Random(1)  # noqa: S311 - the same people each time
    met: Sequence[set[int]] = [set() for _ in range(players)]
    for player, other in combinations(range(players), 2):
        if chance.random() < share:
            met[player].add(other)
            met[other].add(player)
    tables = [0] * players
    for at, table in enumerate(drawn(players, FOURS_AND_THREES)[0]):
        for rank in table:
            tables[rank - 1] = at
    search = FewestRepeats(tables, [rank // 32 for rank in range(players)], met)
    assert sorted(search.order()) == [*range(players)]
    assert search.looks <= MOST_LOOKS + players**3 // 3
    assert search.is_exact is is_exact
