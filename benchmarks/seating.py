"""Seating plans of every usual size: repeats beside the least possible, spreads, and time.

Without a database and without Django; a figure a head-count and number of rounds.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Final

from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import SeatingPlan, SeatingRequest
from tests.support.scoring.plan_checker import faults_of_plan

REPEAT_FREE: Final[Mapping[int, int]] = {
    12: 1, 16: 5, 20: 5, 22: 7, 24: 7, 28: 9, 30: 9, 32: 9, 36: 11,
    40: 8, 64: 8, 100: 12, 200: 12, 400: 12,
}  # fmt: skip
"""Players → number of rounds, of 4 to 12, that must have no repeat."""

LEAST: Final[Mapping[tuple[int, int], int]] = {
    (16, 6): 24, (16, 8): 72, (20, 8): 50, (12, 8): 90,
}  # fmt: skip
"""Players and rounds → the pair cost to reach, where repeats cannot be avoided."""

SECONDS: Final = 2.0
"""The longest that a plan for up to 60 players may take."""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Plan each head-count for each number of rounds, once, from one seed."""
    for players, most in REPEAT_FREE.items():
        if players > sizes.seated_players:
            continue
        rounds = sorted({4, 6, 8, 10, 12, min(max(most, 4), 12)})
        for number in rounds if sizes.seated_players > 100 else rounds[:1]:
            yield from _plan(players, number, repeat_free=number <= most)
    yield from _after_a_history(min(24, sizes.seated_players))


def _plan(players: int, rounds: int, *, repeat_free: bool) -> Iterator[Figure]:
    name = f"{players} players, {rounds} rounds"
    say(f"seating: {name}")
    seconds, plan = _timed(SeatingRequest(tuple(range(1, players + 1)), rounds, seed=1))
    print(as_row(players, rounds, plan, seconds), file=sys.stderr, flush=True)
    yield Figure(
        "seating", f"{name}: repeats", plan.cost.repeats, "repeats",
        goal=Goal(0) if repeat_free else None,
    )  # fmt: skip
    least = LEAST.get((players, rounds))
    yield Figure(
        "seating", f"{name}: pair cost (at least {plan.lower_bound})", plan.cost.pair_cost,
        "points", goal=None if least is None else Goal(least),
    )  # fmt: skip
    yield Figure("seating", f"{name}: seat spread", plan.cost.seat_spread, "seats", goal=Goal(1))
    yield Figure(
        "seating", f"{name}: time", seconds, "s", goal=Goal(SECONDS) if players <= 60 else None
    )


def as_row(players: int, rounds: int, plan: SeatingPlan, seconds: float) -> str:
    cost = plan.cost
    return (
        f"n={players} R={rounds}: repeats {cost.repeats}, pair cost {cost.pair_cost}, at least "
        f"{plan.lower_bound}, seat spread {cost.seat_spread}, {seconds:.2f} s, {plan.method}"
    )


def _after_a_history(players: int) -> Iterator[Figure]:
    everybody = tuple(range(1, players + 1))
    history = plan_seats(SeatingRequest(everybody, 4, seed=1)).rounds
    seconds, plan = _timed(SeatingRequest(everybody, 4, seed=1, history=history))
    name = f"{players} players, 4 rounds after 4 others"
    yield Figure("seating", f"{name}: pairs who met before", plan.cost.known_pairs, "pairs")
    yield Figure("seating", f"{name}: time", seconds, "s", goal=Goal(SECONDS))


def _timed(request: SeatingRequest) -> tuple[float, SeatingPlan]:
    begun = time.process_time()
    plan = plan_seats(request)
    seconds = time.process_time() - begun
    faults = faults_of_plan(request, plan)
    if faults:
        sys.exit(f"seating: the checker refuses a plan: {faults[0]}")
    return seconds, plan
