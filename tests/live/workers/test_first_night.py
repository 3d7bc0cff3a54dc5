"""From nothing to standings in a browser, against a real worker.

A director makes a club, its people and an event, brings in the sheets of a messy night, settles,
dismisses, undoes the import and imports again; every page is judged on a phone and a desk.
"""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from playwright.sync_api import Locator, expect

from tests.live.conftest import Inside
from tests.support.browser import DESK, PHONE, Walk, launched, walk_in
from tests.support.builders import by_tests, league
from tests.support.imports.imports import SHEETS
from tests.support.live.project import LiveProject
from tournaments.services.clubs.clubs import create_club

pytestmark = [pytest.mark.worker, pytest.mark.browser]

EVENT = "/clubs/cafe-lodz/events/autumn-league"
PASSWORD = "queen-of-spades-13"  # of an account that lives as long as the test
PEOPLE = """\
RL01, Alma D.
RL02, Bruno K.
RL03, Cleo S.
RL04, Dario D.
RL07, Greta D.
RL09, Ines S.

RL10, Jonas D.
RL14, Nico K.
RL15, Odile S.
RL17, Quinn K.
RL20, Tilda K.
RL21, Umar S.
RL22, Vera D.
RL23, Wim K.
rl09, ines s.
RL25, Yusuf D.
RL26, Zoë K.
RL27, Anton S.
RL28, Béla D.
RL29, Carla K.
RL30, Dmitri S.
RL33, Gitte S.
RL34, Hanno D.
RL36, Jörg S.
"""
"""As it was pasted: 23 people, a blank line, one of them twice."""

SETTLED: Mapping[int, tuple[str, str]] = {
    10: (";N;RL04;Dario D.;1;", ";N;RL04;Dario D.;2;"),
    **{line: (";black-lady;3;", ";black-lady;4;") for line in range(95, 99)},
    117: (";;;;;26", ";;;;self;-26"),
}
"""Line of messy.csv → what is settled in the browser, as a mended file says it."""


def sign_in(walk: Walk) -> None:
    page = walk.page
    page.goto("/accounts/login/?next=/new-club")
    page.get_by_label("User name or e-mail address").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/new-club")
    walk.look()


def make_a_club(walk: Walk) -> None:
    """Once without a name; the keyboard leads from what is wrong to the field."""
    page = walk.page
    walk.press("Create club")
    expect(page.get_by_role("alert")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name of the club")).to_be_focused()
    page.keyboard.type("Café Łódź")
    expect(page.get_by_label("Address on this site")).to_have_attribute("placeholder", "cafe-lodz")
    page.get_by_label("Time zone").select_option("Europe/Warsaw")
    walk.press("Create club")
    expect(page.get_by_text("Café Łódź created. You are the owner.")).to_be_visible()


def paste_the_people(walk: Walk) -> None:
    page = walk.page
    page.get_by_label("Names, one per line").fill(PEOPLE)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Twice in the list")).to_have_count(1)


def add_the_people(walk: Walk) -> None:
    """Added, taken off the list again, and added for good."""
    page = walk.page
    walk.follow("Add players", nth=0)
    paste_the_people(walk)
    walk.look(again=True)
    walk.press("Add 23 players")
    walk.press("Undo")
    expect(page.get_by_text("23 players removed from the list.")).to_be_visible()
    page.goto("/clubs/cafe-lodz/add-players")
    paste_the_people(walk)
    page.get_by_role("button", name="Add 23 players").click()
    walk.follow("All players")
    for who in ("RL36 Jörg S.", "RL26 Zoë K.", "RL28 Béla D."):
        expect(page.get_by_role("row", name=who)).to_be_visible()
    expect(page.locator("main tbody tr")).to_have_count(23)


def make_an_event(walk: Walk) -> None:
    """Its game is chosen, one of its options is set, and left as it is again."""
    page = walk.page
    page.goto("/clubs/cafe-lodz")
    walk.follow("Create event")
    page.get_by_label("Name of the event").fill("Autumn league")
    with page.expect_response("**/new-event?*"):
        page.get_by_label("Game", exact=True).select_option("hearts")
    page.get_by_text("About Hearts (American), and its options").click()
    moon = page.get_by_label("Shooting the moon", exact=True)
    page.get_by_text("Moon and sun", exact=True).click()
    moon.select_option("others")
    walk.press("Update options")
    expect(moon).to_have_value("others")
    moon.select_option("")
    walk.press("Create event")
    expect(page.get_by_role("heading", name="Manage Autumn league")).to_be_visible()
    walk.press("Open event")
    expect(
        page.get_by_text("Open: hands can be entered, and the standings are updated.")
    ).to_be_visible()


def upload(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/imports")
    walk.look()
    walk.follow("Import")
    page.get_by_label("File", exact=True).set_input_files(SHEETS / "messy.csv")
    page.get_by_role("button", name="Check file").click()
    expect(page.get_by_text("Not imported yet")).to_be_visible()
    expect(ready(walk, 10)).to_be_visible()


def ready(walk: Walk, hands: int) -> Locator:
    return walk.page.get_by_role("button", name=f"Import {hands} hands")


def settle_two_by_a_button(walk: Walk) -> None:
    page = walk.page
    page.get_by_role("button", name="lines 95 to 98 are hand 4").click()
    expect(ready(walk, 12)).to_be_visible()
    page.get_by_role("button", name="E: taken off that seat").click()
    expect(ready(walk, 13)).to_be_visible()


def back_to_the_file(walk: Walk) -> None:
    found = re.match(r".*/imports/\d+", walk.page.url)
    assert found
    walk.page.goto(found[0])


def mend_a_row(walk: Walk, *hearts: str) -> None:
    """Write this many hearts for North, each time until it can be; what was typed stays."""
    page = walk.page
    typed = "1"
    for heart in hearts:
        walk.follow("Resolve Table 1, hand 3:", exact=False)
        expect(page.get_by_label("hearts of line 10")).to_have_value(typed)
        page.get_by_label("hearts of line 10").fill(heart)
        page.get_by_label("hearts of line 10").press("Enter")
        expect(page.get_by_text("The file was checked again with your change.")).to_be_visible()
        back_to_the_file(walk)
        typed = heart
    expect(ready(walk, 14)).to_be_visible()


def dismiss_one(walk: Walk) -> None:
    page = walk.page
    walk.follow("Resolve Table 8, hand 4:", exact=False)
    page.get_by_role("button", name="Leave out").click()
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Reason").fill("Both ways at once.")
    walk.press("Leave out")
    back_to_the_file(walk)
    expect(page.get_by_text("Both ways at once.")).to_be_visible()


def confirm(walk: Walk) -> None:
    page = walk.page
    page.get_by_role("button", name="Import 14 hands").click()
    expect(page.get_by_text("17 problems pending")).to_be_visible()


def the_standings(walk: Walk) -> str:
    """The standings as the worker published them, by the link below them."""
    page = walk.page
    page.goto(EVENT)
    expect(page.get_by_text("20 players, 14 hands.")).to_be_visible()
    link = page.get_by_role("link", name="Download CSV").get_attribute("href")
    return page.request.get(str(link)).text()


def undo_import_and_correct(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/imports")
    walk.follow("messy.csv")
    walk.follow("Undo import")
    page.get_by_role("button", name="Undo import").click()
    expect(page.get_by_text("Undone", exact=True).first).to_be_visible()
    walk.look(again=True)
    page.goto(EVENT)
    expect(page.get_by_text("No standings yet")).to_be_visible()
    walk.look(again=True)


def of_the_command_line(project: LiveProject, inside: Inside, place: Path) -> str:
    """The standings of a fresh club into which commands bring the same people and hands."""
    with inside(project):
        league(create_club(by_tests(), slug="fresh", name="Fresh"), slug="league")
    people, sheets = place / "people.csv", place / "mended.csv"
    people.write_text("player_id,name\n" + PEOPLE.replace(", ", ","), encoding="utf-8")
    lines = (SHEETS / "messy.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for number, (typed, meant) in SETTLED.items():
        assert typed in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(typed, meant)
    sheets.write_text("".join(lines), encoding="utf-8")
    target = ("--club", "fresh", "--event", "league")
    project.manage("import_players", "--club", "fresh", str(people))
    done = project.manage("import_sheets", *target, str(sheets))
    assert (done.returncode, "14 are in the event" in done.stdout) == (1, True), done.stdout
    assert project.manage("publish", *target).returncode == 0
    return project.manage("standings", *target, "--csv").stdout


@pytest.mark.tier_long
def test_first_night_of_a_new_club_ends_in_the_standings_of_the_command_line(
    project: LiveProject, inside: Inside, chromium: str, tmp_path: Path
) -> None:
    with inside(project):
        hashed = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1000)
        User.objects.create(username="olga", password=hashed)
    project.serve()
    with launched(chromium) as browser:
        walk = walk_in(browser, project.url, PHONE, DESK)
        sign_in(walk)
        make_a_club(walk)
        add_the_people(walk)
        make_an_event(walk)
        upload(walk)
        walk.look()
        settle_two_by_a_button(walk)
        mend_a_row(walk, "20", "2")
        dismiss_one(walk)
        walk.look(again=True)
        confirm(walk)
        walk.look(again=True)
        first = the_standings(walk)
        walk.look(again=True)
        undo_import_and_correct(walk)
        upload(walk)
        settle_two_by_a_button(walk)
        mend_a_row(walk, "2")
        dismiss_one(walk)
        confirm(walk)
        again = the_standings(walk)
        assert walk.wrong_but(422) == []
    expected = of_the_command_line(project, inside, tmp_path)
    assert rows_of(again) == rows_of(expected)
    assert again == first


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))
