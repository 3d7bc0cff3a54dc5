"""A file from upload to undoing in a browser: at phone and desk width, and without a script."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.builders import league, players
from tests.cast import Cast, enter_the_cast
from tests.importing import CAST, rows, written
from tests.web.test_in_a_browser import launched, walk_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
IMPORTS = "/clubs/riverside/events/league/imports"


@pytest.fixture
def cast(db: None) -> Cast:
    found = enter_the_cast()
    players(found.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    league(found.riverside)
    hanna = found.users["hanna"]
    hanna.set_password("a pile of sheets")
    hanna.save()
    return found


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """A clean hand, one with a stranger, one of too few hearts, and a moon."""
    stranger = {**CAST, "S": ",Cleo Ss"}
    return written(
        tmp_path,
        *(rows(1), rows(2, cast=stranger), rows(3, (3, 1, 2, 6)), rows(4, (13, 0, 0, 0), "N")),
    )


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name or mail address").fill("hanna")
    page.get_by_label("Password").fill("a pile of sheets")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()


def choose_file(page: Page, night: Path) -> None:
    page.goto(IMPORTS)
    page.get_by_role("link", name="Import sheets").click()
    page.get_by_label("The file").set_input_files(night)
    page.get_by_role("button", name="Look what is in it").click()
    expect(page.get_by_text("Nothing written yet")).to_be_visible()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("width", [390, 1280])
def test_file_is_uploaded_settled_confirmed_and_undone(
    cast: Cast, night: Path, live_server: LiveServer, chromium: str, width: int
) -> None:
    with launched(chromium) as browser:
        walk = walk_in(browser, live_server, width)
        page = walk.page
        sign_in(page)
        page.goto(f"{IMPORTS}/new")
        walk.look()
        choose_file(page, night)
        walk.look()
        page.get_by_role("button", name="It is Cleo S. (RL03)").click()
        expect(page.get_by_role("button", name="Import the 2 good hands")).to_be_visible()
        page.get_by_role("button", name="N: added to the others").click()
        expect(page.get_by_role("button", name="Import the 3 good hands")).to_be_visible()
        walk.follow("Settle it", exact=False)
        page.get_by_label("hearts of line 10").fill("40")
        page.get_by_role("button", name="Read it so").click()
        walk.look(again=True)
        walk.follow("Settle it", exact=False)
        expect(page.get_by_label("hearts of line 10")).to_have_value("40")
        page.get_by_label("hearts of line 10").fill("4")
        page.get_by_label("hearts of line 10").press("Enter")
        page.get_by_role("button", name="Import the 4 good hands").click()
        expect(page.get_by_text("Nothing waits")).to_be_visible()
        walk.look(again=True)
        walk.follow("Undo this import")
        page.get_by_role("button", name="Undo: make 4 hands void").click()
        expect(page.get_by_text("Undone", exact=True)).to_be_visible()
        walk.look(again=True)
        assert walk.wrong == []


def test_the_whole_way_works_without_a_script(
    cast: Cast, night: Path, live_server: LiveServer, chromium: str
) -> None:
    with launched(chromium) as browser:
        context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
        page = context.new_page()
        sign_in(page)
        choose_file(page, night)
        page.get_by_role("link", name="Settle it").first.click()
        page.get_by_label("Why it is left out").fill("Not of this league.")
        page.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_text("Not of this league.")).to_be_visible()
        page.get_by_role("button", name="Import the 1 good hand").click()
        page.get_by_role("link", name="Undo this import").click()
        page.get_by_role("button", name="Undo: make 1 hand void").click()
        expect(page.get_by_text("Undone", exact=True)).to_be_visible()


def test_refused_file_puts_the_focus_on_what_is_wrong(
    cast: Cast, tmp_path: Path, live_server: LiveServer, chromium: str
) -> None:
    photo = tmp_path / "sheet.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n")
    with launched(chromium) as browser:
        walk = walk_in(browser, live_server, 390)
        page = walk.page
        sign_in(page)
        page.goto(f"{IMPORTS}/new")
        page.get_by_label("The file").set_input_files(photo)
        page.get_by_label("Variant, if the sheets do not say").fill("Black Lady")
        page.get_by_role("button", name="Look what is in it").click()
        expect(page.locator("#refused")).to_be_focused()
        expect(page.get_by_label("Variant, if the sheets do not say")).to_have_value("Black Lady")
        walk.look(again=True)
        # Chromium itself says on the console that the form was answered with 422.
        assert [wrong for wrong in walk.wrong if "status of 422" not in wrong] == []
