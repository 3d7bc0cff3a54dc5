"""Eleven people and three packs, by the keyboard alone: the hand's form, then the grid.

Nothing is clicked; the focus stands where the page puts it, or is moved by Tab. What is saved is
what REST has.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from tests.support.browser import DESK, press_tab_until
from tests.support.scenarios.evenings import ADDRESS
from tests.support.scenarios.tables_in_browser import TableEvening, evening_of_tables

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VARIANT, SEATS = "cancellation-hearts-3", 11
HANDS = (
    ("3", "4q", "5", "2", "3q", "4", "6", "1", "3", "5", "3q"),
    ("0", "12q", "0", "9", "1", "0", "4q", "0", "2", "0", "11q"),
)
"""Hearts of each seat, 39 in a hand, and who took each of the three queens."""


@pytest.fixture
def _django_db_helper() -> None:
    """No test of this file empties the database: the table is there for all of them."""


@pytest.fixture(scope="module")
def evening(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, chromium: str
) -> Iterator[TableEvening]:
    with evening_of_tables(django_db_blocker, chromium, [(VARIANT, SEATS)], DESK) as made:
        yield made


def scores(page: Page, address: str) -> list[list[Any]]:
    hands = page.request.get(f"/api/v1{address}/hands").json()["results"]
    return [[seat["score"] for seat in hand["seats"]] for hand in hands]


def worth(hand: tuple[str, ...]) -> list[int]:
    return [int(text.rstrip("q")) + 13 * text.count("q") for text in hand]


def write(page: Page, hand: tuple[str, ...]) -> None:
    """Write down one hand: numbers, a q for a queen, Enter after each seat."""
    for text in hand:
        for key in (*text, "Enter"):
            page.keyboard.press(key)


def test_eleven_seats_are_entered_by_keys_in_form_and_in_the_grid(evening: TableEvening) -> None:
    walk, page = evening.walk, evening.walk.page
    address = f"{ADDRESS}/tables/{evening.codes[VARIANT, SEATS]}"
    page.goto(f"{address}/hands/new")
    expect(page.locator("#hearts-1")).to_be_focused()
    write(page, HANDS[0])
    expect(page.locator(".tally")).to_have_attribute("data-state", "ok")
    press_tab_until(page, "Save hand 1")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("Hand 1 saved.")).to_be_visible()
    assert scores(page, address) == [worth(HANDS[0])]

    page.goto(f"{address}/grid")
    expect(page.locator("#c-2-1")).to_be_focused()
    write(page, HANDS[1])
    expect(page.locator('tr[data-hand="2"] .sum-ok')).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert scores(page, address) == [worth(hand) for hand in HANDS]
    page.goto(address)
    totals = page.locator("table.sheet tfoot .pts").all_inner_texts()
    assert totals == [str(sum(both)) for both in zip(*map(worth, HANDS), strict=True)]
    walk.measure()
    assert walk.wrong == []
