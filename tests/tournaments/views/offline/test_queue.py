"""What a phone's outbox is told over HTTP, and what the app is made of."""

import json
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import players
from tests.support.cast import enter_the_cast
from tests.support.pages.hand_entry import NEW, TABLE, Host, stored, typed
from tests.support.pages.outbox import send, shell
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.table_links import linked
from tournaments.models.rounds import Round
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.operations import Operation
from tournaments.views.offline import pwa

pytestmark = pytest.mark.django_db


RIGHT = typed([4, 1, 2, 6], queen=3)


def test_hand_that_is_sent_twice_is_stored_once_and_told_where_to_go_on(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    for _ in range(2):
        answer = send(hanna, RIGHT)
        assert (answer.status_code, answer.json()) == (200, {"state": "sent", "to": NEW})
    assert len(stored()) == 1
    assert "Hand 2 saved." in hanna.get(NEW).content.decode()


def test_nothing_is_said_on_pages_of_what_was_sent_in_the_background(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    send(hanna, RIGHT, owner=f"later {shell(hanna.get(NEW))['owner']}")
    assert "Hand 2 saved." not in hanna.get(NEW).content.decode()


def test_same_numbers_from_another_phone_are_there_already(evenings: Evenings) -> None:
    send(evenings.client("dirk"), RIGHT)
    answer = send(evenings.client("hanna"), RIGHT | {"key": "phone-2"})
    assert (answer.status_code, answer.json()) == (200, {"state": "there", "to": TABLE})
    assert len(stored()) == 1


def test_other_numbers_from_another_phone_are_asked_and_not_stored(evenings: Evenings) -> None:
    send(evenings.client("dirk"), RIGHT)
    mine = typed([4, 2, 1, 6], queen=3) | {"key": "phone-2"}
    answer = send(evenings.client("hanna"), mine)
    assert answer.status_code == 409
    assert answer.json()["state"] == "asked"
    assert re.fullmatch(
        r"This hand was entered first: dirk, \d\d:\d\d\. "
        r"The hands of Jörg S\. and Cleo S\. differ\.",
        answer.json()["reason"],
    )
    assert len(stored()) == 1


def test_refused_hand_is_told_why(evenings: Evenings) -> None:
    answer = send(evenings.client("hanna"), typed([7, 4, 1, 0], queen=3))
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert answer.json()["reason"].startswith("One heart is missing. You entered 7, 4, 1 and 0")
    assert answer.json()["reason"].endswith("The hand totals 25 points instead of 26.")
    assert stored() == []


def test_hand_beyond_the_length_waits_until_a_director_saves_it(evenings: Evenings) -> None:
    hanna, event = evenings.client("hanna"), evenings.event
    owner = shell(hanna.get(NEW))["owner"]
    event.settings = {**event.settings, "length": "hands:1"}
    event.save()
    answer = send(hanna, RIGHT, owner=owner)
    assert (answer.status_code, answer.json()) == (
        422,
        {"state": "refused", "reason": "The game is over. This hand comes after its end."},
    )
    assert stored() == []
    dirk = Host(evenings.client("dirk"))
    assert dirk.send(typed([4, 1, 2, 6], queen=3), go="save:additional").status_code == 302
    assert send(hanna, RIGHT, owner=owner).json() == {"state": "there", "to": TABLE}
    assert len(stored()) == 1


def test_moon_without_its_settlement_is_a_question(evenings: Evenings) -> None:
    answer = send(evenings.client("hanna"), typed([0, 13, 0, 0], queen=2))
    assert (answer.status_code, answer.json()) == (
        422,
        {
            "state": "question",
            "reason": "Jörg S. took every card that makes a moon. How is it settled?",
        },
    )


def test_closed_round_refuses_a_host_with_its_reason(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    owner = shell(hanna.get(NEW))["owner"]
    Round.objects.filter(event=evenings.event).update(state="closed")
    answer = send(hanna, RIGHT, owner=owner)
    assert (answer.status_code, answer.json()["state"]) == (403, "refused")
    assert "closed" in answer.json()["reason"]


def test_draft_round_says_that_it_is_not_posted_yet(evenings: Evenings) -> None:
    names = ("Ada", "Ben", "Cem", "Dora")
    players(evenings.cast.riverside, *names)
    dirk = evenings.client("dirk")
    new = "/clubs/riverside/events/drafts/tables/r1t1/hands/new"
    dirk.post(
        "/clubs/riverside/new-event",
        {"name": "Drafts", "kind": "league", "variant": "hearts", "visibility": "public"},
    )
    dirk.post("/clubs/riverside/events/drafts/direct", {"to": "open"})
    dirk.post("/clubs/riverside/events/drafts/new-round", {"number": "1", "on": "2026-01-05"})
    seats = {f"seat-{n}": name for n, name in enumerate(names, start=1)}
    dirk.post("/clubs/riverside/events/drafts/rounds/1/new-table", seats)
    answer = Host(dirk, new).send(typed([3, 3, 3, 4], queen=1))
    says = "Round 1 is a draft. Hands can be entered after the director posts it."
    assert says in text_of(answer, 409)


def test_hand_of_somebody_else_waits_for_them(evenings: Evenings) -> None:
    owner = shell(evenings.client("hanna").get(NEW))["owner"]
    answer = send(evenings.client("dirk"), RIGHT, owner=owner)
    assert (answer.status_code, answer.json()["state"]) == (401, "stopped")
    assert stored() == []


def test_hand_of_a_replaced_link_is_stopped_and_sent_with_the_new_one(db: None) -> None:
    night = linked(enter_the_cast())
    address = f"{night.table}/hands/new"
    old = night.holder()
    owner = shell(old.get(address))["owner"]
    night.link = make_link(Operation(night.dirk, timezone.now()), night.game.table, hours=1)
    night.__post_init__()
    answer = send(old, RIGHT, address=address, owner=owner)
    assert (answer.status_code, answer.json()["state"]) == (404, "stopped")
    assert answer.json()["reason"].startswith("This link does not open a table.")
    assert answer.json()["to"] == "/t"
    assert send(night.holder(), RIGHT, address=address, owner=owner).json()["state"] == "sent"


def test_hand_of_another_table_is_told_to_open_that_table_again(db: None) -> None:
    night = linked(enter_the_cast())
    phone = night.holder()
    new = f"{night.event}/tables/r1t1/hands/new"
    owner = shell(phone.get(new))["owner"]
    second = make_link(Operation(night.dirk, timezone.now()), night.other.table, hours=1)
    phone.get(f"/t/{secrets_of(second.seed).token}")
    body = send(phone, RIGHT, address=new, owner=owner).json()
    assert (body["state"], body["way"]) == ("stopped", "Enter code")
    assert body["reason"].startswith("Another table was opened on this device.")


@pytest.mark.parametrize(("name", "status"), [("", 401), ("piet", 403), ("nora", 403)])
def test_whoever_may_not_enter_is_stopped(evenings: Evenings, name: str, status: int) -> None:
    answer = send(evenings.client(name), RIGHT, owner="?")
    assert (answer.status_code, answer.json()["state"]) == (status, "stopped")
    assert stored() == []


def test_outbox_asks_for_the_way_and_gets_a_token(evenings: Evenings) -> None:
    answer = evenings.client("hanna").get(NEW, headers={"X-Outbox": "?"})
    assert answer.json()["state"] == "ready"
    assert len(answer.json()["csrf"]) == 64
    closed = evenings.client().get(NEW, headers={"X-Outbox": "?"})
    assert closed.json()["to"].startswith("/accounts/login/?next=")


def test_page_of_an_open_round_may_be_kept_and_no_other(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    for page in (NEW, TABLE):
        assert hanna.get(page)["X-Keep-On-Phone"] == "yes"
    for page in (f"{TABLE}/hands/1/edit", f"{TABLE}/hands/1", ADDRESS):
        assert "X-Keep-On-Phone" not in hanna.get(page)
    assert "X-Keep-On-Phone" not in evenings.client().get(TABLE)
    Round.objects.filter(event=evenings.event).update(state="closed")
    for page in (NEW, TABLE):
        assert "X-Keep-On-Phone" not in hanna.get(page)


def test_page_gives_its_outbox_the_ring_of_deals(evenings: Evenings) -> None:
    given = shell(evenings.client("hanna").get(NEW))
    assert given["number"] == 2
    assert given["dealers"] == ["Marit S.", "Jörg S.", "Cleo S.", "Carla K."]
    assert given["passes"] == ["left", "right", "across", "hold"]
    assert given["fresh"] is True
    assert len(given["owner"]) == 16


def test_worker_changes_with_its_files(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = client.get("/sw.js")
    assert before["Content-Type"] == "text/javascript"
    assert before["Cache-Control"] == "no-cache"
    assert "default-src 'self'" in before["Content-Security-Policy"]
    assert client.get("/sw.js").content == before.content
    monkeypatch.setattr(finders, "find", lambda name: __file__)
    assert client.get("/sw.js").content != before.content


def test_worker_keeps_every_file_that_the_page_asks_for(evenings: Evenings) -> None:
    page = evenings.client("hanna").get(NEW).content.decode()
    asked = set(re.findall(r'(?:href|src)="(/static/[^"#]+\.(?:css|js|svg))', page))
    site = re.search(r"const site = (\{.*\});", evenings.client().get("/sw.js").content.decode())
    assert site
    assert asked <= set(json.loads(site[1])["files"])


def test_collected_files_are_kept_under_their_hashed_names(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.COLLECTED = True
    before = client.get("/sw.js").content.decode()
    monkeypatch.setattr(pwa, "static", lambda name: f"/static/{name}.0badcafe")
    after = client.get("/sw.js").content.decode()
    assert "look.css.0badcafe" in after
    assert re.findall('"version": "([^"]*)"', before) != re.findall('"version": "([^"]*)"', after)


def test_manifest_names_icons_that_are_there(client: Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["scope"], manifest["display"]) == ("/", "standalone")
    assert client.get(manifest["start_url"]).status_code == 200
    for icon in manifest["icons"]:
        assert finders.find(icon["src"].removeprefix("/static/")), icon
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}


def test_page_that_every_phone_keeps_knows_nobody(evenings: Evenings) -> None:
    pages = [evenings.client(name).get("/on-this-phone").content for name in ("", "hanna")]
    without_time = [re.sub(rb"csrf\w+", b"", page) for page in pages]
    assert without_time[0] == without_time[1]
    assert b"hanna" not in pages[1]
