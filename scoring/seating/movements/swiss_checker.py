"""An independent check of Swiss and knock-out rounds that shares no code with the planner.

Pure; for the tests of plans and for `manage.py seat_plan`, which ends with release 1.0. See
docs/algorithms/seating.md, "Checks".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, Final

from scoring.seating.requests import PlannedRound

Document = Mapping[str, Any]

NEVER: Final = 1_000
"""Number of meetings assumed for two players who must be apart."""


def faults_of_swiss(
    planned: PlannedRound,
    document: Document,
    history: Sequence[PlannedRound] = (),
    scores: Mapping[int, int] | None = None,
    apart: Sequence[tuple[int, int]] = (),
) -> tuple[str, ...]:
    """Everything that is wrong with a Swiss round.

    Args:
        planned: the round.
        document: the plan as JSON: `known_pairs`, `reasons`, `floats` and `small_seats` are
            compared.
        history: the rounds before.
        scores: values before the round; None: not known, and not compared.
        apart: pairs who may not share a table.
    """
    return (
        *_faults_of_sit_outs(planned, history),
        *_faults_of_exchanges(planned, document, history, apart),
        *(
            f"Players {first} and {second} are not apart."
            for first, second in apart
            for table in planned.tables
            if first in table and second in table
        ),
        *_faults_of_reasons(planned, document, history, scores),
        *(_faults_of_floats(planned, document, scores) if scores else ()),
    )


def faults_of_knockout(
    planned: PlannedRound,
    history: Sequence[PlannedRound],
    scores: Mapping[int, int],
    advance: int = 2,
    wild_cards: int = 0,
) -> tuple[str, ...]:
    """Everything that is wrong with the next round of a knock-out.

    Nobody who is out plays, everybody who is through does, and where two of each of an even number
    of tables of four go on, nobody meets a player of the table before.
    """
    if not history:
        return ()
    before = history[-1]
    playing = {player for table in planned.tables for player in table} | {*planned.sitting_out}
    through = set(before.sitting_out)
    out: set[int] = set()
    for table in before.tables:
        for player in table:
            better = sum(scores.get(second, 0) > scores.get(player, 0) for second in table)
            (through if better < advance else out).add(player)
    faults = [
        f"Player {player} is through and has no place." for player in sorted(through - playing)
    ]
    more = sorted(playing - through)
    if len(more) > wild_cards:
        faults += [f"Player {player} is out." for player in more]
    is_plain = len(before.tables) > 2 and len(planned.tables) * 2 == len(before.tables)
    if is_plain and all(len(table) == 4 for table in planned.tables) and not more:
        faults += [
            f"Players {first} and {second} met in the round before."
            for first, second in _pairs_of([planned])
            if any(first in table and second in table for table in before.tables)
        ]
    return tuple(faults)


def _faults_of_sit_outs(planned: PlannedRound, history: Sequence[PlannedRound]) -> Iterator[str]:
    playing = [player for table in planned.tables for player in table]
    times = {
        player: sum(player in earlier.sitting_out for earlier in history)
        for player in (*playing, *planned.sitting_out)
    }
    fewest = min((times[player] for player in playing), default=0)
    for player in planned.sitting_out:
        if times[player] > fewest:
            yield f"Player {player} sits out again before others have."


def _faults_of_exchanges(
    planned: PlannedRound,
    document: Document,
    history: Sequence[PlannedRound],
    apart: Sequence[tuple[int, int]],
) -> Iterator[str]:
    """Wrong numbers of small tables, and two players whose exchange would be better.

    It is better with fewer third meetings, or with a small table for a player who had fewer.
    """
    met = Counter(map(frozenset, _pairs_of(history)))
    met.update(dict.fromkeys(map(frozenset, apart), NEVER))
    largest = max((len(table) for table in planned.tables), default=0)
    times = _small_tables((*history, planned))
    for player, declared in document.get("small_seats", ()):
        if times.get(player) != declared:
            yield f"Player {player} has had {times.get(player)} small tables, not {declared}."
    # Two at a table without a reason are partners, who do not move alone.
    explained = {frozenset(reason["players"]) for reason in document.get("reasons", ())}
    alone = [
        (table, player)
        for table in planned.tables
        for player in table
        if all(frozenset((player, mate)) in explained for mate in table if mate != player)
    ]

    def excess(player: int, table: Iterable[int], leaver: int) -> int:
        pairs = [frozenset((player, mate)) for mate in table if mate not in (player, leaver)]
        return sum(max(0, met[pair] - 1) for pair in pairs)

    for (table, player), (table_2, player_2) in permutations(alone, 2):
        if table == table_2:
            continue
        third = excess(player, table_2, player_2) + excess(player_2, table, player)
        third -= excess(player, table, player) + excess(player_2, table_2, player_2)
        is_smaller = len(table) < len(table_2) == largest and times[player] - 1 > times[player_2]
        if (third < 0 and player < player_2) or (third == 0 and is_smaller):
            goal = "fewer third meetings" if third < 0 else "more even small tables"
            yield f"Players {player} and {player_2} can be exchanged for {goal}."


def _small_tables(rounds: Sequence[PlannedRound]) -> dict[int, int]:
    """Small tables of each player; somebody new has the mean of those of the round before."""
    times: dict[int, int] = {}
    last: set[int] = set()
    for planned in rounds:
        largest = max((len(table) for table in planned.tables), default=0)
        present = {*planned.sitting_out}.union(*planned.tables)
        counts = [times[player] for player in present & last]
        mean = int(sum(counts) / len(counts) + 0.5) if counts else 0
        times |= {player: max(mean, times.get(player, 0)) for player in present - last}
        for table in planned.tables:
            times |= {player: times[player] + (len(table) < largest) for player in table}
        last = present
    return times


def _faults_of_reasons(
    planned: PlannedRound,
    document: Document,
    history: Sequence[PlannedRound],
    scores: Mapping[int, int] | None,
) -> Iterator[str]:
    reasons = {frozenset(first["players"]): first for first in document.get("reasons", ())}
    times = Counter(map(frozenset, _pairs_of(history)))
    meetings_known = 0
    for first, second in _pairs_of([planned]):
        met = times[frozenset((first, second))]
        meetings_known += met > 0
        reason = reasons.get(frozenset((first, second)))
        if reason is None:
            continue
        codes = ["met" if met else "not_met"]
        if scores:
            alike = scores.get(first) == scores.get(second)
            codes.insert(0, "same_score" if alike else "other_score")
        if reason["met"] != met or (scores is not None and list(reason["codes"]) != codes):
            yield f"The reason of players {first} and {second} is wrong: they met {met} times."
    if "known_pairs" in document and document["known_pairs"] != meetings_known:
        known_pairs = document["known_pairs"]
        yield f"known_pairs is {known_pairs} in the plan; the rounds have {meetings_known}."


def _faults_of_floats(
    planned: PlannedRound, document: Document, scores: Mapping[int, int]
) -> Iterator[str]:
    opponents = {frozenset(reason["players"]) for reason in document.get("reasons", ())}
    last = min(scores.values())
    values = {player: scores.get(player, last) for table in planned.tables for player in table}
    floats = set()
    for first, second in opponents:
        low, high = sorted((values[first], values[second]))
        if any(low < value < high for value in values.values()):
            floats |= {first, second}
    declared = {reason["player"] for reason in document.get("floats", ())}
    for player in sorted(floats ^ declared):
        fault = "is not among the floats" if player in floats else "does not float"
        yield f"Player {player} {fault}."


def _pairs_of(rounds: Iterable[PlannedRound]) -> Iterator[tuple[int, int]]:
    for planned in rounds:
        for table in planned.tables:
            yield from combinations(table, 2)
