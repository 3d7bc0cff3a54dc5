"""Swiss rounds of random events in which people come late, leave and come back.

Everything is counted again here, without the planner and without its checker.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import gcd

import pytest

from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.movements.swiss_checker import faults_of_swiss
from scoring.seating.plan_json import plan_as_json
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long

POINTS = {3: (5, 3, 1), 4: (5, 3, 2, 1), 5: (5, 3, 2, 1, 0)}

Table = tuple[int, ...]


@dataclass(frozen=True)
class Event:
    """Who is there in each round, and what happened."""

    head_count: int
    rounds: int
    seed: int
    sizes: tuple[int, ...] = (4, 3)


@cache
def played(event: Event) -> list[tuple[SeatingRequest, SeatingPlan]]:
    """Plan and play round after round; before some of them people come, leave or return."""
    chance = random.Random(f"{event}")  # noqa: S311 - play, no secret
    here, gone = list(range(1, event.head_count + 1)), list[int]()
    scores: dict[int, int] = {}
    history: tuple[PlannedRound, ...] = ()
    found = []
    for number in range(event.rounds):
        if number and chance.random() < 0.4:
            here.append(event.head_count + number)
        if number and chance.random() < 0.4 and len(here) > 8:
            gone.append(here.pop(chance.randrange(len(here))))
        if gone and chance.random() < 0.2:
            here.append(gone.pop(0))
        asked = SeatingRequest(
            tuple(here), 1, event.sizes, seed=event.seed, movement="swiss",
            history=history, scores=dict(scores),
        )  # fmt: skip
        plan = plan_movement(asked)
        found.append((asked, plan))
        history = (*history, *plan.rounds)
        for table in plan.rounds[0].tables:
            order = sorted(table, key=lambda one: one + chance.gauss(0, 4))
            for player, points in zip(order, POINTS[len(table)], strict=True):
                scores[player] = scores.get(player, 0) + points
    return found


def meetings(history: Sequence[PlannedRound]) -> dict[frozenset[int], int]:
    found: dict[frozenset[int], int] = {}
    for planned in history:
        for table in planned.tables:
            for pair in combinations(table, 2):
                found[frozenset(pair)] = found.get(frozenset(pair), 0) + 1
    return found


def at_small(planned: PlannedRound) -> set[int]:
    largest = max(map(len, planned.tables))
    return {player for table in planned.tables if len(table) < largest for player in table}


def seats_before(planned: PlannedRound, plan: SeatingPlan) -> dict[int, int]:
    """How many small tables each player had before a round, by the numbers of its plan."""
    now = at_small(planned)
    return {player: count - (player in now) for player, count in plan.small_seats.items()}


def divisions(players: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[list[Table]]:
    """Every way to divide players into tables of these sizes."""
    if not sizes:
        yield []
        return
    for size in set(sizes):
        others = list(sizes)
        others.remove(size)
        for mates in combinations(players[1:], size - 1):
            rest = tuple(player for player in players[1:] if player not in mates)
            for more in divisions(rest, tuple(others)):
                yield [(players[0], *mates), *more]


EVENTS = [Event(8 + seed % 9, 6 + seed % 4, seed) for seed in range(short_or_long(18, 200))]


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_small_tables_of_a_plan_are_those_of_its_rounds(event: Event) -> None:
    """Whoever came late has more by the mean of the others then, who are one apart at most."""
    rounds: list[PlannedRound] = []
    for asked, plan in played(event):
        rounds += plan.rounds
        assert sorted(plan.small_seats) == sorted(asked.players)
        for player, count in plan.small_seats.items():
            seats = sum(player in at_small(round_) for round_ in rounds)
            missed = [
                round_ for round_ in rounds if not any(player in table for table in round_.tables)
            ]
            assert seats <= count <= seats + len(missed)


Worth = tuple[int, ...]


def worth_in(asked: SeatingRequest, plan: SeatingPlan) -> Callable[[Sequence[Table]], Worth]:
    """Third meetings, small tables, differences of scores with second meetings, other scores,
    second meetings."""
    (planned,) = plan.rounds
    met, had = meetings(asked.history), seats_before(planned, plan)
    largest = max(map(len, planned.tables))
    lowest = min(asked.scores.values(), default=0)
    playing = [player for table in planned.tables for player in table]
    unit = gcd(*(asked.scores.get(player, lowest) - lowest for player in playing)) or 1
    score = {player: asked.scores.get(player, lowest) // unit for player in playing}
    apart = [abs(score[one] - score[other]) for one, other in combinations(playing, 2)]
    meeting = max(1, 9 * sum(apart) // (4 * len(apart)))

    @cache
    def of_table(table: Table) -> Worth:
        pairs = [*combinations(table, 2)]
        counts = [met.get(frozenset(pair), 0) for pair in pairs]
        again = sum(count > 0 for count in counts)
        return (
            sum(max(0, count - 1) for count in counts),
            sum(had[one] for one in table) if len(table) < largest else 0,
            sum(abs(score[one] - score[other]) for one, other in pairs) + meeting * again,
            sum(asked.scores.get(one) != asked.scores.get(other) for one, other in pairs),
            again,
        )

    return lambda tables: tuple(map(sum, zip(*map(of_table, tables), strict=True)))


FEW = [
    Event(9 + seed % 3, 5, seed, (4, 5) if seed % 4 == 3 else (4, 3))
    for seed in range(short_or_long(5, 40))
]


@pytest.mark.parametrize("event", FEW, ids=str)
def test_small_round_is_the_best_of_all_in_the_order_of_the_rules(event: Event) -> None:
    for asked, plan in played(event):
        (planned,) = plan.rounds
        assert faults_of_swiss(planned, plan_as_json(plan), asked.history, asked.scores) == ()
        playing = tuple(sorted(one for table in planned.tables for one in table))
        if len(playing) > 11:
            continue
        worth = worth_in(asked, plan)
        others = [
            worth(division) for division in divisions(playing, tuple(map(len, planned.tables)))
        ]
        assert worth([tuple(sorted(table)) for table in planned.tables])[:4] == min(others)[:4]
        assert plan.is_exact
        assert plan.least_repeats == min(other[4] for other in others)
