"""A hand is deleted with a reason and restored over REST; both follow the revision looked at."""

import pytest

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.rest.requests import SignIn, codes
from tournaments.models.hands import Hand

WHY = {"reason": "Entered twice."}


def test_hand_is_deleted_and_restored(evening: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{evening.at}/tables/r1t1/hands/2"
    before = dirk.get(address).json()
    gone = post_json(dirk, f"{address}/void", WHY)
    assert (gone.status_code, gone.json()["state"], gone["ETag"]) == (200, "void", '"1"')
    assert gone.json() == dirk.get(address).json()
    table = dirk.get(f"{evening.at}/tables/r1t1").json()
    assert [seat["total"] for seat in table["seats"]] == [4, 1, 2, 19]
    twice = post_json(dirk, f"{address}/void", WHY)
    assert (twice.status_code, codes(twice)) == (409, ["state_not_allowed"])
    back = post_json(dirk, f"{address}/restore", {"reason": "It was hand 2."})
    assert (back.status_code, back.json()["state"], back["ETag"]) == (200, "accepted", '"2"')
    assert back.json()["entry"] == before["entry"]
    assert [one["total"] for one in back.json()["seats"]] == [
        one["total"] for one in before["seats"]
    ]
    again = post_json(dirk, f"{address}/restore", WHY)
    assert (again.status_code, codes(again)) == (409, ["state_not_allowed"])


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
    shown = post_json(dirk, f"{address}/preview", {"act": "void"}, If_Match='"1"').json()
    other = post_json(dirk, f"{address}/void", {**WHY, "previewed": "0" * 12})
    assert (other.status_code, other.json()["errors"][0]["code"]) == (409, "preview_outdated")
    done = post_json(dirk, f"{address}/void", {**WHY, "previewed": shown["digest"]})
    assert (done.status_code, done.json()["state"]) == (200, "void")


def test_reason_is_needed(evening: Evening, signed_in: SignIn) -> None:
    address = f"{evening.at}/tables/r1t1/hands/1/void"
    for body in ({}, {"reason": " "}):
        assert post_json(signed_in("dirk"), address, body).status_code == 422
    assert Hand.objects.get(number=1).state == "accepted"


@pytest.mark.parametrize(("who", "status"), [("", 401), ("hanna", 403), ("nora", 403)])
def test_directors_delete_hands(evening: Evening, signed_in: SignIn, who: str, status: int) -> None:
    for act in ("void", "restore"):
        address = f"{evening.at}/tables/r1t1/hands/1/{act}"
        assert post_json(signed_in(who), address, {"odd": 1}).status_code == status
