"""`POST E/rounds/{n}/redraw` with the scope `plan`: as the button "Use new plan"."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import hand, league, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.evenings import evening
from tests.support.rest.requests import refusal
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.selectors.rounds.round_seating import round_seating

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
REDRAW = f"{E}/rounds/1/redraw"


@pytest.fixture
def cast() -> Cast:
    cast = enter_the_cast()
    evening(league(cast.riverside), 8)
    return cast


def chosen(dirk: Client, seed: int) -> Json:
    wanted = {"rounds": 1, "sizes": [4], "seed": seed}
    plan: Json = post_json(dirk, f"{E}/meetings/2025-11-13/plans", wanted).json()["plans"][0]
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    return plan


def seats() -> list[list[str]]:
    """The players at each table of round 1, by id."""
    ids = dict(Player.objects.values_list("pk", "player_id"))
    tables = round_seating(Round.objects.get(number=1)).tables
    return [[ids[one] for one in table.players] for table in tables]


def test_draft_round_is_seated_by_the_plan_that_is_chosen_now(cast: Cast) -> None:
    dirk = cast.client("dirk")
    chosen(dirk, 1)
    assert post_json(dirk, f"{E}/rounds", {"date": "2025-11-13"}).status_code == 201
    second = chosen(dirk, 7)
    planned = [one["seats"] for one in second["rounds"][0]["tables"]]
    assert seats() != planned
    redrawn = post_json(dirk, REDRAW, {"scope": "plan"})
    assert redrawn.status_code == 200, redrawn.content
    assert seats() == planned
    assert AuditLine.objects.filter(act="redraw_round").get().facts["plan"] == second["id"]
    assert refusal(post_json(dirk, REDRAW, {"scope": "plan"})) == (409, ["plan_has_no_more_rounds"])


def test_round_with_a_hand_keeps_its_seats(cast: Cast) -> None:
    dirk = cast.client("dirk")
    chosen(dirk, 1)
    post_json(dirk, f"{E}/rounds", {"date": "2025-11-13"})
    post_json(dirk, f"{E}/rounds/1/state", {"to": "posted"})
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    wanted = {"movement": "individual", "rounds": 1, "sizes": [4], "seed": 7}
    made = post_json(dirk, f"{E}/meetings/2025-11-13/plans", wanted)
    post_json(dirk, f"{E}/plans/{made.json()['plans'][0]['id']}/choose", {})
    assert refusal(post_json(dirk, REDRAW, {"scope": "plan"})) == (409, ["table_has_hands"])


def test_round_without_an_evening_has_no_plan(cast: Cast) -> None:
    dirk = cast.client("dirk")
    ids = [one.player_id for one in players(cast.riverside, "Zoe Z.", "Yara Y.", "Wim W.")]
    tables = [{"seats": ids}]
    assert post_json(dirk, f"{E}/rounds", {"tables": tables}).status_code == 201
    assert refusal(post_json(dirk, REDRAW, {"scope": "plan"})) == (409, ["no_plan_chosen"])
    assert "unplayed, all, plan" in post_json(dirk, REDRAW, {"scope": "some"}).content.decode()
