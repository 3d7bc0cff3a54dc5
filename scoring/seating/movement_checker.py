"""Whether whist, pairs or teams keep what they claim: a second look without the planner's code.

Pure. See docs/algorithms/movements.md, "Checks".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.seating.requests import PlannedRound

Unit = frozenset[int]
Counts = dict[frozenset[Any], int]


def faults_of_partners(
    document: Mapping[str, Any],
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound] = (),
) -> tuple[str, ...]:
    """Everything that a plan of whist, pairs or teams claims and does not keep.

    Args:
        document: the plan as JSON: `movement`, `variation`, `full_set`, `partner_excess`,
            `opponent_excess`, `units` and the `matches` of its rounds are compared.
        rounds: its rounds.
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
    found = tuple(_faults_of_units(units, rounds))
    if found:
        return found
    if document.get("movement") == "teams":
        return tuple(_faults_of_teams(document, units, rounds, history))
    return tuple(_faults_of_pairs(document, units, rounds, history))


def partner_counts(rounds: Sequence[PlannedRound]) -> Counts:
    """How often two players are partners: seats 0 and 2, 1 and 3."""
    found: Counts = {}
    for planned in rounds:
        for table in planned.tables:
            for seat in (0, 1):
                _count(found, frozenset((table[seat], table[seat + 2])))
    return found


def opponent_counts(rounds: Sequence[PlannedRound]) -> Counts:
    """How often two players are opponents: neighbours at a table."""
    found: Counts = {}
    for planned in rounds:
        for table in planned.tables:
            for seat in range(4):
                _count(found, frozenset((table[seat], table[seat - 1])))
    return found


def _count(counts: Counts, key: frozenset[Any]) -> None:
    counts[key] = counts.get(key, 0) + 1


def _over(counts: Counts, most: int) -> int:
    return sum(count - most for count in counts.values() if count > most)


def _faults_of_whist(document: Mapping[str, Any], rounds: Sequence[PlannedRound]) -> Iterator[str]:
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
    """Partners of one pair or team, their opponents of another."""
    of = {player: at for at, unit in enumerate(units) for player in unit}
    for number, planned in enumerate(rounds, 1):
        for at, table in enumerate(planned.tables, 1):
            sides = [{of.get(table[seat]), of.get(table[seat + 2])} for seat in (0, 1)]
            if len(sides[0]) > 1 or len(sides[1]) > 1 or None in sides[0] | sides[1]:
                yield f"Round {number}, table {at}: partners are not of one pair or team."
            elif sides[0] == sides[1]:
                yield f"Round {number}, table {at}: one team has both sides."


def _faults_of_pairs(
    document: Mapping[str, Any],
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
    length = (len(units) + 1) // 2 if is_mitchell else len(units) - (len(units) % 2 == 0)
    yield from _meetings(document, met, length, len(rounds))


def _faults_of_teams(
    document: Mapping[str, Any],
    units: Sequence[Unit],
    rounds: Sequence[PlannedRound],
    history: Sequence[PlannedRound],
) -> Iterator[str]:
    met = _met(units, history)
    listed = [one.get("matches", []) for one in document["rounds"]]
    for number, (planned, matches) in enumerate(zip(rounds, listed, strict=True), 1):
        tables: list[int] = []
        teams: list[int] = []
        for match in matches:
            tables += match["tables"]
            teams += match["teams"]
            _count(met, frozenset(match["teams"]))
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
    """How often two units met, by numbers from 1; several tables of a round are one match.

    A pair is where its player is who played more rounds, of equals the one with the lower number.
    """
    met: Counts = {}
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
        for pair in {frozenset(a | b) for a, b in sides if len(a) == len(b) == 1 and a != b}:
            _count(met, pair)
    return met


def _meetings(document: Mapping[str, Any], met: Counts, length: int, rounds: int) -> Iterator[str]:
    sets = document.get("sets", 1 + (rounds - 1) // length)
    yield from _differences(document, {"full_set": length, "opponent_excess": _over(met, sets)})


def _differences(document: Mapping[str, Any], counted: Mapping[str, int]) -> Iterator[str]:
    for name, value in counted.items():
        if document.get(name) != value:
            yield f"{name} is {document.get(name)} in the plan; the rounds have {value}."
