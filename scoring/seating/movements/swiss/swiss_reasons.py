"""Why a Swiss round is as it is: what each pair has in common, who floats, what had to repeat.

Pure. See docs/algorithms/seating.md, "Swiss rounds".
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from scoring.seating.cost import meetings
from scoring.seating.requests import FloatSeat, Pair, PairReason, PlannedRound

SAME_SCORE, OTHER_SCORE = "same_score", "other_score"
NOT_MET, MET = "not_met", "met"
DOWN, UP = "down", "up"


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
    found = []
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
            found.append(PairReason(number, pair, codes, count, values))
    return tuple(found)


def floats_of(
    planned: PlannedRound,
    scores: Mapping[int, int],
    before: Collection[int] = (),
    together: Iterable[Pair] = (),
) -> tuple[FloatSeat, ...]:
    """The seats at tables whose others are all of another score group; none without scores.

    Players without a score are a group of their own, below or with the lowest score.

    Args:
        before: who floated down in the round before.
        together: pairs who are there as one; a partner is not one of the others.

    >>> planned = PlannedRound(((1, 2, 3, 4), (5, 6, 7, 8)))
    >>> scores = {1: 6, 2: 4, 3: 4, 4: 4, 5: 4, 6: 2, 7: 2, 8: 0}
    >>> [(one.player, one.direction) for one in floats_of(planned, scores)]
    [(1, 'down'), (5, 'down'), (8, 'up')]
    """
    if not scores:
        return ()
    groups: dict[int, set[int]] = {}
    for one, other in together:
        both = groups.get(one, {one}) | groups.get(other, {other})
        groups |= dict.fromkeys(both, both)
    found = []
    for number, table in enumerate(planned.tables, 1):
        units = list(dict.fromkeys(tuple(sorted(groups.get(one, {one}))) for one in table))
        for player, direction in _directions(units, scores):
            again = direction == DOWN and player in before
            found.append(FloatSeat(player, number, direction, again))
    return tuple(found)


def times_down(
    units: Sequence[Sequence[int]], scores: Mapping[int, int], before: Collection[int]
) -> int:
    """How many players of a table float down who did so in the round before.

    >>> times_down([(1,), (2,), (3,)], {1: 6, 2: 4, 3: 4}, {1, 2})
    1
    """
    if not any(player in before for unit in units for player in unit):
        return 0
    return sum(
        direction == DOWN and player in before for player, direction in _directions(units, scores)
    )


def _directions(units: Sequence[Sequence[int]], scores: Mapping[int, int]) -> list[tuple[int, str]]:
    """The players of a table who float, and where to; a partner is not one of the others."""
    lowest = min(scores.values(), default=0)
    found = []
    for unit in units:
        others = [player for other in units if other is not unit for player in other]
        groups = {scores.get(player) for player in others}
        total = sum(scores.get(player, lowest) for player in others)
        for player in unit:
            if others and scores.get(player) not in groups:
                is_down = total < scores.get(player, lowest) * len(others)
                found.append((player, DOWN if is_down else UP))
    return found


def least_repeats_now(planned: PlannedRound, history: Sequence[PlannedRound]) -> int:
    """So many pairs of a round meet again at least, however its players are divided.

    The larger of two counts: the players of a table come from no more tables than an earlier round
    had, and all meetings of the event are no more than its pairs.

    >>> five = PlannedRound(((1, 2, 3, 4, 5), (6, 7, 8, 9, 10)))
    >>> least_repeats_now(five, [five])
    8
    """
    there = {player for table in planned.tables for player in table}
    sizes = [len(table) for table in planned.tables]
    most = 0
    for earlier in history:
        came = Counter(
            at for at, table in enumerate(earlier.tables) for player in table if player in there
        )
        strangers = len(there) - came.total()
        sources = len(came) + strangers
        most = max(most, sum(_within(size, sources) for size in sizes))
    met = [pair for pair in meetings(history) if there >= set(pair)]
    together = sum(size * (size - 1) // 2 for size in sizes)
    pairs = len(there) * (len(there) - 1) // 2
    return max(most, together + len(met) - pairs)


def _within(size: int, sources: int) -> int:
    """Pairs of a table who come from one source at least, where there are so many sources."""
    whole, rest = divmod(size, max(1, sources))
    return rest * (whole + 1) * whole // 2 + (sources - rest) * whole * (whole - 1) // 2
