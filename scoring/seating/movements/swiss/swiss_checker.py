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
    apart: Iterable[tuple[int, int]] = (),
) -> tuple[str, ...]:
    """Everything that is wrong with a Swiss round.

    Args:
        planned: the round.
        document: the plan as JSON: `known_pairs`, `reasons` and `floats` are compared.
        history: the rounds before.
        scores: values before the round; None: not known, and not compared.
        apart: pairs who may not share a table.
    """
    return (
        *_faults_of_sit_outs(planned, history),
        *_faults_of_small(planned, history),
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


def _faults_of_small(planned: PlannedRound, history: Sequence[PlannedRound]) -> Iterator[str]:
    """A third small table for somebody while another player has had none."""
    largest = max((len(table) for table in planned.tables), default=0)
    playing = [player for table in planned.tables for player in table]
    times = dict.fromkeys(playing, 0)
    for earlier in (*history, planned):
        most = max((len(table) for table in earlier.tables), default=0)
        for table in earlier.tables:
            for player in table:
                if player in times and len(table) < most:
                    times[player] += 1
    always = [
        player
        for player in playing
        if all(any(player in table for table in earlier.tables) for earlier in history)
    ]
    seats = sum(len(table) for table in planned.tables if len(table) < largest)
    if not seats or 2 * seats > len(playing) or len(always) < 2:
        return
    counts = [times[player] for player in always]
    if max(counts) - min(counts) > 2:
        yield f"Small tables are spread by {max(counts) - min(counts)}; 2 are accepted."


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
            lowest = min(scores.values())
            alike = scores.get(one, lowest) == scores.get(other, lowest)
            codes.insert(0, "same_score" if alike else "other_score")
        if reason["met"] != met or (scores is not None and list(reason["codes"]) != codes):
            yield f"The reason of players {one} and {other} is wrong: they met {met} times."
    if "known_pairs" in document and document["known_pairs"] != known:
        yield f"known_pairs is {document['known_pairs']} in the plan; the rounds have {known}."


def _faults_of_floats(
    planned: PlannedRound, document: Document, scores: Mapping[int, int]
) -> Iterator[str]:
    partners = {frozenset(one["players"]) for one in document.get("reasons", ())}
    lowest = min(scores.values())
    found = set()
    for table in planned.tables:
        for player in table:
            others = [
                other
                for other in table
                if other != player and frozenset((player, other)) in partners
            ]
            own = scores.get(player, lowest)
            if others and all(scores.get(other, lowest) != own for other in others):
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
