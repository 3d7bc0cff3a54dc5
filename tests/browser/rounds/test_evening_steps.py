"""A director's evening, from an event that was just created to its standings: pages and clicks.

18 people, three rounds, four hands a table. A scroll by a screen counts as a click. Before there
was a page per round it took 51 pages and 96 clicks.
"""

import re
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from playwright.sync_api import Frame, Locator, expect

from tests.support.browser import DESK
from tests.support.builders import players
from tests.support.cast import enter_the_cast
from tests.support.evenings import NAMES
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES, CLICKS = 30, 57


def test_evening_takes_few_pages_and_clicks(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    players(cast.riverside, *NAMES[:18])
    walk = walks(DESK, by=cast.client("dirk"))
    page, main = walk.page, walk.page.get_by_role("main")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/clubs/riverside/new-event")
    page.locator("input[name=name]").fill("Thursday")
    page.get_by_role("button", name="Continue to ranking").click()
    page.get_by_role("button", name="Continue to players").click()
    page.get_by_role("button", name="Create event").click()
    page.goto("/clubs/riverside/events/thursday/direct")
    pages: list[str] = []
    clicks: list[str] = []

    def visited(frame: Frame) -> None:
        if frame == page.main_frame:
            pages.append(frame.url)

    def click(where: Locator, *, leads: bool = True) -> None:
        expect(where).to_be_visible()
        for _screen in range(20):
            if where.evaluate(IS_IN_SIGHT):
                break
            where.evaluate(SCROLL)
            clicks.append("scroll")
        clicks.append(where.inner_text())
        with page.expect_navigation() if leads else nullcontext():
            where.click()

    page.on("framenavigated", visited)
    click(main.get_by_role("button", name="Start tonight"))
    click(main.get_by_role("button", name="Check in all 18"), leads=False)
    expect(page.locator("#foot")).to_contain_text("18 here")
    click(main.get_by_role("button", name="Plan seating"))
    click(main.get_by_role("button", name="Choose plan A"))
    for number in (1, 2, 3):
        click(main.get_by_role("button", name=f"Post round {number}"))
        click(main.get_by_role("link", name="Enter sheets"))
        for table in range(1, 6):
            for cell, text in cells(number, table, page.locator('[id^="c-1-"]').count()):
                page.locator(f"#c-{cell}").fill(text)
            click(main.get_by_role("button", name=re.compile("^Save, ")))
            expect(main).to_contain_text(f"Table {table} saved: 4 hands")
        click(main.get_by_role("button", name="Close round"))
        if number < 3:
            click(main.get_by_role("button", name=f"Seat round {number + 1}"))
    click(main.get_by_role("link", name="Standings").first)
    expect(page).to_have_url(re.compile("/clubs/riverside/events/thursday$"))
    assert len(pages) <= PAGES, pages
    assert len(clicks) <= CLICKS, clicks
    assert walk.wrong == []


def cells(number: int, table: int, seats: int) -> Iterator[tuple[str, str]]:
    """Yield each cell of four hands with its text; no two sheets are alike."""
    for hand in range(1, 5):
        texts = [str(13 - table - hand), str(table), str(hand), *["0"] * (seats - 3)]
        texts[number - 1] += "q"
        yield from ((f"{hand}-{seat}", text) for seat, text in enumerate(texts, start=1))


IS_IN_SIGHT = """one => {
  const box = one.getBoundingClientRect();
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.top >= 0 && box.bottom <= innerHeight && (one.contains(at) || at?.contains(one));
}"""
SCROLL = """one => scrollBy({
  top: Math.sign(one.getBoundingClientRect().top - 1) * innerHeight * 0.9, behavior: "instant"
})"""
