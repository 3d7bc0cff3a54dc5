"""A club makes its Thursday rules from Omnibus, plays them, changes them, and last week stays.

On a phone and a desk, with every page on the way judged by axe.
"""

import re

import pytest
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB = "/clubs/riverside"
HOUSE = f"{CLUB}/house-rules/thursday-rules"
EVENT = f"{CLUB}/events/thursdays"
PEOPLE = ("Anna K.", "Jörg S.", "Béla D.", "Cleo S.")


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, who directs a club of four players without any event."""
    cast = enter_the_cast()
    players(cast.riverside, *PEOPLE)
    return cast.client("dirk")


def option(page: Page, name: str) -> Locator:
    """The field of an option, its group unfolded."""
    field = page.locator(f"#id_options-{name}")
    group = page.locator("details.fold", has=field)
    expect(group).to_have_count(1)
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    return field


def make_thursday_rules(walk: Walk) -> None:
    """Each choice is followed by what it means, before anything is made."""
    page, meaning = walk.page, walk.page.locator("#meaning")
    page.goto(CLUB)
    walk.follow("House rules")
    walk.follow("New house rules")
    page.get_by_label("Name of your rules").fill("Thursday rules")
    page.get_by_label("Summary").fill("Omnibus with the ten of diamonds, to 61.")
    page.get_by_label("Start from").fill("Omnibus")
    page.get_by_label("Start from").press("Tab")
    expect(meaning).to_contain_text("100")
    expect(option(page, "bonus_card")).to_be_visible()
    option(page, "target").fill("61")
    expect(meaning).to_contain_text("61")
    option(page, "bonus_card").select_option("10D")
    expect(meaning).to_contain_text("10♦")
    option(page, "bonus_value").fill("−11")
    option(page, "moon").select_option("self")
    option(page, "moon_amount").fill("16")
    expect(meaning).to_contain_text("−16")
    option(page, "deals").fill("8")
    expect(meaning).to_contain_text('It cannot be combined with "Number of hands"')
    expect(page.get_by_role("link", name="Not playable")).to_be_in_viewport()
    walk.look(again=True)
    option(page, "deals").fill("")
    expect(meaning).to_contain_text("−16")
    walk.look(again=True)
    walk.press("Create house rules")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday rules, version 1")
    expect(page.get_by_text("61").first).to_be_visible()


def make_the_event(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Thursdays")
    page.get_by_label("Game", exact=True).select_option("Thursday rules, version 1")
    walk.press("Continue to ranking")
    page.get_by_text(re.compile(r"^\d+ more presets$")).click()
    page.get_by_role("radio", name="Tables won Games").check()
    walk.press("Create event")
    expect(page.get_by_text("Thursday rules, version 1").first).to_be_visible()
    walk.press("Open event")


def seat_a_table(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("Add round", exact=False)
    walk.press("Create round")
    walk.follow("Seat a table")
    for seat, name in enumerate(PEOPLE, start=1):
        page.get_by_label(f"Seat {seat}", exact=True).fill(name)
    walk.press("Seat players")
    page.go_back()
    page.goto(page.url.replace("/new-table", "/direct"))
    walk.press("Post round")


def play(page: Page, table: str, number: int, hearts: tuple[int, ...], lady: str, ten: str) -> None:
    """Enter one hand as its host does."""
    page.goto(f"{EVENT}/tables/{table}/hands/new")
    for seat, count in enumerate(hearts, start=1):
        page.locator(f"#hearts-{seat}").fill(str(count))
    page.get_by_label(f"queen of spades to {lady}").check()
    page.get_by_label(f"ten of diamonds to {ten}").check()
    page.get_by_role("button", name=f"Save hand {number}").click()
    expect(page.get_by_text(f"Hand {number} saved.")).to_be_visible()


def total_of(page: Page, table: str) -> str:
    """The sheet of a table as anybody reads it, whenever this device says what it has sent."""
    page.goto(f"{EVENT}/tables/{table}")
    shown = " ".join(page.get_by_role("main").inner_text().split())
    return shown.replace(" All sent ", " ")


def test_thursday_rules_are_made_played_changed_and_last_week_stays(
    dirk: Client, walks: Walks
) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    make_thursday_rules(walk)
    make_the_event(walk)
    seat_a_table(walk)
    play(page, "r1t1", 1, (4, 1, 2, 6), "Cleo S.", "Anna K.")
    play(page, "r1t1", 2, (0, 5, 5, 3), "Jörg S.", "Béla D.")
    play(page, "r1t1", 3, (13, 0, 0, 0), "Anna K.", "Jörg S.")
    last_week = total_of(page, "r1t1")
    assert "Thursday rules, version 1, 3 hands." in last_week
    # 4−11, 0, −16; 1, 5+13, −11; 2, 5−11, 0; 6+13, 3, 0
    assert "Total −23 1st 8 3rd −4 2nd 22 4th" in last_week, last_week

    page.goto(HOUSE)
    walk.follow("Create version")
    option(page, "target").fill("71")
    option(page, "moon_amount").fill("20")
    expect(page.locator("#meaning")).to_contain_text("−20")
    walk.press("Create version")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday rules, version 2")
    assert total_of(page, "r1t1") == last_week

    page.goto(f"{EVENT}/direct")
    walk.look(again=True)
    walk.press("Use version 2")
    seat_a_table(walk)
    play(page, "r2t1", 1, (13, 0, 0, 0), "Anna K.", "Jörg S.")
    this_week = total_of(page, "r2t1")
    assert "Thursday rules, version 2, 1 hand." in this_week
    assert "Total −20 1st −11 2nd 0 3rd= 0 3rd=" in this_week, this_week
    assert total_of(page, "r1t1") == last_week

    page.goto(HOUSE)
    walk.follow("What changed")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Thursday rules: version 1 and version 2"
    )
    table = page.get_by_role("table", name="Differences between the versions")
    for words in ("61", "71", "16 off", "20 off"):
        expect(table).to_contain_text(words)
    page.goto(f"{CLUB}/house-rules")
    walk.look()
    # A page that is left while it asks what the rules mean says so on the console.
    assert [said for said in walk.wrong if "console: htmx:" not in said] == []
