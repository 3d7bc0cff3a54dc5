"""History of an event, as a reader finds it: at desk and phone width, with axe."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walks
from tests.support.scenarios.evenings import ADDRESS, two_evenings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.tier_long
def test_reader_asks_for_a_round_and_goes_on_to_a_player_and_the_matrix(walks: Walks) -> None:
    two_evenings()
    walk = walks(DESK, PHONE)
    walk.page.goto(ADDRESS)
    walk.look()
    walk.page.get_by_label("Table as of round").fill("1")
    walk.press("Show")
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Autumn league as of round 1")
    walk.follow("Elsa D.")
    chart = walk.page.get_by_role("img", name="Place of Elsa D. after each round.")
    expect(chart).to_be_visible()
    assert chart.evaluate("(one) => one.decode().then(() => one.naturalWidth)") == 350
    walk.follow("Full matrix")
    assert walk.wrong == []
