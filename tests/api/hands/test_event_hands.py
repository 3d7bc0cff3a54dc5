"""All hands of an event: what each says, their order, their filters, and what they cost."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api import lists
from tests.api.conftest import Evening
from tests.support.answers import post_json, send_json
from tests.support.builders import by_tests, hand, players, table
from tests.support.cast import Cast
from tests.support.lengths import short_or_long
from tests.support.rest.requests import SignIn
from tests.support.scenarios.random_events import people_of, small_event
from tests.support.scenarios.table_links import linked
from tournaments.models.hands import Hand
from tournaments.selectors.db import statements
from tournaments.services.clubs.names import set_names_policy

pytestmark = pytest.mark.both_databases

OF_THE_TABLE = ("game", "event_version", "warnings")
"""What only the address of one hand has."""


def rows(client: Client, address: str) -> list[dict[str, Any]]:
    """The rows of one page."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def places(client: Client, address: str) -> list[tuple[int, str, int]]:
    return [(row["round"], row["table"], row["number"]) for row in rows(client, address)]


def by_table(client: Client, at: str) -> list[dict[str, Any]]:
    """The hands that each table has, asked for table by table, in the shape of all hands."""
    found = []
    for one in rows(client, f"{at}/rounds"):
        number = one["number"]
        for seated in client.get(f"{at}/rounds/{number}").json()["tables"]:
            for row in rows(client, f"{at}/tables/{seated['code']}/hands"):
                for name in OF_THE_TABLE:
                    del row[name]
                found.append({"round": number, **row})
    return found


@pytest.fixture
def three_tables(evening: Evening) -> Evening:
    """Table 1 of round 1 with two hands, tables 10 and 2 of it and table 1 of round 2 with one."""
    others = players(evening.cast.riverside, *(f"Player {number}" for number in range(8)))
    for round_number, number, seated in (
        (1, 10, others[:4]), (1, 2, others[4:]), (2, 1, evening.people),
    ):  # fmt: skip
        game = table(evening.event, seated, round_number=round_number, table_number=number)
        hand(game, 1, [4, 1, 2, 6], 3)
    return evening


def test_every_hand_has_its_round_in_order_of_sheets(client: Client, three_tables: Evening) -> None:
    at = three_tables.at
    assert places(client, f"{at}/hands") == [
        (1, "r1t1", 1), (1, "r1t1", 2), (1, "r1t2", 1), (1, "r1t10", 1), (2, "r2t1", 1),
    ]  # fmt: skip
    first = rows(client, f"{at}/hands")[0]
    assert list(first) == [
        "round", "table", "number", "board", "revision", "state", "verified", "variant", "entry",
        "seats", "moon", "disputes", "entered_by", "entered_at", "reason", "moved_to",
    ]  # fmt: skip
    alone = client.get(f"{at}/tables/r1t1/hands/1").json()
    for name in OF_THE_TABLE:
        del alone[name]
    assert first == {"round": 1, **alone}


@pytest.mark.parametrize("seed", range(short_or_long(1, 20)))
@pytest.mark.parametrize("policy", ["full", "number"])
def test_hands_say_what_their_tables_say(cast: Cast, seed: int, policy: str) -> None:
    made = small_event(cast, people_of(cast), seed)
    set_names_policy(by_tests(), cast.riverside, policy=policy)
    at = f"/api/v1{made.base}"
    for client in (Client(), cast.client("piet")):
        there = by_table(client, at)
        assert len(there) == sum(map(len, made.codes.values()))
        assert rows(client, f"{at}/hands?limit=200") == there


def test_deleted_hand_has_its_reason_and_no_scores(
    client: Client, three_tables: Evening, signed_in: SignIn
) -> None:
    at, dirk = three_tables.at, signed_in("dirk")
    other = post_json(dirk, f"{at}/tables/r1t10/hands/1/void", {"reason": "Another evening."})
    for operation, reason in (("void", "Misread."), ("restore", "No."), ("void", "Entered twice.")):
        gone = post_json(dirk, f"{at}/tables/r1t1/hands/2/{operation}", {"reason": reason})
        assert (other.status_code, gone.status_code) == (200, 200)
    found = rows(client, f"{at}/hands?state=void")
    assert [(row["table"], row["number"], row["reason"]) for row in found] == [
        ("r1t1", 2, "Entered twice."),
        ("r1t10", 1, "Another evening."),
    ]
    assert [seat["score"] for seat in found[0]["seats"]] == [None] * 4
    assert by_table(client, at) == rows(client, f"{at}/hands")
    assert len(rows(client, f"{at}/hands?state=accepted")) == 3


def test_hand_that_counts_nowhere_shows_the_newest(client: Client, three_tables: Evening) -> None:
    hand(three_tables.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    Hand.objects.filter(game=three_tables.game, number=2).update(state="disputed", entry=None)
    (shown,) = rows(client, f"{three_tables.at}/hands?state=disputed")
    assert (shown["reason"], shown["seats"][0]["score"]) == ("Misread.", None)
    assert by_table(client, three_tables.at) == rows(client, f"{three_tables.at}/hands")


def test_filters_leave_the_hands_that_they_name(client: Client, three_tables: Evening) -> None:
    at = f"{three_tables.at}/hands"
    assert places(client, f"{at}?round=2") == [(2, "r2t1", 1)]
    assert places(client, f"{at}?table=r1t10") == [(1, "r1t10", 1)]
    assert places(client, f"{at}?round=1&player=RL01") == [(1, "r1t1", 1), (1, "r1t1", 2)]
    assert places(client, f"{at}?player=RL01&limit=2") == [(1, "r1t1", 1), (1, "r1t1", 2)]
    assert places(client, f"{at}?player=RL05") == [(1, "r1t10", 1)]
    for query in ("round=3", "table=r9t9", "player=XX99", "state=disputed", "player=rl01"):
        assert places(client, f"{at}?{query}") == [], query


@pytest.mark.parametrize(
    ("query", "code", "parameter"),
    [
        ("round=one", "bad_parameter", "round"),
        ("round=0", "bad_parameter", "round"),
        ("round=", "bad_parameter", "round"),
        ("round=2147483648000", "bad_parameter", "round"),
        ("state=deleted", "bad_parameter", "state"),
        ("since=3", "unknown_parameter", "since"),
    ],
)
def test_filter_that_means_nothing_is_refused(
    client: Client, evening: Evening, query: str, code: str, parameter: str
) -> None:
    refused = client.get(f"{evening.at}/hands?{query}")
    assert refused.status_code == 400
    error = refused.json()["errors"][0]
    assert (error["code"], error["facts"]["parameter"]) == (code, parameter)


def test_hands_of_a_player_are_those_they_had_a_seat_at(
    client: Client, three_tables: Evening, signed_in: SignIn
) -> None:
    at, dirk = three_tables.at, signed_in("dirk")
    seats = dirk.get(f"{at}/tables/r1t1/seats")
    (late,) = players(three_tables.cast.riverside, "Late L.")
    body = {
        "act": "substitute", "seat": 2, "player_id": late.player_id, "from_hand": 2,
        "reason": "Xenia went home.",
    }  # fmt: skip
    response = send_json(dirk, "POST", f"{at}/tables/r1t1/seats", body, If_Match=seats["ETag"])
    assert response.status_code == 200, response.content[:300]
    assert places(client, f"{at}/hands?round=1&player={late.player_id}") == [(1, "r1t1", 2)]
    assert places(client, f"{at}/hands?round=1&player=RL02") == [(1, "r1t1", 1)]
    assert by_table(client, at) == rows(client, f"{at}/hands")


def test_totals_are_the_last_players(client: Client, evening: Evening, signed_in: SignIn) -> None:
    at, dirk = evening.at, signed_in("dirk")
    others = players(evening.cast.riverside, "Ann A.", "Ben B.", "Cleo C.", "Dan D.", "Eve E.")
    table(evening.event, others[:4], table_number=2)
    body = {
        "act": "substitute", "seat": 2, "player_id": others[4].player_id, "from_hand": 2,
        "reason": "Ben went home.",
    }  # fmt: skip
    seats = dirk.get(f"{at}/tables/r1t2/seats")
    response = send_json(dirk, "POST", f"{at}/tables/r1t2/seats", body, If_Match=seats["ETag"])
    assert response.status_code == 200, response.content[:300]
    totals = {"entry": {"points": [20, 30, 26, 28]}, "hands": 4}
    assert post_json(dirk, f"{at}/tables/r1t2/totals", totals).status_code == 201
    shown = rows(client, f"{at}/hands?table=r1t2")
    assert [seat["player_id"] for seat in shown[0]["seats"]] == ["RL05", "RL09", "RL07", "RL08"]
    assert places(client, f"{at}/hands?player=RL09") == [(1, "r1t2", 0)]
    assert places(client, f"{at}/hands?player=RL06") == []


def test_pages_and_batches_have_every_hand_once(
    client: Client, three_tables: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "BATCH", 2)
    at = f"{three_tables.at}/hands"
    whole, found = rows(client, at), []
    page = client.get(f"{at}?limit=2").json()
    while True:
        found += page["results"]
        if page["next"] is None:
            break
        page = client.get(page["next"]).json()
    assert found == whole
    assert client.get(page["previous"]).json()["results"] == whole[2:4]
    answer = client.get(at, headers={"accept": "application/x-ndjson"})
    parts = [part.decode() for part in answer.streaming_content]  # type: ignore[attr-defined]  # of a stream
    assert [part.count("\n") for part in parts] == [2, 2, 1]
    assert [json.loads(line) for line in "".join(parts).splitlines()] == whole


def test_csv_has_a_line_a_seat(
    client: Client, three_tables: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "_AT_ONCE", 2)
    lines = client.get(f"{three_tables.at}/hands.csv").content.decode().split("\r\n")
    assert lines[0] == (
        "round,table,hand,board,revision,state,verified,variant,seat,label,side,player_id,player,"
        "score,total,moon,entered_by,entered_at,reason"
    )
    assert lines[4] == (
        "1,r1t1,1,,1,accepted,cards,hearts,4,W,,RL04,Omar B.,19,19,,tests,2025-11-06T21:00:00Z,"
    )
    assert len(lines) == 1 + 5 * 4 + 1
    limited = client.get(f"{three_tables.at}/hands.csv?round=2&fields=table,hand,seat,score")
    assert limited.content.decode().split("\r\n")[:2] == ["table,hand,seat,score", "r2t1,1,1,4"]


def counted(client: Client, address: str, **headers: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, headers=headers)
        b"".join(answer) if answer.streaming else answer.content
    assert answer.status_code == 200
    return len(queries)


def test_page_costs_the_same_for_any_hands(cast: Cast, evening: Evening, signed_in: SignIn) -> None:
    set_names_policy(by_tests(), cast.riverside, policy="number")
    dirk, at = signed_in("dirk"), evening.at
    hand(evening.game, 3, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
    gone = post_json(dirk, f"{at}/tables/r1t1/hands/2/void", {"reason": "Entered twice."})
    assert gone.status_code == 200
    callers = (Client(), signed_in("piet"))
    forms: tuple[tuple[str, dict[str, str]], ...] = (
        ("hands", {}), ("hands.csv", {}), ("hands", {"accept": "application/x-ndjson"}),
        ("hands?player=RL01", {}),
    )  # fmt: skip
    few = [counted(caller, f"{at}/{form}", **said) for caller in callers for form, said in forms]
    for number in range(2, 9):
        four = players(cast.riverside, *(f"Player {number}.{seat}" for seat in range(4)))
        game = table(evening.event, four, table_number=number)
        for at_hand in (1, 2, 3):
            hand(game, at_hand, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
        body = {"reason": "Entered twice."}
        gone = post_json(dirk, f"{at}/tables/r1t{number}/hands/3/void", body)
        assert gone.status_code == 200
    assert [
        counted(caller, f"{at}/{form}", **said) for caller in callers for form, said in forms
    ] == few
    assert max(few) <= 15  # CSV reads its rows in parts


def test_reader_gets_the_names_allowed(client: Client, evening: Evening, signed_in: SignIn) -> None:
    set_names_policy(by_tests(), evening.cast.riverside, policy="number")
    hand(evening.game, 1, [4, 1, 2, 6], 2, based_on=1, reason="Elsa D. had misread it.")
    for who in (client, signed_in("nora")):
        text = who.get(f"{evening.at}/hands").content.decode()
        assert "Elsa" not in text
        assert "RL01" in text
    text = signed_in("piet").get(f"{evening.at}/hands").content.decode()
    assert "Elsa D. had misread it." in text


def test_link_of_a_table_opens_no_other_hands(cast: Cast) -> None:
    night = linked(cast, visibility="held")
    holder = night.holder()
    assert holder.get(f"/api/v1{night.table}/hands").status_code == 200
    assert holder.get(f"/api/v1{night.event}/hands").status_code == 404
