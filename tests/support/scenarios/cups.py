"""A cup: knock-out rounds of a stage, planned, posted and played."""

from typing import Any

from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, finished, league
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, RoundState
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import change_stage

E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"


def cup(cast: Cast, head_count: int = 16, **fields: Any) -> tuple[Client, Event]:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    _meeting, people = evening(event, head_count)
    enter_players(event=event, players=people)
    first = {"movement": "knockout", "name": "Cup", **fields}
    change_stage(by_tests(), get_stage(event, 1), fields=first)
    return cast.client("dirk"), event


def planned(client: Client, **more: object) -> Json:
    response = post_json(client, PLANS, {"movement": "knockout", **more})
    assert response.status_code == 201, response.content
    plan: Json = response.json()["plans"][0]
    return plan


def draw(client: Client, plan: Json) -> Round:
    assert post_json(client, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    chosen = SeatingPlan.objects.select_related("event__club", "meeting", "club").get(
        public_id=plan["id"]
    )
    return make_round_of_plan(by_tests(), chosen)


def post(client: Client, plan: Json) -> Round:
    return move_round(by_tests(), draw(client, plan), to="posted")


def play(round_: Round) -> None:
    """Seat 2 wins each table, then seats 3, 1 and 4; tables that are over stay so."""
    for game in Game.objects.filter(table__round=round_).exclude(state="abandoned"):
        seats = game.table.seats.count()
        finished(game, (4, 1, 2, 6)[:seats] if seats == 4 else (6, 1, 6))
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    publish(round_.event_id, now=NOW)
