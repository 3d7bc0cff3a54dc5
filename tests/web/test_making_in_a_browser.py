"""A director makes things in a browser: at phone and desk width, judged by axe, by keyboard too."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.builders import hand
from tests.web.test_in_a_browser import Walk, launched, walk_in
from tournaments.models.hands import Game

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = "\n".join(
    [
        "Anna K.",
        "",
        "Jörg S.",
        "Béla D.",
        "anna k.",
        *(f"Player {letter}." for letter in "CDEFGHIJ"),
    ]
)


@pytest.fixture
def account(db: None) -> None:
    User.objects.create_user("olga", password="clubs are trumps")


def press(walk: Walk, name: str) -> None:
    """Press a button by its name, and look at what comes."""
    walk.page.get_by_role("main").get_by_role("button", name=name, exact=True).click()
    walk.page.wait_for_load_state()
    walk.look(again=True)


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/?next=/new-club")
    page.get_by_label("User name or mail address").fill("olga")
    page.get_by_label("Password").fill("clubs are trumps")
    page.keyboard.press("Enter")
    page.wait_for_url("**/new-club")


def make_a_club(walk: Walk) -> None:
    page = walk.page
    press(walk, "Make the club")
    expect(page.get_by_role("alert")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name of the club")).to_be_focused()
    page.keyboard.type("Café Łódź")
    expect(page.get_by_label("Its address on this site")).to_have_attribute(
        "placeholder", "cafe-lodz"
    )
    page.get_by_label("Time zone").select_option("Europe/Warsaw")
    press(walk, "Make the club")
    expect(page.get_by_text("Café Łódź is made, and you own it.")).to_be_visible()


def add_the_people(walk: Walk) -> None:
    page = walk.page
    page.goto("/clubs/cafe-lodz/add-players")
    walk.look()
    page.get_by_label("Names, one a line").fill(NAMES)
    press(walk, "See what would be added")
    expect(page.get_by_text("Twice in the list")).to_be_visible()
    press(walk, "Add 11 players")
    press(walk, "Undo: take them off the list")
    expect(page.get_by_text("11 players are off the list.")).to_be_visible()
    page.goto("/clubs/cafe-lodz/add-players")
    page.get_by_label("Names, one a line").fill(NAMES)
    press(walk, "See what would be added")
    press(walk, "Add 11 players")
    walk.follow("To the club's players")
    expect(page.get_by_role("row", name="P0002 Jörg S.")).to_be_visible()


def make_an_event(walk: Walk) -> None:
    page = walk.page
    page.goto("/clubs/cafe-lodz")
    walk.follow("New event", nth=0)
    page.get_by_label("Name of the event").fill("Autumn league")
    page.get_by_label("Game", exact=True).fill("spot heart")
    press(walk, "Show this game and its options")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Game", exact=True).fill("spot HEARTS")
    press(walk, "Show this game and its options")
    page.get_by_label("Game", exact=True).fill("American Hearts")
    press(walk, "Show this game's options again")
    page.get_by_label("Moon", exact=True).select_option("others")
    press(walk, "Make the event")
    expect(page.get_by_role("heading", name="Directing Autumn league")).to_be_visible()
    press(walk, "Open the event")
    expect(page.get_by_text("Open: hands go in, standings follow.")).to_be_visible()


def seat_a_round(walk: Walk) -> None:
    page = walk.page
    walk.follow("New round")
    press(walk, "Make the round")
    walk.follow("Seat a table")
    for seat, who in enumerate(("anna k.", "P0002", "Bela D.", "Player C."), start=1):
        page.get_by_label(f"Seat {seat}", exact=True).fill(who)
    press(walk, "Seat them")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_text("Closest: Béla D. (P0003)").first).to_be_visible()
    page.get_by_label("Seat 3", exact=True).fill("Béla D. (P0003)")
    press(walk, "Seat them")
    walk.follow("Seat table 1 anew")
    walk.follow("To the round")
    press(walk, "Post the round")
    expect(page.get_by_text("Posted: everybody sees who sits where.")).to_be_visible()


def close_the_table(walk: Walk) -> None:
    """A hand was entered meanwhile; it is voided, then the table and the round are closed."""
    page = walk.page
    page.goto("/clubs/cafe-lodz/events/autumn-league/tables/r1t1/hands/1")
    walk.follow("Void this hand")
    press(walk, "Void this hand")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Reason").fill("The cards were dealt wrongly.")
    press(walk, "Void this hand")
    walk.follow("Restore this hand")
    page.get_by_label("Reason").fill("They were not.")
    press(walk, "Restore it as revision 2")
    page.goto("/clubs/cafe-lodz/events/autumn-league/tables/r1t1/close")
    walk.look()
    press(walk, "Close the table")
    page.goto("/clubs/cafe-lodz/events/autumn-league/rounds/1/direct")
    press(walk, "Close the round")
    expect(page.get_by_text("Closed: only a director still corrects its hands.")).to_be_visible()


def enter_a_hand() -> None:
    hand(Game.objects.get(), 1, [4, 1, 2, 6], queen=3)


@pytest.mark.timeout(240)  # axe looks at every page on the way
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.usefixtures("account")
def test_owner_makes_a_club_and_its_list(
    live_server: LiveServer, chromium: str, width: int
) -> None:
    with launched(chromium) as browser, ThreadPoolExecutor(1) as elsewhere:
        walk = walk_in(browser, live_server, width)
        sign_in(walk.page)
        make_a_club(walk)
        add_the_people(walk)
        make_an_event(walk)
        seat_a_round(walk)
        elsewhere.submit(enter_a_hand).result()
        close_the_table(walk)
        # The browser tells of each refused form itself; nothing else may stand on the console.
        assert [said for said in walk.wrong if "status of 422" not in said] == []
