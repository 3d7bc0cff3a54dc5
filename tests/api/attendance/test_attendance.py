"""Meetings and their attendance over REST."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.answers import send_json
from tests.support.builders import league, link, players
from tests.support.cast import Cast
from tests.support.rest.requests import refusal
from tournaments.models.rounds import Meeting

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
