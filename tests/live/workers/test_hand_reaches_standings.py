"""The host's page against a real worker: a hand is refused, mended, saved, and the standings in a
second window follow by themselves."""

import re
import time
from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from tests.live.conftest import Inside
from tests.support.browser import findings, launched
from tests.support.live.events import enter, evening, is_published
from tests.support.live.project import LiveProject, wait_until

pytestmark = [pytest.mark.worker, pytest.mark.browser]

EVENT = "/clubs/riverside/events/league"
PASSWORD = "queen-of-spades-13"  # of an account that lives as long as the test


@pytest.fixture
def running(project: LiveProject, inside: Inside) -> LiveProject:
    """An installation with one table, one published hand, and Hanna as host."""
    project.serve()
    with inside(project):
        game = evening()
        hanna = User.objects.get(username="hanna")
        hanna.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1000)
        hanna.save()
        enter(game, 1)
        wait_until(lambda: is_published(game.event_id), what="a publication")
    return project


@pytest.fixture
def browser(running: LiveProject, chromium: str) -> Iterator[Browser]:
    """Started after the rows are made: while it runs, this thread asks no database."""
    with launched(chromium) as browser:
        yield browser


def sign_in(page: Page) -> None:
    """As anybody does, from the link on the table's sheet on."""
    page.goto(f"{EVENT}/tables/r1t1/hands/new")
    page.locator("#id_login").fill("hanna")
    page.locator("#id_password").fill(PASSWORD)
    page.locator("#id_password").press("Enter")
    expect(page.get_by_role("heading", name="Table 1 hand 2")).to_be_visible()
    page.wait_for_load_state("load")  # the form's script, which takes Enter to the next field


def publication(page: Page) -> int:
    """The number of the publication that a standings page shows."""
    found = re.search(r"Publication (\d+) of", page.locator("main").inner_text())
    assert found is not None
    return int(found[1])


@pytest.mark.tier_long
def test_hand_of_25_is_refused_mended_and_moves_the_standings_in_a_second_window(
    running: LiveProject, browser: Browser
) -> None:
    host = browser.new_context(
        base_url=running.url, viewport={"width": 390, "height": 844}
    ).new_page()
    second = browser.new_context(
        base_url=running.url, viewport={"width": 1280, "height": 900}
    ).new_page()
    second.goto(EVENT)
    before = publication(second)
    loads: list[str] = []
    second.on("framenavigated", lambda frame: loads.append(frame.url))
    sign_in(host)
    for key in ("7", "Enter", "4", "Enter", "1", "q", "Enter", "0", "Enter", "Enter"):
        host.keyboard.press(key)
    note = host.get_by_role("alert")
    expect(note).to_contain_text("One heart is missing.")
    expect(note).to_contain_text("The hand totals 25 points instead of 26.")
    expect(host.locator("#hearts-1")).to_have_value("7")
    assert findings(host) == []
    assert publication(second) == before
    host.get_by_role("button", name="+1 to Ilse K.").click()
    expect(host.get_by_text("Complete: 13 hearts, Q♠")).to_be_visible()
    host.get_by_role("button", name="Save hand 2").click()
    saved = time.monotonic()
    expect(second.get_by_text(f"Publication {before + 1} of")).to_be_visible()
    took = time.monotonic() - saved
    print(f"standings in the second window {took:.2f} s after the tap on Save")
    expect(host.get_by_text("Hand 2 saved.")).to_be_visible()
    expect(host.get_by_role("group", name="Ilse K.")).to_contain_text("so far")
    assert loads == []
    expect(second.locator("tr#RL02")).to_contain_text("14.5000")
