"""Whether a Swiss or knock-out round is right: a second look that shares no code with the planner.

Pure. See docs/algorithms/seating.md, "Checks".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.seating.requests import PlannedRound

Document = Mapping[str, Any]


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
        *_faults_of_small(planned, document, history),
        *_faults_of_exchanges(planned, document, history, apart),
        *(
            f"Players {one} and {other} are not apart."
            for one, other in apart
            for table in planned.tables
            if one in table and other in table
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
            better = sum(scores.get(other, 0) > scores.get(player, 0) for other in table)
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
            f"Players {one} and {other} met in the round before."
            for one, other in _pairs_of([planned])
            if any(one in table and other in table for table in before.tables)
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


def _faults_of_small(
    planned: PlannedRound, document: Document, history: Sequence[PlannedRound]
) -> Iterator[str]:
    """Numbers of small tables that are declared and are not those of the rounds."""
    times = _small_tables((*history, planned), _everybody(planned))
    for player, declared in document.get("small_seats", ()):
        if times.get(player) != declared:
            yield f"Player {player} has had {times.get(player)} small tables, not {declared}."


def _faults_of_exchanges(
    planned: PlannedRound,
    document: Document,
    history: Sequence[PlannedRound],
    apart: Sequence[tuple[int, int]],
) -> Iterator[str]:
    """Two players whose exchange means fewer third meetings, or small tables for who had fewer."""
    met: dict[tuple[int, int], int] = {}
    for one, other in _pairs_of(history):
        met[one, other] = met[other, one] = met.get((one, other), 0) + 1
    largest = max((len(table) for table in planned.tables), default=0)
    times = _small_tables(history, _everybody(planned))
    never = {*apart} | {(other, one) for one, other in apart}
    alone = _without_partner(planned, document)

    def excess(player: int, mates: Iterable[int]) -> int:
        return sum(max(0, met.get((player, mate), 0) - 1) for mate in mates)

    for here, one, mates in _seats(planned):
        now = excess(one, mates)
        if one not in alone or (len(here) == largest and not now):
            continue
        for there, other, others in _seats(planned):
            if there == here or other not in alone:
                continue
            if any((one, mate) in never for mate in others) or any(
                (other, mate) in never for mate in mates
            ):
                continue
            third = excess(one, others) + excess(other, mates) - now - excess(other, others)
            smaller = (len(there) < largest) - (len(here) < largest)
            if third < 0 or (third == 0 and smaller * (times[one] - times[other]) < 0):
                goal = "fewer third meetings" if third < 0 else "more even small tables"
                yield f"Players {one} and {other} can be exchanged for {goal}."


def _seats(planned: PlannedRound) -> Iterator[tuple[tuple[int, ...], int, list[int]]]:
    """Each table, a player there, and the others."""
    for table in planned.tables:
        for player in table:
            yield table, player, [mate for mate in table if mate != player]


def _everybody(planned: PlannedRound) -> list[int]:
    return [player for _table, player, _mates in _seats(planned)] + [*planned.sitting_out]


def _without_partner(planned: PlannedRound, document: Document) -> set[int]:
    """The players who can move alone: two at a table without a reason are partners."""
    explained = {frozenset(one["players"]) for one in document.get("reasons", ())}
    return {
        player
        for _table, player, mates in _seats(planned)
        if all(frozenset((player, mate)) in explained for mate in mates)
    }


def _small_tables(history: Sequence[PlannedRound], players: Iterable[int]) -> dict[int, int]:
    """Small tables of each player; somebody new has the mean of those of the round before."""
    times: dict[int, int] = {}
    last: set[int] = set()
    for planned in (*history, PlannedRound((), tuple(players))):
        largest = max((len(table) for table in planned.tables), default=0)
        there = {*_everybody(planned)}
        known = [times[player] for player in there if player in last]
        for player in there - last:
            mean = int(sum(known) / len(known) + 0.5) if known else 0
            times[player] = max(mean, times.get(player, 0))
        for table, player, _mates in _seats(planned):
            times[player] += len(table) < largest
        last = there
    return times


def _faults_of_reasons(
    planned: PlannedRound,
    document: Document,
    history: Sequence[PlannedRound],
    scores: Mapping[int, int] | None,
) -> Iterator[str]:
    found = {frozenset(one["players"]): one for one in document.get("reasons", ())}
    known = 0
    for one, other in _pairs_of([planned]):
        met = 0
        for earlier in history:
            for table in earlier.tables:
                if one in table and other in table:
                    met += 1
        known += met > 0
        reason = found.get(frozenset((one, other)))
        if reason is None:
            continue
        codes = ["met" if met else "not_met"]
        if scores:
            alike = scores.get(one) == scores.get(other)
            codes.insert(0, "same_score" if alike else "other_score")
        if reason["met"] != met or (scores is not None and list(reason["codes"]) != codes):
            yield f"The reason of players {one} and {other} is wrong: they met {met} times."
    if "known_pairs" in document and document["known_pairs"] != known:
        yield f"known_pairs is {document['known_pairs']} in the plan; the rounds have {known}."


def _faults_of_floats(
    planned: PlannedRound, document: Document, scores: Mapping[int, int]
) -> Iterator[str]:
    partners = {frozenset(one["players"]) for one in document.get("reasons", ())}
    found = set()
    for table in planned.tables:
        for player in table:
            others = [
                other
                for other in table
                if other != player and frozenset((player, other)) in partners
            ]
            if others and all(scores.get(other) != scores.get(player) for other in others):
                found.add(player)
    declared = {one["player"] for one in document.get("floats", ())}
    for player in sorted(found ^ declared):
        fault = "is not among the floats" if player in found else "does not float"
        yield f"Player {player} {fault}."


def _pairs_of(rounds: Iterable[PlannedRound]) -> Iterator[tuple[int, int]]:
    for planned in rounds:
        for table in planned.tables:
            for at, one in enumerate(table):
                for other in table[at + 1 :]:
                    yield one, other
