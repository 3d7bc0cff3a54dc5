"""The public pages with the keyboard alone, without a script, and with a hostile name."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, press_tab_until
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_keyboard_alone_leads_to_a_hand_and_focus_is_always_seen(
    evenings: Evenings, walks: Walks
) -> None:
    walk = walks(DESK)
    page = walk.page
    page.goto("/clubs/riverside")
    way = ("Autumn league", "Zoë K.", "Table 1 of round 1", "Hand 2", "Back to sheet")
    for name in way:
        press_tab_until(page, name)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert page.url == f"{walks.url}{ADDRESS}/tables/r1t1"
    assert walk.wrong == []


@pytest.mark.tier_long
def test_skip_link_is_the_first_stop_and_leads_to_the_text(
    evenings: Evenings, walks: Walks
) -> None:
    page = walks((390, "light")).page
    page.goto(ADDRESS)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


@pytest.mark.tier_long
def test_pages_work_without_a_script(evenings: Evenings, walks: Walks) -> None:
    page = walks.without_script()
    page.goto(ADDRESS)
    page.locator("#RL01 summary").click()
    page.get_by_role("link", name="All 2 tables of Elsa D.").click()
    assert page.url == f"{walks.url}{ADDRESS}/players/RL01"
    page.goto("/theme")
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_hostile_name_runs_nothing(evenings: Evenings, walks: Walks) -> None:
    walk = walks(DESK)
    for path in (ADDRESS, f"{ADDRESS}/tables/r1t1", f"{ADDRESS}/players/RL03", "/clubs/riverside"):
        walk.page.goto(path)
        expect(walk.page.get_by_text(HOSTILE).locator("visible=true").first).to_be_visible()
    assert walk.wrong == []
