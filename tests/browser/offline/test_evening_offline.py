"""A cellar without a signal: one phone, a table's link, three hands, a browser that is ended."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import launched
from tests.support.pages.hand_entry import NEW, TABLE
from tests.support.phones import Phone, browser_of_its_own, entered, phone, signed_in
from tests.support.scenarios.evenings import ADDRESS, Evenings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST = (1, 1, [3, 3, 3, 4])
SENT_UP_TO_4 = re.compile(r'"number": 5\b')
REST = "/api/v1/clubs/riverside/events/league/tables/r1t2"
MINE, THEIRS = [4, 1, 2, 6], [4, 2, 1, 6]

LINE_FITS = """() => {
  const line = document.querySelector("#outbox > summary");
  const edge = (one) => one.getBoundingClientRect().right;
  const isSaid = line.querySelector("span").innerText !== "";
  return edge(line.querySelector("h2")) <= edge(line) && isSaid;
}"""
"""Whether the queue's line is seen whole; where it did not fit, a browser drew "…" for it all."""


def code_from_the_director(evenings: Evenings) -> str:
    page = evenings.client("dirk").post(f"{TABLE}/link", {"hours": "24"}, follow=True)
    match = re.search(r'<dd class="code"><b>([^<]+)</b>', page.content.decode())
    assert match, "the page shows the code"
    return match[1]


def numbers_on(page: Page) -> list[str]:
    shown = page.locator("table.sheet tfoot .pts").all_inner_texts()
    return [text.replace("\u2212", "-").strip() for text in shown]


def test_evening_in_a_cellar_is_stored_once_and_asked_where_two_differ(
    evenings: Evenings, live_server: LiveServer, chromium: str, tmp_path: Path
) -> None:
    code, director = code_from_the_director(evenings), signed_in(evenings, live_server, "dirk")
    with browser_of_its_own(chromium, tmp_path, live_server.url) as walk:
        page = walk.page
        page.goto("/t")
        page.get_by_role("main").get_by_role("textbox").fill(code)
        page.get_by_role("button", name="Join table").click()
        expect(page.get_by_role("status").filter(has_text="Ready for offline use")).to_be_visible()
        page.context.set_offline(True)
        page.get_by_role("button", name="Enter hand 2").click()
        host = Phone.at(walk)
        host.heading(2)
        host.fill((4, 1, 2, 5), 4)
        host.press("Save hand 2 offline")
        expect(page.get_by_role("alert")).to_contain_text("12 of 13 hearts, 1 missing.")
        page.locator("#hearts-4").fill("6")
        page.get_by_role("button", name="Save hand 2 offline").dblclick()
        host.heading(3)
        page.get_by_role("button", name="Save hand 3 offline").click()
        expect(page.get_by_role("alert")).to_contain_text("Nothing is entered.")
        host.fill((13, 0, 0, 0), 1)
        host.press("Save hand 3 offline")
        expect(page.get_by_role("alert")).to_contain_text("Marit S. shot the moon.")
        page.get_by_role("button", name="Take 26 off Marit S.").click()
        host.heading(4)
        assert host.lines() == [f"Hand {n} Change not sent yet, entered" for n in (3, 2)]
        expect(host.queue.nth(1)).to_contain_text("Jörg S. 1♥ +1, total 17")
        expect(host.queue.nth(0)).to_contain_text("Marit S. 13♥ Q♠ \u221226, total \u221219")
        page.set_viewport_size({"width": 320, "height": 568})
        assert page.evaluate(LINE_FITS)
        page.set_viewport_size({"width": 390, "height": 900})
        expect(page.get_by_role("link", name="Enter totals only")).to_be_hidden()
    with launched(chromium) as browser:
        second = phone(browser, live_server.url, director)
        second.heading(2)
        second.fill(THEIRS, 4)
        second.press("Save hand 2")
        second.heading(3)
    with browser_of_its_own(chromium, tmp_path, live_server.url, is_cut_off=True) as walk:
        page, host = walk.page, Phone.at(walk)
        page.goto(NEW)
        host.heading(4)
        expect(host.badge).to_contain_text("Offline, 2 not sent")
        host.fill((3, 3, 3, 0), 2)
        page.reload()
        expect(page.locator("#hearts-3")).to_have_value("3")
        expect(page.get_by_role("button", name="Discard")).to_be_visible()
        page.get_by_role("link", name="Sheet so far").click()
        expect(page.get_by_role("heading", name="Table 2, round 1")).to_be_visible()
        expect(page.locator("#outbox .queue li")).to_have_count(2)
        expect(page.locator("table.sheet")).to_contain_text("+16")
        expect(page.locator("a.btn.pri")).to_have_text("Enter hand 4")
        page.goto(NEW)
        page.locator("#hearts-4").fill("4")
        page.get_by_role("button", name="Save hand 4 offline").dblclick()
        host.heading(5)
    with browser_of_its_own(chromium, tmp_path, live_server.url) as walk:
        page, host = walk.page, Phone.at(walk)
        page.goto(NEW)
        expect(host.badge).to_contain_text("1 asks")
        # The page comes anew when all the others are sent.
        expect(page.locator("#outbox")).to_have_attribute("data-outbox", SENT_UP_TO_4)
        host.press("See both entries of hand 2")
        expect(page.get_by_role("heading", name="This hand was already entered")).to_be_visible()
        expect(host.badge).not_to_contain_text("All sent")
        host.press("Save as revision 2")
        expect(page.get_by_text("Hand 2 saved as revision 2.")).to_be_visible()
        page.goto(TABLE)
        shown = numbers_on(page)
        assert walk.wrong == []
    assert entered() == [
        FIRST,
        (2, 1, THEIRS),
        (3, 1, [13, 0, 0, 0]),
        (4, 1, [3, 3, 3, 4]),
        (2, 2, MINE),
    ]
    assert shown == rest_totals(evenings.client("dirk"))


def rest_totals(client: Client) -> list[str]:
    answer: Any = client.get(REST).json()
    return [str(seat["total"]) for seat in answer["seats"]]


def test_numbers_that_are_entered_stay_with_their_table_and_person(
    evenings: Evenings, live_server: LiveServer, chromium: str
) -> None:
    hanna, dirk, again = (signed_in(evenings, live_server, n) for n in ("hanna", "dirk", "hanna"))
    with launched(chromium) as browser:
        host = phone(browser, live_server.url, hanna)
        page = host.page
        host.heading(2)
        page.get_by_role("button", name="One heart more for Marit S.").click()
        page.locator("#hearts-2").fill("5")
        page.locator("#card-QS-3-0").check()
        page.reload()
        expect(page.locator("#hearts-1")).to_have_value("1")
        expect(page.locator("#hearts-2")).to_have_value("5")
        expect(page.locator("#card-QS-3-0")).to_be_checked()
        page.goto(f"{ADDRESS}/tables/r1t1/hands/new")
        expect(page.locator("#outbox[data-shown]")).to_have_count(1)
        expect(page.locator("#hearts-2")).to_have_value("")
        host.context.add_cookies([dirk])
        host.open()
        expect(page.locator("#hearts-2")).to_have_value("")
        host.context.add_cookies([hanna])
        host.open()
        expect(page.locator("#hearts-2")).to_have_value("5")
        page.get_by_role("button", name="Discard").click()
        expect(page.locator("#hearts-2")).to_have_value("")
        page.reload()
        expect(page.locator("#outbox[data-shown]")).to_have_count(1)
        expect(page.locator("#hearts-2")).to_have_value("")
        page.locator("#hearts-2").fill("7")
        page.goto("/accounts/logout/")
        page.get_by_role("main").get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/")
        host.context.add_cookies([again])
        host.open()
        expect(page.locator("#hearts-2")).to_have_value("")
        assert host.walk.wrong == []
