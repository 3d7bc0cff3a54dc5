"""Entrants, penalties and disputes over REST."""

import json

import pytest
from django.test import Client

from tests.support.answers import SignIn, codes, errors, post_json, refusal
from tests.support.builders import Cast, Evening, league, players
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Dispute

pytestmark = pytest.mark.django_db
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


def pair(client: Client, one: str, other: str, **more: str) -> dict[str, object]:
    sent = {"kind": "pair", "players": [one, other], **more}
    made = post_json(client, ENTRANTS, sent)
    assert made.status_code == 201, made.content
    return made.json()  # type: ignore[no-any-return]


def test_director_enters_pairs_and_teams(dirk: Client) -> None:
    assert pair(dirk, "RL02", "RL01", name="Aces") == {
        "player_id": "pair-1",
        "player": "Aces",
        "kind": "pair",
        "state": "active",
        "members": [{"player_id": "RL01", "player": "P1"}, {"player_id": "RL02", "player": "P2"}],
    }
    team = {"kind": "team", "players": ["RL03", "RL04", "RL05", "RL06"], "code": "reds"}
    made = post_json(dirk, ENTRANTS, team)
    assert (made.status_code, made.json()["player_id"]) == (201, "reds")
    assert made["Location"] == ENTRANTS
    assert [one["player_id"] for one in dirk.get(ENTRANTS).json()["results"]] == ["pair-1", "reds"]


def test_unknown_player_is_refused_at_its_place(dirk: Client) -> None:
    refused = post_json(dirk, ENTRANTS, {"kind": "pair", "players": ["RL03", "X"]})
    assert (refused.status_code, errors(refused)) == (422, [("unknown_player", "/players/1")])


def test_list_of_players_competes_all_or_none(dirk: Client, event: Event) -> None:
    pair(dirk, "RL01", "RL02", name="Aces")
    sent = {"players": ["RL04", "RL01", "RL03", "RL04"]}
    made = post_json(dirk, f"{E}/rosters", sent)
    assert (made.status_code, made.json()["added"]) == (201, 2)
    assert [one["player_id"] for one in made.json()["entrants"]] == ["RL04", "pair-1", "RL03"]
    assert made["Location"] == ENTRANTS
    again = post_json(dirk, f"{E}/rosters", sent)
    assert (again.status_code, again.json()["added"]) == (201, 0)
    assert Entrant.objects.count() == 3
    odd = post_json(dirk, f"{E}/rosters", {"players": ["RL05", "RL99"]})
    assert (odd.status_code, errors(odd)) == (422, [("unknown_player", "/players/1")])
    for few_or_many in ([], ["RL05"] * 1001):
        refused = post_json(dirk, f"{E}/rosters", {"players": few_or_many})
        assert (refused.status_code, errors(refused)) == (422, [("members_count", "/players")])
    assert Entrant.objects.count() == 3


def test_lines_name_pairs_and_teams_and_new_players_where_they_may(
    dirk: Client, event: Event
) -> None:
    lines = ["Kay & RL01", "Spades: RL02, Lee, RL03"]
    refused = post_json(dirk, f"{E}/rosters", {"lines": lines})
    assert (refused.status_code, errors(refused)) == (
        422, [("nobody_of_that_name", "/lines/0"), ("nobody_of_that_name", "/lines/1")],
    )  # fmt: skip
    assert not Entrant.objects.exists()
    made = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert (made.status_code, made.json()["added"]) == (201, 2)
    assert [(one["player_id"], len(one["members"])) for one in made.json()["entrants"]] == [
        ("pair-1", 2), ("team-1", 3),
    ]  # fmt: skip


def test_new_player_who_is_spelled_in_two_ways_is_one_person(dirk: Client, event: Event) -> None:
    lines = ["Zoë C.", "ZOË  c."]
    made = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert made.status_code == 201, made.json()
    assert [one["player"] for one in made.json()["entrants"]] == ["Zoë C."]


LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2.5", "reason": "Late by an hour."}
SAID = {"table": "r1t1", "hand": 1, "words": "East had 2."}


def test_line_is_given_read_and_withdrawn(evening: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    made = post_json(dirk, f"{evening.at}/ledger", LINE)
    assert (made.status_code, made["Location"]) == (201, f"{evening.at}/ledger")
    assert (made.json()["amount"], made.json()["value"]) == ("5/2", "5/2")
    bonus = post_json(dirk, f"{evening.at}/ledger", {**LINE, "kind": "bonus", "amount": 2})
    assert (bonus.json()["amount"], bonus.json()["value"]) == (2, -2)
    gone = post_json(dirk, f"{evening.at}/ledger/1/withdraw", {"reason": "The bus was late."})
    assert (gone.status_code, gone.json()["state"]) == (200, "withdrawn")
    table = Client().get(f"{evening.at}/ledger.csv").content.decode().splitlines()
    assert table[0].startswith("number,player_id,player,kind,amount,value,reason")
    assert table[1].startswith("1,RL02,Xenia S.,penalty,5/2,5/2,Late by an hour.,director,")


def test_dispute_is_opened_ruled_on_and_read(evening: Evening, signed_in: SignIn) -> None:
    made = post_json(signed_in("hanna"), f"{evening.at}/disputes", SAID)
    assert made.status_code == 201
    hand = f"{evening.at}/tables/r1t1/hands/1"
    read = Client().get(hand)
    assert (read.json()["disputes"], read.json()["state"]) == (1, "accepted")
    assert [
        one["disputes"] for one in Client().get(f"{evening.at}/tables/r1t1/hands").json()["results"]
    ] == [1, 0]
    revised = signed_in("dirk").put(
        hand,
        json.dumps({"entry": read.json()["entry"], "note": "As written.", "reason": "Looked."}),
        content_type="application/json",
        headers={"If-Match": '"1"'},
    )
    assert revised.json()["disputes"] == 1
    body = {"to": "upheld", "reason": "The sheet says so."}
    ruled = post_json(signed_in("dirk"), f"{evening.at}/disputes/1/rule", body)
    assert (ruled.status_code, ruled.json()["state"]) == (200, "upheld")
    assert Client().get(hand).json()["disputes"] == 0
    listed = Client().get(f"{evening.at}/disputes").json()["results"]
    assert [(one["number"], one["state"], one["ruled_by"]) for one in listed] == [
        (1, "upheld", "director")
    ]
    assert b"dirk" not in Client().get(f"{evening.at}/disputes.csv").content


def test_dispute_that_cannot_be_is_refused(evening: Evening, signed_in: SignIn) -> None:
    hanna = signed_in("hanna")
    for body, status, code in (
        ({**SAID, "hand": -1}, 422, "bad_hand_number"),
        ({**SAID, "hand": 9}, 404, "unknown_hand"),
        ({**SAID, "table": "r9t9"}, 404, "unknown_table"),
        ({**SAID, "words": " "}, 422, "reason_required"),
    ):
        answer = post_json(hanna, f"{evening.at}/disputes", body)
        assert (answer.status_code, codes(answer)) == (status, [code]), body
    assert post_json(signed_in("piet"), f"{evening.at}/disputes", SAID).status_code == 403
    assert not Dispute.objects.exists()


def test_dispute_that_is_not_there_is_not_withdrawn(evening: Evening, signed_in: SignIn) -> None:
    missing = post_json(signed_in("dirk"), f"{evening.at}/disputes/7/withdraw", {})
    assert refusal(missing) == (404, ["unknown_dispute"])
