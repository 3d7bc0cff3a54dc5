"""A round's board in a browser: it follows what a second window enters, and says when it cannot."""

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from tests.support.browser import DESK, PHONE, Screen, Walk, press_tab_until
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import season
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game, Hand
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
BOARD = f"{EVENT}/rounds/1/board"
NAMES = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.", "Elsa D.",
    "Anton S.", "Yusuf D.", "Hugo K.", "Alma D.", "Wim K.", "Tilda K.", "Béla D.", "Odile S.",
)  # fmt: skip
Opened = Callable[..., Walk]


def fill() -> dict[str, Client]:
    """Six tables of six hands, each in a state of its own; Dirk and Hanna, signed in."""
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    event = league(cast.riverside, name="Autumn league", length="hands:6")
    games = [table(event, people[4 * n : 4 * n + 4], table_number=n + 1) for n in range(6)]
    hanna = cast.actor("hanna")
    for game, hands in zip(games, (2, 6, 0, 3, 2, 1), strict=True):
        for number in range(1, hands + 1):
            hand(game, number, [4, 1, 2, 6], queen=3, actor=hanna)
    Hand.objects.filter(game=games[4], number=2).update(state="disputed")
    hand(games[3], 6, [4, 1, 2, 6], queen=3, actor=hanna)
    move_game(Operation(TESTS, NOW), games[5], to="abandoned", reason="Somebody fell ill.")
    return {who: cast.client(who) for who in ("dirk", "hanna")}


@pytest.fixture
def opened(db: None, walks: Walks) -> Opened:
    """Walk in as somebody."""
    clients = fill()

    def walk(who: str, path: str, *screens: Screen) -> Walk:
        return walks(*(screens or [DESK]), by=clients[who], at=path)

    return walk


def state_of(page: Page, code: str) -> Locator:
    return page.locator(f"#{code} .st")


def test_hand_entered_in_one_window_shows_on_the_tile_in_the_other(opened: Opened) -> None:
    board = opened("dirk", BOARD)
    host = opened("hanna", f"{EVENT}/tables/r1t3/hands/new", PHONE)
    expect(state_of(board.page, "r1t3")).to_have_text("seated")
    expect(board.page.get_by_text("Table 3, hand 1")).to_have_count(0)
    board.page.locator("#r1t4 a").focus()
    for number, hearts in enumerate((4, 1, 2, 6), start=1):
        host.page.locator(f"[name=hearts-{number}]").fill(str(hearts))
    host.page.locator("[name=card-QS][value='4']").check(force=True)
    host.page.get_by_role("button", name="Save hand 1").click()
    expect(state_of(board.page, "r1t3")).to_have_text("hand 2 of 6")
    expect(board.page.locator("#r1t3")).to_contain_text("19")
    expect(board.page.get_by_role("row", name="Table 3, hand 1")).to_contain_text("hanna")
    expect(board.page.locator("#r1t4 a")).to_be_focused()
    with board.page.expect_response(lambda answer: answer.status == 304):
        pass  # nothing is new: nothing is sent
    assert (board.wrong, host.wrong) == ([], [])


@pytest.mark.tier_long
def test_board_is_without_a_finding_on_every_screen_and_the_keyboard_reaches_each_table(
    opened: Opened,
) -> None:
    walk = opened("dirk", BOARD, (320, "light"), PHONE, (1920, "dark"), DESK)
    walk.look(again=True)
    walk.page.set_viewport_size({"width": 1280, "height": 900})
    press_tab_until(walk.page, "Table 1")
    press_tab_until(walk.page, "Table 6")
    with walk.page.expect_navigation():
        walk.page.keyboard.press("Enter")
    assert walk.page.url.endswith(f"{EVENT}/tables/r1t6")
    assert walk.wrong == []


@pytest.mark.tier_long
def test_board_says_since_when_nobody_answers(opened: Opened) -> None:
    page = opened("dirk", BOARD).page
    contact = page.locator("[data-contact]")
    expect(contact).to_contain_text("Updated ")
    page.context.set_offline(True)
    expect(contact).to_contain_text("No contact since ")
    expect(contact).to_have_attribute("aria-live", "polite")
    expect(state_of(page, "r1t1")).to_have_text("hand 3 of 6")
    page.context.set_offline(False)
    expect(contact).to_contain_text("Updated ")


@pytest.mark.tier_long
def test_board_without_a_script_is_a_page_that_is_looked_at_again(
    opened: Opened, walks: Walks
) -> None:
    page = walks.without_script()
    page.goto(BOARD)
    expect(state_of(page, "r1t3")).to_have_text("seated")
    elsewhere(enter_at_table_three)
    page.get_by_role("link", name="Reload").click()
    expect(state_of(page, "r1t3")).to_have_text("hand 2 of 6")


def enter_at_table_three() -> None:
    hand(Game.objects.get(table__code="r1t3"), 1, [4, 1, 2, 6], queen=3)


@pytest.mark.tier_long
def test_entries_that_a_file_brought_fit_a_phone(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    season()
    dirk = cast.client("dirk")
    walk = walks(PHONE, (320, "light"), by=dirk, at=f"{EVENT}/rounds/10/board")
    expect(walk.page.get_by_text("sheets.csv").first).to_be_visible()
    walk.look()
    assert walk.wrong == []
