"""The first screen of the standings in pixels, on a phone and on a laptop, and wide tables."""

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT: Final = "/clubs/riverside/events/league"
NAMES: Final = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.", "Konstantin A.",
)  # fmt: skip
ROWS: Final = ".standings tbody tr[id]"


@pytest.fixture
def event(db: None) -> None:
    riverside = enter_the_cast().riverside
    event = league(riverside, name="Thursday league, autumn 2026")
    people = players(riverside, *NAMES)
    for n in range(4):
        hand(table(event, people[4 * n : 4 * n + 4], table_number=n + 1), 1, [4, 1, 2, 6], queen=n)
    publish(event.pk, now=NOW)
    make_all(event.pk)


def on_a_phone(walks: Walks) -> Page:
    context = walks.browser.new_context(
        base_url=walks.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    return context.new_page()


def heights(page: Page, what: str) -> list[float]:
    rounded = "all => all.map(one => Math.round(one.getBoundingClientRect().height))"
    return page.locator(what).evaluate_all(rounded)  # type: ignore[no-any-return]


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_first_row_is_in_the_upper_third_of_a_phone(event: None, walks: Walks) -> None:
    page = on_a_phone(walks)
    page.goto(EVENT)
    first = page.locator(ROWS).first.bounding_box()
    assert first is not None
    assert first["y"] <= 0.33 * 844
    assert max(heights(page, ROWS)) - min(heights(page, ROWS)) <= 1  # a line of every fifth row
    for target in (f"{ROWS} summary", f"{ROWS} th > a", f"{ROWS} .key a"):
        assert min(heights(page, target)) >= 44, target
    page.locator(f"{ROWS} summary").first.tap()
    expect(page.locator(f"{ROWS} .why-in").first).to_contain_text("Leads:")
    assert width_of(page) == 390


@pytest.mark.parametrize("percent", [130, 150])
def test_reasons_stand_below_the_names_where_letters_are_large(
    event: None, walks: Walks, percent: int
) -> None:
    page = on_a_phone(walks)
    page.goto(EVENT)
    page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
    name = page.locator(f"{ROWS} th > a").first.bounding_box()
    reason = page.locator(f"{ROWS} summary").first.bounding_box()
    assert name is not None
    assert reason is not None
    assert reason["y"] >= name["y"] + name["height"]
    assert page.locator(f"{ROWS} th > a").first.evaluate("one => one.getClientRects().length") == 1
    assert width_of(page) == 390


def test_laptop_shows_fourteen_rows_at_once(event: None, walks: Walks) -> None:
    page = walks(DESK).page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(EVENT)
    row = page.locator(ROWS).nth(13).bounding_box()
    assert row is not None
    assert row["y"] + row["height"] <= 800
    assert max(heights(page, ROWS)) - min(heights(page, ROWS)) <= 1  # a line of every fifth row


def test_all_figures_scroll_beside_the_names_on_a_phone(event: None, walks: Walks) -> None:
    page = on_a_phone(walks)
    page.goto(EVENT)
    moons = page.get_by_role("columnheader", name="Moons")
    expect(moons).to_have_count(0)
    page.locator("a:visible", has_text="All figures").tap()
    expect(moons).to_have_count(1)
    moons.scroll_into_view_if_needed()
    expect(moons).to_be_in_viewport()
    expect(page.locator(f"{ROWS} th").first).to_be_in_viewport()
    assert width_of(page) == 390
    page.locator("a:visible", has_text="Fewer figures").tap()
    expect(moons).to_have_count(0)


def test_names_of_head_to_head_stay_in_sight_while_it_scrolls(event: None, walks: Walks) -> None:
    walk = walks(PHONE)
    walk.page.goto(f"{EVENT}/head-to-head")
    last = walk.page.locator(".matrix thead th").last
    expect(last).not_to_be_in_viewport()
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    expect(walk.page.locator(".matrix tbody th").first).to_be_in_viewport()
    assert walk.wrong == []
