"""Lists of players over REST: added all or none, taken off again, refused with their places."""

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.rest.requests import errors, refusal
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player

pytestmark = pytest.mark.django_db

ROSTERS = "/api/v1/clubs/riverside/rosters"


def add(client: Client, *names: object, **more: str) -> Answer:
    """Send people, each a name or a whole body."""
    people = [one if isinstance(one, dict) else {"name": one} for one in names]
    return post_json(client, ROSTERS, {"players": people}, **more)


def ids() -> list[str]:
    return list(Player.objects.order_by("pk").values_list("player_id", flat=True))


def test_list_is_added_at_once_and_says_what_became_of_each(cast: Cast) -> None:
    players(cast.riverside, "Elsa D.")
    dirk = cast.client("dirk")
    made = add(dirk, "Zoë Kay", {"name": "Tom Tal", "player_id": "T1"}, "elsa d.", "Zoë Kay")
    assert made.status_code == 201, made.content
    assert made["Location"] == "/api/v1/clubs/riverside/players"
    body = made.json()
    assert body["added"] == 2
    found = [(one["index"], one["outcome"], one["player_id"]) for one in body["players"]]
    assert found == [(0, "new", "P0001"), (1, "new", "T1"), (2, "there", ""), (3, "twice", "")]
    assert (body["players"][2]["like"], ids()) == ("Elsa D. (RL01)", ["RL01", "P0001", "T1"])
    assert AuditLine.objects.get(number=body["number"]).facts["players"] == ["P0001", "T1"]


def test_name_with_a_comma_is_one_name(cast: Cast) -> None:
    assert add(cast.client("dirk"), "Kay, Zoë").status_code == 201
    assert Player.objects.get().name == "Kay, Zoë"


def test_undo_takes_off_who_has_not_been_seated(cast: Cast) -> None:
    dirk = cast.client("dirk")
    number = add(dirk, "Ann", "Ben", "Cas", "Dee", "Eve").json()["number"]
    table(league(cast.riverside), list(Player.objects.order_by("pk")[:4]))
    undone = post_json(dirk, f"{ROSTERS}/{number}/undo", {})
    assert undone.status_code == 200
    assert undone.json() == {"removed": ["P0005"], "kept": ["P0001", "P0002", "P0003", "P0004"]}
    assert refusal(post_json(dirk, f"{ROSTERS}/{number}/undo", {})) == (409, ["already_undone"])
    assert post_json(dirk, f"{ROSTERS}/{number + 5}/undo", {}).status_code == 404


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
    assert errors(add(dirk, "Elsa D.")) == [("nobody_to_add", "/players")]
    many = add(dirk, *(f"Player {n}" for n in range(1001)))
    assert errors(many) == [("too_many_lines", "/players")]
    assert ids() == ["RL01"]
