"""The pages as a person walks through them: the demo from the club to a single hand and back.

At desk and phone width, with nothing on the console, nothing that the policy header refuses,
nothing that axe finds, nothing wider than the screen; and once with the keyboard alone.
"""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, press_tab_until
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def demo(db: None, project_root: Path) -> None:
    """The season that ships with the project, imported and published."""
    sheets = project_root / "tournaments" / "demo" / "sheets.csv"
    target = ("--club", "riverside", "--event", "league")
    call_command("import_sheets", str(sheets), *target, "--create", stdout=StringIO())
    call_command("publish", *target, stdout=StringIO())


@pytest.mark.tier_long
def test_reader_walks_through_the_demo_from_the_club_to_a_single_hand_and_back(
    demo: None, walks: Walks
) -> None:
    walk = walks(PHONE, DESK)
    page = walk.page
    page.goto("/")
    walk.look()
    walk.follow("Riverside")
    walk.follow("Full standings (40 places)")
    expect(page.get_by_role("heading", name="League")).to_be_visible()
    page.get_by_text("why Cleo S.").click()
    expect(page.get_by_text("356 ÷ 62 = 5.7419, 0.0232 behind Anton S.")).to_be_visible()
    expect(page.get_by_role("link", name="10: −8")).to_be_visible()
    walk.look(again=True)
    walk.follow("All 10 tables of Cleo S.")
    walk.follow("Table 1 of round 10")
    expect(page.get_by_text("Cleo S. took every card that makes a moon")).to_be_visible()
    walk.follow("Hand 5")
    expect(page.get_by_role("heading", name="Hand 5 of table 1, round 10")).to_be_visible()
    expect(page.get_by_role("row", name="South Cleo S.")).to_contain_text("−26")
    assert page.url == f"{walks.url}{ADDRESS}/tables/r10t1/hands/5"
    walk.follow("Hand 6")
    walk.follow("Back to sheet")
    walk.follow("Round 10")
    walk.follow("League")
    walk.follow("Riverside")
    assert page.url == f"{walks.url}/clubs/riverside"
    assert walk.wrong == []


@pytest.mark.tier_long
def test_page_that_is_not_there_is_without_a_finding_too(evenings: Evenings, walks: Walks) -> None:
    walk = walks((390, "light"))
    walk.page.goto(f"{ADDRESS}/tables/r1t9")
    walk.look()
    assert walk.wrong_but(404) == []
    walk.follow("All tables of round 1")
    assert walk.page.url.endswith("/rounds/1")


def test_keyboard_alone_leads_to_a_hand_and_focus_is_always_seen(
    evenings: Evenings, walks: Walks
) -> None:
    walk = walks(DESK)
    page = walk.page
    page.goto("/clubs/riverside")
    way = ("Autumn league", "Zoë K.", "Table 1 of round 1", "Hand 2", "Back to sheet")
    for name in way:
        press_tab_until(page, name)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert page.url == f"{walks.url}{ADDRESS}/tables/r1t1"
    assert walk.wrong == []


@pytest.mark.tier_long
def test_skip_link_is_the_first_stop_and_leads_to_the_text(
    evenings: Evenings, walks: Walks
) -> None:
    page = walks((390, "light")).page
    page.goto(ADDRESS)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


@pytest.mark.tier_long
def test_pages_work_without_a_script(evenings: Evenings, walks: Walks) -> None:
    page = walks.without_script()
    page.goto(ADDRESS)
    page.locator("#RL01 summary").click()
    page.get_by_role("link", name="All 2 tables of Elsa D.").click()
    assert page.url == f"{walks.url}{ADDRESS}/players/RL01"
    page.goto("/theme")
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_hostile_name_runs_nothing(evenings: Evenings, walks: Walks) -> None:
    walk = walks(DESK)
    for path in (ADDRESS, f"{ADDRESS}/tables/r1t1", f"{ADDRESS}/players/RL03", "/clubs/riverside"):
        walk.page.goto(path)
        expect(walk.page.get_by_text(HOSTILE).locator("visible=true").first).to_be_visible()
    assert walk.wrong == []
