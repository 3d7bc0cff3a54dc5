"""Entrants over REST: pairs and teams are entered, changed and withdrawn by directors."""

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.rest.requests import errors
from tournaments.models.events import Entrant, Event

E = "/api/v1/clubs/riverside/events/league"
ENTRANTS = f"{E}/entrants"


@pytest.fixture
def event(cast: Cast) -> Event:
    made = league(cast.riverside, variant="partnership-hearts-pooled")
    players(cast.riverside, *(f"P{number}" for number in range(1, 9)))
    return made


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def change(client: Client, code: str, sent: object) -> Answer:
    return client.patch(f"{ENTRANTS}/{code}", sent, content_type="application/json")


def pair(client: Client, one: str, other: str, **more: str) -> dict[str, object]:
    sent = {"kind": "pair", "players": [one, other], **more}
    response = post_json(client, ENTRANTS, sent)
    assert response.status_code == 201, response.content
    return response.json()  # type: ignore[no-any-return]


def test_director_enters_pairs_and_teams(dirk: Client) -> None:
    assert pair(dirk, "RL02", "RL01", name="Aces") == {
        "player_id": "pair-1",
        "player": "Aces",
        "kind": "pair",
        "state": "active",
        "guest": False,
        "visits": None,
        "members": [{"player_id": "RL01", "player": "P1"}, {"player_id": "RL02", "player": "P2"}],
    }
    team = {"kind": "team", "players": ["RL03", "RL04", "RL05", "RL06"], "code": "reds"}
    response = post_json(dirk, ENTRANTS, team)
    assert (response.status_code, response.json()["player_id"]) == (201, "reds")
    assert response["Location"] == ENTRANTS
    assert [result["player_id"] for result in dirk.get(ENTRANTS).json()["results"]] == [
        "pair-1",
        "reds",
    ]


def test_unknown_player_is_refused_at_its_place(dirk: Client) -> None:
    refused = post_json(dirk, ENTRANTS, {"kind": "pair", "players": ["RL03", "X"]})
    assert (refused.status_code, errors(refused)) == (422, [("unknown_player", "/players/1")])


def test_pair_is_renamed_gets_another_player_and_is_withdrawn(dirk: Client) -> None:
    pair(dirk, "RL01", "RL02")
    assert change(dirk, "pair-1", {"name": "Aces"}).json()["player"] == "Aces"
    changed = change(dirk, "pair-1", {"players": ["RL01", "RL03"]})
    assert [member["player_id"] for member in changed.json()["members"]] == ["RL01", "RL03"]
    assert changed.json()["player"] == "Aces", "the name stays"
    gone = {"to": "withdrawn", "reason": "Moved away."}
    assert post_json(dirk, f"{ENTRANTS}/pair-1/state", gone).json()["state"] == "withdrawn"


def test_list_of_players_competes_all_or_none(dirk: Client, event: Event) -> None:
    pair(dirk, "RL01", "RL02", name="Aces")
    sent = {"players": ["RL04", "RL01", "RL03", "RL04"]}
    response = post_json(dirk, f"{E}/rosters", sent)
    assert (response.status_code, response.json()["added"]) == (201, 2)
    assert [entrant["player_id"] for entrant in response.json()["entrants"]] == [
        "RL04",
        "pair-1",
        "RL03",
    ]
    assert response["Location"] == ENTRANTS
    again = post_json(dirk, f"{E}/rosters", sent)
    assert (again.status_code, again.json()["added"]) == (201, 0)
    assert Entrant.objects.count() == 3
    odd = post_json(dirk, f"{E}/rosters", {"players": ["RL05", "RL99"]})
    assert (odd.status_code, errors(odd)) == (422, [("unknown_player", "/players/1")])
    for few_or_many in ([], ["RL05"] * 1001):
        refused = post_json(dirk, f"{E}/rosters", {"players": few_or_many})
        assert (refused.status_code, errors(refused)) == (422, [("members_count", "/players")])
    assert Entrant.objects.count() == 3


def test_lines_name_pairs_teams_and_new_players_where_they_may(dirk: Client, event: Event) -> None:
    lines = ["Kay & RL01", "Spades: RL02, Lee, RL03"]
    refused = post_json(dirk, f"{E}/rosters", {"lines": lines})
    assert (refused.status_code, errors(refused)) == (
        422, [("nobody_of_that_name", "/lines/0"), ("nobody_of_that_name", "/lines/1")],
    )  # fmt: skip
    assert not Entrant.objects.exists()
    response = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert (response.status_code, response.json()["added"]) == (201, 2)
    assert [(row["player_id"], len(row["members"])) for row in response.json()["entrants"]] == [
        ("pair-1", 2), ("team-1", 3),
    ]  # fmt: skip


def test_new_player_who_is_spelled_in_two_ways_is_one_person(dirk: Client, event: Event) -> None:
    lines = ["Zoë C.", "ZOË  c."]
    response = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert response.status_code == 201, response.json()
    assert [entrant["player"] for entrant in response.json()["entrants"]] == ["Zoë C."]


def test_guest_is_entered_and_becomes_a_member_with_a_reason(dirk: Client) -> None:
    sent = {"kind": "pair", "players": ["RL01", "RL02"], "guest": True}
    assert post_json(dirk, ENTRANTS, sent).json()["guest"] is True
    address = f"{ENTRANTS}/pair-1"
    preview = post_json(dirk, f"{address}/guest-preview", {"guest": False})
    assert (preview.status_code, preview.json()["n_changed"]) == (200, 0)
    refused = post_json(dirk, f"{address}/guest", {"guest": False, "reason": " "})
    assert (refused.status_code, errors(refused)) == (422, [("reason_required", "/reason")])
    assert Entrant.objects.get(code="pair-1").guest
    admitted = post_json(dirk, f"{address}/guest", {"guest": False, "reason": "Three visits."})
    assert (admitted.status_code, admitted.json()["guest"]) == (200, False)
    listed = {"players": ["RL03"], "guests": True}
    added = post_json(dirk, f"{E}/rosters", listed)
    assert [row["guest"] for row in added.json()["entrants"]] == [True]
