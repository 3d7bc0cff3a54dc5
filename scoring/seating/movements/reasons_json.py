"""What a Swiss round has besides its tables, and brackets, as JSON with players as numbers.

Pure. See docs/algorithms/seating.md, "The file".
"""

from collections.abc import Sequence
from dataclasses import asdict

from scoring.json_types import JsonDict
from scoring.seating.brackets import BracketRound, Slot
from scoring.seating.requests import SeatingPlan


def of_method_as_json(plan: SeatingPlan) -> JsonDict:
    """What a Swiss or knock-out round has besides its tables; nothing for other plans.

    `small_seats` are pairs of player and number.
    """
    if plan.method == "knockout":
        by_seed = {"by_seed": [[*map(list, one)] for one in plan.by_seed]} if plan.by_seed else {}
        return {"bracket": bracket_as_json(plan.bracket), **by_seed}
    if plan.method != "swiss":
        return {}
    return {
        "least_repeats": plan.least_repeats,
        "is_exact": plan.is_exact,
        "small_seats": [[player, count] for player, count in sorted(plan.small_seats.items())],
        "reasons": [asdict(reason) for reason in plan.reasons],
        "floats": [asdict(seat) for seat in plan.floats],
    }


def bracket_as_json(rounds: Sequence[BracketRound]) -> list[JsonDict]:
    """The rounds of a knock-out: tables with their slots, and how many of each go on."""
    return [
        asdict(round_)
        | {
            "tables": [
                asdict(table) | {"slots": [_slot(slot) for slot in table.slots]}
                for table in round_.tables
            ],
            "byes": [_slot(slot) for slot in round_.byes],
        }
        for round_ in rounds
    ]


def _slot(slot: Slot) -> JsonDict:
    if slot.kind == "place":
        return {"table": slot.table, "place": slot.number}
    return {slot.kind: slot.number}
