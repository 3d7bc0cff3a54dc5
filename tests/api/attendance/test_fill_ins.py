"""Texts for a chat and requests for one more player over REST: readers, answers, ETags."""

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.cast import Cast
from tests.support.rest import before_calls as before
from tests.support.rest.requests import codes

pytestmark = pytest.mark.usefixtures("clock")

AT = "/api/v1/clubs/riverside/events/league"
EVENING = f"{AT}/meetings/2025-11-13"


def test_text_is_plain_and_answers_304_until_it_changes(cast: Cast) -> None:
    before.evening(cast)
    answer = Client().get(f"{AT}/rounds/1/seating.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    assert "Table 1: Elsa D., Xenia S., Ruth K., Omar B.\n" in answer.content.decode()
    known = {"If-None-Match": answer["ETag"]}
    assert Client().get(f"{AT}/rounds/1/seating.txt", headers=known).status_code == 304
    assert Client().get(f"{AT}/meetings/2025-11-07/result.txt").status_code == 404


def test_who_is_expected_is_for_hosts(cast: Cast) -> None:
    before.planned(cast)
    answer = cast.client("hanna").get(f"{EVENING}/expected.txt")
    assert "Here (8): Alma D., " in answer.content.decode()
    assert answer["Cache-Control"] == "private, no-cache"
    assert cast.client("piet").get(f"{EVENING}/expected.txt").status_code == 403
    assert Client().get(f"{EVENING}/expected.txt").status_code == 401


def test_host_asks_reads_and_ends_a_request(cast: Cast, hanna: Client) -> None:
    before.planned(cast)
    assert hanna.get(f"{EVENING}/fill-in").json()["asked_at"] is None
    response = post_json(hanna, f"{EVENING}/fill-in", {})
    assert (response.status_code, response.json()["is_open"]) == (201, True)
    assert "/fill-in/" in response.json()["text"]
    again = post_json(hanna, f"{EVENING}/fill-in", {})
    assert (again.status_code, codes(again)) == (409, ["fill_in_is_open"])
    assert hanna.delete(f"{EVENING}/fill-in").json()["is_open"] is False
    assert hanna.delete(f"{EVENING}/fill-in").status_code == 404
    assert hanna.get(f"{EVENING}/fill-in").json()["text"] == ""
