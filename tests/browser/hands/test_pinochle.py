"""A host enters two hands of Pinochle on a phone and corrects one: melds and trick points."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.builders import league, players, table
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HANDS = "/clubs/riverside/events/league/tables/r1t1/hands"


def enter(page: Page, tricks: int, **melds: int) -> None:
    """Enter a hand in which all melds are those of seat 1; the other seat gets the rest."""
    page.goto(f"{HANDS}/new")
    page.locator("[name=trick_points-1]").fill(str(tricks))
    for meld, times in melds.items():
        page.locator(f"[name=melds-1-{meld}]").fill(str(times))
    page.locator(".rest").last.click()
    expect(page.locator("[name=trick_points-2]")).to_have_value(str(250 - tricks))


@pytest.mark.tier_long
def test_host_enters_and_corrects_hands_of_pinochle(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside, variant="pinochle-two-hand", length="variant")
    table(event, players(cast.riverside, "Ada", "Ben"))
    host = walks((390, "light"), by=cast.client("hanna"))
    enter(host.page, 150, double_pinochle=1, flush=2, aces=2)
    host.press("Save hand 1")
    enter(host.page, 200, flush=2)
    host.press("Save hand 2")
    host.page.goto(f"{HANDS}/2/edit")
    host.page.locator("[name=melds-1-flush]").fill("1")
    host.page.locator("[name=reason]").fill("One flush only.")
    host.press("Show changes")
    expect(host.page.get_by_role("main")).to_contain_text("350")
    host.press("Save as revision 2")
    assert host.wrong == []
