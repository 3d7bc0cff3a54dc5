"""Hands that belong to another table, over REST; and the warning about a hand entered twice."""

import pytest
from django.test import Client

from tests.support.answers import Json, send_json
from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import Cast
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.standings import Change

pytestmark = pytest.mark.both_databases

EVENT = "/api/v1/clubs/riverside/events/league"
AT = f"{EVENT}/tables/r1t2/moved-hands"
MOVE = {"to": "r1t1", "reason": "Wrong link."}


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside, settings={"primary": "raw_total"})
    people = players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi")
    table(event, people[:4])
    second = table(event, people[4:8], table_number=2)
    hand(second, 1, [2, 6, 3, 2], queen=3)
    hand(second, 2, [5, 3, 4, 1], queen=1)
    return event


def test_hands_are_previewed_moved_and_moved_back(dirk: Client, event: Event) -> None:
    tag = dirk.get(AT)["ETag"]
    preview = send_json(dirk, "POST", f"{AT}/preview", MOVE, if_match=tag).json()
    assert [(each["table"], each["hands"]) for each in preview["tables"]] == [
        ("r1t2", {"deleted": [1, 2], "restored": [], "revised": [], "entered": []}),
        ("r1t1", {"deleted": [], "restored": [], "revised": [], "entered": [1, 2]}),
    ]
    assert not Hand.objects.filter(game__table__code="r1t1").exists()
    body = {**MOVE, "previewed": preview["digest"]}
    moved = send_json(dirk, "POST", AT, body, if_match=tag)
    assert moved.status_code == 200, moved.json()
    answer = moved.json()
    assert (answer["code"], answer["hands"]) == ("r1t2", [])
    (move,) = answer["moves"]
    assert move["hands"] == [
        {"from_table": "r1t2", "from_hand": 1, "to_table": "r1t1", "to_hand": 1},
        {"from_table": "r1t2", "from_hand": 2, "to_table": "r1t1", "to_hand": 2},
    ]
    undo = {"act": "undo", "change": move["id"], "reason": "It was right."}
    undone = send_json(dirk, "POST", AT, undo, if_match=moved["ETag"])
    assert undone.json()["hands"] == [1, 2]


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"reason": "So."}, "bad_move_of_hands", "/to"),
        (MOVE | {"act": "swap"}, "bad_move_of_hands", "/act"),
        (MOVE | {"from_hand": "1"}, "bad_move_of_hands", "/from_hand"),
        (MOVE | {"from_hand": 3}, "no_hands_to_move", "/from_hand"),
        (MOVE | {"to": "r1t2"}, "same_table", "/to"),
        ({"act": "undo", "reason": "So."}, "bad_move_of_hands", "/change"),
    ],
)
@pytest.mark.parametrize("address", ["", "/preview"])
def test_refusal_names_the_field(
    dirk: Client, event: Event, address: str, body: Json, code: str, pointer: str
) -> None:
    answer = send_json(dirk, "POST", f"{AT}{address}", body, if_match=dirk.get(AT)["ETag"])
    assert answer.status_code == 422, answer.json()
    (error,) = answer.json()["errors"]
    assert (error["code"], error["pointer"]) == (code, pointer)
    assert not Change.objects.exists()


def test_hand_that_is_the_same_as_the_one_before_is_stored_with_a_warning(
    dirk: Client, event: Event
) -> None:
    at = f"{EVENT}/tables/r1t2/hands"
    entered = send_json(dirk, "POST", at, {"number": 3, "entry": counts([5, 3, 4, 1], 1)})
    assert entered.status_code == 201
    expected = {
        "code": "hand_repeated",
        "hand": 2,
        "detail": "Hand 3 is the same as hand 2. Dealt twice?",
    }
    assert entered.json()["warnings"] == [expected]
    assert dirk.get(f"{at}/3").json()["warnings"] == [expected]
    assert dirk.get(f"{at}/1").json()["warnings"] == []


def test_caller_who_knows_no_newer_move_is_refused_and_told_where(
    dirk: Client, event: Event
) -> None:
    at = f"{EVENT}/tables/r1t2"
    known = dirk.get(at).json()["hand_moves"]
    assert known == 0
    send_json(dirk, "POST", AT, MOVE, if_match=dirk.get(AT)["ETag"])
    assert dirk.get(at).json()["hand_moves"] == 1
    body = {"number": 3, "entry": counts([1, 0, 12, 0], 1)}
    refused = send_json(dirk, "POST", f"{at}/hands", {**body, "known_moves": known})
    assert refused.status_code == 409
    assert refused.json()["code"] == "hands_moved"
    assert "between it and table 1 of round 1" in refused.json()["detail"]
    wrong = send_json(dirk, "POST", f"{at}/hands", {**body, "known_moves": -1})
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/known_moves")
    assert send_json(dirk, "POST", f"{at}/hands", {**body, "known_moves": 1}).status_code == 201


def test_moved_hand_says_where_it_went(dirk: Client, event: Event) -> None:
    send_json(dirk, "POST", AT, MOVE | {"from_hand": 2}, if_match=dirk.get(AT)["ETag"])
    at = f"{EVENT}/tables/r1t2/hands"
    hand_2 = dirk.get(f"{at}/2").json()
    assert (hand_2["state"], hand_2["moved_to"]) == ("void", {"table": "r1t1", "hand": 1})
    assert dirk.get(f"{at}/1").json()["moved_to"] is None
    rows = dirk.get(f"{EVENT}/hands").json()["results"]
    assert [(row["table"], row["number"], row["moved_to"]) for row in rows] == [
        ("r1t1", 1, None),
        ("r1t2", 1, None),
        ("r1t2", 2, {"table": "r1t1", "hand": 1}),
    ]
    dirk.get(AT)
    moved = dirk.get(AT).json()["moves"][0]
    undo = {"act": "undo", "change": moved["id"], "reason": "It was right."}
    send_json(dirk, "POST", AT, undo, if_match=dirk.get(AT)["ETag"])
    assert dirk.get(f"{at}/2").json()["moved_to"] is None
