"""A director changes an event's settings and sees what would change, on a phone and a desk."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, HEIGHT, PHONE
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHANGE = "/clubs/riverside/events/league/settings/change"
TALLEST = 1760
"""Pixels that the page may be high at 1280 px with one section open."""
SECTIONS = (
    "Game and length",
    "Evenings",
    "Ranking and tie-breaks",
    "Counted results",
    "Cut-offs and play-offs",
    "Entry and corrections",
)


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, who directs Riverside; its league has two tables and a cut-off."""
    cast = enter_the_cast()
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    event = league(cast.riverside, settings={**OPEN, "boundaries": {"cut": 2}})
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [3, 6, 2, 2], queen=0)
    hand(table(event, people, round_number=2), 1, [4, 1, 2, 6], queen=1)
    publish(event.pk, now=NOW)
    return cast.client("dirk")


OPEN = {"length": "open", "primary": "raw_per_hand", "mixed_raw": True, "tie_breaks": []}


def summary_of(page: Page, name: str) -> str:
    return page.locator("summary", has=page.get_by_role("heading", name=name)).inner_text()


def open_section(page: Page, name: str) -> None:
    page.locator("summary", has=page.get_by_role("heading", name=name)).click()


def measured(page: Page) -> tuple[int, int]:
    height, width = page.evaluate(
        "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
    )
    return height, width


@pytest.mark.tier_long
def test_page_is_short_with_any_section_open_and_never_too_wide(dirk: Client, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    page.goto(CHANGE)
    for name in SECTIONS:
        open_section(page, name)
        walk.look(again=True)
        page.set_viewport_size({"width": 320, "height": HEIGHT})
        assert measured(page)[1] == 320, name
        page.set_viewport_size({"width": 1280, "height": HEIGHT})
        assert measured(page)[0] <= TALLEST, name
        expect(page.locator("details.fold[open]")).to_have_count(1)
    assert walk.wrong == []


def test_preview_follows_each_field_and_the_change_is_saved(dirk: Client, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    page.goto(CHANGE)
    open_section(page, "Ranking and tie-breaks")
    expect(page.get_by_label("Tie-break 2", exact=True)).to_be_hidden()
    page.get_by_label("Ranked by", exact=True).select_option("placement_points")
    expect(page.get_by_label("Points for each place", exact=True)).to_be_visible()
    effects = page.locator("#effects")
    expect(effects).to_contain_text("Qualification: changed. Elsa D. comes in at 2.")
    page.get_by_label("Tie-break 1", exact=True).select_option("h2h")
    expect(page.get_by_label("Tie-break 2", exact=True)).to_be_visible()
    expect(page.get_by_text("2 changes, not saved yet")).to_be_visible()
    assert "was: Average a hand" in summary_of(page, "Ranking and tie-breaks")
    walk.look(again=True)
    assert measured(page)[0] <= TALLEST
    page.get_by_label("Points for each place", exact=True).fill("four")
    expect(effects).to_contain_text("These settings cannot be saved:")
    page.get_by_label("Points for each place", exact=True).fill("4: 5 3 2 1")
    expect(effects).to_contain_text("2 of 4 change their place.")
    walk.press("Save settings")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Reason").fill("Agreed at the meeting.")
    walk.press("Save settings")
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    assert walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_refused_field_is_reached_by_its_link(dirk: Client, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    page.goto(CHANGE)
    open_section(page, "Entry and corrections")
    page.get_by_label("Correction window, in hours").fill("soon")
    walk.press("Save settings")
    expect(page.locator("#sec-entry")).to_have_attribute("open", "")
    open_section(page, "Game and length")
    page.get_by_role("alert").get_by_role("link").press("Enter")
    expect(page.get_by_label("Correction window, in hours")).to_be_visible()
    assert walk.wrong_but(422) == []
