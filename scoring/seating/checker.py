"""Whether rounds and their figures are right: a second look that shares no code with the planner.

Pure. See docs/algorithms/seating.md, "Checks".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import floor
from typing import Final

from scoring.seating.requests import PlannedRound

FIGURES: Final = (
    "repeats",
    "max_meet",
    "neighbour_repeats",
    "seat_spread",
    "small_table_spread",
    "sit_out_spread",
)
"""The figures that are counted again."""


def faults_of_rounds(
    rounds: Sequence[PlannedRound], players: Iterable[int] | None = None
) -> tuple[str, ...]:
    """What is wrong with rounds of which only the players are known.

    Args:
        players: everybody who must be in each round; None: everybody up to the largest number.
    """
    everybody = set(players) if players is not None else _up_to_the_largest(rounds)
    return tuple(
        fault
        for number, planned in enumerate(rounds, 1)
        for fault in (
            *faults_of_people(number, planned, everybody),
            *(
                f"Round {number}, table {at}: a table needs two players or more."
                for at, table in enumerate(planned.tables, 1)
                if len(table) < 2
            ),
        )
    )


def _up_to_the_largest(rounds: Sequence[PlannedRound]) -> set[int]:
    largest = max((max(named(planned), default=0) for planned in rounds), default=0)
    return set(range(1, largest + 1))


def named(planned: PlannedRound) -> list[int]:
    """Everybody at a table or sitting out, as often as a round names them."""
    return [player for table in planned.tables for player in table] + [*planned.sitting_out]


def faults_of_people(number: int, planned: PlannedRound, present: set[int]) -> Iterator[str]:
    """Name whoever is missing, is named twice, or is not among those present."""
    times = Counter(named(planned))
    for player, count in sorted(times.items()):
        if player not in present:
            yield f"Round {number}: player {player} is not present."
        elif count > 1:
            yield f"Round {number}: player {player} is there {count} times."
    for player in sorted(present - set(times)):
        yield f"Round {number}: player {player} is missing."


def wrong_figures(
    rounds: Sequence[PlannedRound],
    declared: Mapping[str, object],
    players: Sequence[int],
    history: Sequence[PlannedRound] = (),
) -> tuple[str, ...]:
    """The figures that are declared for a plan and are not those of its rounds.

    Args:
        declared: figure → value; figures that are left out are not compared.
        players: those who share sit-outs and uncommon sizes.
        history: earlier rounds of the event, for the spreads.
    """
    counted = figures_of_rounds(rounds, players, history)
    return tuple(
        f"{name} is {declared[name]} in the plan; the rounds have {counted[name]}."
        for name in FIGURES
        if name in declared and declared[name] != counted[name]
    )


def figures_of_rounds(
    rounds: Sequence[PlannedRound], players: Sequence[int], history: Sequence[PlannedRound] = ()
) -> dict[str, int]:
    """The figures of a plan, counted plainly: table by table, seat by seat."""
    meet: Counter[frozenset[int]] = Counter()
    left_of: Counter[tuple[int, int]] = Counter()
    seats: Counter[tuple[int, int, int]] = Counter()
    for planned in rounds:
        for table in planned.tables:
            for seat, player in enumerate(table):
                seats[player, len(table), seat] += 1
                left_of[player, table[seat - len(table) + 1]] += 1
                meet.update(frozenset((player, mate)) for mate in table[:seat])
    spreads = {
        size: max(times.values(), default=0) - min(times.values(), default=0)
        for size, times in times_of_event((*history, *rounds), players).items()
    }
    return {
        "repeats": sum(count - 1 for count in meet.values()),
        "max_meet": max(meet.values(), default=0),
        "neighbour_repeats": sum(count - 1 for count in left_of.values()),
        "seat_spread": _widest(seats),
        "small_table_spread": max((spreads[size] for size in spreads if size), default=0),
        "sit_out_spread": spreads[0],
    }


def times_of_event(
    rounds: Sequence[PlannedRound], players: Sequence[int]
) -> dict[int, dict[int, int]]:
    """0 for sitting out, and each size but the one with most seats → player → times.

    Whoever is not there in a round has the average of those who are; a half is rounded up.
    """
    seats = Counter(len(table) for planned in rounds for table in planned.tables for _seat in table)
    common = max(seats, key=lambda size: (seats[size], size), default=None)
    everybody = [frozenset(named(planned)) for planned in rounds]
    times_of = {}
    for size in {0, *seats} - {common}:
        times = dict.fromkeys(players, Fraction(1, 2))
        for planned, here in zip(rounds, everybody, strict=True):
            tables = [table for table in planned.tables if len(table) == size]
            of_size = {*chain(*tables)} if size else planned.sitting_out
            for player in players:
                is_here = player in here
                times[player] += player in of_size if is_here else Fraction(len(of_size), len(here))
        times_of[size] = {player: floor(count) for player, count in times.items()}
    return times_of


def _widest(seats: Counter[tuple[int, int, int]]) -> int:
    """The largest difference between the times that a player had two seats of tables of a size."""
    times = [
        [seats[player, size, seat] for seat in range(size)]
        for player, size in {(player, size) for player, size, _seat in seats}
    ]
    return max((max(counts) - min(counts) for counts in times), default=0)
