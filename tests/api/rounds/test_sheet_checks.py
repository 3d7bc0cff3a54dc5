"""A sheet is compared with the paper over REST, and its table is complete."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.builders import hand
from tests.support.rest.requests import SignIn, codes
from tournaments.models.hands import ReadBack


@pytest.fixture
def at(evening: Evening) -> str:
    return f"{evening.at}/tables/r1t1/sheet-check"


@pytest.fixture
def hanna(signed_in: SignIn) -> Client:
    return signed_in("hanna")


def test_sheet_is_checked_once_and_its_table_is_complete(at: str, hanna: Client) -> None:
    seen = hanna.get(at).json()
    assert (seen["checked"], seen["checked_by"], seen["state"]) == (False, None, "playing")
    done = post_json(hanna, at, {"sheet": seen["sheet"]})
    assert done.status_code == 200, done.content
    assert done.json() == hanna.get(at).json()
    assert (done.json()["checked"], done.json()["state"]) == (True, "complete")
    assert post_json(hanna, at, {"sheet": seen["sheet"]}).json() == done.json()
    assert ReadBack.objects.count() == 1


def test_sheet_that_changed_meanwhile_is_not_checked(
    at: str, evening: Evening, hanna: Client
) -> None:
    seen = hanna.get(at).json()["sheet"]
    hand(evening.game, 3, [4, 1, 2, 6], 3)
    stale = post_json(hanna, at, {"sheet": seen})
    assert (stale.status_code, codes(stale)) == (409, ["sheet_changed"])
    now = hanna.get(at).json()
    assert post_json(hanna, at, {"sheet": now["sheet"]}).status_code == 200
    hand(evening.game, 1, [4, 2, 1, 6], 3, based_on=1, reason="Misread.")
    assert hanna.get(at).json()["checked"] is False


@pytest.mark.parametrize(("who", "status"), [("", 401), ("piet", 403), ("nora", 403)])
def test_those_who_may_not_enter_check_nothing(
    at: str, signed_in: SignIn, hanna: Client, who: str, status: int
) -> None:
    client = signed_in(who) if who else Client()
    assert client.get(at).status_code == status
    seen = {"sheet": hanna.get(at).json()["sheet"]}
    assert post_json(client, at, seen).status_code == status
    assert not ReadBack.objects.exists()
