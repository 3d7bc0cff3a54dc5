"""Compute a requested plan in slices, store it, and choose a plan for an evening.

A plan depends on its inputs and its seed only. Where the worker is killed it is begun again, and
ends as it would have ended. See docs/algorithms/seating.md, "Plans of an evening".
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final

from django.db.models import F

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.rules import Rules
from scoring.seating.brackets import USUAL_ADVANCE
from scoring.seating.plan_json import of_method_as_json
from scoring.seating.plan_seats import MOVES, SLOWER, Planning
from scoring.seating.requests import PlannedRound, Presence, SeatingRequest
from scoring.seating.requests import SeatingPlan as FoundPlan
from tournaments.errors import Conflict
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.rounds import Meeting
from tournaments.models.seating_plans import (
    ConstraintKind,
    PlanState,
    SeatingConstraint,
    SeatingPlan,
)
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import PLAN_KIND
from tournaments.selectors.events.meetings import meetings_of
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.selectors.seating_plans.people_here import PersonHere, earlier_rounds, listed_names
from tournaments.selectors.seating_plans.plan_facts import FIGURES_OF_EVENT
from tournaments.selectors.seating_plans.plans import EveningNow, PlanChanges, plan_at
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.states import SEATING_PLAN, find_move

SMALL: Final = 100
"""Largest evening, in players times rounds, that is planned in the request."""


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
    """Return an event's constraints among some people, members of a side together; two queries."""
    pks = {person.pk for person in people}
    rows = SeatingConstraint.objects.filter(event=event, player__in=pks).order_by("pk")
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for kind, player, other, table in rows.values_list(
        "kind", "player_id", "other_id", "table_number"
    ):
        if kind == ConstraintKind.FIXED_TABLE:
            pairs[kind].append((player, table or 1))
        elif other in pks:
            pairs[kind].append((player, other))
    partners = _list_partners(event, rules, pks)
    return EveningConstraints(
        apart=tuple(pairs[ConstraintKind.APART]),
        together=tuple(dict.fromkeys((*pairs[ConstraintKind.TOGETHER], *partners))),
        fixed_tables=tuple(sorted(dict(pairs[ConstraintKind.FIXED_TABLE]).items())),
        sides=tuple(map(tuple, rules.keys.teams.shape)) if partners else (),
    )


def _list_partners(event: Event, rules: Rules, pks: set[int]) -> list[tuple[int, int]]:
    if all(len(side) != 2 for side in rules.keys.teams.shape):
        return []
    members: dict[int, list[int]] = {}
    rows = EntrantMember.objects.filter(event=event, player__in=pks).exclude(
        entrant__kind=EntrantKind.PLAYER
    )
    for entrant, player in rows.order_by("pk").values_list("entrant_id", "player_id"):
        members.setdefault(entrant, []).append(player)
    return [(pair[0], pair[1]) for pair in members.values() if len(pair) == 2]


def plan_inputs(
    *,
    people: Sequence[PersonHere],
    rounds: int,
    first_round: int,
    sizes: Sequence[int],
    policy: str,
    constraints: EveningConstraints,
    history: Mapping[int, PlannedRound],
    standing: Mapping[int, int],
) -> JsonDict:
    """Return everything that a plan depends on besides its seed, with rows of players, no names.

    Args:
        people: who plays at least one of the rounds.
        first_round: the round of the evening that is the plan's first.
        standing: place of players in the event, 1 the best.
    """
    presence = []
    for person in people:
        first = max(1, person.first - first_round + 1)
        last = None if person.last is None else person.last - first_round + 1
        if first > 1 or (last is not None and last < rounds):
            presence.append([person.pk, first, last])
    # A tenth of a second finds a plan near the best one of a small evening.
    moves = 30_000 if len(people) * rounds <= SMALL else MOVES
    has_groups = bool(constraints.together) or len(constraints.fixed_tables) > 1
    return {
        "present": sorted(person.pk for person in people),
        "first_round": first_round,
        "policy": policy,
        "sizes": list(sizes),
        "presence": sorted(presence),
        "apart": [list(pair) for pair in constraints.apart],
        "together": [list(pair) for pair in constraints.together],
        "fixed_tables": [list(pair) for pair in constraints.fixed_tables],
        "sides": [list(side) for side in constraints.sides],
        "moves": moves // SLOWER if has_groups else moves,
        "history": digest_of_history(history),
        "standing": [[row.pk, standing[row.pk]] for row in people if row.pk in standing],
    }


def digest_of_history(history: Mapping[int, PlannedRound]) -> str:
    rows = [[planned.tables, planned.sitting_out] for planned in history.values()]
    return sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def seating_request(
    inputs: JsonObject,
    *,
    rounds: int,
    seed: int,
    history: Mapping[int, PlannedRound],
    movement: str,
) -> SeatingRequest:
    """Return the request for the planner.

    Of a knock-out the last round of the history is the one whose best go on, `after` in the inputs.
    """
    after = inputs.get("after")
    numbers = sorted(history, key=lambda number: number == after)
    return SeatingRequest(
        players=tuple(inputs["present"]),
        rounds=rounds,
        sizes=tuple(inputs["sizes"]),
        seed=seed,
        apart=tuple((player, other) for player, other in inputs["apart"]),
        together=tuple((player, other) for player, other in inputs["together"]),
        fixed_tables=dict(inputs["fixed_tables"]),
        sides=tuple(map(tuple, inputs["sides"])),
        history=tuple(history[number] for number in numbers),
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
"""Stages of the search in a slice, about a tenth of a second."""


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
    row.inputs["history"] = digest_of_history(history)  # a round may have been seated meanwhile
    request = seating_request(
        row.inputs, rounds=row.round_count, seed=row.seed, history=history, movement=row.movement
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
        columns = columns_of(planning.plan())
    except Refused as refused:
        problem = refused.problems[0]
        plan.update(problem={"code": problem.code, "facts": dict(problem.facts)})
        return
    plan.update(inputs=row.inputs, moves_done=F("moves"), **columns)


def columns_of(plan: FoundPlan) -> JsonDict:
    of_method = of_method_as_json(plan)
    rounds = [
        of_method | {"tables": [*map(list, planned.tables)], "sitting_out": [*planned.sitting_out]}
        for planned in plan.rounds
    ]
    for body, planned in zip(rounds, plan.rounds, strict=True):
        if planned.matches:
            body["matches"] = [
                {"units": [*match.units], "tables": [*match.tables]} for match in planned.matches
            ]
    figures = asdict(plan.figures) if plan.figures and plan.figures.variation else {}
    return {
        "rounds": rounds,
        "cost": {
            **asdict(plan.cost),
            "lower_bound": plan.lower_bound,
            "method": plan.method,
            **{name: figures[name] for name in FIGURES_OF_EVENT if name in figures},
            "uneven": [
                [player, size, reason]
                for size, players, reason in plan.uneven
                for player in players
            ],
        },
        "iterations": plan.iterations,
        "is_ready": True,
    }


def _lock_plan(plan: SeatingPlan) -> SeatingPlan:
    return plan_at(lock_event(plan.event), plan.public_id)


NOT_CHOSEN: Final = (
    *("unknown_plan", "state_not_allowed", "event_is_over", "meeting_is_cancelled", "plan_failed"),
    *("plan_not_ready", "plan_round_is_over", "plan_partners_changed", "plan_scores_changed"),
    *("plan_outdated", "plan_lacks_players"),
)
"""Error codes of the choice of a plan."""


@operation("manage_event", locks=_lock_plan, refuses=NOT_CHOSEN)
def choose_plan(op: Operation, plan: SeatingPlan, /, *, anyway: bool = False) -> SeatingPlan:
    """Choose a plan; the one that was chosen before is superseded."""
    event = plan.event
    if plan.state == PlanState.CHOSEN:  # of two directors at once the later one chooses
        return plan
    find_move(SEATING_PLAN, plan.state, PlanState.CHOSEN)
    require_running(event)
    meeting = meetings_of(event).get(pk=plan.meeting_id)
    _require_ready(plan, meeting)
    _require_current(EveningNow(meeting, [plan]).changes(plan), anyway=anyway)
    before = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    superseded = list(before.values_list("public_id", flat=True))
    before.update(state=PlanState.SUPERSEDED)
    plan.state, plan.chosen_at = PlanState.CHOSEN, op.now
    plan.save(update_fields=["state", "chosen_at"])
    facts = {"date": meeting.date.isoformat(), "plan": str(plan.public_id)}
    if superseded:
        facts["superseded"] = str(superseded[0])
    op.audit(event, facts)
    role = get_role(op.actor, event.club_id)
    op.changed(
        event,
        then=lambda version: note_change(
            event=event,
            version=version,
            kind=PLAN_KIND,
            by=role,
            now=op.now,
            facts={"date": facts["date"]},
        ),
    )
    return plan


@operation("manage_event", name="take_best_plan")
def take_best_so_far(op: Operation, plan: SeatingPlan, /) -> SeatingPlan:
    """Stop the computation of a plan, and keep the best one found so far."""
    waiting = SeatingPlan.objects.filter(pk=plan.pk, is_ready=False, stop_requested=False)
    if waiting.update(stop_requested=True):
        op.audit(plan.event, {"plan": str(plan.public_id)})
    plan.refresh_from_db()
    return plan


def _require_ready(plan: SeatingPlan, meeting: Meeting) -> None:
    require_held(meeting)
    if plan.problem:
        raise Conflict(Problem("plan_failed"))
    if not plan.is_ready:
        raise Conflict(Problem("plan_not_ready"))


def _require_current(changes: PlanChanges, *, anyway: bool) -> None:
    if changes.seated:
        raise Conflict(Problem("plan_round_is_over", (), {"found": changes.seated}))
    if changes.regrouped:
        facts = {"names": listed_names(changes.regrouped)}
        raise Conflict(Problem("plan_partners_changed", (), facts))
    if changes.rescored:
        raise Conflict(Problem("plan_scores_changed"))
    if changes.left:
        facts = {"left": listed_names(changes.left)}
        if changes.came:
            facts["came"] = listed_names(changes.came)
        raise Conflict(Problem("plan_outdated", (), facts))
    if changes.came and not anyway:
        raise Conflict(Problem("plan_lacks_players", (), {"came": listed_names(changes.came)}))
