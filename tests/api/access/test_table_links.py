"""Table links over REST: created, listed and revoked; their cookie enters hands of one table."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import errors
from tests.support.scenarios.table_links import Linked, csrf_of, linked
from tournaments.models.access import TableLink
from tournaments.models.hands import Entry, Hand
from tournaments.models.rounds import Sitting
from tournaments.selectors.access.table_links import COOKIE

HAND: dict[str, Any] = {
    "number": 2,
    "entry": {"hearts": [3, 3, 3, 4], "taken": [[], ["QS"], [], []]},
}


@pytest.fixture
def night(cast: Cast) -> Linked:
    return linked(cast, visibility="held")


def send(
    phone: Client,
    path: str,
    body: object,
    *,
    method: str = "POST",
    token: bool = True,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    sent = {**(headers or {}), **({"X-CSRFToken": csrf_of(phone)} if token else {})}
    return phone.generic(method, path, json.dumps(body), "application/json", headers=sent)


def code(answer: Answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["code"]


def test_hand_is_entered_and_revised_through_the_link(night: Linked) -> None:
    phone = night.holder(name="Hanne", checks=True)
    made = send(phone, f"/api/v1{night.table}/hands", HAND)
    assert (made.status_code, made["ETag"]) == (201, '"1"')
    assert made.json()["entered_by"] == "Hanne"
    revised = send(
        phone,
        f"/api/v1{night.table}/hands/2",
        {"entry": HAND["entry"] | {"hearts": [4, 3, 3, 3]}, "reason": "One off."},
        method="PUT",
        headers={"If-Match": '"1"'},
    )
    assert (revised.status_code, revised["ETag"]) == (200, '"2"')
    said = phone.get(f"/api/v1{night.table}/hands/2/revisions").json()["results"]
    assert [(one["entered_by"], one["source"]) for one in said] == [("Hanne", "link")] * 2
    stored = Entry.objects.filter(hand__number=2)
    assert [(one.link_id, one.entered_by) for one in stored] == [(night.link.pk, None)] * 2


def test_hand_is_disputed_through_the_link(night: Linked) -> None:
    phone = night.holder(name="Hanne", checks=True)
    body = {"hand": 1, "words": "I took three hearts."}
    made = send(phone, f"/api/v1{night.table}/disputes", body)
    assert made.status_code == 201
    assert (made.json()["table"], made.json()["hand"]) == ("r1t1", 1)
    assert (made.json()["words"], made.json()["opened_by"]) == (body["words"], "link")
    assert phone.get(f"/api/v1{night.table}/hands").json()["results"][0]["disputes"] == 1
    other = send(phone, f"/api/v1{night.table.replace('r1t1', 'r1t2')}/disputes", body)
    assert code(other) == (404, "link_opens_nothing")
    assert code(send(phone, f"/api/v1{night.table}/disputes", {})) == (422, "bad_hand_number")


def test_cookie_without_its_csrf_token_writes_nothing(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    answer = send(phone, f"/api/v1{night.table}/hands", HAND, token=False)
    assert code(answer) == (403, "request_refused")
    foreign = send(
        phone, f"/api/v1{night.table}/hands", HAND, headers={"Origin": "https://elsewhere.example"}
    )
    assert code(foreign) == (403, "request_refused")
    assert Entry.objects.count() == 2


def test_link_that_does_not_open_the_table_gets_one_answer(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    own = f"/api/v1{night.table}/hands"
    other = f"/api/v1{night.event}/tables/r1t2/hands"
    never = f"/api/v1{night.event}/tables/r9t9/hands"
    answers = [send(phone, path, HAND) for path in (other, never)]
    TableLink.objects.update(revoked_at=timezone.now())
    answers.append(send(phone, own, HAND))
    TableLink.objects.update(revoked_at=None)
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        answers.append(send(phone, own, HAND))
    phone.cookies[COOKIE] = "forged"
    answers.append(send(phone, own, HAND))
    assert {code(answer) for answer in answers} == {(404, "link_opens_nothing")}
    said = {
        tuple(value for name, value in answer.json().items() if name != "instance")[:4]
        for answer in answers
    }
    assert len(said) == 1
    assert Entry.objects.count() == 2


def test_link_reads_its_table_and_nothing_else_that_is_held(night: Linked) -> None:
    phone = night.holder()
    at = f"/api/v1{night.table}"
    for path in (at, f"{at}/hands", f"{at}/hands.csv", f"{at}/hands/1", f"{at}/hands/1/revisions"):
        answer = phone.get(path)
        assert answer.status_code == 200, path
        assert answer["Cache-Control"] == "private, no-cache"
        assert not answer.has_header("Access-Control-Allow-Origin")
        assert Client().get(path).status_code == 404, path
    event = f"/api/v1{night.event}"
    for path in (event, f"{event}/rounds/1", f"{event}/tables/r1t2", f"{event}/tables/r1t2/hands"):
        assert phone.get(path).status_code == 404, path
    assert phone.get("/api/v1/clubs/riverside/players").json()["results"] == []


def test_closed_round_is_the_directors(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    night.close_round()
    answer = send(phone, f"/api/v1{night.table}/hands", HAND)
    assert code(answer) == (403, "forbidden")
    assert answer.json()["errors"][0]["facts"] == {"act": "correct_closed"}
    assert Entry.objects.count() == 2


def test_same_key_through_the_link_stores_one_hand(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    path, key = f"/api/v1{night.table}/hands", {"Idempotency-Key": "made-on-the-phone"}
    first, second = (send(phone, path, HAND, headers=key) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert second["Idempotent-Replayed"] == "true"
    assert Entry.objects.filter(hand__number=2).count() == 1


def test_program_with_a_token_is_itself_whatever_cookie_it_sends(night: Linked) -> None:
    answer = send(
        night.holder(checks=True),
        f"/api/v1{night.table}/hands",
        HAND,
        token=False,
        headers={"Authorization": "Bearer bl_never"},
    )
    assert code(answer) == (401, "not_signed_in")


def test_player_of_the_club_enters_through_the_link(night: Linked) -> None:
    piet = Client(enforce_csrf_checks=True)
    piet.force_login(night.cast.users["piet"])
    piet.get(f"/t/{night.secrets.token}")
    piet.get("/t")
    assert send(piet, f"/api/v1{night.table}/hands", HAND).status_code == 201
    assert Entry.objects.get(hand__number=2).source == "link"


def test_link_seats_nobody_at_an_open_table(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    Hand.objects.all().update(entry=None)
    Entry.objects.all().delete()
    Hand.objects.all().delete()
    Sitting.objects.all().delete()
    body = HAND | {"players": ["RL01", "RL02", "RL03", "RL04"]}
    assert code(send(phone, f"/api/v1{night.table}/hands", body)) == (403, "forbidden")
    page = phone.get(f"{night.table}/hands/new")
    assert "after a director seats the table" in page.content.decode()
    assert "Elsa" not in page.content.decode()
    assert not Sitting.objects.exists()


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


def test_secrets_are_shown_once(evening: Evening) -> None:
    first = make(evening, {"table": "r1t1"})
    secret = first.json()["url"].rpartition("/")[2]
    page = evening.cast.client("dirk").get(f"{evening.at}/links")
    csv = evening.cast.client("dirk").get(f"{evening.at}/links.csv")
    for text in (page.content, b"".join(csv)):
        assert secret.encode() not in text
        assert first.json()["short_code"].encode() not in text


def test_hours_are_those_asked_for(clock: time_machine.Traveller, evening: Evening) -> None:
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
