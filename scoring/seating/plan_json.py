"""A plan as JSON, and the rounds of such a file read again.

Pure. Players are whole numbers from 1. See docs/algorithms/seating.md, "The file".
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.movements.reasons_json import of_method_as_json
from scoring.seating.requests import PlannedRound, SeatingPlan

LARGEST: Final = 10_000
"""The largest number of a player that a file may have."""


def plan_as_json(plan: SeatingPlan) -> JsonDict:
    """The plan as `seat_plan --json` writes it."""
    cost = plan.cost
    earlier = {"history_rounds": plan.history_rounds} if plan.history_rounds else {}
    uneven = {"uneven": [asdict(one) for one in plan.uneven]} if plan.uneven else {}
    units = {"units": [list(unit) for unit in plan.units]} if plan.figures else {}
    return {
        "rounds": [
            {
                "tables": [{"seats": list(table)} for table in planned.tables],
                "sitting_out": list(planned.sitting_out),
                **_matches(planned),
            }
            for planned in plan.rounds
        ],
        "repeats": cost.repeats,
        "max_meet": cost.max_meet,
        "neighbour_repeats": cost.neighbour_repeats,
        "seat_spread": cost.seat_spread,
        "small_table_spread": cost.small_table_spread,
        "sit_out_spread": cost.sit_out_spread,
        "pair_cost": cost.pair_cost,
        "lower_bound": plan.lower_bound,
        "known_pairs": cost.known_pairs,
        "sit_outs": cost.sit_outs,
        "seed": plan.seed,
        "iterations": plan.iterations,
        "method": plan.method,
        **earlier,
        **uneven,
        **of_method_as_json(plan),
        **units,
        **(asdict(plan.figures) if plan.figures else {}),
    }


def _matches(planned: PlannedRound) -> JsonDict:
    """The matches of teams, numbered from 1 as in `units`; nothing for other movements."""
    matches = [
        {"teams": [at + 1 for at in match.units], "tables": list(match.tables)}
        for match in planned.matches
    ]
    return {"matches": matches} if matches else {}


def rounds_of_json(document: object) -> tuple[PlannedRound, ...]:
    """The rounds of a file.

    Raises:
        Refused: bad_plan_file, with the place where the file has another form.

    >>> rounds_of_json({"rounds": [{"tables": [{"seats": [2, 1, 3]}]}]})
    (PlannedRound(tables=((2, 1, 3),), sitting_out=(), matches=()),)
    """
    return tuple(
        _round(one, ("rounds", at))
        for at, one in enumerate(_list(_member(document, "rounds", ()), ("rounds",)))
    )


Place = tuple[str | int, ...]


def _round(found: object, at: Place) -> PlannedRound:
    tables = _list(_member(found, "tables", at), (*at, "tables"))
    seats = [
        _players(_member(table, "seats", (*at, "tables", number)), (*at, "tables", number, "seats"))
        for number, table in enumerate(tables)
    ]
    outside = found.get("sitting_out", []) if isinstance(found, Mapping) else []
    return PlannedRound(tuple(seats), _players(outside, (*at, "sitting_out")))


def _member(found: object, name: str, at: Place) -> Any:
    if not isinstance(found, Mapping) or name not in found:
        raise _refused((*at, name))
    return found[name]


def _list(found: object, at: Place) -> Sequence[object]:
    if not isinstance(found, list):
        raise _refused(at)
    return found


def _players(found: object, at: Place) -> tuple[int, ...]:
    players = []
    for number, player in enumerate(_list(found, at)):
        if type(player) is not int or not 1 <= player <= LARGEST:
            raise _refused((*at, number))
        players.append(player)
    return tuple(players)


def _refused(at: Place) -> Refused:
    return Refused(Problem("bad_plan_file", at, {"at": "/" + "/".join(map(str, at))}))
