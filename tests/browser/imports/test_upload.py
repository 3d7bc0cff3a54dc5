"""A file that is refused, and one of another program whose columns are mapped."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import league, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.imports.other_programs import BY_HAND, as_csv, hand_rows
from tests.support.walks import Walks

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


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name or e-mail address").fill("hanna")
    page.get_by_label("Password").fill("a pile of sheets")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_load_state()


def test_refused_file_puts_the_focus_on_the_fault(cast: Cast, tmp_path: Path, walks: Walks) -> None:
    photo = tmp_path / "sheet.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n")
    walk = walks(PHONE)
    page = walk.page
    sign_in(page)
    page.goto(f"{IMPORTS}/new")
    page.get_by_label("File", exact=True).set_input_files(photo)
    page.get_by_text("What the file does not say").click()
    page.get_by_label("Game, if not in the file").fill("Black Lady")
    page.get_by_role("button", name="Check file").click()
    expect(page.locator("#refused")).to_be_focused()
    expect(page.get_by_label("Game, if not in the file")).to_have_value("Black Lady")
    expect(page.get_by_label("Game, if not in the file")).to_be_visible()
    walk.look(again=True)
    assert walk.wrong_but(422) == []


def test_columns_of_a_foreign_file_are_changed_and_kept(
    cast: Cast, tmp_path: Path, walks: Walks
) -> None:
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    walk = walks(PHONE, DESK)
    page = walk.page
    sign_in(page)
    page.goto(f"{IMPORTS}/new")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("button", name="Import 3 hands")).to_be_visible()
    walk.look()
    page.get_by_text("Is something read wrongly?").click()
    walk.look(again=True)
    page.get_by_role("link", name="Change mapping").click()
    expect(page.get_by_role("heading", name="Column mapping")).to_be_visible()
    expect(page.get_by_label("Who is “Cleo S.”?")).to_have_value("RL03")
    expect(page.get_by_label("Dame bei")).to_have_value("queen_spades")
    walk.look()
    page.get_by_label("Round, if there is no column").fill("")
    page.get_by_role("button", name="Read file").click()
    expect(page.locator("#refused")).to_be_focused()
    walk.look(again=True)
    page.get_by_label("Round, if there is no column").fill("11")
    page.get_by_label("Round, if there is no column").press("Enter")
    expect(page.get_by_role("button", name="Import 3 hands")).to_be_visible()
    page.get_by_text("Read the next file by the same columns").click()
    page.get_by_label("Name of the mapping").fill("Tuesdays")
    walk.press("Save mapping")
    page.get_by_text("Is something read wrongly?").click()
    walk.follow("Tuesdays")
    page.goto("/clubs/riverside/mappings")
    walk.look()
    assert walk.wrong_but(422) == []
