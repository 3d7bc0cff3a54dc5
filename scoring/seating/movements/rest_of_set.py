"""The rest of an all-play-all: matches not yet played, put into rounds after somebody left or came.

Pure. See docs/algorithms/movements.md, "The rest of a set".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from scoring.seating.constraints import apart_pairs
from scoring.seating.movements.circle import (
    Meeting,
    circle_rounds,
    full_set,
    matches_of_units,
)
from scoring.seating.movements.lots import are_always_there, drawn_by_sit_outs, sit_out_keys
from scoring.seating.requests import SeatingRequest
from scoring.seating.splitmix import SplitMix, stream_of

Slots: TypeAlias = list[dict[int, int]]
"""For each round, unit → its opponent; a unit that is not there is its own."""

_LOT: Final = 9
"""Names the stream of lots for the rest of a set."""

STEPS: Final = 1_000
STEPS_A_MATCH: Final = 10
"""A try makes so many exchanges at most, and so many more for each match."""

KICK: Final = 2
"""One of so many tries, times the matches without a round, takes the place of two matches."""

ALL_STEPS: Final = 100_000
"""So many exchanges are divided into tries; each begins anew."""


def all_play_all(request: SeatingRequest, units: Sequence[Sequence[int]]) -> list[list[Meeting]]:
    """The matches of each round, by index: each unit meets each other one once in a full set.

    The circle method where a set begins, else the rest of the set under way. So is a set in which
    some are not always there, where that has full rounds without a repeat, or must be apart.

    Args:
        units: the members of each pair or team.

    Raises:
        Refused: constraints_not_met, of teams with players who must be apart.
    """
    played, rounds_played, field = set_so_far(request, units)
    length = full_set(len(units), "")
    is_over = rounds_played + request.rounds > full_set(field, "")
    if played and not (is_over and request.rounds >= length):
        return rest_of_set(request, units)
    is_team = request.movement == "teams"  # a team that is short forfeits its match
    if not is_team and (apart_pairs(request) or not are_always_there(request)):
        rounds = rest_of_set(request, units)
        meetings = [frozenset(match) for one_round in rounds for match in one_round]
        if apart_pairs(request) or len(meetings) == len({*meetings}) or request.rounds > length:
            return rounds
    rounds = circle_rounds(len(units), request.rounds)
    order = drawn_by_sit_outs(request, units, rounds)
    return [[(order[one], order[other]) for one, other in one_round] for one_round in rounds]


def rest_of_set(request: SeatingRequest, units: Sequence[Sequence[int]]) -> list[list[Meeting]]:
    """The rounds of a plan in which units meet who did not meet in the set so far.

    Where all matches that are left can be played in these rounds, they are, and nobody meets
    again; units without an opponent sit out. Otherwise each round has as many matches as it can,
    first those not yet played, and sit-outs go to those who had fewest.

    Args:
        units: the members of each pair or team.

    >>> from scoring.seating.requests import PlannedRound
    >>> played = (PlannedRound(((1, 3, 2, 4), (5, 7, 6, 8))),)
    >>> asked = SeatingRequest((1, 2, 3, 4, 5, 6), 2, movement="pairs", history=played)
    >>> [len(one) for one in rest_of_set(asked, [(1, 2), (3, 4), (5, 6)])]
    [1, 1]
    """
    order = _in_order(units)
    apart = apart_pairs(request)
    possible = [
        (one, other)
        for one, other in combinations(order, 2)
        if not any(frozenset((a, b)) in apart for a in units[one] for b in units[other])
    ]
    played, rounds_played, field = set_so_far(request, units)
    left = [pair for pair in possible if frozenset(pair) not in played]
    empty = _empty(request, units, order)
    slots = None
    if rounds_played + request.rounds <= full_set(field, ""):
        slots = _all_in(empty, left, order, request.seed)
    if slots is None:
        slots = _full(request, units, empty, (left, [one for one in possible if one not in left]))
    return list(_with_sides(request, units, slots))


def _in_order(units: Sequence[Sequence[int]]) -> list[int]:
    """The units by their players, so that a plan does not depend on the order of entry."""
    return sorted(range(len(units)), key=lambda at: sorted(units[at]))


def set_so_far(
    request: SeatingRequest, units: Sequence[Sequence[int]]
) -> tuple[set[frozenset[int]], int, int]:
    """The matches of the set that is under way, its rounds, and how many units have been in it.

    A set is over when everybody met everybody, or when two meet who met in it.
    """
    rounds, field = matches_of_units(units, request.history)
    played: set[frozenset[int]] = set()
    number = 0
    for of_round in rounds:
        matches = set(map(frozenset, of_round))
        if played & matches or len(played) == field * (field - 1) // 2:
            played, number = set(), 0
        played |= matches
        number += bool(matches)
    if len(played) == field * (field - 1) // 2:
        return set(), 0, len(units)
    return played, number, field


def _empty(request: SeatingRequest, units: Sequence[Sequence[int]], order: Sequence[int]) -> Slots:
    """Rounds without matches."""
    teams = request.movement == "teams"  # a team that is short forfeits its match
    return [
        {at: at for at in order if not teams and not set(units[at]) <= set(request.present(number))}
        for number in range(1, request.rounds + 1)
    ]


def _all_in(empty: Slots, left: Sequence[Meeting], order: Sequence[int], seed: int) -> Slots | None:
    """The rounds with all matches that are left; None where they do not fit or a round is empty."""
    times = Counter(at for match in left for at in match)
    room = [len(order) - len(slot) for slot in empty]
    if len(left) > sum(n // 2 for n in room) or any(
        times[at] > sum(at not in slot for slot in empty) for at in times
    ):
        return None
    for number in range(_tries(left)):
        slots = [dict(one) for one in empty]
        pending = list(left)
        _place(slots, pending, stream_of(seed, _LOT, number), len(order))
        if not pending:
            return slots if all(map(_matches, slots)) else None
    return None


def _tries(matches: Sequence[Meeting]) -> int:
    return max(2, ALL_STEPS // (STEPS + STEPS_A_MATCH * len(matches)))


def _full(
    request: SeatingRequest,
    units: Sequence[Sequence[int]],
    empty: Slots,
    levels: Sequence[Sequence[Meeting]],
) -> Slots:
    """Rounds with as many matches as they can have, those of the first level first.

    In a round with an odd number of units one meets a phantom: it sits out.
    """
    phantom = len(units)
    byes = _byes(request, units, empty, Counter(at for match in levels[0] for at in match))
    everybody = [pair for level in levels for pair in level]
    firsts = [*levels[0], *((at, phantom) for at in byes)]
    passes = [firsts, levels[1], *[everybody] * (1 + request.rounds // (phantom - 1))]
    found: list[tuple[list[int], Slots]] = []
    for number in range(_tries(everybody * 3)):
        lot = stream_of(request.seed, _LOT, 0, number)
        slots = [dict(one) for one in empty]
        for slot in slots:
            if (phantom - len(slot)) % 2 == 0:
                slot[phantom] = phantom
        counts: list[int] = []
        for matches in passes:
            pending = list(matches)
            _place(slots, pending, lot, phantom + 1)
            counts.append(len(pending))
        found.append((counts, slots))
        if counts[1] == len(levels[1]) and all(len(slot) > phantom for slot in slots):
            break
    return min(found, key=lambda one: one[0])[1]


def _byes(
    request: SeatingRequest,
    units: Sequence[Sequence[int]],
    empty: Slots,
    left: Mapping[int, int],
) -> list[int]:
    """The units that sit out in the rounds with an odd number.

    Those who sat out least often, then with fewest matches left, then by `sit_out_keys`.
    """
    keys = sit_out_keys(request)
    lots = stream_of(request.seed, _LOT, 0).shuffled(_in_order(units))
    lot = {at: place for place, at in enumerate(lots)}
    own = {at: max(keys[player] for player in units[at]) for at in lot}
    out: Counter[int] = Counter()
    for slot in empty:
        here = [at for at in lot if at not in slot]
        if len(here) % 2:
            out[min(here, key=lambda at: (own[at][0] + out[at], left[at], own[at], lot[at]))] += 1
    return list(out.elements())


def _place(slots: Slots, pending: list[Meeting], lot: SplitMix, size: int) -> None:
    """Move matches from `pending` into rounds, as many as found; those there before stay.

    A match whose one unit is free in a round takes the place of the other one's match there, which
    is pending again; now and then a match takes the place of two. Source: hill-climbing for
    one-factorizations (Dinitz and Stinson, 1987).
    """
    fixed = [frozenset(slot) for slot in slots]
    room = sum((size - len(slot)) // 2 for slot in slots)
    for _ in range(STEPS + STEPS_A_MATCH * len(pending)):
        if not pending or not room:
            return
        at = lot.below(len(pending))
        pair = one, other = pending[at]
        free = [slot for slot in slots if one not in slot and other not in slot]
        half = [
            slot
            for slot, stay in zip(slots, fixed, strict=True)
            if (one in slot) != (other in slot) and stay.isdisjoint(pair)
        ]
        if free:
            slot = min(free, key=len)
        elif half:
            slot = half[lot.below(len(half))]
        else:
            number = lot.below(len(slots) * KICK * (1 + len(pending)))
            if number >= len(slots) or not fixed[number].isdisjoint(pair):
                continue
            slot = slots[number]
            if slot[one] == other:
                continue
        pending[at] = pending[-1]
        pending.pop()
        for unit in pair:
            if unit in slot:
                pending.append((unit, slot[unit]))
                del slot[slot.pop(unit)]
                room += 1
        slot[one], slot[other] = other, one
        room -= 1


def _matches(slot: dict[int, int]) -> list[Meeting]:
    return [(one, other) for one, other in slot.items() if one < other]


def _with_sides(
    request: SeatingRequest, units: Sequence[Sequence[int]], slots: Slots
) -> Iterator[list[Meeting]]:
    """The rounds, in which the first side goes to the unit that had it less often."""
    first: Counter[int] = Counter()
    for of_round in matches_of_units(units, request.history)[0]:
        for one, other in of_round:
            first.update({one: 1, other: -1})
    for slot in slots:
        matches = [match for match in _matches(slot) if max(match) < len(units)]
        in_order = [(b, a) if first[b] < first[a] else (a, b) for a, b in matches]
        for one, other in in_order:
            first.update({one: 1, other: -1})
        yield in_order
