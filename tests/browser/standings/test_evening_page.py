"""The page of an evening on a phone: its first three, its table, and its button."""

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENING: Final = "/clubs/riverside/events/league/meetings/2025-11-06"
NAMES: Final = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.",
    "Konstantin von Aschersleben",
)  # fmt: skip


@pytest.fixture
def event(db: None) -> None:
    riverside = enter_the_cast().riverside
    event = league(riverside, name="Thursday league, autumn 2026")
    people = players(riverside, *NAMES)
    for n in range(2):
        hand(table(event, people[4 * n : 4 * n + 4], table_number=n + 1), 1, [4, 1, 2, 6], queen=n)
    publish(event.pk, now=NOW)
    make_all(event.pk)


def on_a_phone(walks: Walks) -> Page:
    context = walks.browser.new_context(
        base_url=walks.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    return context.new_page()


def test_evening_fits_a_phone_and_says_why(event: None, walks: Walks) -> None:
    page = on_a_phone(walks)
    page.goto(EVENING)
    expect(page.locator(".place b").first).to_have_text("1")
    page.locator(".standings tbody tr[id] summary").first.tap()
    expect(page.locator(".standings .why-in").first).to_contain_text("this evening")
    assert int(page.evaluate("document.documentElement.scrollWidth")) == 390
