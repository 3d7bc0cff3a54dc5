"""Tables over REST: seated, removed, restored, closed, abandoned; rounds and sit-outs."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Json, post_json
from tests.support.builders import hand, table
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, SitOut, Table

PEOPLE = ["RL01", "RL02", "RL03", "RL04"]
PAGE = "/clubs/riverside/events/league/tables/r2t1/seating"


@pytest.fixture
def second(evening: Evening, signed_in: SignIn) -> Evening:
    """A second round without tables, made over REST."""
    evening.cast.client("dirk")
    response = signed_in("dirk").post("/clubs/riverside/events/league/new-round", {"number": 2})
    assert response.status_code == 302
    return evening


def seats(body: Json) -> list[str]:
    return [seat["player_id"] for seat in body["seats"]]


def test_table_is_seated_reseated_and_removed(second: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    response = post_json(dirk, f"{second.at}/rounds/2/tables", {"seats": PEOPLE})
    assert (response.status_code, seats(response.json())) == (201, PEOPLE)
    assert response["Location"] == f"{second.at}/tables/r2t1"
    turned = post_json(dirk, f"{second.at}/tables/r2t1/seating", {"seats": PEOPLE[::-1]})
    assert (turned.status_code, seats(turned.json())) == (200, PEOPLE[::-1])
    gone = dirk.delete(f"{second.at}/tables/r2t1")
    assert (gone.status_code, gone.json()) == (200, {"code": "r2t1"})
    assert not Table.objects.filter(code="r2t1").exists()
    assert seats(post_json(dirk, f"{second.at}/tables/r2t1/restore", {}).json()) == PEOPLE[::-1]


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


def test_table_is_closed_opened_and_abandoned(evening: Evening, signed_in: SignIn) -> None:
    hanna, dirk, address = signed_in("hanna"), signed_in("dirk"), f"{evening.at}/tables/r1t1/state"
    closed = post_json(hanna, address, {"to": "complete"})
    assert (closed.status_code, closed.json()["state"]) == (200, "complete")
    lines = AuditLine.objects.count()
    again = post_json(hanna, address, {"to": "complete"})
    assert (again.status_code, again.json()["state"]) == (200, "complete")
    assert AuditLine.objects.count() == lines, "nothing has changed"
    final = post_json(hanna, address, {"to": "checked"})
    assert (final.status_code, codes(final)) == (409, ["state_not_allowed"])
    assert "Possible: checked (by checking the sheet)" in final.json()["detail"]
    assert post_json(hanna, address, {"to": "playing"}).json()["state"] == "playing"
    assert post_json(hanna, address, {"to": "abandoned", "reason": "Late."}).status_code == 403
    assert codes(post_json(dirk, address, {"to": "abandoned"})) == ["reason_required"]
    body = {"to": "abandoned", "reason": "Late.", "hands_count": False}
    assert post_json(dirk, address, body).json()["state"] == "abandoned"
    hands = dirk.get(f"{evening.at}/tables/r1t1/hands").json()["results"]
    assert {one["state"] for one in hands} == {"void"}


def test_sit_out_is_added_and_undone(second: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{second.at}/rounds/2/sit-outs"
    response = post_json(dirk, address, {"entrant": "RL01", "reason": "bye"})
    assert response.status_code == 201
    assert [out["player_id"] for out in response.json()["sit_outs"]] == ["RL01"]
    again = post_json(dirk, address, {"entrant": "RL01", "reason": "bye"})
    assert (again.status_code, codes(again)) == (409, ["sits_out_already"])
    odd = post_json(dirk, address, {"entrant": "RL77", "reason": "tired"})
    assert codes(odd) == ["unknown_entrant", "bad_sit_out_reason"]
    gone = dirk.delete(f"{address}/RL01")
    assert (gone.status_code, gone.json()) == (200, {"entrant": "RL01"})
    assert not SitOut.objects.exists()
    assert dirk.delete(f"{address}/RL01").status_code == 404


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


def test_answer_names_hands_a_completed_table_lacks(evening: Evening, signed_in: SignIn) -> None:
    hanna, address = signed_in("hanna"), f"{evening.at}/tables/r1t1"
    assert hanna.get(address).json()["missing_hands"] == []
    hand(Game.objects.get(table__code="r1t1"), 6, [4, 1, 2, 6], queen=3)
    closed = post_json(hanna, f"{address}/state", {"to": "complete"})
    missing = closed.json()["missing_hands"]
    assert (closed.status_code, missing[-1]) == (200, 5)
    post_json(hanna, f"{address}/state", {"to": "playing"})
    cards = post_json(hanna, f"{evening.at}/rounds/1/close-tables", {}).json()["tables"]
    assert next(each["missing_hands"] for each in cards if each["code"] == "r1t1") == missing
    assert hanna.get(f"{address}/sheet-check").json()["missing_hands"] == missing


def test_restored_table_plays_the_game_that_it_had(evening: Evening, signed_in: SignIn) -> None:
    table(evening.event, evening.people, round_number=2, variant="omnibus")
    dirk = signed_in("dirk")
    address = f"{evening.at}/tables/r2t1"
    game = dirk.get(address).json()["variant"]
    assert game != dirk.get(f"{evening.at}/tables/r1t1").json()["variant"]
    dirk.delete(address)
    assert post_json(dirk, f"{address}/restore", {}).json()["variant"] == game
