"""A sheet entered a second time over REST, and hands with a wrong total."""

from typing import Any

import pytest
from django.test import Client

from api.schema_views import document
from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.pages.double_entry import require_double_entry
from tests.support.rest.call import documented
from tests.support.rest.requests import codes, errors, refusal
from tournaments.models.hands import Entry, Hand, Ruling, SecondTyping

SECOND = documented("enter_second").body
HANDS: list[Any] = SECOND["hands"]
TAKEN = [[], [], [], ["QS"]]
BODY = dict(documented("file_disputed").body)
RIGHT = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}


@pytest.fixture
def at(evening: Evening) -> str:
    require_double_entry(evening.event)
    return f"{evening.at}/tables/r1t1/double-entry"


def read(client: Client, at: str) -> Json:
    found: Json = client.get(at).json()
    return found


def states(answer: Answer) -> list[str]:
    return [hand["state"] for hand in answer.json()["hands"]]


def test_both_entries_are_compared_and_the_second_one_is_right(at: str, hanna: Client) -> None:
    before = hanna.get(at)
    assert (states(before), before.json()["complete"]) == (["once", "once"], False)
    answer = post_json(hanna, at, SECOND)
    assert (answer.status_code, states(answer)) == (200, ["same", "differs"])
    assert (answer.json()["complete"], answer.json()["open"]) == (True, 1)
    assert answer.json() == read(hanna, at)
    second = answer.json()["hands"][1]["second"]
    assert (second["entry"], second["entered_by"]) == (HANDS[1]["entry"], "hanna")
    decided = post_json(
        hanna, f"{at}/2", {"right": "second", "reason": "Read again."}, If_Match=answer["ETag"]
    )
    assert (decided.status_code, states(decided)) == (200, ["same", "settled"])
    hand = decided.json()["hands"][1]
    assert (hand["first"]["revision"], hand["first"]["entry"]) == (2, HANDS[1]["entry"])
    said = "Double entry: the second entry is right. Read again."
    assert (hand["decision"]["right"], hand["decision"]["reason"]) == ("second", said)
    assert Entry.objects.get(hand__number=2, revision=2).reason == said


def test_answers_say_until_when_the_address_stays(at: str, hanna: Client) -> None:
    for answer in (hanna.get(at), post_json(hanna, at, {})):
        assert answer["Deprecation"] == "@1795824000"
        assert answer["Sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
        assert answer["Link"] == '</api/v1/docs>; rel="deprecation"'
    said = document()["paths"]["/api/v1/clubs/{club}/events/{event}/tables/{code}/double-entry"]
    assert [each.get("deprecated") for each in said.values()] == [True, True]
    settings = document()["components"]["schemas"]["EventSettings"]["properties"]
    assert [name for name, each in settings.items() if "deprecated" in each] == ["double_entry"]


def test_second_entry_keeps_the_kitty_that_no_form_asks_for(at: str, hanna: Client) -> None:
    first = Entry.objects.get(hand__number=2)
    first.typed = {**first.typed, "kitty": ["2C"]}
    first.save(update_fields=["typed"])
    answer = post_json(hanna, at, SECOND)
    decision = {"right": "second", "reason": "Read again."}
    assert post_json(hanna, f"{at}/2", decision, If_Match=answer["ETag"]).status_code == 200
    assert Entry.objects.get(hand__number=2, revision=2).typed["kitty"] == ["2C"]


def test_first_entry_is_right(at: str, hanna: Client) -> None:
    post_json(hanna, at, SECOND)
    decided = post_json(hanna, f"{at}/2", {"right": "first"}, If_Match="*")
    assert (decided.status_code, decided.json()["open"]) == (200, 0)
    assert Entry.objects.filter(hand__number=2).count() == 1


def test_hand_that_only_one_sheet_has_differs(at: str, hanna: Client) -> None:
    third = {"number": 3, "entry": {"hearts": [4, 1, 2, 6], "taken": TAKEN}}
    answer = post_json(hanna, at, {"hands": [HANDS[0], third], "complete": True})
    found = {hand["number"]: hand for hand in answer.json()["hands"]}
    assert [found[n]["state"] for n in (1, 2, 3)] == ["same", "differs", "differs"]
    assert (found[2]["second"]["entry"], found[3]["first"]) == (None, None)
    decided = post_json(hanna, f"{at}/2", {"right": "second"}, If_Match="*")
    assert (decided.status_code, codes(decided)) == (422, ["hand_not_typed_again"])


def test_one_bad_hand_holds_all_and_is_pointed_at(at: str, hanna: Client) -> None:
    bad = {"number": 2, "entry": {"hearts": [4, 1, 2, 5], "taken": TAKEN}}
    answer = post_json(hanna, at, {"hands": [HANDS[0], bad]})
    assert (answer.status_code, errors(answer)) == (
        422,
        [("missing_cards", "/hands/1/entry/hearts")],
    )
    assert not SecondTyping.objects.exists()


@pytest.mark.parametrize(
    ("hands", "found"),
    [
        ([], ("bad_setting", "/hands")),
        ([7], ("bad_setting", "/hands/0")),
        ([HANDS[0], HANDS[0]], ("bad_hand_number", "/hands/1/number")),
        ([{**HANDS[0], "number": 1000}], ("bad_hand_number", "/hands/0/number")),
        ([{**HANDS[0], "entry": 5}], ("bad_entry", "/hands/0/entry")),
        ([{**HANDS[0], "board": 10**30}], ("board_not_expected", "/hands/0/board")),
        ([{**HANDS[0], "more": 5}], ("unknown_member", "/hands/0/more")),
    ],
    ids=str,
)
def test_no_sheet_is_refused(at: str, hanna: Client, hands: object, found: tuple[str, str]) -> None:
    answer = post_json(hanna, at, {"hands": hands})
    assert (answer.status_code, errors(answer)) == (422, [found])
    assert not SecondTyping.objects.exists()


def test_decision_is_based_on_what_was_read(at: str, hanna: Client) -> None:
    seen = post_json(hanna, at, SECOND)["ETag"]
    assert post_json(hanna, f"{at}/2", {"right": "first"}).status_code == 428
    fixed = {"number": 2, "entry": {"hearts": [0, 1, 12, 0], "taken": [["QS"], [], [], []]}}
    again = post_json(hanna, at, {"hands": [fixed]})
    assert again.json()["hands"][1]["second"]["entry"] == fixed["entry"]
    stale = post_json(hanna, f"{at}/2", {"right": "second"}, If_Match=seen)
    assert (stale.status_code, stale.json()["errors"][0]["code"]) == (412, "entry_outdated")
    assert stale.json()["there"] == again.json()
    assert not Ruling.objects.exists()


def test_refusals_point_at_the_member(at: str, hanna: Client) -> None:
    post_json(hanna, at, SECOND)
    answer = post_json(hanna, f"{at}/2", {"right": "third"}, If_Match="*")
    assert (answer.status_code, errors(answer)) == (422, [("bad_parameter", "/right")])
    assert post_json(hanna, f"{at}/9", {"right": "first"}, If_Match="*").status_code == 404
    # Hand 1 agrees, and saying so once more is harmless.
    assert post_json(hanna, f"{at}/1", {"right": "first"}, If_Match="*").status_code == 200


def test_who_entered_first_is_not_the_second(at: str, evening: Evening, hanna: Client) -> None:
    third = {"number": 3, "entry": {"hearts": [4, 1, 2, 6], "taken": TAKEN}}
    assert post_json(hanna, f"{evening.at}/tables/r1t1/hands", third).status_code == 201
    assert refusal(post_json(hanna, at, {"hands": [third]})) == (409, ["typed_by_you"])


def test_event_without_double_entry_takes_no_second_sheet(evening: Evening, hanna: Client) -> None:
    at = f"{evening.at}/tables/r1t1/double-entry"
    assert read(hanna, at)["required"] is False
    assert refusal(post_json(hanna, at, SECOND)) == (409, ["double_entry_off"])


@pytest.fixture
def table_path(evening: Evening) -> str:
    return f"{evening.at}/tables/r1t1"


def totals(client: Client, table_path: str) -> list[int]:
    found: Json = client.get(table_path).json()
    return [seat["total"] for seat in found["seats"]]


def test_filed_hand_does_not_count_until_it_is_resolved(table_path: str, dirk: Client) -> None:
    before = totals(dirk, table_path)
    filed = post_json(dirk, f"{table_path}/disputed-hands", BODY)
    assert (filed.status_code, filed.json()["state"], filed["ETag"]) == (201, "disputed", '"1"')
    assert (filed.json()["entry"], filed.json()["reason"]) == (BODY["entry"], BODY["reason"])
    assert filed.json() == dirk.get(filed["Location"]).json()
    assert totals(dirk, table_path) == before
    revised = send_json(
        dirk, "PUT", filed["Location"], {"entry": RIGHT, "reason": "Found."}, If_Match='"1"'
    )
    assert (revised.status_code, revised.json()["state"]) == (200, "accepted")
    assert totals(dirk, table_path) != before


def test_hand_that_adds_up_or_cannot_be_read_is_refused(table_path: str, dirk: Client) -> None:
    good = post_json(dirk, f"{table_path}/disputed-hands", {**BODY, "entry": RIGHT})
    assert (good.status_code, codes(good)) == (409, ["adds_up"])
    response = post_json(dirk, f"{table_path}/disputed-hands", {**BODY, "number": 2})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "hand_exists")
    assert response.json()["there"] == dirk.get(f"{table_path}/hands/2").json()
    odd = post_json(dirk, f"{table_path}/disputed-hands", {**BODY, "entry": {"hearts": [4, 1]}})
    assert odd.status_code == 422
    assert errors(odd)[0][1].startswith("/entry")
    no_reason = post_json(dirk, f"{table_path}/disputed-hands", {**BODY, "reason": " "})
    assert no_reason.status_code == 422
    assert Hand.objects.count() == 2
