"""Table links made, listed and revoked over REST."""

from datetime import timedelta

import time_machine
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import players, table
from tests.support.pages.text import text_of
from tests.support.rest.requests import errors
from tournaments.models.access import TableLink
from tournaments.models.audit import Reply


def make(evening: Evening, body: object, path: str = "links", **headers: str) -> Answer:
    return post_json(evening.cast.client("dirk"), f"{evening.at}/{path}", body, **headers)


def revoke(evening: Evening, path: str) -> Answer:
    return send_json(evening.cast.client("dirk"), "DELETE", f"{evening.at}/{path}", {})


def listed(evening: Evening) -> list[str]:
    rows = evening.cast.client("dirk").get(f"{evening.at}/links").json()["results"]
    return [row["table"] for row in rows]


def test_link_opens_its_table_until_it_is_revoked(evening: Evening) -> None:
    answer = make(evening, {"table": "r1t1"})
    body = answer.json()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert answer["Location"] == f"{evening.at}/links"
    assert (body["table"], body["round"], body["number"], body["used_at"]) == ("r1t1", 1, 1, None)
    assert Client().get(body["url"]).status_code == 302
    assert listed(evening) == ["r1t1"]
    assert revoke(evening, "links/r1t1").json() == {"revoked": 1}
    assert revoke(evening, "links/r1t1").json() == {"revoked": 0}
    assert (Client().get(body["url"]).status_code, listed(evening)) == (404, [])
    assert revoke(evening, "links/r9t9").status_code == 404


def test_new_link_takes_the_place_of_the_old_one(evening: Evening) -> None:
    first, second = (make(evening, {"table": "r1t1"}).json()["url"] for _ in range(2))
    assert first != second
    assert [Client().get(one).status_code for one in (first, second)] == [404, 302]


def test_secrets_are_shown_once_and_kept_sealed_under_a_key(evening: Evening) -> None:
    key = {"Idempotency_Key": "links-1"}
    first, again = (make(evening, {"table": "r1t1"}, **key) for _ in range(2))
    assert (first.json(), again["Idempotent-Replayed"]) == (again.json(), "true")
    assert TableLink.objects.count() == 1
    secret, kept = first.json()["url"].rpartition("/")[2], bytes(Reply.objects.get().body)
    assert secret.encode() not in kept
    page = evening.cast.client("dirk").get(f"{evening.at}/links")
    csv = evening.cast.client("dirk").get(f"{evening.at}/links.csv")
    for text in (page.content, b"".join(csv)):
        assert secret.encode() not in text
        assert first.json()["short_code"].encode() not in text


def test_hours_are_those_that_were_asked_for(
    clock: time_machine.Traveller, evening: Evening
) -> None:
    url = make(evening, {"table": "r1t1", "hours": 2}).json()["url"]
    clock.shift(timedelta(hours=1, minutes=59))
    assert Client().get(url).status_code == 302
    clock.shift(timedelta(minutes=2))
    assert (Client().get(url).status_code, listed(evening)) == (404, [])
    for hours in (0, 745, "2", True):
        refused = make(evening, {"table": "r1t1", "hours": hours})
        assert (refused.status_code, errors(refused)) == (422, [("bad_link_time", "/hours")])


def test_links_of_a_round_are_made_where_there_are_none(evening: Evening) -> None:
    others = players(evening.cast.riverside, "Ada", "Bea", "Carl", "Dora")
    table(evening.event, others, table_number=2)
    first = make(evening, {"table": "r1t1"}).json()["url"]
    answer = make(evening, {}, "rounds/1/links")
    assert answer.status_code == 201, answer.content
    (made,) = answer.json()["results"]
    assert (made["table"], Client().get(first).status_code) == ("r1t2", 302)
    assert "Ada" in text_of(Client().get(made["url"], follow=True))
    assert make(evening, {}, "rounds/1/links").json() == {"results": []}
    assert listed(evening) == ["r1t1", "r1t2"]
    assert make(evening, {}, "rounds/1/links/revoke").json() == {"revoked": 2}
    make(evening, {}, "rounds/1/links")
    assert make(evening, {}, "links/revoke").json() == {"revoked": 2}
    assert listed(evening) == []
    assert make(evening, {}, "rounds/7/links").status_code == 404


def test_table_that_is_not_there_is_a_problem_of_the_body(evening: Evening) -> None:
    for code in ("r9t9", ""):
        refused = make(evening, {"table": code})
        assert (refused.status_code, errors(refused)) == (422, [("unknown_table", "/table")])
    host = post_json(evening.cast.client("hanna"), f"{evening.at}/links", {"table": "r9t9"})
    assert host.status_code == 403
    assert evening.cast.client("hanna").get(f"{evening.at}/links").status_code == 403
    assert Client().get(f"{evening.at}/links").status_code == 401
