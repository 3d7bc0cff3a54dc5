"""A file from upload to undoing without a script, and what a refused one says."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import league, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.imports.imports import CAST, rows, written
from tests.support.imports.other_programs import BY_HAND, BY_SEAT, as_csv, hand_rows, seat_rows
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
    page.get_by_label("User name or e-mail address").fill("hanna")
    page.get_by_label("Password").fill("a pile of sheets")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_load_state()


def choose_file(page: Page, night: Path) -> None:
    page.goto(IMPORTS)
    page.get_by_role("link", name="Import sheets").click()
    page.get_by_label("File", exact=True).set_input_files(night)
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_text("Not imported yet")).to_be_visible()


@pytest.mark.tier_long
def test_the_whole_way_works_without_a_script(cast: Cast, night: Path, walks: Walks) -> None:
    page = walks.without_script()
    sign_in(page)
    choose_file(page, night)
    page.get_by_role("link", name="Resolve").first.click()
    page.get_by_label("Reason for dismissing").fill("Not of this league.")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Not of this league.")).to_be_visible()
    page.get_by_role("button", name="Import 1 hand").click()
    page.get_by_role("link", name="Undo import").click()
    page.get_by_role("button", name="Undo import").click()
    expect(page.get_by_text("Undone", exact=True).first).to_be_visible()


def test_refused_file_puts_the_focus_on_what_is_wrong(
    cast: Cast, tmp_path: Path, walks: Walks
) -> None:
    photo = tmp_path / "sheet.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n")
    walk = walks(PHONE)
    page = walk.page
    sign_in(page)
    page.goto(f"{IMPORTS}/new")
    page.get_by_label("File", exact=True).set_input_files(photo)
    page.get_by_label("Game, if not in the file").fill("Black Lady")
    page.get_by_role("button", name="Check file").click()
    expect(page.locator("#refused")).to_be_focused()
    expect(page.get_by_label("Game, if not in the file")).to_have_value("Black Lady")
    walk.look(again=True)
    assert walk.wrong_but(422) == []


def test_columns_of_a_foreign_file_are_said_and_kept(
    cast: Cast, tmp_path: Path, walks: Walks
) -> None:
    path = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    walk = walks(PHONE, DESK)
    page = walk.page
    sign_in(page)
    send_foreign(page, path)
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
    page.get_by_label("Name of the mapping").fill("Tuesdays")
    walk.press("Save mapping")
    walk.follow("Tuesdays")
    page.goto("/clubs/riverside/mappings")
    walk.look()
    assert walk.wrong_but(422) == []


@pytest.mark.tier_long
def test_columns_of_a_foreign_file_are_said_without_a_script(
    cast: Cast, tmp_path: Path, walks: Walks
) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows((0,)))
    page = walks.without_script()
    sign_in(page)
    send_foreign(page, path)
    page.get_by_role("link", name="One row per hand, players as columns").click()
    page.get_by_role("link", name="One row per player and hand").click()
    page.get_by_label("Bemerkung").select_option("moon")
    page.get_by_role("button", name="Read file").click()
    expect(page.get_by_role("button", name="Import 1 hand")).to_be_visible()


def send_foreign(page: Page, path: Path) -> None:
    page.goto(f"{IMPORTS}/new")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_role("heading", name="Column mapping")).to_be_visible()
