"""Totals of a table are entered over REST where no single hand is known."""

import pytest

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.builders import table
from tests.support.rest.requests import SignIn, codes, errors

POINTS = {"entry": {"points": [61, 43, 70, 86]}, "hands": 10}


@pytest.fixture
def seated(evening: Evening) -> str:
    """The address of the totals of a table without hands."""
    table(evening.event, evening.people, round_number=2)
    return f"{evening.at}/tables/r2t1/totals"


def test_totals_are_entered_once_and_read_as_hand_0(
    evening: Evening, seated: str, signed_in: SignIn
) -> None:
    hanna = signed_in("hanna")
    made = post_json(hanna, seated, POINTS, Idempotency_Key="phone-1")
    assert (made.status_code, made["ETag"]) == (201, '"1"'), made.content
    assert made["Location"] == f"{evening.at}/tables/r2t1/hands/0"
    assert made.json() == hanna.get(made["Location"]).json()
    assert [seat["total"] for seat in made.json()["seats"]] == [61, 43, 70, 86]
    again = post_json(hanna, seated, POINTS, Idempotency_Key="phone-1")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    other = post_json(hanna, seated, POINTS)
    assert (other.status_code, other.json()["errors"][0]["code"]) == (409, "hand_exists")


def test_totals_beside_hands_and_odd_ones_are_refused(
    evening: Evening, seated: str, signed_in: SignIn
) -> None:
    hanna = signed_in("hanna")
    played = post_json(hanna, f"{evening.at}/tables/r1t1/totals", POINTS)
    assert (played.status_code, codes(played)) == (422, ["totals_alone"])
    odd = post_json(hanna, seated, {"entry": POINTS["entry"], "hands": 0, "reason": "No."})
    assert errors(odd)[0] == ("unknown_member", "/reason")
    few = post_json(hanna, seated, {"entry": {"points": [1, 2]}})
    assert few.status_code == 422


def test_totals_that_no_hands_make_are_refused_and_filed(
    evening: Evening, seated: str, signed_in: SignIn
) -> None:
    dirk = signed_in("dirk")
    wrong = {"entry": {"points": [61, 43, 70, 87]}, "hands": 10}
    refused = post_json(dirk, seated, wrong)
    assert errors(refused) == [("impossible_totals", "/entry/points")]
    filing = {**wrong, "number": 0, "reason": "The sheet does not add up."}
    at = f"{evening.at}/tables/r2t1"
    filed = post_json(dirk, f"{at}/disputed-hands", filing)
    assert (filed.status_code, filed.json()["state"]) == (201, "disputed"), filed.content
    assert filed["Location"] == f"{at}/hands/0"
    beside = post_json(dirk, f"{evening.at}/tables/r1t1/disputed-hands", filing)
    assert (beside.status_code, codes(beside)) == (422, ["totals_alone"])


@pytest.mark.parametrize(("who", "status"), [("", 401), ("piet", 403), ("nora", 403)])
def test_hosts_enter_totals(seated: str, signed_in: SignIn, who: str, status: int) -> None:
    assert post_json(signed_in(who), seated, {"odd": 1}).status_code == status
