"""Swiss rounds: third meetings, the time of a round, its growth, and a general matching beside it.

Without a database and without Django. The matching is networkx's `min_weight_matching` of a field
of 200 in pairs: what a program would use that knows no tables.
"""

import importlib
import importlib.util
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from benchmarks.measure import Figure, Goal, in_turn, say
from benchmarks.sizes import Sizes
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.requests import PlannedRound, SeatingRequest
from scoring.seating.splitmix import stream_of

ROUNDS: Final = 8
FIELDS: Final = (100, 200, 400)
MATCHED: Final = 200
REPEATS: Final = 5
SECONDS: Final = 2.0
POINTS: Final = (5, 3, 2, 1)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Play a tournament of eight rounds for each field, then time its last round in turn."""
    last: dict[int, SeatingRequest] = {}
    for players in [field for field in FIELDS if field <= sizes.seated_players] or [FIELDS[0]]:
        say(f"swiss: {players} players, {ROUNDS} rounds")
        third, slowest, last[players] = tournament(players)
        name = f"{players} players"
        yield Figure(
            "seating",
            f"{name}, {ROUNDS} Swiss rounds: third meetings",
            third,
            "pairs",
            goal=Goal(0),
        )
        yield Figure("seating", f"{name}: slowest Swiss round", slowest, "s", goal=Goal(SECONDS))
    if FIELDS[0] in last and FIELDS[-1] in last:
        yield _growth(last[FIELDS[0]], last[FIELDS[-1]])
    if MATCHED in last:
        yield from _against_matching(last[MATCHED])


def tournament(players: int, seed: int = 1) -> tuple[int, float, SeatingRequest]:
    """Play all rounds by skill and chance.

    Returns:
        Third meetings, seconds of the slowest round, and what the last round was asked for.
    """
    chance = stream_of(seed, players)
    skill = {player: chance.below(1000) for player in range(1, players + 1)}
    scores = dict.fromkeys(skill, 0)
    history: tuple[PlannedRound, ...] = ()
    third, slowest = 0, 0.0
    request = SeatingRequest(tuple(skill), 1, sizes=(4, 3), seed=seed, movement="swiss")
    for number in range(ROUNDS):
        request = replace(request, history=history, scores=dict(scores) if number else {})
        begun = time.process_time()
        plan = plan_movement(request)
        slowest = max(slowest, time.process_time() - begun)
        third += sum(reason.met > 1 for reason in plan.reasons)
        history = (*history, *plan.rounds)
        for table in plan.rounds[0].tables:
            luck = {player: skill[player] + chance.below(1000) for player in table}
            for points, player in zip(POINTS, sorted(table, key=luck.__getitem__), strict=False):
                scores[player] += points
    return third, slowest, request


def _seconds(asked: SeatingRequest) -> float:
    begun = time.process_time()
    plan_movement(asked)
    return time.process_time() - begun


def _growth(small: SeatingRequest, large: SeatingRequest) -> Figure:
    larger, smaller = in_turn(
        REPEATS, "swiss: growth", lambda: _seconds(large), lambda: _seconds(small)
    )
    ratio = statistics.median(a / b for a, b in zip(larger, smaller, strict=True))
    times = (len(large.players) / len(small.players)) ** 2
    return Figure(
        "seating", f"Swiss round of {len(large.players)}", statistics.median(larger), "s",
        f"of {len(small.players)}", statistics.median(smaller), ratio, Goal(times),
    )  # fmt: skip


def _against_matching(asked: SeatingRequest) -> Iterator[Figure]:
    name = f"Swiss round of {len(asked.players)}"
    if importlib.util.find_spec("networkx") is None:
        say("swiss: networkx is not installed, so a general matching is not measured")
        return
    ours, theirs = in_turn(
        REPEATS, "swiss: matching", lambda: _seconds(asked), lambda: _matching(asked)
    )
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    yield Figure(
        "seating", name, statistics.median(ours), "s", "general matching by networkx",
        statistics.median(theirs), ratio, Goal(0.2),
    )  # fmt: skip


def _matching(asked: SeatingRequest) -> float:
    networkx = importlib.import_module("networkx")
    met = {
        frozenset((one, other))
        for planned in asked.history
        for table in planned.tables
        for one in table
        for other in table
        if one != other
    }
    graph = networkx.Graph()
    graph.add_weighted_edges_from(
        (
            player,
            other,
            1000 * (frozenset((player, other)) in met)
            + abs(asked.scores[player] - asked.scores[other]),
        )
        for player in asked.players
        for other in asked.players
        if player < other
    )
    begun = time.process_time()
    networkx.min_weight_matching(graph)
    return time.process_time() - begun
