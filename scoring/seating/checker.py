"""Whether a plan is what was asked for: a second look that shares no code with the planner.

Pure. See docs/algorithms/seating.md, "Checks".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor
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
    in_plan = {player for planned in plan.rounds for player in _named(planned)}
    players = sorted(in_plan & set(request.players))
    wrong = wrong_figures(plan.rounds, declared, players, request.history)
    return (*found, *wrong, *_faults_of_shares(request, plan, players))


def _faults_of_shares(
    request: SeatingRequest, plan: SeatingPlan, players: Sequence[int]
) -> Iterator[str]:
    """Sit-outs and uncommon sizes that differ by two, unless the plan says for whom and why."""
    if request.movement != "individual":
        return
    is_free = not (
        request.apart
        or request.together
        or request.fixed_tables
        or request.presence
        or request.history
    )
    for size, times in _times_of_event((*request.history, *plan.rounds), players).items():
        what = f"Tables of {size}" if size else "Sit-outs"
        named = [player for one in plan.uneven if one.size == size for player in one.players]
        others = [player for player in players if player not in named]
        if is_free and _difference(times, players) > 1:
            yield f"{what} are not shared evenly, and nothing prevents it."
        elif _difference(times, others) > 1:
            yield f"{what} are not shared evenly, and the plan does not name everybody."
        elif named and _difference(times, players) < 2:
            yield f"{what} are shared evenly; the plan names {len(named)} players."


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
    meet: dict[frozenset[int], int] = {}
    left_of: dict[tuple[int, int], int] = {}
    seats: dict[tuple[int, int, int], int] = {}
    for planned in rounds:
        for table in planned.tables:
            for seat, player in enumerate(table):
                _count(seats, (player, len(table), seat))
                _count(left_of, (player, table[seat - len(table) + 1]))
                for mate in table[:seat]:
                    _count(meet, frozenset((player, mate)))
    spreads = {
        size: _difference(times, players)
        for size, times in _times_of_event((*history, *rounds), players).items()
    }
    return {
        "repeats": sum(count - 1 for count in meet.values()),
        "max_meet": max(meet.values(), default=0),
        "neighbour_repeats": sum(count - 1 for count in left_of.values()),
        "seat_spread": _widest(seats),
        "small_table_spread": max((spreads[size] for size in spreads if size), default=0),
        "sit_out_spread": spreads[0],
    }


def _times_of_event(
    rounds: Sequence[PlannedRound], players: Sequence[int]
) -> dict[int, dict[int, int]]:
    """0 for sitting out, and each size but the one with most seats → player → times.

    Whoever is not there in a round has the average of those who are; a half is rounded up.
    """
    seats: dict[int, int] = {}
    for planned in rounds:
        for table in planned.tables:
            seats[len(table)] = seats.get(len(table), 0) + len(table)
    common = max(seats, key=lambda size: (seats[size], size), default=None)
    everybody = [frozenset(_named(planned)) for planned in rounds]
    found = {}
    for size in {0, *seats} - {common}:
        of_size = [
            {player for table in planned.tables if len(table) == size for player in table}
            if size
            else set(planned.sitting_out)
            for planned in rounds
        ]
        average = [
            Fraction(len(who), len(all_)) for who, all_ in zip(of_size, everybody, strict=True)
        ]
        found[size] = {
            player: floor(
                Fraction(1, 2)
                + sum(
                    int(player in who) if player in all_ else share
                    for who, all_, share in zip(of_size, everybody, average, strict=True)
                )
            )
            for player in players
        }
    return found


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
