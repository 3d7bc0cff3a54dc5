"""The pages as a person walks through them: the demo from the club to a single hand and back.

At desk and phone width, with nothing on the console, nothing that the policy header refuses,
nothing that axe finds, nothing wider than the screen; and once with the keyboard alone.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, launched, press_tab_until, walk_in
from tests.support.builders import hand
from tests.support.cast import NOW
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings, two_evenings
from tournaments.models.hands import Game
from tournaments.services.publishing import publications

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def league(db: None) -> Evenings:
    return two_evenings()


@pytest.fixture
def browser(league: Evenings, live_server: LiveServer, chromium: str) -> Iterator[Browser]:
    """Started after the rows are made: while it runs, this thread asks no database."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def browser_at_the_demo(
    db: None, live_server: LiveServer, chromium: str, project_root: Path
) -> Iterator[Browser]:
    """The season that ships with the project, imported and published."""
    sheets = project_root / "tournaments" / "demo" / "sheets.csv"
    target = ("--club", "riverside", "--event", "league")
    call_command("import_sheets", str(sheets), *target, "--create", stdout=StringIO())
    call_command("publish", *target, stdout=StringIO())
    with launched(chromium) as browser:
        yield browser


@pytest.mark.tier_long
def test_reader_walks_through_the_demo_from_the_club_to_a_single_hand_and_back(
    browser_at_the_demo: Browser, live_server: LiveServer
) -> None:
    walk = walk_in(browser_at_the_demo, live_server.url, PHONE, DESK)
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
    assert page.url == f"{live_server.url}{ADDRESS}/tables/r10t1/hands/5"
    walk.follow("Hand 6")
    walk.follow("Back to sheet")
    walk.follow("Round 10")
    walk.follow("League")
    walk.follow("Riverside")
    assert page.url == f"{live_server.url}/clubs/riverside"
    assert walk.wrong == []


@pytest.mark.tier_long
def test_every_other_page_is_without_a_finding(browser: Browser, live_server: LiveServer) -> None:
    walk = walk_in(browser, live_server.url, (320, "light"), DESK)
    for path in (
        ADDRESS,
        f"{ADDRESS}/tables/r1t1",
        f"{ADDRESS}/tables/r1t1/hands/1",
        "/theme",
        "/accounts/login/",
        "/accounts/password/reset/",
        f"{ADDRESS}/meetings",
        f"{ADDRESS}/rounds/1",
        f"{ADDRESS}/rounds/1/board",
        f"{ADDRESS}/projector",
        f"{ADDRESS}/publications",
        f"{ADDRESS}/publications/1",
        f"{ADDRESS}/players/RL03",
        "/clubs/riverside/players/RL03",
        "/clubs/hilltop",
    ):
        walk.page.goto(path)
        walk.look()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_page_that_is_not_there_is_without_a_finding_too(
    browser: Browser, live_server: LiveServer
) -> None:
    walk = walk_in(browser, live_server.url, (390, "light"))
    walk.page.goto(f"{ADDRESS}/tables/r1t9")
    walk.look()
    assert walk.wrong_but(404) == []
    walk.follow("All tables of round 1")
    assert walk.page.url.endswith("/rounds/1")


def test_keyboard_alone_leads_to_a_hand_and_focus_is_always_seen(
    browser: Browser, live_server: LiveServer
) -> None:
    walk = walk_in(browser, live_server.url, DESK)
    page = walk.page
    page.goto("/clubs/riverside")
    way = ("Autumn league", "Zoë K.", "Table 1 of round 1", "Hand 2", "Back to sheet")
    for name in way:
        press_tab_until(page, name)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert page.url == f"{live_server.url}{ADDRESS}/tables/r1t1"
    assert walk.wrong == []


@pytest.mark.tier_long
def test_skip_link_is_the_first_stop_and_leads_to_the_text(
    browser: Browser, live_server: LiveServer
) -> None:
    page = walk_in(browser, live_server.url, (390, "light")).page
    page.goto(ADDRESS)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


@pytest.mark.tier_long
def test_pages_work_without_a_script(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(ADDRESS)
    page.locator("#RL01 summary").click()
    page.get_by_role("link", name="All 2 tables of Elsa D.").click()
    assert page.url == f"{live_server.url}{ADDRESS}/players/RL01"
    page.goto("/theme")
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_hostile_name_runs_nothing(browser: Browser, live_server: LiveServer) -> None:
    walk = walk_in(browser, live_server.url, DESK)
    for path in (ADDRESS, f"{ADDRESS}/tables/r1t1", f"{ADDRESS}/players/RL03", "/clubs/riverside"):
        walk.page.goto(path)
        expect(walk.page.get_by_text(HOSTILE).locator("visible=true").first).to_be_visible()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_new_standings_come_in_by_themselves_and_leave_what_is_open(
    league: Evenings, live_server: LiveServer, chromium: str
) -> None:
    game = Game.objects.get(event=league.event, table__code="r2t1")
    publication = 1

    def publish_another_hand() -> None:
        hand(game, 3, [3, 3, 3, 4], queen=1)
        publications.publish(league.event.pk, now=NOW + timedelta(minutes=1))

    with launched(chromium) as browser, ThreadPoolExecutor(1) as elsewhere:
        walk = walk_in(browser, live_server.url, DESK)
        page = walk.page
        page.goto(ADDRESS)
        expect(page.get_by_text(f"Publication {publication} of")).to_be_visible()
        page.locator("#RL01 summary").click()
        page.locator("#RL01 summary").focus()
        with page.expect_response(lambda answer: answer.status == 304):
            pass  # nothing is new: what stands there stays
        expect(page.locator("#RL01 details")).to_have_attribute("open", "")
        elsewhere.submit(publish_another_hand).result()
        expect(page.get_by_text("Publication 2 of")).to_be_visible()
        expect(page.locator("#RL01 details")).to_have_attribute("open", "")
        expect(page.locator("#RL01 summary")).to_be_focused()
        assert walk.wrong == []


@pytest.mark.tier_long
def test_page_that_nobody_sees_asks_nothing(browser: Browser, live_server: LiveServer) -> None:
    page = walk_in(browser, live_server.url, (390, "light")).page
    asked: list[str] = []
    page.clock.install()
    page.goto(ADDRESS)
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => window.away ?? true})")
    page.clock.run_for(30_000)
    assert [url for url in asked if url.endswith(ADDRESS)] == []
    page.evaluate("window.away = false")
    with page.expect_response(lambda answer: answer.status == 304):
        page.clock.run_for(6_000)
