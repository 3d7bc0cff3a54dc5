"""A plan as JSON with its reasons, and rounds and scores read from a file.

For the tests of plans and for `manage.py seat_plan`, which ends with release 1.0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from math import lcm
from typing import Any, Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.seating.brackets import BracketRound, Slot
from scoring.seating.requests import PlannedRound, SeatingPlan

LONGEST: Final = 40
"""The most characters that a score may have."""

LARGEST: Final = 10_000
"""The largest number of a player that a file may have."""

Place = tuple[str | int, ...]


def of_method_as_json(plan: SeatingPlan) -> JsonDict:
    """The facts of a Swiss or knock-out round besides its tables; empty for other plans.

    `small_seats` are pairs of player and number. `by_seed` is left out where it is empty, as in
    plans that were stored before there was one.
    """
    if plan.method == "knockout":
        facts: JsonDict = {"bracket": bracket_as_json(plan.bracket)}
        if plan.by_seed:
            facts["by_seed"] = [[*map(list, groups)] for groups in plan.by_seed]
        facts["least_repeats"] = plan.least_repeats
        facts["is_exact"] = plan.is_exact
        return facts
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


def scores_of_json(document: object) -> tuple[dict[int, int], frozenset[int]]:
    """The scores of a file, in one unit for all, and who floated down in the round before.

    `document`: player → score, or `{"scores": {…}, "floated": […]}`; a score is a whole number, a
    decimal, or text such as `"26/3"`.

    >>> scores_of_json({"1": 12, "2": "26/3"})
    ({1: 36, 2: 26}, frozenset())
    >>> scores_of_json({"scores": {"1": 2}, "floated": [1]})
    ({1: 2}, frozenset({1}))
    """
    if not isinstance(document, Mapping):
        raise _bad_scores("/")
    scores = document.get("scores", document)
    floated = document.get("floated", []) if "scores" in document else []
    if not isinstance(scores, Mapping):
        raise _bad_scores("/scores")
    if not isinstance(floated, list) or not all(type(number) is int for number in floated):
        raise _bad_scores("/floated")
    values = {_player(name): _value(name, score) for name, score in scores.items()}
    unit = lcm(*(value.denominator for value in values.values()))
    return {player: int(value * unit) for player, value in values.items()}, frozenset(floated)


def _player(name: object) -> int:
    text = str(name)
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text)):
        raise _bad_scores(f"/{text[:LONGEST]}")
    return int(text)


def _value(name: object, score: object) -> Fraction:
    if isinstance(score, bool) or not isinstance(score, int | float | str):
        raise _bad_scores(f"/{name}")
    text = str(score)
    try:
        if len(text) > LONGEST or "e" in text.lower():
            raise _bad_scores(f"/{name}")
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _bad_scores(f"/{name}") from None


def _bad_scores(at: str) -> Refused:
    return Refused(Problem("bad_scores_file", (), {"at": at}))


def plan_as_json(plan: SeatingPlan) -> JsonDict:
    """The plan as `seat_plan --json` writes it."""
    cost = plan.cost
    earlier = {"history_rounds": plan.history_rounds} if plan.history_rounds else {}
    names = ("size", "players", "reason")
    shares = [dict(zip(names, share, strict=True)) for share in plan.uneven]
    uneven = {"uneven": shares} if shares else {}
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
    matches = [
        {"teams": [at + 1 for at in match.units], "tables": list(match.tables)}
        for match in planned.matches
    ]
    if not matches:
        return {}
    return {"matches": matches}


def rounds_of_json(document: object) -> tuple[PlannedRound, ...]:
    """The rounds of a file.

    >>> rounds_of_json({"rounds": [{"tables": [{"seats": [2, 1, 3]}]}]})
    (PlannedRound(tables=((2, 1, 3),), sitting_out=(), matches=()),)
    """
    return tuple(
        _round(round_document, ("rounds", at))
        for at, round_document in enumerate(_list(_member(document, "rounds", ()), ("rounds",)))
    )


def _round(document: object, at: Place) -> PlannedRound:
    tables = _list(_member(document, "tables", at), (*at, "tables"))
    seats = [
        _players(_member(table, "seats", (*at, "tables", number)), (*at, "tables", number, "seats"))
        for number, table in enumerate(tables)
    ]
    outside = document.get("sitting_out", []) if isinstance(document, Mapping) else []
    return PlannedRound(tuple(seats), _players(outside, (*at, "sitting_out")))


def _member(document: object, name: str, at: Place) -> Any:
    if not isinstance(document, Mapping) or name not in document:
        raise _refused((*at, name))
    return document[name]


def _list(value: object, at: Place) -> Sequence[object]:
    if not isinstance(value, list):
        raise _refused(at)
    return value


def _players(value: object, at: Place) -> tuple[int, ...]:
    players = []
    for number, player in enumerate(_list(value, at)):
        if type(player) is not int or not 1 <= player <= LARGEST:
            raise _refused((*at, number))
        players.append(player)
    return tuple(players)


def _refused(at: Place) -> Refused:
    return Refused(Problem("bad_plan_file", at, {"at": "/" + "/".join(map(str, at))}))
