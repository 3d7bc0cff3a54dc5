"""Tables, hands and revisions in the shape of docs/api.md; hands deleted, totals entered."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import post_json, send_json
from tests.support.builders import counts, hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.players import stored_player
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.rounds import Round
from tournaments.services.hands.record_entry import record_entry

WHY = {"reason": "Entered twice."}
POINTS = {"entry": {"points": [61, 43, 70, 86]}, "hands": 10}


def test_hand_names_its_revision_and_event_version(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/tables/r1t1/hands/1")
    assert response.headers["ETag"] == '"1"'
    version = client.get(f"{evening.at}/standings").json()["publication"]["version"]
    assert response.json()["event_version"] == version


def test_correction_shows_its_reason_and_earlier_entries(client: Client, evening: Evening) -> None:
    hand(evening.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    response = client.get(f"{evening.at}/tables/r1t1/hands/2")
    assert response.headers["ETag"] == '"2"'
    assert response.json()["reason"] == "Misread."
    revisions = client.get(f"{evening.at}/tables/r1t1/hands/2/revisions").json()["results"]
    assert [(each["revision"], each["counts"], each["reason"]) for each in revisions] == [
        (1, False, ""),
        (2, True, "Misread."),
    ]
    assert revisions[0]["entry"] == counts([0, 13, 0, 0], 0)


def test_all_hands_of_a_table_come_in_one_answer(client: Client, evening: Evening) -> None:
    body = client.get(f"{evening.at}/tables/r1t1/hands").json()
    assert [each["number"] for each in body["results"]] == [1, 2]
    assert (body["next"], body["previous"]) == (None, None)
    assert body["results"][0] == client.get(f"{evening.at}/tables/r1t1/hands/1").json()


def test_round_shows_before_the_first_hand_who_sits_there(client: Client, evening: Evening) -> None:
    others = [
        stored_player(club=evening.cast.riverside, player_id=f"RL0{n}", name=f"Guest {n}")
        for n in (5, 6, 7)
    ]
    table(evening.event, others, table_number=2)
    _first, second = client.get(f"{evening.at}/rounds/1").json()["tables"]
    first = second["results"][0]
    assert (first["player_id"], first["place"], first["points"]) == ("RL05", "", None)


def test_game_that_the_rules_end_names_winner_and_loser(
    client: Client, cast: Cast, riverside: list[Player]
) -> None:
    game = table(league(cast.riverside, slug="cup", length="variant"), riverside)
    for number in range(1, 6):
        hand(game, number, [0, 1, 2, 10], 3)
    assert client.get("/api/v1/clubs/riverside/events/cup/tables/r1t1/hands/5").json()["game"] == {
        "hands": 5,
        "finished": True,
        "winners": [1],
        "losers": [],
        "leaders": [1],
        "next": None,
    }


def test_missing_hand_and_table_name_their_codes(client: Client, evening: Evening) -> None:
    for path, code in (
        ("tables/r9t9", "unknown_table"), ("tables/r9t9/hands", "unknown_table"),
        ("tables/r1t1/hands/9", "unknown_hand"), ("rounds/9", "unknown_round"),
    ):  # fmt: skip
        assert codes(client.get(f"{evening.at}/{path}")) == [code]


def test_hand_that_is_there_is_answered_as_such_after_its_round_was_closed(
    evening: Evening, signed_in: SignIn
) -> None:
    """What a program sends late: the answer has the hand, which a director saved meanwhile."""
    hanna = signed_in("hanna")
    Round.objects.filter(event=evening.event).update(state="closed")
    address = f"{evening.at}/tables/r1t1/hands"
    same = post_json(hanna, address, {"number": 2, "entry": counts([0, 13, 0, 0], 0)})
    assert (same.status_code, same.json()["code"]) == (409, "hand_exists")
    assert same.json()["there"] == hanna.get(f"{address}/2").json()
    other = post_json(hanna, address, {"number": 2, "entry": counts([13, 0, 0, 0], 0)})
    assert other.status_code == 403


def test_sheet_of_points_only_is_verified_by_its_sum_and_dated_in_utc(
    client: Client, cast: Cast, evening: Evening
) -> None:
    record_entry(
        cast.operation(
            "hanna", NOW.astimezone(ZoneInfo("Asia/Tokyo")) + timedelta(seconds=7, microseconds=81)
        ),
        evening.game,
        number=3,
        entry={"points": [3, 1, 9, 13]},
        source="host",
    )
    body = client.get(f"{evening.at}/tables/r1t1/hands/3").json()
    assert body["entered_at"] == "2025-11-06T21:00:07Z"
    assert body["verified"] == "sum"
    assert [each["score"] for each in body["seats"]] == [3, 1, 9, 13]
    assert body["entered_by"] == "a host"


def test_hand_is_deleted_and_restored(evening: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{evening.at}/tables/r1t1/hands/2"
    before = dirk.get(address).json()
    gone = post_json(dirk, f"{address}/void", WHY)
    assert (gone.status_code, gone.json()["state"], gone["ETag"]) == (200, "void", '"1"')
    assert gone.json() == dirk.get(address).json()
    table = dirk.get(f"{evening.at}/tables/r1t1").json()
    assert [seat["total"] for seat in table["seats"]] == [4, 1, 2, 19]
    assert refusal(post_json(dirk, f"{address}/void", WHY)) == (409, ["state_not_allowed"])
    back = post_json(dirk, f"{address}/restore", {"reason": "It was hand 2."})
    assert (back.status_code, back.json()["state"], back["ETag"]) == (200, "accepted", '"2"')
    assert back.json()["entry"] == before["entry"]
    assert [one["total"] for one in back.json()["seats"]] == [
        one["total"] for one in before["seats"]
    ]
    assert refusal(post_json(dirk, f"{address}/restore", WHY)) == (409, ["state_not_allowed"])


def test_revision_that_was_looked_at_is_named(evening: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{evening.at}/tables/r1t1/hands/1/void"
    stale = post_json(dirk, address, WHY, If_Match='"7"')
    assert stale.status_code == 412
    assert (stale.json()["errors"][0]["code"], stale.json()["there"]["revision"]) == (
        "entry_outdated",
        1,
    )
    assert post_json(dirk, address, WHY, If_Match='"1"').status_code == 200


def test_only_what_was_previewed_is_done(evening: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{evening.at}/tables/r1t1/hands/1"
    body = post_json(dirk, f"{address}/preview", {"act": "void"}, If_Match='"1"').json()
    other = post_json(dirk, f"{address}/void", {**WHY, "previewed": "0" * 12})
    assert (other.status_code, other.json()["errors"][0]["code"]) == (409, "preview_outdated")
    done = post_json(dirk, f"{address}/void", {**WHY, "previewed": body["digest"]})
    assert (done.status_code, done.json()["state"]) == (200, "void")


def test_host_undoes_the_last_hand_and_enters_it_again(evening: Evening, signed_in: SignIn) -> None:
    hanna, hands = signed_in("hanna"), f"{evening.at}/tables/r1t1/hands"
    new = {"number": 3, "entry": counts([4, 1, 2, 6], 3)}
    assert post_json(hanna, hands, new, Idempotency_Key="three").status_code == 201
    undone = post_json(hanna, f"{hands}/3/undo", {})
    assert (undone.status_code, undone.json()["state"]) == (200, "void")
    repeated = post_json(hanna, hands, new, Idempotency_Key="three")
    assert (repeated.status_code, repeated.json()["state"]) == (201, "void")
    stale = {"entry": counts([4, 1, 2, 6], 2), "reason": "South had her."}
    refused = send_json(hanna, "PUT", f"{hands}/3", stale, If_Match='"1"')
    assert (refused.status_code, errors(refused)) == (409, [("hand_undone", "")])
    again = post_json(hanna, hands, {"number": 3, "entry": counts([4, 1, 2, 6], 2)})
    assert (again.status_code, again.json()["state"], again.json()["revision"]) == (
        201, "accepted", 2,
    )  # fmt: skip
    refused = post_json(hanna, f"{hands}/2/undo", {})
    assert (refused.status_code, errors(refused)) == (409, [("undo_over", "")])


def test_reason_is_needed(evening: Evening, signed_in: SignIn) -> None:
    address = f"{evening.at}/tables/r1t1/hands/1/void"
    for body in ({}, {"reason": " "}):
        assert post_json(signed_in("dirk"), address, body).status_code == 422
    assert Hand.objects.get(number=1).state == "accepted"


@pytest.fixture
def seated(evening: Evening) -> str:
    """The address of the totals of a table without hands."""
    table(evening.event, evening.people, round_number=2)
    return f"{evening.at}/tables/r2t1/totals"


def test_totals_are_read_back_as_hand_0(evening: Evening, seated: str, signed_in: SignIn) -> None:
    hanna = signed_in("hanna")
    response = post_json(hanna, seated, POINTS, Idempotency_Key="phone-1")
    assert (response.status_code, response["ETag"]) == (201, '"1"'), response.content
    assert response["Location"] == f"{evening.at}/tables/r2t1/hands/0"
    assert response.json() == hanna.get(response["Location"]).json()
    assert [seat["total"] for seat in response.json()["seats"]] == [61, 43, 70, 86]
    again = post_json(hanna, seated, POINTS, Idempotency_Key="phone-1")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    other = post_json(hanna, seated, POINTS)
    assert (other.status_code, other.json()["errors"][0]["code"]) == (409, "hand_exists")


def test_totals_beside_hands_are_refused(evening: Evening, seated: str, signed_in: SignIn) -> None:
    hanna = signed_in("hanna")
    played = post_json(hanna, f"{evening.at}/tables/r1t1/totals", POINTS)
    assert (played.status_code, codes(played)) == (422, ["totals_alone"])
    odd = post_json(hanna, seated, {"entry": POINTS["entry"], "hands": 0, "reason": "No."})
    assert errors(odd)[0] == ("unknown_member", "/reason")
    assert post_json(hanna, seated, {"entry": {"points": [1, 2]}}).status_code == 422


def test_impossible_totals_are_filed(evening: Evening, seated: str, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    wrong = {"entry": {"points": [61, 43, 70, 87]}, "hands": 10}
    assert errors(post_json(dirk, seated, wrong)) == [("impossible_totals", "/entry/points")]
    filing = {**wrong, "number": 0, "reason": "The sheet does not add up."}
    at = f"{evening.at}/tables/r2t1"
    filed = post_json(dirk, f"{at}/disputed-hands", filing)
    assert (filed.status_code, filed.json()["state"]) == (201, "disputed"), filed.content
    assert filed["Location"] == f"{at}/hands/0"
    beside = post_json(dirk, f"{evening.at}/tables/r1t1/disputed-hands", filing)
    assert (beside.status_code, codes(beside)) == (422, ["totals_alone"])
