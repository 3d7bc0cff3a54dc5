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
        up = (number + step) % ring
        down = (number - step) % ring
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
    stay = units // 2
    move = units - units // 2
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
    if is_mitchell:
        possible = stay * (len(units) - stay)
    else:
        possible = pairs_of(len(units))
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
    if variation == "mitchell":
        return units - units // 2
    return units - 1 + units % 2


def all_play_all(request: SeatingRequest, units: Units) -> list[list[Meeting]]:
    """The matches of each round, by index: each unit meets each other one once in a full set.

    The circle method for a new set. A set that began by it goes on by it while its units stay, so
    that a set planned in parts is as good as one planned at once. Otherwise a search for the rest
    of the current set, and for a set with absences, if it has full rounds without a repeat, or
    with pairs who must be apart.
    """
    current_set, rounds_left = _set_so_far(request, units)
    length = full_set(len(units), "")
    is_team = request.movement == "teams"  # a team that is short forfeits its match
    is_apart = not is_team and bool(apart_pairs(request))
    is_whole = is_team or (not is_apart and are_always_there(request))
    if current_set and is_whole:
        rounds = circle_goes_on(request, units, current_set)
        if rounds is not None:
            return rounds
    # Only a plan as long as a full set, and longer than the rest of the current one, begins anew.
    if any(current_set) and request.rounds < max(length, rounds_left + 1):
        return rest_of_set(request, units)
    if not is_whole:
        rounds = rest_of_set(request, units)
        meetings = [frozenset(match) for one_round in rounds for match in one_round]
        has_repeat = len(meetings) > len({*meetings})
        must_repeat = request.rounds > length
        if is_apart or must_repeat or not has_repeat:
            return rounds
    return placed_by_lot(request, units, circle_rounds(len(units), request.rounds))


def circle_goes_on(
    request: SeatingRequest, units: Units, current_set: Sequence[Sequence[Meeting]]
) -> list[list[Meeting]] | None:
    """The rounds of the circle method after those of the set so far; None if the units have changed
    since it began, or if its rounds are not the first ones of the circle, in whatever places.

    The sides are those of the circle as well, where the set so far has them; else they are
    balanced.

    >>> from scoring.seating.requests import PlannedRound
    >>> played = (PlannedRound(((1, 3, 2, 4), (5, 7, 6, 8))),)
    >>> asked = SeatingRequest(tuple(range(1, 9)), 2, movement="pairs", history=played, seed=1)
    >>> circle_goes_on(asked, [(1, 2), (3, 4), (5, 6), (7, 8)], [[(0, 1), (2, 3)]])
    [[(0, 2), (1, 3)], [(2, 1), (3, 0)]]
    """
    if units_so_far(units, request.history[-len(current_set) :]) != len(units):
        return None
    played = [matches for matches in current_set if matches]
    circle = circle_rounds(len(units), len(played) + request.rounds)
    n_matches = len(played) * (len(units) // 2)
    rounds: list[list[Meeting]] | None = None
    most_sides = -1
    for unit_at in _places_in_circle(request, units, played):
        placed = [[(unit_at[a], unit_at[b]) for a, b in matches] for matches in circle]
        before, after = placed[: len(played)], placed[len(played) :]
        if any(
            set(map(frozenset, matches)) != set(map(frozenset, expected))
            for matches, expected in zip(played, before, strict=True)
        ):
            continue
        sides = {*chain.from_iterable(before)}
        n_sides = sum(match in sides for match in chain.from_iterable(played))
        if 2 * n_sides < n_matches:  # as in every second set
            n_sides = n_matches - n_sides
            after = [[(second, first) for first, second in matches] for matches in after]
        if n_sides > most_sides:
            most_sides = n_sides
            rounds = after
    if rounds is None or most_sides == n_matches:
        return rounds
    return _balanced(request, units, rounds)


def _places_in_circle(
    request: SeatingRequest, units: Units, played: Sequence[Sequence[Meeting]]
) -> list[list[int]]:
    """The unit at each place of the circle in the first rounds of a set, in each way that may be.

    An odd number has a phantom, one more unit, at the last place. One round leaves the places to
    the lot; where there is a phantom, those who sat out least often sit out first. Two rounds of
    the circle are one ring of matches: the unit at the last place gives all others.
    """
    phantom = len(units)
    n_places = len(units) + len(units) % 2
    last_place = n_places - 1
    order = sorted(range(len(units)), key=lambda at: sorted(units[at]))
    lots = stream_of(request.seed, _LOT).shuffled(order)
    opponents = [_opponents(matches, n_places) for matches in played[:2]]
    if any(len(opponent) < n_places for opponent in opponents):
        return []
    circle = [_opponents(matches, n_places) for matches in circle_rounds(n_places, 2)]
    if len(opponents) == 1:
        (opponent,) = opponents
        if len(units) < n_places:
            keys = sit_out_keys(request)
            lots.sort(key=lambda at: max(keys[player] for player in units[at]))
            lots.insert(0, phantom)
        unit_at = dict[int, int]()
        firsts = {first for first, _second in played[0]}
        (first_round,) = circle_rounds(n_places, 1)
        for place in (last_place, *range(1, n_places // 2)):
            unit = next(at for at in lots if at not in unit_at.values())
            has_first_side = (place, circle[0][place]) in first_round
            if len(units) == n_places and (unit in firsts) != has_first_side:
                unit = opponent[unit]
            unit_at |= {place: unit, circle[0][place]: opponent[unit]}
        return [[unit_at[place] for place in range(n_places)]]
    ways = []
    for start in [phantom] if len(units) < n_places else lots:
        place, unit = last_place, start
        unit_at = {}
        while place not in unit_at:
            for of_circle, of_set in zip(circle, opponents, strict=True):
                unit_at[place] = unit
                place, unit = of_circle[place], of_set[unit]
        ways.append([unit_at[place] for place in range(n_places)])
    return [way for way in ways if len({*way}) == n_places]


def _opponents(matches: Sequence[Meeting], n_places: int) -> dict[int, int]:
    """The opponent of each unit of a round; who has none meets the last place, the phantom."""
    opponents: dict[int, int] = {}
    for first, second in matches:
        opponents |= {first: second, second: first}
    alone = [unit for unit in range(n_places) if unit not in opponents]
    if len(alone) == 2 and n_places - 1 in alone:
        opponents |= dict(zip(alone, reversed(alone), strict=True))
    return opponents


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
    current_set, rounds_left = _set_so_far(request, units)
    order = sorted(range(len(units)), key=lambda at: sorted(units[at]))
    in_order = [units[at] for at in order]  # a plan does not depend on the order of entry
    phantom = len(units)
    played = {
        frozenset((order.index(unit), order.index(opponent)))
        for unit, opponent in chain.from_iterable(current_set)
    }
    apart = apart_pairs(request)
    possible = [
        (first, second)
        for first, second in combinations(range(phantom), 2)
        if not any(frozenset((a, b)) in apart for a in in_order[first] for b in in_order[second])
    ]
    unplayed = [pair for pair in possible if frozenset(pair) not in played]
    empty = []
    for number in range(1, request.rounds + 1):
        # A team that is short forfeits its match.
        here = set(request.players if request.movement == "teams" else request.present(number))
        empty.append({at: at for at, unit in enumerate(in_order) if not here.issuperset(unit)})
    if request.rounds <= rounds_left:
        slots = _whole_rest(request, empty, unplayed, rounds_left, phantom)
        if slots:
            return _with_sides(request, units, order, slots)
    for slot in empty:
        if (phantom - len(slot)) % 2 == 0:
            slot[phantom] = phantom  # else one unit meets the phantom: it sits out
    byes = _byes(request, in_order, empty, Counter(at for match in unplayed for at in match))
    firsts = [*unplayed, *((at, phantom) for at in byes)]
    again = [pair for pair in possible if frozenset(pair) in played]
    passes = [firsts, again, *[possible] * (1 + request.rounds // (phantom - 1))]
    _counts, slots = _filled(empty, passes, phantom + 1, request.seed)
    return _with_sides(request, units, order, slots)


def _whole_rest(
    request: SeatingRequest,
    empty: Slots,
    unplayed: Sequence[Meeting],
    rounds_left: int,
    phantom: int,
) -> Slots:
    """The rounds of a plan in which all matches that are left are played; empty if none are found.

    A rest of more rounds, all of them full, is planned to its end: its first rounds alone may leave
    what cannot be divided into rounds, as two rings of three.
    """
    n_rounds = request.rounds
    n_full, n_over = divmod(len(unplayed), phantom // 2)
    if not n_over and n_rounds < n_full <= rounds_left and not any(empty):
        n_rounds = n_full
    left = Counter(chain.from_iterable(unplayed))
    if max(left.values(), default=0) > n_rounds:
        return []
    slots = [slot | {phantom: phantom} for slot in empty]
    slots += [{phantom: phantom} for _ in range(n_rounds - request.rounds)]
    (pending,), slots = _filled(slots, [unplayed], phantom + 1, request.seed)
    if pending or any(all(a == b for a, b in slot.items()) for slot in slots):
        return []
    return slots[: request.rounds]


def _set_so_far(request: SeatingRequest, units: Units) -> tuple[list[list[Meeting]], int]:
    """The matches of the rounds of the current set so far, and its remaining rounds.

    A set is over when these have all met, or when two meet who met in it. It has the rounds of a
    full set of all who have been there.
    """
    length = full_set(units_so_far(units, request.history), "")
    current_set: list[list[Meeting]] = []
    played: set[frozenset[int]] = set()
    for matches in [*matches_of_units(units, request.history), []]:
        met = set(map(frozenset, matches))
        if played & met or len(played) == pairs_of(len(units)):
            current_set = []
            played = set()
        played |= met
        current_set.append(matches)
    current_set.pop()
    return current_set, length - len(current_set)


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
        has_no_repeat = len(passes) > 1 and counts[1:] == list(map(len, passes[1:]))
        if counts[0] == 0 or has_no_repeat:
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
    """The rounds of slots by the index that `order` has at each place."""
    rounds = [
        [
            (order[unit], order[opponent])
            for unit, opponent in slot.items()
            if unit < opponent < len(units)
        ]
        for slot in slots
    ]
    return _balanced(request, units, rounds)


def _balanced(
    request: SeatingRequest, units: Units, rounds: Sequence[Sequence[Meeting]]
) -> list[list[Meeting]]:
    """The matches with the first side for the unit that had it less often, history included."""
    first: Counter[int] = Counter()
    for unit, opponent in chain.from_iterable(matches_of_units(units, request.history)):
        first.update({unit: 1, opponent: -1})
    balanced: list[list[Meeting]] = []
    for matches in rounds:
        balanced.append([(b, a) if first[b] < first[a] else (a, b) for a, b in matches])
        for unit, opponent in balanced[-1]:
            first.update({unit: 1, opponent: -1})
    return balanced
