"""The page of an evening on a phone, with large letters, and on paper."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHEET_OF_PAPER = re.compile(rb"/Type\s*/Page[^s]")
A4 = re.compile(rb"/MediaBox\s*\[\s*0 0 (?:594|595)[\d.]* (?:841|842)[\d.]*\s*\]")
EVENING: Final = "/clubs/riverside/events/league/meetings/2025-11-06"
NAMES: Final = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.",
    "Konstantin von Aschersleben",
)  # fmt: skip


@pytest.fixture
def event(db: None) -> None:
    riverside = enter_the_cast().riverside
    ranking = {"primary": "placement_points", "tie_breaks": ("lot",)}
    event = league(riverside, name="Thursday league, autumn 2026", settings=ranking)
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


@pytest.mark.parametrize("width", [960, 1280])
def test_table_of_the_evening_is_seen_on_a_wide_screen(
    event: None, walks: Walks, width: int
) -> None:
    page = walks(DESK).page
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(EVENING)
    panel = page.locator(".panel:has(> .standings)").bounding_box()
    name = page.locator(".standings tbody tr[id] th > a").first.bounding_box()
    assert panel is not None
    assert name is not None
    assert panel["x"] + panel["width"] > name["x"] + name["width"], "the panel cuts what it holds"


@pytest.mark.parametrize("percent", [130, 200])
def test_large_letters_wrap_and_nothing_is_cut(event: None, walks: Walks, percent: int) -> None:
    page = on_a_phone(walks)
    page.goto(EVENING)
    page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
    page.locator(".standings tbody tr[id] summary").first.tap()
    assert int(page.evaluate("document.documentElement.scrollWidth")) == 390
    rights = page.locator("main :is(td, th, p, a, b)").evaluate_all(
        "all => all.filter(one => one.checkVisibility() && !one.closest('caption, .vh'))"
        ".map(one => one.getBoundingClientRect().right)"
    )
    assert max(rights) <= 390


def test_evening_on_paper_is_a_sheet_with_places_reasons_and_tables(
    event: None, walks: Walks
) -> None:
    page = walks(DESK).page
    page.goto(EVENING)
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    reason = page.get_by_text("who came before").first
    expect(reason).to_be_hidden()
    paper = page.pdf(prefer_css_page_size=True)
    assert len(SHEET_OF_PAPER.findall(paper)) == 1
    assert A4.search(paper)
    page.emulate_media(media="print")
    expect(reason).to_be_visible()
    for text in ("Riverside", "Thursday league, autumn 2026", "Table 2"):
        expect(page.get_by_text(text, exact=True).locator("visible=true").first).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("navigation")).to_have_count(0)
    for kind in ("tr", ".game"):
        assert page.locator(kind).first.evaluate("one => getComputedStyle(one).breakInside") == (
            "avoid"
        )
