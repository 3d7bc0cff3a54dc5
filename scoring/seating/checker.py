"""Whether plans and movements keep what they claim.

Pure. An independent check that shares no code with the planner, for the tests of plans and for
`manage.py seat_plan`, which ends with release 1.0; nothing else calls it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import floor
from typing import Final

from scoring.json_types import JsonObject
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

Unit = frozenset[int]
Counts = Counter[frozenset[int]]


def faults_of_rounds(
    rounds: Sequence[PlannedRound], players: Iterable[int] | None = None
) -> tuple[str, ...]:
    """The faults of rounds of which only the players are known.

    `players`: everybody who must be in each round; None: everybody up to the largest number.
    """
    if players is None:
        players = range(1, max((max(named(row), default=0) for row in rounds), default=0) + 1)
    everybody = set(players)
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


def named(planned: PlannedRound) -> list[int]:
    """Everybody at a table or sitting out, as often as a round names them."""
    return [player for table in planned.tables for player in table] + [*planned.sitting_out]


def faults_of_people(number: int, planned: PlannedRound, present: set[int]) -> Iterator[str]:
    """The people who are missing, are named twice, or are not among those present."""
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
        history: earlier rounds of the event, for repeats and the spreads.
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
    met = {
        frozenset((player, mate))
        for planned in history
        for table in planned.tables
        for player in table
        for mate in table
    }
    left_of: Counter[tuple[int, int]] = Counter()
    seats: Counter[tuple[int, int, int]] = Counter()
    for planned in rounds:
        for table in planned.tables:
            for seat, player in enumerate(table):
                seats[player, len(table), seat] += 1
                left_neighbour = table[(seat + 1) % len(table)]
                left_of[player, left_neighbour] += 1
                meet.update(frozenset((player, mate)) for mate in table[:seat])
    spreads = {
        size: max(times.values(), default=0) - min(times.values(), default=0)
        for size, times in times_of_event((*history, *rounds), players).items()
    }
    seat_spreads = []
    for player, size in {(player, size) for player, size, _seat in seats}:
        times_in_seat = [seats[player, size, seat] for seat in range(size)]
        seat_spreads.append(max(times_in_seat) - min(times_in_seat))
    sit_out_spread = spreads.pop(0)  # size 0 is sitting out
    repeats = 0
    for pair, count in meet.items():
        n_first_meetings = int(pair not in met)
        repeats += count - n_first_meetings
    return {
        "repeats": repeats,
        "max_meet": max(meet.values(), default=0),
        "neighbour_repeats": sum(count - 1 for count in left_of.values()),
        "seat_spread": max(seat_spreads, default=0),
        "small_table_spread": max(spreads.values(), default=0),
        "sit_out_spread": sit_out_spread,
    }


def times_of_event(
    rounds: Sequence[PlannedRound], players: Sequence[int]
) -> dict[int, dict[int, int]]:
    """0 for sitting out, and each size but the one with most seats → player → times.

    Players who are absent in a round get the average of those present; a half is rounded up.
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


def faults_of_partners(
    document: JsonObject,
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound] = (),
) -> tuple[str, ...]:
    """Everything that a plan of whist, pairs or teams claims and does not keep.

    Args:
        document: the plan as JSON: `movement`, `variation`, `full_set`, `partner_excess`,
            `opponent_excess`, `units` and the `matches` of its rounds are compared.
        history: the rounds that it was made with; matches of pairs and teams in them count.
    """
    wrong = tuple(
        f"Round {number}, table {at}: partners need a table of four."
        for number, planned in enumerate(rounds, 1)
        for at, table in enumerate(planned.tables, 1)
        if len(table) != 4
    )
    if wrong:
        return wrong
    if document.get("movement") == "whist":
        return tuple(_faults_of_whist(document, rounds))
    units = [frozenset(unit) for unit in document.get("units", ())]
    faults = tuple(_faults_of_units(units, rounds))
    if faults:
        return faults
    if document.get("movement") == "teams":
        return tuple(_faults_of_teams(document, units, rounds, history))
    return tuple(_faults_of_pairs(document, units, rounds, history))


def partner_counts(rounds: Sequence[PlannedRound]) -> Counts:
    """The number of times that two players are partners: seats 0 and 2, 1 and 3."""
    tables = chain(*(planned.tables for planned in rounds))
    return Counter(frozenset(side) for table in tables for side in (table[::2], table[1::2]))


def opponent_counts(rounds: Sequence[PlannedRound]) -> Counts:
    """The number of times that two players are opponents: neighbours at a table."""
    tables = chain(*(planned.tables for planned in rounds))
    return Counter(frozenset((table[at], table[at - 1])) for table in tables for at in range(4))


def _over(counts: Counts, most: int) -> int:
    return sum(count - most for count in counts.values() if count > most)


def _faults_of_whist(document: JsonObject, rounds: Sequence[PlannedRound]) -> Iterator[str]:
    everybody = {player for planned in rounds for table in planned.tables for player in table}
    players = len(everybody.union(*(planned.sitting_out for planned in rounds)))
    length = players if players % 4 else players - 1
    sets = 1 + (len(rounds) - 1) // length
    yield from _differences(
        document,
        {
            "full_set": length,
            "partner_excess": _over(partner_counts(rounds), sets),
            "opponent_excess": _over(opponent_counts(rounds), 2 * sets),
        },
    )


def _faults_of_units(units: Sequence[Unit], rounds: Sequence[PlannedRound]) -> Iterator[str]:
    of = {player: at for at, unit in enumerate(units) for player in unit}
    for number, planned in enumerate(rounds, 1):
        for at, table in enumerate(planned.tables, 1):
            sides = [{of.get(table[seat]), of.get(table[seat + 2])} for seat in (0, 1)]
            if len(sides[0]) > 1 or len(sides[1]) > 1 or None in sides[0] | sides[1]:
                yield f"Round {number}, table {at}: partners are not of one pair or team."
            elif sides[0] == sides[1]:
                yield f"Round {number}, table {at}: one team has both sides."


def _faults_of_pairs(
    document: JsonObject,
    units: Sequence[Unit],
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound],
) -> Iterator[str]:
    met = _met(units, (*history, *rounds))
    north: set[Unit] = set()
    east: set[Unit] = set()
    for planned in rounds:
        for table in planned.tables:
            first, second = frozenset(table[::2]), frozenset(table[1::2])
            north.add(first)
            east.add(second)
    is_mitchell = document.get("variation") == "mitchell"
    if is_mitchell and north & east:
        pairs = sorted(sorted(unit) for unit in north & east)
        yield f"Pair {pairs[0]} changes sides; in a Mitchell movement each pair keeps its own."
    if is_mitchell:
        length = (len(units) + 1) // 2
    else:
        length = len(units) - (len(units) % 2 == 0)
    yield from _meetings(document, met, length, len(rounds))


def _faults_of_teams(
    document: JsonObject,
    units: Sequence[Unit],
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound],
) -> Iterator[str]:
    met = _met(units, history)
    listed = [round_document.get("matches", []) for round_document in document["rounds"]]
    for number, (planned, matches) in enumerate(zip(rounds, listed, strict=True), 1):
        tables: list[int] = []
        teams: list[int] = []
        for match in matches:
            tables += match["tables"]
            teams += match["teams"]
            met[frozenset(match["teams"])] += 1
            both = [units[team - 1] for team in match["teams"]]
            for at in match["tables"]:
                table = planned.tables[at - 1]
                sides = {frozenset(table[::2]), frozenset(table[1::2])}
                if not all(any(side <= unit for side in sides) for unit in both):
                    yield f"Round {number}, table {at}: other teams than those of its match."
        if sorted(tables) != list(range(1, len(planned.tables) + 1)):
            yield f"Round {number}: each table needs one match."
        if len(set(teams)) != len(teams):
            yield f"Round {number}: a team has two matches."
    yield from _meetings(document, met, len(units) - (len(units) % 2 == 0), len(rounds))


def _met(units: Sequence[Unit], rounds: Sequence[PlannedRound]) -> Counts:
    """The number of meetings of two units, from 1; several tables of a round are one match."""
    met: Counts = Counter()
    seats = [player for planned in rounds for table in planned.tables for player in table]
    units = [
        frozenset(sorted(unit, key=lambda player: (-seats.count(player), player))[:1])
        if len(unit) == 2
        else unit
        for unit in units
    ]
    for planned in rounds:
        sides = [
            [
                {at for at, unit in enumerate(units, 1) if unit & {*half}}
                for half in (t[::2], t[1::2])
            ]
            for t in planned.tables
            if len(t) == 4
        ]
        met.update({frozenset(a | b) for a, b in sides if len(a) == len(b) == 1 and a != b})
    return met


def _meetings(document: JsonObject, met: Counts, length: int, rounds: int) -> Iterator[str]:
    sets = document.get("sets", 1 + (rounds - 1) // length)
    yield from _differences(document, {"full_set": length, "opponent_excess": _over(met, sets)})


def _differences(document: JsonObject, counted: Mapping[str, int]) -> Iterator[str]:
    for name, value in counted.items():
        if document.get(name) != value:
            yield f"{name} is {document.get(name)} in the plan; the rounds have {value}."
