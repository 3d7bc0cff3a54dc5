"""Tables over REST: seated, removed, restored, closed, abandoned; rounds and sit-outs."""

import pytest
from django.test import Client

from tests.support.answers import Json, SignIn, codes, errors, post_json, refusal
from tests.support.builders import Evening, hand, table
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Table

PEOPLE = ["RL01", "RL02", "RL03", "RL04"]
PAGE = "/clubs/riverside/events/league/tables/r2t1/seating"


@pytest.fixture
def second(evening: Evening, signed_in: SignIn) -> Evening:
    """A second round without tables, made over REST."""
    evening.cast.client("dirk")
    made = signed_in("dirk").post("/clubs/riverside/events/league/new-round", {"number": 2})
    assert made.status_code == 302
    return evening


def seats(body: Json) -> list[str]:
    return [one["player_id"] for one in body["seats"]]


def test_odd_seatings_are_refused(second: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{second.at}/rounds/2/tables"
    unknown = post_json(dirk, address, {"seats": ["RL01", "RL02", "RL98", "RL99"]})
    assert errors(unknown) == [("unknown_player", "/seats/2"), ("unknown_player", "/seats/3")]
    assert codes(post_json(dirk, address, {"seats": ["RL01"]})) == ["seat_count"]
    twice = post_json(dirk, address, {"seats": [*PEOPLE[:3], "RL01"]})
    assert codes(twice) == ["same_player_twice"]
    post_json(dirk, address, {"seats": PEOPLE})
    assert refusal(post_json(dirk, address, {"seats": PEOPLE})) == (409, ["player_already_seated"])
    assert refusal(dirk.delete(f"{second.at}/tables/r1t1")) == (409, ["table_has_hands"])


@pytest.fixture
def removed(evening: Evening, signed_in: SignIn) -> Evening:
    """Table 1 of round 2 was seated and removed on its page."""
    table(evening.event, evening.people, round_number=2)
    assert signed_in("dirk").post(PAGE, {"clear": "yes"}).status_code == 302
    return evening


def listed(evening: Evening, client: Client) -> list[Json]:
    return list(client.get(f"{evening.at}/rounds/2").json()["removed_tables"])


def test_directors_find_and_restore_it_once(removed: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{removed.at}/tables/r2t1/restore"
    assert listed(removed, dirk) == [{"code": "r2t1", "number": 1, "players": PEOPLE}]
    assert listed(removed, signed_in("hanna")) == listed(removed, removed.cast.client()) == []
    first = post_json(dirk, address, {}, Idempotency_Key="one")
    again = post_json(dirk, address, {}, Idempotency_Key="one")
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert [seat["player_id"] for seat in first.json()["seats"]] == PEOPLE
    assert first.json() == dirk.get(f"{removed.at}/tables/r2t1").json()
    assert listed(removed, dirk) == []
    assert AuditLine.objects.filter(act="restore_table").count() == 1
    assert refusal(post_json(dirk, address, {})) == (409, ["table_exists"])


def test_people_who_play_elsewhere_are_named(removed: Evening, signed_in: SignIn) -> None:
    table(removed.event, removed.people, round_number=2, table_number=2)
    refused = post_json(signed_in("dirk"), f"{removed.at}/tables/r2t1/restore", {})
    assert (refused.status_code, codes(refused)) == (409, ["player_already_seated"])
    assert "Elsa D." in refused.json()["detail"]
    assert not Table.objects.filter(code="r2t1").exists()


def test_table_of_a_round_that_is_gone_stays_away(removed: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    for pressed in ({"to": "draft"}, {"remove": "yes"}):
        dirk.post("/clubs/riverside/events/league/rounds/2/direct", pressed)
    assert not Round.objects.filter(number=2).exists()
    for code in ("r2t1", "r7t7", "x"):
        refused = post_json(dirk, f"{removed.at}/tables/{code}/restore", {})
        assert (refused.status_code, codes(refused)) == (404, ["unknown_table"])
    odd = post_json(dirk, f"{removed.at}/tables/r2t1/restore", {"line": 3})
    assert (odd.status_code, codes(odd)) == (422, ["unknown_member"])


def test_answer_names_the_hands_that_a_completed_table_lacks(
    evening: Evening, signed_in: SignIn
) -> None:
    hanna, address = signed_in("hanna"), f"{evening.at}/tables/r1t1"
    assert hanna.get(address).json()["missing_hands"] == []
    hand(Game.objects.get(table__code="r1t1"), 6, [4, 1, 2, 6], queen=3)
    closed = post_json(hanna, f"{address}/state", {"to": "complete"})
    missing = closed.json()["missing_hands"]
    assert (closed.status_code, missing[-1]) == (200, 5)
    post_json(hanna, f"{address}/state", {"to": "playing"})
    cards = post_json(hanna, f"{evening.at}/rounds/1/close-tables", {}).json()["tables"]
    assert next(each["missing_hands"] for each in cards if each["code"] == "r1t1") == missing
    sheet = hanna.get(f"{address}/sheet-check").json()
    assert sheet["missing_hands"] == missing
