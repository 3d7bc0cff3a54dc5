"""A team gives up a match that is played at two tables: by page and by REST, at either table."""

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tests.support.evenings import evening
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Match, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
REST = f"/api/v1{EVENT}"


@pytest.fixture
def event(cast: Cast) -> Event:
    """Two teams of four whose match is posted at two tables."""
    settings = {"primary": "match_points", "tie_breaks": ["difference"]}
    event = league(cast.riverside, variant="partnership-hearts-pooled", settings=settings)
    _meeting, people = evening(event, 8)
    dirk = cast.client("dirk")
    for team in (people[:4], people[4:]):
        seats = {f"seat-{at}": one.player_id for at, one in enumerate(team, 1)}
        assert dirk.post(f"{EVENT}/new-entrant", {"kind": "team", **seats}).status_code == 302
    wanted = {"movement": "teams", "variation": "two_tables", "rounds": 1}
    response = post_json(dirk, f"{REST}/meetings/2025-11-13/plans", wanted)
    assert response.status_code == 201, response.content
    plan = response.json()["plans"][0]["id"]
    assert post_json(dirk, f"{REST}/plans/{plan}/choose", {}).status_code == 200
    chosen = SeatingPlan.objects.select_related("event__club", "meeting", "club").get()
    round_ = make_round_of_plan(by_tests(), chosen)
    move_round(by_tests(), round_, to="posted")
    return event


def result(client: Client) -> dict[str, int | None]:
    (match,) = client.get(f"{REST}/rounds/1").json()["matches"]
    return {team["player_id"]: team["match_points"] for team in match["teams"]}


def states() -> list[str]:
    games = Game.objects.order_by("table__number")
    return list(games.values_list("state", flat=True))


def test_team_forfeits_and_it_is_undone_elsewhere(event: Event, cast: Cast, dirk: Client) -> None:
    sent = {"walk_over": "record", "player_id": "team-1", "reason": "The car broke down."}
    done = dirk.post(f"{EVENT}/tables/r1t1/close", sent, follow=True)
    assert "The walk-over has been recorded." in text_of(done)
    assert result(dirk) == {"team-1": 0, "team-2": 2}
    assert states() == ["abandoned", "abandoned"]
    for path in ("rounds/1/direct", "meetings/2025-11-13/seating"):
        shown = text_of(dirk.get(f"{EVENT}/{path}", follow=True)).lower()
        assert shown.count("decided by walk-over") == 2
    words = " ".join(text_of(cast.client().get(f"{EVENT}/rounds/1")).split())
    assert "0 : 2" in words or "2 : 0" in words
    assert "does not play here." in text_of(dirk.get(f"{EVENT}/tables/r1t2/close"))
    undo = {"walk_over": "record", "undo": "team-1", "reason": "They came."}
    undone = dirk.post(f"{EVENT}/tables/r1t2/close", undo, follow=True)
    assert "The walk-over has been undone." in text_of(undone)
    assert result(dirk) == {"team-1": None, "team-2": None}
    assert states() == ["seated", "seated"]


def test_second_team_cannot_forfeit_the_match_at_the_other_table(event: Event, cast: Cast) -> None:
    dirk = cast.client("dirk")
    body = {"player_id": "team-2", "reason": "Ill."}
    done = post_json(dirk, f"{REST}/tables/r1t2/walk-overs", body)
    assert (done.status_code, done.json()["state"]) == (200, "abandoned")
    assert [over["player_id"] for over in done.json()["walk_overs"]] == ["team-2"]
    refused = post_json(dirk, f"{REST}/tables/r1t1/walk-overs", body | {"player_id": "team-1"})
    assert (refused.status_code, codes(refused)) == (409, ["nobody_goes_on"])
    assert WalkOver.objects.count() == 1
    assert result(dirk) == {"team-1": 2, "team-2": 0}
    assert Match.objects.filter(forfeited_by__code="team-2").count() == 1
    assert Round.objects.get().state == "playing"
