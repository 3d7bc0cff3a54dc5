"""Computing a requested plan in slices, and storing it.

A plan depends on its inputs and its seed only. Where the worker is killed it is begun again, and
ends as it would have ended. See docs/algorithms/seating.md, "Plans of an evening".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from django.db.models import F

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from scoring.seating.brackets import USUAL_ADVANCE
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.plan_json import of_method_as_json
from scoring.seating.plan_seats import MOVES, SLOWER, Planning
from scoring.seating.requests import PlannedRound, Presence, SeatingRequest
from scoring.seating.requests import SeatingPlan as FoundPlan
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.seating_plans import (
    PARTNERSHIPS,
    ConstraintKind,
    SeatingConstraint,
    SeatingPlan,
)
from tournaments.selectors.seating_plans.people_here import EarlierRound, PersonHere, earlier_rounds
from tournaments.services.seating_plans.partnership_plans import require_apart

SMALL: Final = 100
"""An evening with at most so many seats, head-count times rounds, is planned in the request."""


FEW_MOVES: Final = 30_000
"""The moves of a search for a small evening: a tenth of a second, near the best plan there."""


@dataclass(frozen=True, slots=True)
class EveningConstraints:
    """The constraints among the people who are here, as rows of players."""

    apart: tuple[tuple[int, int], ...] = ()
    together: tuple[tuple[int, int], ...] = ()
    fixed_tables: tuple[tuple[int, int], ...] = ()
    sides: tuple[tuple[int, ...], ...] = ()


def evening_constraints(
    event: Event, rules: Rules, people: Sequence[PersonHere]
) -> EveningConstraints:
    """Return an event's constraints among some people; the members of a side are together.

    Two queries.
    """
    there = {one.pk for one in people}
    rows = SeatingConstraint.objects.filter(event=event, player__in=there).order_by("pk")
    pairs: dict[str, list[tuple[int, int]]] = {kind: [] for kind in ConstraintKind.values}
    for kind, player, other, table in rows.values_list(
        "kind", "player_id", "other_id", "table_number"
    ):
        if kind == ConstraintKind.FIXED_TABLE:
            pairs[kind].append((player, table or 1))
        elif other in there:
            pairs[kind].append((player, other))
    partners = partners_of(event, rules, there)
    return EveningConstraints(
        apart=tuple(pairs[ConstraintKind.APART]),
        together=tuple(dict.fromkeys((*pairs[ConstraintKind.TOGETHER], *partners))),
        fixed_tables=tuple(sorted(dict(pairs[ConstraintKind.FIXED_TABLE]).items())),
        sides=tuple(map(tuple, rules.keys.teams.shape)) if partners else (),
    )


def partners_of(event: Event, rules: Rules, there: set[int]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of an event who sit on one side of a table; one query at most."""
    shape = rules.keys.teams.shape
    if not shape:
        return ()
    members: dict[int, list[int]] = {}
    rows = EntrantMember.objects.filter(event=event, player__in=there).exclude(
        entrant__kind=EntrantKind.PLAYER
    )
    for entrant, player in rows.order_by("pk").values_list("entrant_id", "player_id"):
        members.setdefault(entrant, []).append(player)
    sizes = {len(side) for side in shape}
    return tuple((own[0], own[1]) for own in members.values() if len(own) == 2 and 2 in sizes)


def plan_inputs(
    *,
    people: Sequence[PersonHere],
    rounds: int,
    first_round: int,
    sizes: Sequence[int],
    policy: str,
    constraints: EveningConstraints,
    history: Sequence[EarlierRound],
    standing: Mapping[int, int],
) -> JsonDict:
    """Return everything that a plan depends on besides its seed, with rows of players, no names.

    Args:
        people: who plays at least one of the rounds.
        first_round: the round of the evening that is the plan's first.
        standing: place of players in the event, 1 the best.
    """
    presence = []
    for one in people:
        first = max(1, one.first - first_round + 1)
        last = None if one.last is None else one.last - first_round + 1
        if first > 1 or (last is not None and last < rounds):
            presence.append([one.pk, first, last])
    head_count = len(people)
    moves = FEW_MOVES if head_count * rounds <= SMALL else MOVES
    has_groups = bool(constraints.together) or len(constraints.fixed_tables) > 1
    return {
        "present": sorted(one.pk for one in people),
        "first_round": first_round,
        "policy": policy,
        "sizes": list(sizes),
        "presence": sorted(presence),
        "apart": [list(pair) for pair in constraints.apart],
        "together": [list(pair) for pair in constraints.together],
        "fixed_tables": [list(pair) for pair in constraints.fixed_tables],
        "sides": [list(side) for side in constraints.sides],
        "moves": moves // SLOWER if has_groups else moves,
        "history": digest_of(history),
        "standing": [[one.pk, standing[one.pk]] for one in people if one.pk in standing],
    }


def is_small(inputs: Mapping[str, Any], rounds: int) -> bool:
    """Whether a plan is made while its director waits."""
    return len(inputs["present"]) * rounds <= SMALL


def digest_of(history: Sequence[EarlierRound]) -> str:
    """Return a digest of earlier rounds."""
    rows = [[one.tables, one.sitting_out] for one in history]
    return sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def seating_request(
    inputs: Mapping[str, Any],
    *,
    rounds: int,
    seed: int,
    history: Sequence[EarlierRound],
    movement: str = "individual",
) -> SeatingRequest:
    """Return what the planner is asked for.

    Of a knock-out the last round of the history is the one whose best go on, `after` in the inputs.
    """
    after = inputs.get("after")
    ordered = sorted(history, key=lambda one: one.number == after) if after else history
    return SeatingRequest(
        players=tuple(inputs["present"]),
        rounds=rounds,
        sizes=tuple(inputs["sizes"]),
        seed=seed,
        apart=tuple((one, other) for one, other in inputs["apart"]),
        together=tuple((one, other) for one, other in inputs["together"]),
        fixed_tables=dict(inputs["fixed_tables"]),
        sides=tuple(map(tuple, inputs["sides"])),
        history=tuple(PlannedRound(one.tables, one.sitting_out) for one in ordered),
        presence={player: Presence(first, last) for player, first, last in inputs["presence"]},
        standing=dict(inputs.get("standing", ())),  # plans of earlier versions have none
        moves=inputs["moves"],
        movement=movement,
        units=tuple(map(tuple, inputs.get("units", ()))),
        variation=inputs.get("variation", ""),
        scores={player: value for player, value, _shown in inputs.get("scores", ())},
        floated=frozenset(inputs.get("floated", ())),
        advance=inputs.get("advance", USUAL_ADVANCE),
        wild_cards=inputs.get("wild_cards", 0),
        wild_ranks=dict(inputs.get("wild_ranks", ())),
        forfeits=frozenset(inputs.get("forfeits", ())),
        movement_round=inputs.get("movement_round", 1),
        line_up=tuple(inputs.get("line_up", ())),
    )


STAGES: Final = 20
"""A slice has so many stages of the search: about a tenth of a second."""


def computed(request: SeatingRequest) -> FoundPlan:
    """Return the plan for a request, made at once.

    Raises:
        Refused: as `Planning`; constraints_not_met, where a movement with partners seats people
            together who must be apart.
    """
    plan = plan_movement(request)
    if request.movement in PARTNERSHIPS:
        require_apart(request, plan)
    return plan


def planning_steps(plan_id: int) -> Iterator[Mapping[str, int]]:
    """Compute a plan that waits, and yield how far it is after each slice.

    Nothing happens where it is ready, was refused, or was deleted. A director who takes the best
    plan so far ends it with the slice under way.
    """
    plan = SeatingPlan.objects.filter(pk=plan_id, is_ready=False, problem__isnull=True)
    row = plan.select_related("event").first()
    if row is None:
        return
    history = earlier_rounds(row.event)
    row.inputs["history"] = digest_of(history)  # a round may have been seated since it was asked
    request = seating_request(
        row.inputs,
        rounds=row.round_count,
        seed=row.seed,
        history=history,
        movement=row.movement,
    )
    try:
        planning = Planning(request)
        while not planning.done:
            for _ in range(STAGES):
                planning.advance()
            done = min(planning.iterations, row.moves)
            if not plan.update(moves_done=done):
                return
            if plan.filter(stop_requested=True).exists():
                break
            yield {"done": done, "of": row.moves}
        found = planning.plan()
    except Refused as refused:
        plan.update(problem=problem_as_json(refused.problems[0]))
        return
    plan.update(inputs=row.inputs, moves_done=F("moves"), **columns_of(found))


def columns_of(plan: FoundPlan) -> dict[str, Any]:
    """Return the columns of a row that hold a plan that is ready."""
    of_round = of_method_as_json(plan)
    return {
        "rounds": [
            of_round
            | {
                "tables": [list(table) for table in planned.tables],
                "sitting_out": list(planned.sitting_out),
                **_matches(planned),
            }
            for planned in plan.rounds
        ],
        "cost": {
            **asdict(plan.cost),
            "lower_bound": plan.lower_bound,
            "method": plan.method,
            **_of_units(plan),
            "uneven": [
                [player, one.size, one.reason] for one in plan.uneven for player in one.players
            ],
        },
        "iterations": plan.iterations,
        "is_ready": True,
    }


def _of_units(plan: FoundPlan) -> JsonDict:
    """Return the figures of pairs or teams, which count the whole event."""
    if plan.figures is None or not plan.figures.variation:
        return {}
    figures = asdict(plan.figures)
    return {name: figures[name] for name in ("opponent_excess", "opponent_bound", "sets", "unmet")}


def _matches(planned: PlannedRound) -> JsonDict:
    """Return the matches of a round of teams: indices of two units, and their tables."""
    if not planned.matches:
        return {}
    found = [{"units": [*match.units], "tables": [*match.tables]} for match in planned.matches]
    return {"matches": found}


def problem_as_json(problem: Problem) -> JsonDict:
    """Return a problem as a row holds it, with rows of players."""
    return {"code": problem.code, "facts": dict(problem.facts)}
