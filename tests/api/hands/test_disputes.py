"""A hand with a wrong total is filed over REST, does not count, and is resolved."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Json, post_json, send_json
from tests.support.rest.keyed_acts import ACTS
from tests.support.rest.requests import SignIn, codes, errors
from tournaments.models.hands import Hand

BODY = dict(ACTS["file_disputed"].body)
RIGHT = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}


@pytest.fixture
def at(evening: Evening) -> str:
    return f"{evening.at}/tables/r1t1"


@pytest.fixture
def dirk(signed_in: SignIn) -> Client:
    return signed_in("dirk")


def totals(client: Client, at: str) -> list[int]:
    found: Json = client.get(at).json()
    return [seat["total"] for seat in found["seats"]]


def test_hand_is_filed_does_not_count_and_its_next_revision_resolves_it(
    at: str, dirk: Client
) -> None:
    before = totals(dirk, at)
    filed = post_json(dirk, f"{at}/disputed-hands", BODY)
    assert (filed.status_code, filed.json()["state"], filed["ETag"]) == (201, "disputed", '"1"')
    assert (filed.json()["entry"], filed.json()["reason"]) == (BODY["entry"], BODY["reason"])
    assert filed.json() == dirk.get(filed["Location"]).json()
    assert totals(dirk, at) == before
    revised = send_json(
        dirk, "PUT", filed["Location"], {"entry": RIGHT, "reason": "Found."}, If_Match='"1"'
    )
    assert (revised.status_code, revised.json()["state"]) == (200, "accepted")
    assert totals(dirk, at) != before


def test_hand_that_adds_up_or_cannot_be_read_is_refused(at: str, dirk: Client) -> None:
    good = post_json(dirk, f"{at}/disputed-hands", {**BODY, "entry": RIGHT})
    assert (good.status_code, codes(good)) == (409, ["adds_up"])
    there = post_json(dirk, f"{at}/disputed-hands", {**BODY, "number": 2})
    assert (there.status_code, there.json()["errors"][0]["code"]) == (409, "hand_exists")
    assert there.json()["there"] == dirk.get(f"{at}/hands/2").json()
    odd = post_json(dirk, f"{at}/disputed-hands", {**BODY, "entry": {"hearts": [4, 1]}})
    assert odd.status_code == 422
    assert errors(odd)[0][1].startswith("/entry")
    no_reason = post_json(dirk, f"{at}/disputed-hands", {**BODY, "reason": " "})
    assert no_reason.status_code == 422
    assert Hand.objects.count() == 2


@pytest.mark.parametrize(("who", "status"), [("", 401), ("hanna", 403), ("nora", 403)])
def test_only_directors_file(at: str, signed_in: SignIn, who: str, status: int) -> None:
    client = signed_in(who) if who else Client()
    assert post_json(client, f"{at}/disputed-hands", BODY).status_code == status
    assert Hand.objects.count() == 2
