"""A club makes its Thursday rules from Omnibus, on a phone and a desk."""

import pytest
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB = "/clubs/riverside"


@pytest.fixture
def dirk(db: None) -> Client:
    return enter_the_cast().client("dirk")


def option(page: Page, name: str) -> Locator:
    field = page.locator(f"#id_options-{name}")
    group = page.locator("details.fold", has=field)
    expect(group).to_have_count(1)
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    return field


def make_thursday_rules(walk: Walk) -> None:
    """Each choice is followed by what it means, before anything is made."""
    page, meaning = walk.page, walk.page.locator("#meaning")
    page.goto(f"{CLUB}/house-rules")
    walk.follow("New house rules")
    page.evaluate("window.region = document.querySelector('#verdict[aria-live]')")
    page.get_by_label("Name of your rules").fill("Thursday rules")
    page.get_by_label("Summary").fill("Omnibus with the ten of diamonds, to 61.")
    page.get_by_label("Start from").fill("Omnibus")
    page.get_by_label("Start from").press("Tab")
    expect(meaning).to_contain_text("100")
    expect(option(page, "bonus_card")).to_be_visible()
    option(page, "target").fill("61")
    expect(meaning).to_contain_text("61")
    option(page, "bonus_card").select_option("10D")
    expect(meaning).to_contain_text("10♦")
    option(page, "bonus_value").fill("−11")
    option(page, "moon").select_option("self")
    option(page, "moon_amount").fill("16")
    expect(meaning).to_contain_text("−16")
    option(page, "deals").fill("8")
    expect(meaning).to_contain_text('It cannot be combined with "Number of hands"')
    expect(page.get_by_role("link", name="Not playable")).to_be_in_viewport()
    assert page.evaluate("window.region.innerText.trim()") == "Not playable"
    walk.look(again=True)
    option(page, "deals").fill("")
    expect(meaning).to_contain_text("−16")
    walk.look(again=True)
    walk.press("Create house rules")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday rules, version 1")
    expect(page.get_by_text("61").first).to_be_visible()


@pytest.mark.tier_long
def test_meaning_follows_each_choice_until_the_rules_are_made(dirk: Client, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    make_thursday_rules(walk)
    # A page that is left while it asks what the rules mean says so on the console.
    assert [said for said in walk.wrong if "console: htmx:" not in said] == []
