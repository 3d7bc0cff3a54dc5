"""`POST C/players` and `PATCH C/players/{player_id}`; what of a player is for members only."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import codes
from tournaments.models.clubs import Player
from tournaments.services.clubs.clubs import edit_player
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


def test_director_adds_and_changes_a_player(cast: Cast) -> None:
    dirk = cast.client("dirk")
    made = dirk.post(PLAYERS, {"name": "Ann B."}, "application/json")
    assert (made.status_code, made["Location"]) == (201, f"{PLAYERS}/P0001")
    tag = made["ETag"]
    changed = patch(dirk, "P0001", tag, nickname="Zed", joined="2024-05-01", active=False)
    assert changed.status_code == 200
    assert changed.json() == {
        "player_id": "P0001", "name": "Ann B.", "joined": "2024-05-01", "nickname": "Zed",
        "shown_as": "", "active": False, "events": [],
    }  # fmt: skip
    assert patch(dirk, "P0001", tag, nickname="Other").status_code == 412
    assert codes(patch(dirk, "P0001", "", nickname="Other")) == ["if_match_needed"]
    assert codes(patch(dirk, "P0001", active="no", shown_as="all")) == ["bad_setting"]
    assert codes(patch(dirk, "P0001", shown_as="all")) == ["bad_names_policy"]
    assert patch(dirk, "P0001", changed["ETag"], player_id="RL77").json()["player_id"] == "RL77"


@pytest.mark.parametrize("number", ["..", "7/1", "7\t1", "7\x7f"])
def test_number_that_no_address_can_end_in_is_refused(cast: Cast, number: str) -> None:
    dirk = cast.client("dirk")
    sent = {"name": "Ann B.", "player_id": number}
    refused = dirk.post(PLAYERS, sent, "application/json")
    assert (refused.status_code, codes(refused)) == (422, ["player_id_not_usable"])
    assert dirk.post(PLAYERS, {"name": "Ann B."}, "application/json").status_code == 201
    changed = patch(dirk, "P0001", player_id=number)
    if number.isprintable():
        assert codes(changed) == ["player_id_not_usable"]
    else:  # as on the page, a tab or a control character in a changed detail is a blank
        assert changed.json()["player_id"] in ("7 1", "7")


def test_who_may_change_a_player(cast: Cast, people: list[Player]) -> None:
    for name in ("piet", "hanna"):
        assert patch(cast.client(name), "RL01", name="X").status_code == 403
        assert cast.client(name).post(PLAYERS, {"name": "Y"}, "application/json").status_code == 403
    link(people[0], cast.users["piet"])
    piet = cast.client("piet")
    assert patch(piet, "RL01", shown_as="nickname", nickname="Zed").json()["shown_as"] == "nickname"
    assert patch(piet, "RL01", name="X", shown_as="full").status_code == 403
    assert patch(piet, "RL02", shown_as="number").status_code == 403
    assert codes(patch(cast.client("olga"), "RL01", shown_as="full")) == ["shown_as_is_own"]


def test_players_are_searched_by_what_the_reader_knows(cast: Cast, people: list[Player]) -> None:
    edit_player(
        actor=TESTS, club=cast.riverside, player=people[0], changes={"nickname": "Foxy"}, now=NOW
    )

    def found(client: Client, text: str) -> list[str]:
        results = client.get(PLAYERS, {"q": text}).json()["results"]
        return [one["player_id"] for one in results]

    dirk = cast.client("dirk")
    assert [found(dirk, text) for text in ("k", "zoe", "xe sm", "rl04", "foxy", "mith")] == [
        ["RL02", "RL03"], ["RL02"], ["RL01"], ["RL04"], ["RL01"], [],
    ]  # fmt: skip
    assert (found(Client(), "zoe"), found(Client(), "foxy")) == (["RL02"], [])
    assert dirk.get(f"{PLAYERS}.csv", {"q": "zoe"}).content.decode().count("\n") == 2


def test_public_reads_less_of_a_player_than_members(cast: Cast, people: list[Player]) -> None:
    set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="initial", now=NOW)
    public = Client().get(f"{PLAYERS}/RL01")
    assert (public.json()["name"], public.json()["nickname"]) == ("Xenia S.", None)
    assert "ETag" not in public
    assert Client().get(PLAYERS).json()["results"][0]["name"] == "Xenia S."
    assert "Smit" not in Client().get(f"{PLAYERS}.csv").content.decode()
    member = cast.client("piet").get(PLAYERS).json()["results"][0]
    assert (member["name"], member["nickname"], member["active"]) == ("Xenia Smit", "", True)


def test_old_publication_has_todays_names_for_the_public_and_its_bytes_for_members(
    cast: Cast, people: list[Player]
) -> None:
    at = f"{LEAGUE}/publications/1"
    before = Client().get(at)
    set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="number", now=NOW)
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
