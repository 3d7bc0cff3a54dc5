"""Penalties, bonuses, entrants and disputes over REST: answers, refusals, keys, and who may."""

import json
from datetime import date

from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.builders import by_tests
from tests.support.history import make_all
from tests.support.rest.requests import SignIn, codes, refusal
from tournaments.models.hands import Dispute
from tournaments.models.rounds import Meeting
from tournaments.models.standings import LedgerLine
from tournaments.services.rounds.meetings import plan_meeting

LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2.5", "reason": "Late by an hour."}
SAID = {"table": "r1t1", "hand": 1, "words": "East had 2."}


def test_line_is_given_read_and_withdrawn(evening: Evening, dirk: Client) -> None:
    response = post_json(dirk, f"{evening.at}/ledger", LINE)
    assert (response.status_code, response["Location"]) == (201, f"{evening.at}/ledger")
    assert (response.json()["amount"], response.json()["value"]) == ("5/2", "5/2")
    bonus = post_json(dirk, f"{evening.at}/ledger", {**LINE, "kind": "bonus", "amount": 2})
    assert (bonus.json()["amount"], bonus.json()["value"]) == (2, -2)
    gone = post_json(dirk, f"{evening.at}/ledger/1/withdraw", {"reason": "The bus was late."})
    assert (gone.status_code, gone.json()["state"]) == (200, "withdrawn")
    table = Client().get(f"{evening.at}/ledger.csv").content.decode().splitlines()
    assert table[0].startswith("number,player_id,player,kind,amount,value,reason")
    assert table[1].startswith("1,RL02,Xenia S.,penalty,5/2,5/2,Late by an hour.,director,")


def test_line_of_an_evening_is_given_and_read(evening: Evening, dirk: Client) -> None:
    plan_meeting(by_tests(), evening.event, day=date(2025, 11, 13))
    given = post_json(dirk, f"{evening.at}/ledger", {**LINE, "meeting": "2025-11-13"})
    assert (given.status_code, given.json()["meeting"]) == (201, "2025-11-13")
    season = post_json(dirk, f"{evening.at}/ledger", {**LINE, "meeting": None})
    assert (season.status_code, season.json()["meeting"]) == (201, None)
    table = Client().get(f"{evening.at}/ledger.csv").content.decode().splitlines()
    assert [line.rpartition(",")[2] for line in table] == ["meeting", "2025-11-13", ""]
    wrong = post_json(dirk, f"{evening.at}/ledger", {**LINE, "meeting": "2025-11-14"})
    assert refusal(wrong) == (422, ["unknown_meeting"])
    bad = post_json(dirk, f"{evening.at}/ledger", {**LINE, "meeting": "tonight"})
    assert refusal(bad) == (422, ["bad_day"])


def test_line_is_previewed_with_its_evening_and_saved_as_previewed(
    evening: Evening, dirk: Client
) -> None:
    """What a page shows before it adds a line: the season, and the evening that it names."""
    day = Meeting.objects.get(event=evening.event).date.isoformat()
    make_all(evening.event.pk)
    sent = {name: value for name, value in LINE.items() if name != "reason"}
    preview = post_json(dirk, f"{evening.at}/ledger/preview", {**sent, "meeting": day})
    shown = preview.json()
    assert preview.status_code == 200, shown
    assert shown["evening"]["date"] == day
    assert shown["evening"]["first"]["before"] != []
    assert "RL02" in {row["player_id"] for row in shown["rows"]["results"]}
    assert not LedgerLine.objects.exists()

    changed = post_json(dirk, f"{evening.at}/ledger", {**LINE, "meeting": day, "previewed": "x"})
    assert (changed.status_code, changed.json()["code"]) == (409, "preview_outdated")
    assert changed.json()["there"]["digest"] == shown["digest"]
    assert not LedgerLine.objects.exists()
    saved = {**LINE, "meeting": day, "previewed": shown["digest"]}
    assert post_json(dirk, f"{evening.at}/ledger", saved).status_code == 201

    back = post_json(dirk, f"{evening.at}/ledger/1/withdraw-preview", {})
    assert back.status_code == 200, back.json()
    assert back.json()["evening"]["date"] == day
    assert LedgerLine.objects.get().withdrawn_at is None
    why = {"reason": "The bus was late."}
    outdated = {**why, "previewed": shown["digest"]}
    refused = post_json(dirk, f"{evening.at}/ledger/1/withdraw", outdated)
    assert (refused.status_code, refused.json()["code"]) == (409, "preview_outdated")
    previewed = {**why, "previewed": back.json()["digest"]}
    gone = post_json(dirk, f"{evening.at}/ledger/1/withdraw", previewed)
    assert (gone.status_code, gone.json()["state"]) == (200, "withdrawn")
    again = post_json(dirk, f"{evening.at}/ledger/1/withdraw-preview", {})
    assert refusal(again) == (409, ["line_is_withdrawn"])


def test_preview_of_a_line_of_the_season_has_no_evening_and_is_refused_like_the_line(
    evening: Evening, dirk: Client, signed_in: SignIn
) -> None:
    sent = {"entrant": "RL02", "kind": "penalty", "amount": "2.5"}
    address = f"{evening.at}/ledger/preview"
    assert post_json(dirk, address, sent).json()["evening"] is None
    wrong = post_json(dirk, address, {**sent, "entrant": "RL99", "amount": "0"})
    assert refusal(wrong) == (422, ["unknown_entrant", "bad_amount"])
    assert post_json(signed_in("hanna"), address, sent).status_code == 403
    assert post_json(dirk, f"{evening.at}/ledger/7/withdraw-preview", {}).status_code == 404


def test_dispute_is_opened_ruled_on_and_read(evening: Evening, signed_in: SignIn) -> None:
    assert post_json(signed_in("hanna"), f"{evening.at}/disputes", SAID).status_code == 201
    hand = f"{evening.at}/tables/r1t1/hands/1"
    read = Client().get(hand)
    assert (read.json()["disputes"], read.json()["state"]) == (1, "accepted")
    assert [
        result["disputes"]
        for result in Client().get(f"{evening.at}/tables/r1t1/hands").json()["results"]
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


def test_dispute_that_cannot_be_is_refused(evening: Evening, hanna: Client, piet: Client) -> None:
    for body, status, code in (
        ({**SAID, "hand": -1}, 422, "bad_hand_number"),
        ({**SAID, "hand": 9}, 404, "unknown_hand"),
        ({**SAID, "table": "r9t9"}, 404, "unknown_table"),
        ({**SAID, "words": " "}, 422, "reason_required"),
    ):
        answer = post_json(hanna, f"{evening.at}/disputes", body)
        assert (answer.status_code, codes(answer)) == (status, [code]), body
    assert post_json(piet, f"{evening.at}/disputes", SAID).status_code == 403
    assert not Dispute.objects.exists()


def test_dispute_that_is_not_there_is_not_withdrawn(evening: Evening, signed_in: SignIn) -> None:
    missing = post_json(signed_in("dirk"), f"{evening.at}/disputes/7/withdraw", {})
    assert refusal(missing) == (404, ["unknown_dispute"])
