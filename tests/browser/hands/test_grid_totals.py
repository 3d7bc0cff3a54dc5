"""The totals below the grid, and what is counted beside the seats."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands.test_grid import PILE, Opened, press_and_load
from tests.browser.hands.test_grid import evenings as evenings
from tests.browser.hands.test_grid import opened as opened
from tests.support.browser import DESK, PHONE, press_tab_until
from tests.support.scenarios.evenings import ADDRESS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def foot_of(page: Page) -> list[str]:
    return page.locator(".foot-sum, .foot-of").all_inner_texts()


def test_totals_below_the_grid_follow_what_is_typed_and_equal_the_sheet(opened: Opened) -> None:
    walk = opened(f"{ADDRESS}/tables/r1t1/grid")
    page = walk.page
    assert foot_of(page) == ["−22", "2", "1", "19", "of 0"]
    page.locator("#c-3-1").focus()
    page.keyboard.type("63q40")
    assert foot_of(page) == ["−16", "18", "5", "19", "of 26"]
    page.locator("#c-4-2").focus()
    page.keyboard.press("m")
    assert foot_of(page)[-1] == "of 26, without hand 4"
    page.keyboard.press("+")
    assert foot_of(page) == ["10", "18", "31", "45", "of 104"]
    page.locator("#c-5-1").focus()
    page.keyboard.type("12")
    assert foot_of(page)[-1] == "of 104, without hand 5"
    page.locator("#c-5-1").fill("")
    press_and_load(page, "Control+Enter")
    page.goto(f"{ADDRESS}/tables/r1t1/grid")
    assert foot_of(page) == ["10", "18", "31", "45", "of 104"]
    page.goto(f"{ADDRESS}/tables/r1t1")
    assert page.locator("tfoot .pts").all_inner_texts() == ["10", "18", "31", "45"]


@pytest.mark.tier_long
def test_sheet_entered_twice_is_asked_about_and_the_foot_stays(opened: Opened) -> None:
    walk = opened(f"{PILE}/tables/r1t1/grid", DESK, PHONE)
    page = walk.page
    for tries in range(2):
        page.goto(f"{PILE}/tables/r1t{tries + 1}/grid")
        page.keyboard.type("63q4075q10")
        press_and_load(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Was this sheet entered twice?")).to_be_visible()
    assert (
        "Hands 1–2 are the same as hands 1–2 of table 1, round 1"
        in page.locator("main").inner_text()
    )
    walk.look(again=True)
    press_tab_until(page, "Save anyway")
    press_and_load(page, "Enter")
    expect(page.get_by_text("Table 2: 2 of 8 hands entered.")).to_be_visible()
    assert walk.wrong_but(409) == []


@pytest.mark.tier_long
def test_enter_passes_through_what_is_counted_beside_the_seats(opened: Opened) -> None:
    page = opened("/clubs/riverside/events/beside/tables/r1t1/grid").page
    for text in ("12q", "10", "2", "0", "0", "0"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(page.locator("#c-1-unclaimed")).to_be_focused()
    page.keyboard.type("2q")
    page.keyboard.press("Enter")
    expect(page.locator("#c-2-1")).to_be_focused()
    assert page.locator('tr[data-hand="1"] .sum-ok').is_visible()
