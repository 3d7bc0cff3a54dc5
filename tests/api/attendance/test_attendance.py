"""Meetings and their attendance over REST."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.answers import send_json
from tests.support.builders import by_tests, league, link, players
from tests.support.cast import Cast
from tests.support.rest.requests import refusal
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.services.rounds.meetings import plan_meeting

E = "/api/v1/clubs/riverside/events/league"


@pytest.fixture
def day(cast: Cast) -> str:
    players(league(cast.riverside).club, "Ada A.", "Bo B.")
    response = send_json(
        cast.client("dirk"),
        "POST",
        f"{E}/meetings",
        {"date": str(timezone.now().date()), "time": "19:30", "place": "Hall"},
    )
    assert response.status_code == 201, response.content
    return str(response.json()["date"])


def put(client: Client, day: str, player: str, **sent: Any) -> Any:
    return send_json(client, "PUT", f"{E}/meetings/{day}/attendance/{player}", sent)


def test_answer_is_the_row_afterwards_and_left_out_rounds_stay(cast: Cast, day: str) -> None:
    host = cast.client("hanna")
    here = put(host, day, "RL01", state="here", at="2025-11-06T19:12:40Z")
    assert here.json()["arrived_at"] == "2025-11-06T19:12:40Z"
    late = put(host, day, "RL02", state="late", from_round=2, leaves_after_round=4)
    assert (late.json()["from_round"], late.json()["leaves_after_round"]) == (2, 4)
    kept = put(host, day, "RL02", state="late", leaves_after_round=None)
    assert (kept.json()["from_round"], kept.json()["leaves_after_round"]) == (2, None)
    rows = host.get(f"{E}/meetings/{day}/attendance").json()["results"]
    assert [(row["player_id"], row["state"]) for row in rows] == [
        ("RL02", "late"),
        ("RL01", "here"),
    ]
    assert "RL02,Bo B.,late" in host.get(f"{E}/meetings/{day}/attendance.csv").content.decode()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"state": "late", "from_round": "two"}, "bad_attendance_round"),
        ({"state": "here", "at": "19:30"}, "bad_moment"),
        ({"state": "here", "at": "2025-11-06T19:12:40"}, "bad_moment"),
    ],
)
def test_wrong_statement_is_refused(cast: Cast, day: str, sent: dict[str, Any], code: str) -> None:
    assert refusal(put(cast.client("hanna"), day, "RL01", **sent)) == (422, [code])


def test_players_state_their_own_and_read_no_list(cast: Cast, day: str, piet: Client) -> None:
    link(players(cast.riverside, "Piet P.")[0], cast.users["piet"])
    assert put(piet, day, "RL03", state="expected").json()["state"] == "expected"
    assert put(piet, day, "RL01", state="absent").status_code == 403
    assert put(cast.client("hanna"), day, "RL99", state="here").status_code == 404
    assert put(cast.client("hanna"), "2025-99-01", "RL01", state="here").status_code == 404


def test_who_answers_beyond_the_places_waits(cast: Cast, day: str, piet: Client) -> None:
    link(players(cast.riverside, "Piet P.")[0], cast.users["piet"])
    host, at = cast.client("hanna"), f"{E}/meetings/{day}"
    tag = {"If-Match": "*"}
    assert Client().get(at).json()["capacity"] is None
    limited = send_json(cast.client("dirk"), "PATCH", at, {"capacity": 1}, **tag)
    assert limited.json()["capacity"] == 1
    assert put(host, day, "RL01", state="expected").json()["waiting"] == 0
    answer = put(piet, day, "RL03", state="expected").json()
    assert (answer["state"], answer["answer"], answer["waiting"]) == ("waiting", "waiting", 1)
    (own,) = piet.get("/api/v1/me").json()["evenings"]
    assert (own["state"], own["waiting"]) == ("waiting", 1)
    assert put(host, day, "RL02", state="waiting").json()["waiting"] == 2, "a host passes over"
    assert (
        send_json(cast.client("dirk"), "PATCH", at, {"capacity": None}, **tag).json()["capacity"]
        is None
    )
    states = [row["state"] for row in host.get(f"{at}/attendance").json()["results"]]
    assert states == ["expected"] * 3, "without a limit nobody waits"


def test_free_places_are_public_and_null_where_nobody_is_asked(cast: Cast, day: str) -> None:
    dirk, at = cast.client("dirk"), f"{E}/meetings/{day}"
    tag = {"If-Match": "*"}
    assert Client().get(at).json()["free_places"] is None, "without a limit"
    limited = send_json(dirk, "PATCH", at, {"capacity": 2}, **tag)
    assert limited.json()["free_places"] == 2
    for player, free in (("RL01", 1), ("RL02", 0)):
        put(dirk, day, player, state="expected")
        assert Client().get(at).json()["free_places"] == free
    (listed,) = Client().get(f"{E}/meetings").json()["results"]
    assert listed["free_places"] == 0
    put(dirk, day, "RL02", state="absent")
    assert Client().get(at).json()["free_places"] == 1
    past = timezone.now().date() - timedelta(days=2)
    moved = send_json(dirk, "PATCH", at, {"date": str(past)}, **tag)
    assert moved.json()["free_places"] is None
    gone = {"date": day, "state": "cancelled", "reason": "Flood."}
    cancelled = send_json(dirk, "PATCH", f"{E}/meetings/{past}", gone, **tag)
    assert cancelled.json()["free_places"] is None


def test_list_of_meetings_needs_as_many_queries_for_many(cast: Cast, day: str) -> None:
    event = Event.objects.get(slug="league")
    counts = []
    for n in (1, 5):
        for at in range(n):
            evening = date(2030 + n, 1, 1) + timedelta(days=at)
            plan_meeting(by_tests(), event, day=evening, capacity=4)
        with CaptureQueriesContext(connection) as queries:
            rows = Client().get(f"{E}/meetings").json()["results"]
        assert {row["free_places"] for row in rows} == {None, 4}
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("capacity", [-1, 1000, "ten", 1.5, True])
def test_number_of_places_is_refused(cast: Cast, day: str, capacity: object) -> None:
    at = f"{E}/meetings/{day}"
    wrong = send_json(cast.client("dirk"), "PATCH", at, {"capacity": capacity}, **{"If-Match": "*"})
    assert refusal(wrong) == (422, ["bad_capacity"])
    new = {"date": "2030-01-10", "capacity": capacity}
    assert refusal(send_json(cast.client("dirk"), "POST", f"{E}/meetings", new))[0] == 422


def test_meeting_is_changed_by_its_tag_cancelled_planned_and_removed(cast: Cast, day: str) -> None:
    dirk, at = cast.client("dirk"), f"{E}/meetings/{day}"
    read = Client().get(at)
    assert (read.json()["time"], read.json()["place"]) == ("19:30", "Hall")
    tag = {"If-Match": read["ETag"]}
    moved = send_json(dirk, "PATCH", at, {"place": "Barn", "time": None}, **tag)
    assert (moved.json()["time"], moved.json()["place"]) == (None, "Barn")
    stale = send_json(dirk, "PATCH", at, {"place": "Hall"}, **tag)
    assert stale.status_code == 412
    assert stale.json()["errors"][0]["code"] == "meeting_outdated"
    every = {"If-Match": "*"}
    gone = send_json(dirk, "PATCH", at, {"state": "cancelled", "reason": "Flood."}, **every)
    assert (gone.json()["state"], gone.json()["cancel_reason"]) == ("cancelled", "Flood.")
    back = send_json(dirk, "PATCH", at, {"state": "planned"}, **every)
    assert (back.json()["state"], back.json()["cancel_reason"]) == ("planned", "")
    assert send_json(dirk, "DELETE", at, {}, **every).status_code == 200
    assert not Meeting.objects.exists()
