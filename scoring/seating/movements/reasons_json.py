"""What a Swiss round has besides its tables, and brackets, as JSON with players as numbers.

Pure. See docs/algorithms/seating.md, "The file".
"""

from collections.abc import Iterable, Sequence

from scoring.json_types import JsonDict
from scoring.seating.brackets import BracketRound, Slot
from scoring.seating.requests import FloatSeat, PairReason, SeatingPlan


def swiss_as_json(plan: SeatingPlan) -> JsonDict:
    """What a Swiss round has besides its tables; `small_seats` are pairs of player and number."""
    return {
        "least_repeats": plan.least_repeats,
        "is_exact": plan.is_exact,
        "small_seats": [[player, count] for player, count in sorted(plan.small_seats.items())],
        "reasons": reasons_as_json(plan.reasons),
        "floats": floats_as_json(plan.floats),
    }


def reasons_as_json(reasons: Iterable[PairReason]) -> list[JsonDict]:
    """Why each pair shares a table.

    >>> reasons_as_json([PairReason(1, (4, 2), ("same_score", "not_met"), 0, (12, 12))])[0]["codes"]
    ['same_score', 'not_met']
    """
    return [
        {
            "table": one.table,
            "players": list(one.players),
            "codes": list(one.codes),
            "met": one.met,
            "scores": list(one.scores),
        }
        for one in reasons
    ]


def floats_as_json(floats: Iterable[FloatSeat]) -> list[JsonDict]:
    """Who sits with players of other scores only.

    >>> floats_as_json([FloatSeat(7, 2, "down")])
    [{'player': 7, 'table': 2, 'direction': 'down', 'again': False}]
    """
    return [
        {
            "player": one.player,
            "table": one.table,
            "direction": one.direction,
            "again": one.again,
        }
        for one in floats
    ]


def bracket_as_json(rounds: Sequence[BracketRound]) -> list[JsonDict]:
    """The rounds of a knock-out: tables with their slots, and how many of each go on."""
    return [
        {
            "number": one.number,
            "tables": [
                {
                    "number": table.number,
                    "slots": [_slot(slot) for slot in table.slots],
                    "goes_on": table.goes_on,
                }
                for table in one.tables
            ],
            "byes": [_slot(slot) for slot in one.byes],
            "wild_cards": one.wild_cards,
            "reseeded": one.reseeded,
        }
        for one in rounds
    ]


def _slot(slot: Slot) -> JsonDict:
    if slot.kind == "place":
        return {"table": slot.table, "place": slot.number}
    return {slot.kind: slot.number}
