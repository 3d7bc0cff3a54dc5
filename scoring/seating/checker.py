"""Whether a plan is what was asked for: a second look that shares no code with the planner.

Pure. See docs/algorithms/seating.md, "Checks".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest

_Key = TypeVar("_Key")

FIGURES: Final = (
    "repeats",
    "max_meet",
    "neighbour_repeats",
    "seat_spread",
    "small_table_spread",
    "sit_out_spread",
)
"""The figures that are counted again."""


def faults_of_plan(request: SeatingRequest, plan: SeatingPlan) -> tuple[str, ...]:
    """Everything that is wrong with a plan for a request; empty for a good one."""
    if len(plan.rounds) != request.rounds:
        return (f"The plan has {len(plan.rounds)} rounds; {request.rounds} were requested.",)
    found = [
        fault
        for number, planned in enumerate(plan.rounds, 1)
        for fault in _faults_of_round(request, number, planned)
    ]
    declared = {name: getattr(plan.cost, name) for name in FIGURES}
    all_rounds = range(1, request.rounds + 1)
    always = [
        player
        for player in request.players
        if all(request.presence.get(player, Presence()).includes(one) for one in all_rounds)
    ]
    return (*found, *wrong_figures(plan.rounds, declared, always))


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
            *_faults_of_people(number, planned, everybody),
            *(
                f"Round {number}, table {at}: a table needs two players or more."
                for at, table in enumerate(planned.tables, 1)
                if len(table) < 2
            ),
        )
    )


def _up_to_the_largest(rounds: Sequence[PlannedRound]) -> set[int]:
    named = [player for planned in rounds for player in _named(planned)]
    return set(range(1, max(named, default=0) + 1))


def _named(planned: PlannedRound) -> list[int]:
    return [player for table in planned.tables for player in table] + [*planned.sitting_out]


def _faults_of_round(request: SeatingRequest, number: int, planned: PlannedRound) -> Iterator[str]:
    always = Presence()
    there = {
        player
        for player in request.players
        if request.presence.get(player, always).includes(number)
    }
    yield from _faults_of_people(number, planned, there)
    for at, table in enumerate(planned.tables, 1):
        if len(table) not in request.sizes:
            yield f"Round {number}, table {at}: {len(table)} seats are not allowed."
    table_of = {player: at for at, table in enumerate(planned.tables, 1) for player in table}
    yield from _faults_of_pairs(request, number, table_of, there)
    for player, table_number in request.fixed_tables.items():
        if table_of.get(player, table_number) != table_number:
            yield f"Round {number}: player {player} is not at table {table_number}."
    yield from _faults_of_sides(request, number, planned)


def _faults_of_people(number: int, planned: PlannedRound, there: set[int]) -> Iterator[str]:
    times = Counter(_named(planned))
    for player, count in sorted(times.items()):
        if player not in there:
            yield f"Round {number}: player {player} is not present."
        elif count > 1:
            yield f"Round {number}: player {player} is there {count} times."
    for player in sorted(there - set(times)):
        yield f"Round {number}: player {player} is missing."


def _faults_of_pairs(
    request: SeatingRequest, number: int, table_of: Mapping[int, int], there: set[int]
) -> Iterator[str]:
    for one, other in request.apart:
        if one in table_of and table_of[one] == table_of.get(other):
            yield f"Round {number}: players {one} and {other} are not apart."
    for one, other in request.together:
        if {one, other} <= there and table_of.get(one) != table_of.get(other):
            yield f"Round {number}: players {one} and {other} are not together."


def _faults_of_sides(request: SeatingRequest, number: int, planned: PlannedRound) -> Iterator[str]:
    side = {seat: at for at, seats in enumerate(request.sides) for seat in seats}
    for table in planned.tables if side else ():
        for one, other in request.together:
            if {one, other} <= set(table) and side[table.index(one)] != side[table.index(other)]:
                yield f"Round {number}: players {one} and {other} are not on one side."


def wrong_figures(
    rounds: Sequence[PlannedRound], declared: Mapping[str, object], always: Sequence[int]
) -> tuple[str, ...]:
    """The figures that are declared for a plan and are not those of its rounds.

    Args:
        declared: figure → value; figures that are left out are not compared.
        always: the players who are there in every round.
    """
    counted = figures_of_rounds(rounds, always)
    return tuple(
        f"{name} is {declared[name]} in the plan; the rounds have {counted[name]}."
        for name in FIGURES
        if name in declared and declared[name] != counted[name]
    )


def figures_of_rounds(rounds: Sequence[PlannedRound], always: Sequence[int]) -> dict[str, int]:
    """The figures of a plan, counted plainly: table by table, seat by seat."""
    meet: dict[frozenset[int], int] = {}
    left_of: dict[tuple[int, int], int] = {}
    seats: dict[tuple[int, int, int], int] = {}
    small = dict.fromkeys(always, 0)
    outside = dict.fromkeys(always, 0)
    for planned in rounds:
        largest = max((len(table) for table in planned.tables), default=0)
        for player in planned.sitting_out:
            outside[player] = outside.get(player, 0) + 1
        for table in planned.tables:
            for seat, player in enumerate(table):
                _count(seats, (player, len(table), seat))
                _count(left_of, (player, table[seat - len(table) + 1]))
                for mate in table[:seat]:
                    _count(meet, frozenset((player, mate)))
                if len(table) < largest:
                    small[player] = small.get(player, 0) + 1
    return {
        "repeats": sum(count - 1 for count in meet.values()),
        "max_meet": max(meet.values(), default=0),
        "neighbour_repeats": sum(count - 1 for count in left_of.values()),
        "seat_spread": _widest(seats),
        "small_table_spread": _difference(small, always),
        "sit_out_spread": _difference(outside, always),
    }


def _count(counts: dict[_Key, int], key: _Key) -> None:
    counts[key] = counts.get(key, 0) + 1


def _widest(seats: Mapping[tuple[int, int, int], int]) -> int:
    widest = 0
    for player, size in {(player, size) for player, size, _ in seats}:
        times = [seats.get((player, size, seat), 0) for seat in range(size)]
        widest = max(widest, max(times) - min(times))
    return widest


def _difference(times: Mapping[int, int], always: Sequence[int]) -> int:
    counts = [times[player] for player in always]
    return max(counts) - min(counts) if counts else 0
