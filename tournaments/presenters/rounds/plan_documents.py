"""Seating plans as REST gives them: players by their ids. For directors only."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.models.seating_plans import OPEN, PARTNERSHIPS, SeatingPlan
from tournaments.presenters.rounds.partnership_facts import odd_units_line
from tournaments.presenters.rounds.plan_cards import PlanEnds
from tournaments.presenters.rounds.swiss_facts import swiss_documents
from tournaments.presenters.rounds.swiss_meetings import UnitNames, unit_names
from tournaments.presenters.rounds.uneven_shares import uneven_shares_of
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.seating_plans.outdated import EveningNow, evening_now
from tournaments.selectors.seating_plans.people_here import planned_players
from tournaments.selectors.seating_plans.plans import players_named, rounds_of_plan
from tournaments.services.seating_plans.named_problems import named_problems

COMPUTING, READY, FAILED = "computing", "ready", "failed"


def plan_documents(
    event: Event, plans: Sequence[SeatingPlan], *, now: datetime
) -> tuple[JsonDict, ...]:
    """Return plans of one meeting with all that their page shows; a constant number of queries."""
    if not plans:
        return ()
    meeting = plans[0].meeting
    meeting.event = event
    players = planned_players(event, players_named(plans))
    ids = {pk: one.player_id for pk, one in players.items()}
    names = {pk: one.name for pk, one in players.items()}
    shown = unit_names(event, plans, names, FULL_NAME)
    evening, ends = evening_now(meeting, plans), PlanEnds(event, meeting, now)
    return tuple(_document(event, plan, ids, shown, evening, ends) for plan in plans)


def _document(
    event: Event,
    plan: SeatingPlan,
    ids: Mapping[int, str],
    names: UnitNames,
    evening: EveningNow,
    ends: PlanEnds,
) -> JsonDict:
    rounds = rounds_of_plan(plan)
    changes = evening.changes(plan, names.players)
    rounds_count = 0 if plan.movement == OPEN else plan.round_count
    problem = None
    if plan.problem:
        stored = Problem(plan.problem["code"], (), plan.problem["facts"])
        (named,) = named_problems(event.club, [stored])
        problem = {"code": named.code, "facts": dict(named.facts), "message": sentence(named)}
    return {
        "id": str(plan.public_id),
        "date": plan.meeting.date.isoformat(),
        "state": plan.state,
        "status": READY if plan.is_ready else FAILED if problem else COMPUTING,
        "movement": plan.movement,
        "variation": plan.inputs.get("variation", ""),
        "policy": plan.inputs["policy"],
        "sizes": plan.inputs["sizes"],
        "seed": plan.seed,
        "iterations": plan.iterations,
        "round_count": rounds_count,
        "first_round": plan.inputs["first_round"],
        "players": [ids.get(one, "") for one in plan.inputs["present"]],
        "rounds": [
            {
                "number": one.of_evening,
                "tables": [
                    {"number": number, "seats": [ids.get(player, "") for player in table]}
                    for number, table in enumerate(one.tables, 1)
                ],
                "sitting_out": [ids.get(player, "") for player in one.sitting_out],
                **swiss_documents(plan, one, ids, names),
            }
            for one in rounds
        ],
        "cost": {"opponent_excess": None, "unmet": None, **plan.cost} if plan.cost else None,
        "uneven": [
            share | {"players": [ids.get(player, "") for player in share["players"]]}
            for share in uneven_shares_of(plan, names.players)
        ],
        "minutes_a_round": ends.minutes,
        "ends_at": ends.at(rounds_count) if rounds_count else None,
        "progress": {"done": plan.moves_done, "of": plan.moves},
        "problem": problem,
        "advice": odd_units_line(plan) if plan.movement in PARTNERSHIPS else "",
        "left": list(changes.left),
        "came": list(changes.came),
        "created_at": plan.created_at,
        "chosen_at": plan.chosen_at,
    }
