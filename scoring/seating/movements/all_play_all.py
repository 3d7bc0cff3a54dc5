"""Everybody meets everybody once: the circle method, and the rest of an incomplete set."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from operator import itemgetter
from typing import Final, TypeAlias

from scoring.seating.constraints import apart_pairs
from scoring.seating.cost import pairs_of
from scoring.seating.movements.requirements import are_always_there, placed_by_lot, sit_out_keys
from scoring.seating.requests import MovementFigures, PlannedRound, SeatingRequest
from scoring.seating.splitmix import SplitMix, stream_of

Meeting: TypeAlias = tuple[int, int]
"""Two units that meet, by index; the first one has the first side (N and S)."""


def circle_rounds(units: int, rounds: int) -> list[list[Meeting]]:
    """The rounds in which each of these units meets each other one once, then the same again.

    With an odd number one unit has no opponent in each round, each once. In a full set the numbers
    of times on the two sides differ by at most one for each unit. Every second set has the sides
    exchanged.

    Source: the circle method (Kirkman 1847); sides by parity, de Werra, "Scheduling in sports"
    (1981).

    >>> circle_rounds(4, 4)
    [[(3, 0), (1, 2)], [(1, 3), (2, 0)], [(3, 2), (0, 1)], [(0, 3), (2, 1)]]
    """
    even = units + units % 2
    return [
        [
            (second, first) if number // (even - 1) % 2 else (first, second)
            for first, second in _circle_round(even, number % (even - 1))
            if max(first, second) < units
        ]
        for number in range(rounds)
    ]


def _circle_round(even: int, number: int) -> list[Meeting]:
    last, ring = even - 1, even - 1
    meetings = [(last, number) if number % 2 == 0 else (number, last)]
    for step in range(1, even // 2):
        up, down = (number + step) % ring, (number - step) % ring
        meetings.append((up, down) if step % 2 else (down, up))
    return meetings


def mitchell_rounds(units: int, rounds: int) -> list[list[Meeting]]:
    """Rounds in which each unit of one field meets each unit of the other, then the same again.

    The first half of the units has the first side and stays; those of the second half move on by
    one table each round. Where the number is odd the first half is the smaller one, and in each
    round one unit of the second has no opponent.

    Source: the movement of J. T. Mitchell, "Duplicate whist" (1892).

    >>> mitchell_rounds(5, 2)
    [[(0, 2), (1, 3)], [(0, 4), (1, 2)]]
    """
    stay, move = units // 2, units - units // 2
    return [[(at, stay + (at - number) % move) for at in range(stay)] for number in range(rounds)]


def figures_of_units(
    movement: str,
    variation: str,
    units: Sequence[Sequence[int]],
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound] = (),
) -> MovementFigures:
    """The figures of rounds of pairs or teams; two tables of one match are one meeting.

    Args:
        units: the players of each pair or team.
        history: earlier rounds; their meetings count, and so do the sets that they began.

    >>> tables = PlannedRound(((1, 3, 2, 4),), (5, 6))
    >>> found = figures_of_units("pairs", "", [(1, 2), (3, 4), (5, 6)], [tables] * 3)
    >>> found.full_set, found.opponent_excess, found.opponent_bound
    (3, 2, 0)
    """
    matches = matches_of_units(units, (*history, *rounds))
    met = Counter(frozenset(pair) for of_round in matches for pair in of_round)
    sets = -(-len(matches) // full_set(units_so_far(units, history), variation))
    excess = sum(max(0, count - sets) for count in met.values())
    stay = len(units) // 2
    is_mitchell = variation == "mitchell"
    possible = stay * (len(units) - stay) if is_mitchell else pairs_of(len(units))
    return MovementFigures(
        full_set(len(units), variation),
        opponent_excess=excess,
        opponent_bound=max(0, met.total() - possible * sets),
        movement=movement,
        variation=variation,
        sets=sets,
        unmet=0 if is_mitchell else possible * sets - met.total() + excess,
    )


def matches_of_units(
    units: Sequence[Sequence[int]], rounds: Sequence[PlannedRound]
) -> list[list[Meeting]]:
    """The matches of each round between `units`, by index, the one with seats 0 and 2 first.

    Those of a pair are those of its player who played in more rounds: with a substitute they go on.

    >>> matches_of_units([(1, 2), (3, 4)], [PlannedRound(((1, 3, 2, 4), (5, 7, 6, 8)))])
    [[(0, 1)]]
    """
    often = Counter(player for planned in rounds for table in planned.tables for player in table)
    of = {player: at for at, unit in enumerate(units) if len(unit) > 2 for player in unit}
    pairs = ((at, unit) for at, unit in enumerate(units) if len(unit) == 2)
    of |= {max(unit, key=lambda player: (often[player], -player)): at for at, unit in pairs}
    matches_by_round = []
    for planned in rounds:
        matches = {frozenset(match.units): match.units for match in planned.matches}
        for table in planned.tables if not matches else ():
            first, second = (
                {of.get(player, -1) for player in table[at::2]} - {-1} for at in (0, 1)
            )
            if len(table) == 4 and len(first) == len(second) == 1 and first != second:
                pair = min(first), min(second)
                matches.setdefault(frozenset(pair), pair)
        matches_by_round.append([*matches.values()])
    return matches_by_round


def units_so_far(units: Sequence[Sequence[int]], history: Sequence[PlannedRound]) -> int:
    """The number of units, with those who left: players of the history who are in none."""
    members = {player for unit in units for player in unit}
    groups = [group for planned in history for group in (*planned.tables, planned.sitting_out)]
    gone = {player for group in groups for player in group} - members
    return len(units) + -(-len(gone) // max(map(len, units)))


def full_set(units: int, variation: str) -> int:
    """The rounds of a full set; `variation` is `mitchell` or anything else for all play all."""
    return units - units // 2 if variation == "mitchell" else units - 1 + units % 2


Units: TypeAlias = Sequence[Sequence[int]]
Slots: TypeAlias = list[dict[int, int]]
"""For each round, unit → its opponent; a unit that is not there is its own."""

_LOT: Final = 9
"""Names the stream of lots for the rest of a set."""

STEPS: Final = 1_000
STEPS_A_MATCH: Final = 10
ALL_STEPS: Final = 100_000
"""The exchanges of a try, more of them for each match, and those of all tries together."""

KICK: Final = 2
"""One in this many exchanges, times the matches without a round, replaces two matches."""


def all_play_all(request: SeatingRequest, units: Units) -> list[list[Meeting]]:
    """The matches of each round, by index: each unit meets each other one once in a full set.

    The circle method for a new set, else the rest of the current set. The latter also for a set
    with absences, if it has full rounds without a repeat, or with pairs who must be apart.
    """
    played, rounds_left = _set_so_far(request, units)
    length = full_set(len(units), "")
    if played and request.rounds < max(length, rounds_left + 1):
        return rest_of_set(request, units)
    is_team = request.movement == "teams"  # a team that is short forfeits its match
    if not is_team and (apart_pairs(request) or not are_always_there(request)):
        rounds = rest_of_set(request, units)
        meetings = [frozenset(match) for one_round in rounds for match in one_round]
        if apart_pairs(request) or len(meetings) == len({*meetings}) or request.rounds > length:
            return rounds
    return placed_by_lot(request, units, circle_rounds(len(units), request.rounds))


def rest_of_set(request: SeatingRequest, units: Units) -> list[list[Meeting]]:
    """The rounds of a plan in which units meet who did not meet in the set so far.

    Where all matches that are left can be played in these rounds, they are, and nobody meets
    again; units without an opponent sit out. Otherwise each round has as many matches as it can,
    first those not yet played, and sit-outs go to those who had fewest.

    >>> from scoring.seating.requests import PlannedRound
    >>> played = (PlannedRound(((1, 3, 2, 4), (5, 7, 6, 8))),)
    >>> asked = SeatingRequest((1, 2, 3, 4, 5, 6), 2, movement="pairs", history=played)
    >>> [len(one) for one in rest_of_set(asked, [(1, 2), (3, 4), (5, 6)])]
    [1, 1]
    """
    order = sorted(range(len(units)), key=lambda at: sorted(units[at]))
    units = [units[at] for at in order]  # a plan does not depend on the order of entry
    apart, phantom = apart_pairs(request), len(units)
    possible = [
        (first, second)
        for first, second in combinations(range(phantom), 2)
        if not any(frozenset((a, b)) in apart for a in units[first] for b in units[second])
    ]
    played, rounds_left = _set_so_far(request, units)
    unplayed = [pair for pair in possible if frozenset(pair) not in played]
    empty = []
    for number in range(1, request.rounds + 1):
        # A team that is short forfeits its match.
        here = set(request.players if request.movement == "teams" else request.present(number))
        empty.append({at: at for at, unit in enumerate(units) if not here.issuperset(unit)})
    if request.rounds <= rounds_left:
        alone = [slot | {phantom: phantom} for slot in empty]
        (pending,), slots = _filled(alone, [unplayed], phantom + 1, request.seed)
        if not pending and all(any(a != b for a, b in slot.items()) for slot in slots):
            return _with_sides(request, units, order, slots)
    for slot in empty:
        if (phantom - len(slot)) % 2 == 0:
            slot[phantom] = phantom  # else one unit meets the phantom: it sits out
    byes = _byes(request, units, empty, Counter(at for match in unplayed for at in match))
    firsts = [*unplayed, *((at, phantom) for at in byes)]
    again = [pair for pair in possible if frozenset(pair) in played]
    passes = [firsts, again, *[possible] * (1 + request.rounds // (phantom - 1))]
    _counts, slots = _filled(empty, passes, phantom + 1, request.seed)
    return _with_sides(request, units, order, slots)


def _set_so_far(request: SeatingRequest, units: Units) -> tuple[set[frozenset[int]], int]:
    """The matches so far of the current set between those present, and its remaining rounds.

    A set is over when these have all met, or when two meet who met in it. It has the rounds of a
    full set of all who have been there.
    """
    length = full_set(units_so_far(units, request.history), "")
    played: set[frozenset[int]] = set()
    number = 0
    for matches in [*matches_of_units(units, request.history), []]:
        met = set(map(frozenset, matches))
        if played & met or len(played) == pairs_of(len(units)):
            played, number = set(), 0
        played |= met
        number += 1
    return played, length - number + 1


def _byes(
    request: SeatingRequest, units: Units, empty: Slots, matches_left: Mapping[int, int]
) -> list[int]:
    """The units that sit out in rounds with the phantom.

    Those who sat out least often, then with fewest matches left, then by `sit_out_keys`.
    """
    keys = sit_out_keys(request)
    lots = stream_of(request.seed, _LOT).shuffled(range(len(units)))
    key_of = {at: max(keys[player] for player in units[at]) for at in lots}
    out: Counter[int] = Counter()
    for slot in empty:
        if len(units) not in slot:
            present = (at for at in lots if at not in slot)
            unit = min(
                present, key=lambda at: (key_of[at][0] + out[at], matches_left[at], key_of[at])
            )
            out[unit] += 1
    return list(out.elements())


def _filled(
    empty: Slots, passes: Sequence[Sequence[Meeting]], size: int, seed: int
) -> tuple[list[int], Slots]:
    """The number of matches of each pass without a round, and the rounds of the best try."""
    n_matches = sum(map(len, passes))
    tries: list[tuple[list[int], Slots]] = []
    for number in range(max(4, ALL_STEPS // (STEPS + STEPS_A_MATCH * n_matches))):
        lot = stream_of(seed, _LOT, len(passes), number)
        slots = [dict(slot) for slot in empty]
        counts = [_place(slots, list(matches), lot, size) for matches in passes]
        tries.append((counts, slots))
        if counts[0] == 0 or counts[1:2] == list(map(len, passes[1:2])):
            break
    return min(tries, key=itemgetter(0))


def _place(slots: Slots, pending: list[Meeting], lot: SplitMix, size: int) -> int:
    """Move matches from `pending` into rounds; those there before stay. Returns how many are left.

    A match whose one unit is free in a round takes the place of the other one's match there, which
    is pending again; now and then a match takes the place of two. Source: hill-climbing for
    one-factorizations (Dinitz and Stinson, 1987).
    """
    fixed = [frozenset(slot) for slot in slots]
    room = sum((size - len(slot)) // 2 for slot in slots)
    for _ in range(STEPS + STEPS_A_MATCH * len(pending)):
        if not pending or not room:
            break
        at = lot.below(len(pending))
        pair = first, second = pending[at]
        free = [slot for slot in slots if first not in slot and second not in slot]
        half = [
            slot
            for slot, stay in zip(slots, fixed, strict=True)
            if (first in slot) != (second in slot) and stay.isdisjoint(pair)
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
            if slot[first] == second:
                continue
        pending[at] = pending[-1]
        pending.pop()
        for unit in pair:
            if unit in slot:
                pending.append((unit, slot[unit]))
                del slot[slot.pop(unit)]
                room += 1
        slot[first], slot[second] = second, first
        room -= 1
    return len(pending)


def _with_sides(
    request: SeatingRequest, units: Units, order: Sequence[int], slots: Slots
) -> list[list[Meeting]]:
    first: Counter[int] = Counter()
    for unit, opponent in chain.from_iterable(matches_of_units(units, request.history)):
        first.update({unit: 1, opponent: -1})
    rounds: list[list[Meeting]] = []
    for slot in slots:
        pairs = [
            (unit, opponent) for unit, opponent in slot.items() if unit < opponent < len(units)
        ]
        rounds.append([(b, a) if first[b] < first[a] else (a, b) for a, b in pairs])
        for unit, opponent in rounds[-1]:
            first.update({unit: 1, opponent: -1})
    return [[(order[unit], order[opponent]) for unit, opponent in matches] for matches in rounds]
