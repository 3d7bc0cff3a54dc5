"""`GET /api/v1/me`: the account that asks, by session and by tokens of each scope."""

from datetime import date, time, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from tests.support.answers import Json, post_json, send_json
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import token
from tournaments.models.clubs import Membership
from tournaments.services.rounds.meetings import plan_meeting

ME = "/api/v1/me"


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """The cast; Piet is linked to a player on the page for it, and a host of Hilltop."""
    players(cast.riverside, "Cleo S.")
    Membership.objects.create(club=cast.hilltop, user=cast.users["piet"], role="host")
    member = Membership.objects.get(club=cast.riverside, user=cast.users["piet"])
    linked = post_json(
        cast.client("dirk"),
        "/api/v1/clubs/riverside/players/RL01/link",
        {"member": str(member.public_id)},
    )
    assert linked.status_code == 200
    return cast


def clubs(scopes: list[str] | None) -> list[Json]:
    return [
        {"slug": "hilltop", "role": "host", "player_id": None, "scopes": scopes},
        {"slug": "riverside", "role": "player", "player_id": "RL01", "scopes": scopes},
    ]


def test_session_reads_its_account_and_clubs(cast: Cast) -> None:
    user = cast.users["piet"]
    user.email, user.first_name, user.last_name = "piet@riverside.example", "Piet", "K."
    user.save()
    answer = cast.client("piet").get(ME)
    account = {"username": "piet", "email": "piet@riverside.example", "name": "Piet K."}
    assert answer.json() == {"account": account, "clubs": clubs(None), "evenings": []}
    assert "private" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("scope", "scopes"),
    [("read", ["read"]), ("enter", ["read", "enter"]), ("manage", ["read", "enter", "manage"])],
)
def test_token_of_each_scope_reads_itself(cast: Cast, scope: str, scopes: list[str]) -> None:
    everywhere = {"authorization": f"Bearer {token('piet', scope)}"}
    assert Client().get(ME, headers=everywhere).json()["clubs"] == clubs(scopes)
    here = {"authorization": f"Bearer {token('piet', scope, '--club', 'riverside')}"}
    assert Client().get(ME, headers=here).json()["clubs"] == clubs(scopes)[1:]


def test_next_evening_is_answered_as_on_the_page(clock: time_machine.Traveller, cast: Cast) -> None:
    event, day = league(cast.riverside), date(2025, 11, 13)
    for on in (day, day + timedelta(days=7)):
        plan_meeting(cast.operation("dirk"), event, day=on, at=time(19, 30), place="Hall")
    piet = cast.client("piet")
    shown: dict[str, Any] = {
        "club": "riverside", "event": "league", "date": "2025-11-13", "time": "19:30",
        "place": "Hall", "player_id": "RL01", "state": "", "from_round": None, "waiting": 0,
        "table": "",
        "may_answer": True, "may_check_in": False, "excused": None, "answered_late": None,
        "withdraw_until": None, "partners": [], "answered_by": None,
    }  # fmt: skip
    assert piet.get(ME).json()["evenings"] == [shown]
    assert "Will you come on Thursday 13 November 2025? League, 19:30, Hall, Riverside." in me_page(
        piet
    )
    own = f"/api/v1/clubs/riverside/events/league/meetings/{day}/attendance/RL01"
    for state, said in (("expected", "you come."), ("absent", "you do not come.")):
        assert send_json(piet, "PUT", own, {"state": state}).status_code == 200
        assert piet.get(ME).json()["evenings"] == [{**shown, "state": state}]
        assert f"Your answer: {said}" in me_page(piet)
    for who, scope in (("riverside", 1), ("hilltop", 0)):
        here = {"authorization": f"Bearer {token('piet', 'read', '--club', who)}"}
        assert len(Client().get(ME, headers=here).json()["evenings"]) == scope, who
    clock.move_to("2025-11-13 19:00:00+00:00")
    here = piet.get(ME).json()["evenings"][0]
    assert (here["may_check_in"], here["may_answer"]) == (True, True)


def me_page(client: Client) -> str:
    return text_of(client.get("/me"))
