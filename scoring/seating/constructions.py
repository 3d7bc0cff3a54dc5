"""Plans by direct construction, designs that are stored, and their labels."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import gcd
from pathlib import Path
from string import ascii_letters, digits
from typing import Final, TypeAlias

from scoring.seating.cost import pairs_of
from scoring.seating.finite_fields import ring_of
from scoring.seating.splitmix import SplitMix

Schedule: TypeAlias = list[list[tuple[int, ...]]]
"""Rounds of tables of points."""

SEATS_OF_STARTERS: Final = 4

DESIGNS: Final = Path(__file__).parents[1] / "data" / "designs.toml"


@lru_cache(maxsize=1)
def starters() -> Mapping[int, tuple[int, str]]:
    """Number of players → size of the rings, and the base round."""
    stored = tomllib.loads(DESIGNS.read_text(encoding="utf-8"))["starters"]
    return {int(players): (length, base) for players, (length, base) in stored.items()}


@lru_cache(maxsize=1)
def stored_designs() -> tuple[Schedule, ...]:
    """The plans of `scoring/data/designs.toml`, the tables of a round largest first."""
    groups = tomllib.loads(DESIGNS.read_text(encoding="utf-8"))["designs"]
    points = digits + ascii_letters
    return tuple(
        [
            [tuple(map(points.index, table)) for table in tables.split()]
            for tables in plan.split("/")
        ]
        for group in groups
        for plan in group["plans"]
    )


def design(sizes: Sequence[int], rounds: int) -> Schedule | None:
    """The plan with the fewest repeats that are known; None where it is left to the search.

    It is stored for so many rounds, or everybody meets everybody once, and then again, each time
    with the players one place further.

    >>> twice = design([4, 4, 4, 3], 10) or []
    >>> twice[0][3], twice[5][3]
    ((0, 8, 11), (1, 9, 12))
    """
    for stored in stored_designs():
        if len(stored) == rounds and (fitted := _fitted(stored, sizes, rounds)):
            return fitted
    players = sum(sizes)
    whole, rest = divmod(pairs_of(players), sum(map(pairs_of, sizes)))
    if rest or whole >= rounds:
        return None
    once = construction(sizes, whole)
    if once is None:
        return None
    return [
        [tuple((point + at // whole) % players for point in table) for table in once[at % whole]]
        for at in range(rounds)
    ]


def _fitted(stored: Schedule, sizes: Sequence[int], rounds: int) -> Schedule | None:
    """The first rounds of a stored plan, without the points that are too many for these tables."""
    missing = sum(map(len, stored[0])) - sum(sizes)
    shortened = without_points(stored, missing, rounds) if 0 <= missing <= len(sizes) else None
    in_order = sorted(sizes, reverse=True)
    if shortened is None or any([*map(len, tables)] != in_order for tables in shortened):
        return None
    return shortened


def construction(sizes: Sequence[int], rounds: int) -> Schedule | None:
    """A plan without a repeat, with these tables in every round; None where none is known here.

    Args:
        sizes: the tables of a round: those of g seats and at most as many of g - 1, in any order.
        rounds: how many rounds are needed.

    `rounds` rounds, the tables of each as many and as large as asked, largest first.

    >>> [len(construction([4] * t, 5) or ()) for t in (4, 5, 10)]
    [5, 5, 5]
    """
    seats = max(sizes)
    short = sizes.count(seats - 1)
    if set(sizes) - {seats, seats - 1}:
        return None
    uneven = None
    for shortened in chain(
        (
            without_points(schedule, short, rounds)
            for schedule in _schedules(len(sizes), seats, rounds + (short > 0))
        ),
        (_fitted(stored, sizes, rounds) for stored in stored_designs()),
    ):
        if shortened and max(_met(shortened).values()) == 1:
            if _is_even(shortened):
                return shortened
            uneven = uneven or shortened
    return uneven


def _is_even(schedule: Schedule) -> bool:
    """Whether the numbers of the largest tables that the points have differ by one at most."""
    points = [point for tables in schedule for table in tables for point in table]
    seats = len(schedule[0][0])
    largest = Counter(
        point for tables in schedule for table in tables if len(table) == seats for point in table
    )
    often = [largest[point] for point in {*points}]
    return max(often) - min(often) <= 1


def _met(schedule: Schedule) -> Counter[frozenset[int]]:
    return Counter(
        frozenset(pair)
        for tables in schedule
        for table in tables
        for pair in combinations(table, 2)
    )


def _schedules(tables: int, seats: int, rounds: int) -> Iterator[Schedule]:
    if seats == SEATS_OF_STARTERS and tables * seats in starters():
        yield cyclic_rounds(tables * seats)
    if tables < 2:
        return
    yield rotation(tables, seats)
    yield transversal_rounds(tables, seats)
    if rounds == 1 or tables < seats:
        yield [[tuple(range(t * seats, (t + 1) * seats)) for t in range(tables)]]


def cyclic_rounds(players: int) -> Schedule:
    """The rounds of a cyclic starter, as many as its rings are long.

    Source: method of differences, Anderson, "Combinatorial designs and tournaments" (1997).

    >>> cyclic_rounds(16)[1]
    [(1, 9, 12, 15), (2, 0, 14, 10), (3, 4, 8, 5), (6, 7, 11, 13)]
    """
    length, text = starters()[players]
    base = [[int(point) for point in table.split()] for table in text.split("|")]
    return [
        [tuple(_turned(point, turn, length) for point in table) for table in base]
        for turn in range(length)
    ]


def _turned(point: int, turn: int, length: int) -> int:
    ring, value = divmod(point, length)
    if ring > 2:
        return point
    return ring * length + (value + turn) % length


def rotation(tables: int, seats: int) -> Schedule:
    """Rounds in which the players of column i move on by i tables.

    Point (i, v) is i * tables + v. Columns i and j meet again after tables / gcd(tables, j - i)
    rounds, so as many rounds as the least of these have no repeat.

    Source: cyclic Latin squares; valid for every number of tables.

    >>> len(rotation(5, 4)), len(rotation(50, 4)), len(rotation(18, 4))
    (5, 25, 6)
    """
    rounds = min(tables // gcd(tables, step) for step in range(1, seats))
    return [
        [tuple(i * tables + (t + turn * i) % tables for i in range(seats)) for t in range(tables)]
        for turn in range(rounds)
    ]


@lru_cache(maxsize=32)
def _transversal(tables: int, seats: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    ring = ring_of(tables)
    if len(ring.multipliers) < seats:
        return ()
    lines = [
        [ring.times(turn, multiplier) for multiplier in ring.multipliers[:seats]]
        for turn in range(tables)
    ]
    return tuple(
        tuple(
            tuple(i * tables + ring.add(t, step) for i, step in enumerate(steps))
            for t in range(tables)
        )
        for steps in lines
    )


def transversal_rounds(tables: int, seats: int) -> Schedule:
    """As many rounds as there are tables, by lines over a finite field or a product of fields.

    Table t of round r holds (i, t + r * a_i) for multipliers a_i no two of which agree anywhere.
    Points of one column never meet, so where the columns can be split into tables themselves,
    further rounds follow within them.

    Source: resolvable transversal designs from Latin squares that are orthogonal to each other
    (Bose 1938, MacNeish 1922); for g * g points of g seats it is the affine plane.

    >>> len(transversal_rounds(4, 4)), len(transversal_rounds(16, 4)), len(transversal_rounds(6, 4))
    (5, 21, 0)
    """
    rounds = [list(tables_of) for tables_of in _transversal(tables, seats)]
    if not rounds or tables % seats:
        return rounds
    if tables == seats:
        within = [[tuple(range(seats))]]
    else:
        within = transversal_rounds(tables // seats, seats)
    rounds.extend(
        [
            tuple(column * tables + point for point in table)
            for column in range(seats)
            for table in inner
        ]
        for inner in within
    )
    return rounds


def without_points(schedule: Schedule, count: int, rounds: int) -> Schedule | None:
    """The rounds of a schedule with so many points taken away, each from another table.

    The points are such that never meet in the rounds that are used; otherwise those of one table,
    whose round is dropped. Removing players keeps a plan without repeats.

    None if the schedule is too short, or has no such points; the remaining points are renumbered
    in order, and the tables sorted, the largest first.

    >>> [len(table) for table in without_points(cyclic_rounds(24), 3, 7)[6]]
    [4, 4, 4, 3, 3, 3]
    """
    if len(schedule) < rounds:
        return None
    used = schedule[:rounds]
    points = sorted(point for table in schedule[0] for point in table)
    dropped = _strangers(used, points, count)
    if dropped is None and len(schedule) > rounds and count <= len(schedule[rounds][0]):
        dropped = schedule[rounds][0][:count]
    if dropped is None:
        return None
    new_labels = {point: at for at, point in enumerate(p for p in points if p not in dropped)}
    return [
        sorted(
            (
                tuple(new_labels[point] for point in table if point in new_labels)
                for table in tables
            ),
            key=len,
            reverse=True,
        )
        for tables in used
    ]


def _strangers(used: Schedule, points: Sequence[int], count: int) -> tuple[int, ...] | None:
    met = _met(used)
    chosen: list[int] = []

    def extended(candidates: list[int]) -> bool:
        if len(chosen) == count:
            return True
        for at, point in enumerate(candidates):
            chosen.append(point)
            rest = [mate for mate in candidates[at + 1 :] if frozenset((point, mate)) not in met]
            if len(chosen) + len(rest) >= count and extended(rest):
                return True
            chosen.pop()
        return False

    if not extended(list(reversed(points))):
        return None
    return tuple(chosen)


EXCHANGES: Final = 40_000
"""Number of exchanges of two players that are tried."""


def labelled(
    schedule: Schedule,
    weights: Sequence[Sequence[int]],
    seats: Mapping[int, Sequence[int]],
    rng: SplitMix,
) -> list[int]:
    """The player at each point.

    Players who were at tables of an uncommon size least often get the points that are there most.
    Among points that are there equally often the players are exchanged, as long as the meetings of
    pairs with a weight become no more costly.

    Args:
        weights: for each player, what a meeting with each other player costs.
        seats: uncommon size of the schedule → for each player, the seats there before.
    """
    often = Counter(
        point for tables in schedule for table in tables if len(table) in seats for point in table
    )
    count = len(weights)
    before = [sum(times[player] for times in seats.values()) for player in range(count)]
    points = sorted(range(count), key=lambda point: (-often[point], point))
    players = sorted(rng.shuffled(range(count)), key=lambda player: before[player])
    labels = [0] * count
    for point, player in zip(points, players, strict=True):
        labels[point] = player
    exchange_known_pairs(schedule, weights, often, labels, rng)
    return labels


def exchange_known_pairs(
    schedule: Schedule,
    weights: Sequence[Sequence[int]],
    often: Mapping[int, int],
    labels: list[int],
    rng: SplitMix,
) -> None:
    """Exchange players of points that are `often` equal while known pairs meet no more often.

    Args:
        weights: for each player, what a meeting with each other player costs.
        often: point → a number; only points with equal numbers exchange their players.
        labels: the player at each point; changed in place.
    """
    mates: list[list[int]] = [[] for _ in labels]
    for tables in schedule:
        for table in tables:
            for first, second in combinations(table, 2):
                mates[first].append(second)
                mates[second].append(first)
    cost = sum(
        weights[labels[first]][labels[second]]
        for first, others in enumerate(mates)
        for second in others
    )
    for _ in range(EXCHANGES):
        if cost == 0:
            return
        first, second = rng.below(len(labels)), rng.below(len(labels))
        if first == second or often[first] != often[second]:
            continue
        change = _change(mates, weights, labels, first, second)
        if change <= 0:
            labels[first], labels[second] = labels[second], labels[first]
            cost += 2 * change


def _change(
    mates: Sequence[Sequence[int]],
    weights: Sequence[Sequence[int]],
    labels: Sequence[int],
    a: int,
    b: int,
) -> int:
    first, second = weights[labels[a]], weights[labels[b]]
    change = 0
    for mate in mates[a]:
        if mate != b:
            change += second[labels[mate]] - first[labels[mate]]
    for mate in mates[b]:
        if mate != a:
            change += first[labels[mate]] - second[labels[mate]]
    return change
