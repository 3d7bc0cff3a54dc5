"""Players of a club over REST: added, one or many, and changed; what members alone read."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import errors
from tournaments.models.clubs import Player
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.publications import publish

PLAYERS = "/api/v1/clubs/riverside/players"
LEAGUE = "/api/v1/clubs/riverside/events/league"


def patch(client: Client, who: str, if_match: str = "*", **sent: Any) -> Answer:
    headers = {"If-Match": if_match} if if_match else {}
    return client.patch(f"{PLAYERS}/{who}", json.dumps(sent), "application/json", headers=headers)


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    found = players(cast.riverside, "Xenia Smit", "Zoë K.", "Leo K.", "Anton S.")
    event = league(cast.riverside)
    hand(table(event, found), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return found


def test_director_adds_and_changes_a_player(dirk: Client) -> None:
    response = dirk.post(PLAYERS, {"name": "Ann B."}, "application/json")
    assert (response.status_code, response["Location"]) == (201, f"{PLAYERS}/P0001")
    tag = response["ETag"]
    changed = patch(
        dirk, "P0001", tag, nickname="Zed", joined="2024-05-01", active=False, fills_in=True
    )
    assert changed.status_code == 200
    assert changed.json() == {
        "player_id": "P0001", "name": "Ann B.", "joined": "2024-05-01", "nickname": "Zed",
        "shown_as": "", "active": False, "fills_in": True, "events": [],
    }  # fmt: skip
    assert patch(dirk, "P0001", changed["ETag"], player_id="RL77").json()["player_id"] == "RL77"


def test_players_are_searched_by_what_the_reader_knows(cast: Cast, people: list[Player]) -> None:
    change_player(by_tests(), people[0], nickname="Foxy")

    def found(client: Client, text: str) -> list[str]:
        results = client.get(PLAYERS, {"q": text}).json()["results"]
        return [result["player_id"] for result in results]

    dirk = cast.client("dirk")
    assert [found(dirk, text) for text in ("k", "zoe", "xe sm", "rl04", "foxy", "mith")] == [
        ["RL02", "RL03"], ["RL02"], ["RL01"], ["RL04"], ["RL01"], [],
    ]  # fmt: skip
    assert (found(Client(), "zoe"), found(Client(), "foxy")) == (["RL02"], [])
    assert dirk.get(f"{PLAYERS}.csv", {"q": "zoe"}).content.decode().count("\n") == 2


def test_public_reads_less_of_a_player_than_members(cast: Cast, people: list[Player]) -> None:
    set_names_policy(cast.operation("olga"), cast.riverside, policy="initial")
    public = Client().get(f"{PLAYERS}/RL01")
    assert (public.json()["name"], public.json()["nickname"]) == ("Xenia S.", None)
    assert "ETag" not in public
    assert Client().get(PLAYERS).json()["results"][0]["name"] == "Xenia S."
    assert "Smit" not in Client().get(f"{PLAYERS}.csv").content.decode()
    member = cast.client("piet").get(PLAYERS).json()["results"][0]
    assert (member["name"], member["nickname"], member["active"]) == ("Xenia Smit", "", True)


def test_old_publication_has_todays_names_for_the_public(cast: Cast, people: list[Player]) -> None:
    at = f"{LEAGUE}/publications/1"
    before = Client().get(at)
    set_names_policy(cast.operation("olga"), cast.riverside, policy="number")
    held = {"If-None-Match": before["ETag"]}
    public = Client().get(at, headers=held)
    assert (public.status_code, public["Cache-Control"]) == (200, "private, no-cache")
    head = public.json()["publication"]
    assert (head["number"], head["redacted"]) == (1, True)
    assert head["digest"] != before.json()["publication"]["digest"]
    assert "Smit" not in public.content.decode() + str(public.headers)
    assert Client().get(at, headers={"If-None-Match": public["ETag"]}).status_code == 304
    assert "Smit" not in Client().get(f"{at}.csv").content.decode()
    assert "Smit" not in Client().get(f"{LEAGUE}/standings").content.decode()
    piet = cast.client("piet")
    assert piet.get(at).content == before.content
    assert piet.get(at, headers=held).status_code == 304
    publish(people[0].entries_in_events.get().event_id, now=NOW)
    newest = Client().get(f"{LEAGUE}/standings")
    assert "redacted" not in newest.json()["publication"]
    assert newest["Cache-Control"] == "no-cache"
    assert newest.json()["rows"][0]["player"] == "RL02"


ROSTERS = "/api/v1/clubs/riverside/rosters"


def add(client: Client, *names: object, **more: str) -> Answer:
    people = [name if isinstance(name, dict) else {"name": name} for name in names]
    return post_json(client, ROSTERS, {"players": people}, **more)


def ids() -> list[str]:
    return list(Player.objects.order_by("pk").values_list("player_id", flat=True))


def test_list_is_added_at_once_and_says_what_became_of_each(cast: Cast, dirk: Client) -> None:
    players(cast.riverside, "Elsa D.")
    made = add(dirk, "Kay, Zoë", {"name": "Tom Tal", "player_id": "T1"}, "elsa d.", "Kay, Zoë")
    assert made.status_code == 201, made.content
    assert made["Location"] == "/api/v1/clubs/riverside/players"
    body = made.json()
    assert body["added"] == 2
    found = [
        (player["index"], player["outcome"], player["player_id"]) for player in body["players"]
    ]
    assert found == [(0, "new", "P0001"), (1, "new", "T1"), (2, "there", ""), (3, "twice", "")]
    assert (body["players"][2]["like"], ids()) == ("Elsa D. (RL01)", ["RL01", "P0001", "T1"])
    undone = post_json(dirk, f"{ROSTERS}/{body['number']}/undo", {})
    assert undone.json() == {"removed": ["P0001", "T1"], "kept": [], "addresses": 0}


def test_lines_of_a_list_are_read_as_on_the_page(dirk: Client) -> None:
    lines = ["Tuesday?", "2) Tom T. 0170 1234567", "Kay, Zoë", "Tom T."]
    refused = post_json(dirk, ROSTERS, {"lines": lines})
    assert errors(refused) == [("one_or_several_people", "/lines/2")]
    body = post_json(dirk, ROSTERS, {"lines": lines, "as_written": ["Kay, Zoë"]}).json()
    outcomes = ["no_name", "new", "new", "twice"]
    assert [player["outcome"] for player in body["players"]] == outcomes
    assert body["players"][1]["left_out"] == [
        {"kind": "mark", "text": "2)"}, {"kind": "phone", "text": "0170 1234567"},
    ]  # fmt: skip
    namesake = {"name": "Tom T.", "joined": "2024-03-01", "is_namesake": True}
    assert add(dirk, namesake).json()["added"] == 1
    assert errors(post_json(dirk, ROSTERS, {"lines": ["A"], "players": [namesake]})) == [
        ("bad_setting", "/players")
    ]


def test_wrong_lines_are_refused_all_at_once_and_nothing_is_stored(cast: Cast) -> None:
    players(cast.riverside, "Elsa D.")
    dirk = cast.client("dirk")
    taken = add(dirk, "Ann", {"name": "Ben", "player_id": "RL01"}, "x" * 300)
    assert taken.status_code == 422
    assert errors(taken) == [
        ("player_id_of_another", "/players/1/player_id"),
        ("line_too_long", "/players/2/name"),
    ]
    assert errors(add(dirk, {"name": 1}, {"name": "Ben", "club": "x"})) == [
        ("bad_text", "/players/0/name"),
        ("unknown_member", "/players/1/club"),
    ]
    no_objects = post_json(dirk, ROSTERS, {"players": ["Ann", None, 7]})
    assert no_objects.status_code == 422
    assert errors(no_objects) == [("bad_setting", f"/players/{at}") for at in range(3)]
    assert errors(post_json(dirk, ROSTERS, {"players": []})) == [("bad_setting", "/players")]
    assert errors(post_json(dirk, ROSTERS, {})) == [("bad_setting", "/players")]
    many = add(dirk, *(f"Player {n}" for n in range(1001)))
    assert errors(many) == [("too_many_lines", "/players")]
    assert ids() == ["RL01"]
