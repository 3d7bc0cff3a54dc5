"""Seating plans for numbered players, as JSON and in lines to read; no database is used.

For `manage.py seat_plan`, which ends with release 1.0. See docs/algorithms/seating.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.catalogue import catalogue
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.checker import (
    FIGURES,
    faults_of_partners,
    faults_of_rounds,
    named,
    wrong_figures,
)
from scoring.seating.constraints import MOST_PLAYERS
from scoring.seating.cost import lower_bound
from scoring.seating.movements.plan_movement import MOVEMENTS as MOVEMENTS
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND as ROUND_BY_ROUND
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.movements.swiss_checker import faults_of_knockout, faults_of_swiss
from scoring.seating.plan_json import plan_as_json, rounds_of_json, scores_of_json
from scoring.seating.requests import PlannedRound, SeatingRequest
from tournaments.models.seating_plans import PARTNERSHIPS

OF_EVENT: Final = ("repeats", "small_table_spread", "sit_out_spread")
"""Figures that need the history where a plan has one."""

Options: TypeAlias = Mapping[str, Any]
"""What `manage.py seat_plan` is asked for; players are 1 to `players`.

On a ladder night player 1 is at the top of the list, in a knock-out the best seed.
"""


def seat_plan(options: Options, history: object = None, scores: object = None) -> JsonDict:
    """The plan as JSON.

    Args:
        options: of the command.
        history: the content of a plan file whose rounds were played before.
        scores: the content of a file of scores: those before a Swiss round, or those of the last
            round of a knock-out.
    """
    return plan_as_json(plan_movement(_request(options, history, scores)))


def _request(options: Options, history: object, scores: object) -> SeatingRequest:
    usual: tuple[int, ...] = (4, 3, 5, 6)
    sides: tuple[tuple[int, ...], ...] = ()
    if options["variant"] is not None:
        rules = catalogue().rules(options["variant"])
        usual = sizes_of_rules(rules)
        sides = rules.keys.teams.shape
    players = range(1, options["players"] + 1)
    if len(players) > MOST_PLAYERS:
        facts = {"found": len(players), "most": MOST_PLAYERS}
        raise Refused(Problem("too_many_to_seat", (), facts))
    values, floated = _scores(scores, history)
    has_order = options["movement"] in {"ladder", "knockout"}
    names = ("rounds", "seed", "movement", "variation", "advance", "wild_cards")
    return SeatingRequest(
        players=tuple(players),
        sizes=options["table_sizes"] or usual,
        apart=tuple(options["apart"]),
        together=tuple(options["together"]),
        fixed_tables=dict(options["fixed_table"]),
        sides=sides if options["together"] else (),
        history=() if history is None else rounds_of_json(history),
        stop_after=options["iterations"],
        standing={player: player for player in players} if has_order else {},
        scores=values,
        floated=floated,
        **{name: options[name] for name in names},
    )


def strangers_in_history(players: int, history: object) -> tuple[int, ...]:
    """The players of a history who are not among the players now, ascending."""
    people = {player for planned in rounds_of_json(history) for player in named(planned)}
    return tuple(sorted(player for player in people if player > players))


def faults_of_plan_file(
    document: object, options: Options, history: object = None, scores: object = None
) -> tuple[str, ...]:
    """Everything that is wrong with a plan file: its rounds, and figures that are not theirs.

    Args:
        options: `apart` of a Swiss round, `advance` and `wild_cards` of a knock-out.
        history: the content of the file that it was made with, as `scores`.
    """
    rounds = rounds_of_json(document)
    if not rounds or not isinstance(document, Mapping):
        return ("The plan has no rounds.",)
    players: Iterable[int] | None = None
    if document.get("method") == "knockout":
        players = named(rounds[0])  # who is out already leaves gaps among the numbers
    earlier = None if history is None else rounds_of_json(history)
    faults = (
        *faults_of_rounds(rounds, players),
        *_faults_of_movement(document, rounds, options, earlier, _scores(scores, history)[0]),
    )
    if faults:
        return faults
    names = (*FIGURES, "lower_bound", "seed", "iterations")
    missing = [f"{name} is missing from the plan." for name in names if name not in document]
    everybody = sorted(named(rounds[0]))
    unknown: tuple[str, ...] = ()
    if document.get("history_rounds") and not earlier:
        unknown = OF_EVENT
    figures = {name: document[name] for name in document if name not in unknown}
    least = lower_bound(rounds)
    bound = document.get("lower_bound", least)
    wrong = [] if bound == least else [f"lower_bound is {bound} in the plan; it must be {least}."]
    return (*missing, *wrong_figures(rounds, figures, everybody, earlier or ()), *wrong)


def _faults_of_movement(
    document: JsonObject,
    rounds: Sequence[PlannedRound],
    options: Options,
    earlier: Sequence[PlannedRound] | None,
    scores: Mapping[int, int],
) -> tuple[str, ...]:
    history = earlier or ()
    if document.get("method") == "knockout":
        goes_on = options["advance"], options["wild_cards"]
        return faults_of_knockout(rounds[-1], history, scores, *goes_on)
    if document.get("method") == "swiss":
        compared = document if earlier is not None or not document.get("known_pairs") else {}
        return faults_of_swiss(rounds[-1], compared, history, scores or None, options["apart"])
    if document.get("movement") in PARTNERSHIPS:
        return faults_of_partners(document, rounds, history)
    return ()


def _scores(scores: object, history: object) -> tuple[Mapping[int, int], frozenset[int]]:
    if scores is not None:
        return scores_of_json(scores)
    if isinstance(history, Mapping) and "scores" in history:
        return scores_of_json(
            {key: history[key] for key in ("scores", "floated") if key in history}
        )
    return {}, frozenset()


def plan_lines(plan: Mapping[str, object]) -> Iterator[str]:
    for number, planned in enumerate(rounds_of_json(plan), 1):
        yield f"Round {number}"
        for at, table in enumerate(planned.tables, 1):
            yield f"  Table {at}: {_numbers(table)}"
        if planned.sitting_out:
            yield f"  Sitting out: {_numbers(planned.sitting_out)}"
    for name, value in plan.items():
        if name not in {"rounds", "reasons", "bracket", "units"}:
            yield f"{name}: {value}"


def _numbers(players: Sequence[int]) -> str:
    return ", ".join(map(str, players))
