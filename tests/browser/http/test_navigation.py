"""The header, the public pages and a pressed button: on a phone, by keyboard, without a script."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, press_tab_until
from tests.support.lengths import only_long
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "The Riverside and Hilltop Hearts, Spades and Whist Society of 1897"


@pytest.fixture
def club(db: None) -> Evenings:
    league = two_evenings()
    league.cast.riverside.name = LONG
    league.cast.riverside.save()
    return league


def test_slash_leads_to_the_search_and_a_name_to_its_page(club: Evenings, walks: Walks) -> None:
    walk = walks(DESK)
    page = walk.page
    page.goto(ADDRESS)
    page.keyboard.press("/")
    expect(page.get_by_role("banner").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("/jor")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("jor")
    page.keyboard.press("Enter")
    walk.look()
    walk.follow("Jörg S.")
    expect(page.get_by_role("heading", name="Jörg S.")).to_be_visible()
    assert walk.wrong == []


@pytest.mark.parametrize("width", [only_long(320), 390])
def test_header_on_a_phone_has_all_places_in_view(club: Evenings, walks: Walks, width: int) -> None:
    walk = walks((width, "light"), by=club.client("dirk"))
    page = walk.page
    for path in (ADDRESS, "/clubs/riverside/manage", "/clubs/riverside/search?q=s"):
        page.goto(path)
        walk.look()
        places = page.get_by_role("navigation", name="Club").get_by_role("link")
        expect(places).to_have_count(6)
        for place in places.all():
            box = place.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    page.goto(ADDRESS)
    page.keyboard.press("/")
    page.wait_for_url(re.compile("/search$"))
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    assert walk.wrong == []


def test_keyboard_alone_leads_to_a_hand_and_focus_is_seen(evenings: Evenings, walks: Walks) -> None:
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
def test_skip_link_is_the_first_stop_and_leads_to_text(evenings: Evenings, walks: Walks) -> None:
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


def test_pressed_button_is_disabled_until_the_form_is_answered(walks: Walks) -> None:
    page = walks(DESK, by=two_evenings().client("dirk"), at=f"{ADDRESS}/ledger/new").page
    button = page.locator("main form button[type=submit]").last
    page.locator("[name=entrant]").select_option("RL02")
    page.locator("[name=amount]").fill("2")
    page.locator("[name=reason]").fill("Came late.")
    page.route("**/ledger/new", lambda route: route.fulfill(status=204))
    button.click()
    expect(button).to_be_disabled()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(button).to_be_enabled()
    page.unroute("**/ledger/new")
    button.click()
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("/ledger$"))
