"""Which player sits at which point of a construction, so that known pairs meet as rarely as can be.

Pure. See docs/algorithms/seating.md, "Constructions".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from scoring.seating.designs.constructions import Schedule
from scoring.seating.splitmix import SplitMix

EXCHANGES: Final = 40_000
"""How many exchanges of two players are tried."""


def labelled(
    schedule: Schedule,
    weights: Sequence[Sequence[int]],
    seats: Mapping[int, Sequence[int]],
    rng: SplitMix,
) -> list[int]:
    """The player at each point.

    Who was at tables of an uncommon size least often gets the points that are there most often.
    Among points that are there equally often the players are exchanged, as long as the meetings of
    pairs with a weight become no more costly.

    Args:
        schedule: rounds of tables of points.
        weights: for each player, what a meeting with each other player costs.
        seats: uncommon size of the schedule → for each player, the seats there before.
        rng: the stream of lots.
    """
    often = Counter(
        point for tables in schedule for table in tables if len(table) in seats for point in table
    )
    count = len(weights)
    before = [sum(times[player] for times in seats.values()) for player in range(count)]
    points = sorted(range(count), key=lambda point: (-often[point], point))
    players = sorted(rng.shuffled(range(count)), key=lambda player: before[player])
    found = [0] * count
    for point, player in zip(points, players, strict=True):
        found[point] = player
    exchange_known_pairs(schedule, weights, often, found, rng)
    return found


def exchange_known_pairs(
    schedule: Schedule,
    weights: Sequence[Sequence[int]],
    often: Mapping[int, int],
    found: list[int],
    rng: SplitMix,
) -> None:
    """Exchange players of points that are `often` equal while known pairs meet no more often.

    Args:
        schedule: rounds of tables of points.
        weights: for each player, what a meeting with each other player costs.
        often: point → a number; only points with equal numbers exchange their players.
        found: the player at each point; changed in place.
        rng: the stream of lots.
    """
    mates: list[list[int]] = [[] for _ in found]
    for tables in schedule:
        for table in tables:
            for one, other in combinations(table, 2):
                mates[one].append(other)
                mates[other].append(one)
    cost = sum(
        weights[found[one]][found[other]] for one, others in enumerate(mates) for other in others
    )
    for _ in range(EXCHANGES):
        if cost == 0:
            return
        one, other = rng.below(len(found)), rng.below(len(found))
        if one == other or often[one] != often[other]:
            continue
        change = _change(mates, weights, found, one, other)
        if change <= 0:
            found[one], found[other] = found[other], found[one]
            cost += 2 * change


def _change(
    mates: Sequence[Sequence[int]],
    weights: Sequence[Sequence[int]],
    found: Sequence[int],
    one: int,
    other: int,
) -> int:
    """The change of the cost where the players at two points change places."""
    first, second = weights[found[one]], weights[found[other]]
    change = 0
    for mate in mates[one]:
        if mate != other:
            change += second[found[mate]] - first[found[mate]]
    for mate in mates[other]:
        if mate != one:
            change += first[found[mate]] - second[found[mate]]
    return change
