"""Everybody meets everybody once: the circle method, for pairs and teams.

Pure. See docs/algorithms/movements.md, "Pairs" and "Teams".
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from scoring.seating.requests import MovementFigures, PlannedRound

Meeting: TypeAlias = tuple[int, int]
"""Two units that meet, by index; the first one has the first side (N and S)."""


def circle_rounds(units: int, rounds: int) -> list[list[Meeting]]:
    """The rounds in which each unit meets each other one once, and again from the start.

    With an odd number one unit has no opponent in each round, each once. In a full set the numbers
    of times on the two sides differ by at most one for each unit. Every second set has the sides
    exchanged.

    Args:
        units: how many there are, two or more.
        rounds: how many rounds; a full set is `units` - 1 of them, or `units` where it is odd.

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
    found = [(last, number) if number % 2 == 0 else (number, last)]
    for step in range(1, even // 2):
        up, down = (number + step) % ring, (number - step) % ring
        found.append((up, down) if step % 2 else (down, up))
    return found


def mitchell_rounds(units: int, rounds: int) -> list[list[Meeting]]:
    """Rounds in which each unit of one field meets each unit of the other, then the same again.

    The first half of the units has the first side and stays; those of the second half move on by
    one table each round. Where the number is odd the first half is the smaller one, and in each
    round one unit of the second has no opponent.

    Args:
        units: how many there are, two or more.
        rounds: how many rounds; a full set is half of `units`, rounded up.

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
    possible = stay * (len(units) - stay)
    if variation != "mitchell":
        possible = len(units) * (len(units) - 1) // 2
    return MovementFigures(
        full_set(len(units), variation),
        opponent_excess=excess,
        opponent_bound=max(0, met.total() - possible * sets),
        movement=movement,
        variation=variation,
        sets=sets,
        unmet=0 if variation == "mitchell" else possible * sets - met.total() + excess,
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
    """How many units there are with those who left: players of the history who are in none."""
    members = {player for unit in units for player in unit}
    groups = [group for planned in history for group in (*planned.tables, planned.sitting_out)]
    gone = {player for group in groups for player in group} - members
    return len(units) + -(-len(gone) // max(map(len, units)))


def full_set(units: int, variation: str) -> int:
    """The rounds of a full set; `variation` is `mitchell` or anything else for all play all."""
    return units - units // 2 if variation == "mitchell" else units - 1 + units % 2
