"""The clock, the board and the big screen of a round in a browser: they go on by themselves."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Screen, Walk, press_tab_until
from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import season
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.rounds import extend_round, make_round, move_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
FIRST = (
    "Anna", "Bruno", "Carla", "Dario", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira",
    "Lars", "Mina", "Nico", "Odile",
)  # fmt: skip
LETTERS = "KS"


def enter_a_hand() -> None:
    hand(Game.objects.get(table__number=1), 1, [4, 1, 2, 6], 3)


def test_clock_warns_and_ends_and_the_seating_turns_its_pages(db: None, walks: Walks) -> None:
    now = timezone.now()
    cast = enter_the_cast()
    event = league(cast.riverside, length="hands:4", settings={"round_minutes": 40})
    names = [f"{name} {letter}." for letter in LETTERS for name in FIRST][:28]
    people = players(cast.riverside, *names)
    round_ = make_round(by_tests(now), event)
    for number in range(7):
        four = people[4 * number : 4 * number + 4]
        table(event, four, table_number=number + 1)
    move_round(by_tests(now - timedelta(minutes=36)), round_, to="posted")
    walk = walks(PHONE, DESK)
    page = walk.page
    page.clock.install()
    page.goto(f"{EVENT}/screen")
    clock = page.get_by_role("timer")
    expect(clock).to_have_text(re.compile(r"^\s*[34]:\d\d\s*left: last 5 minutes"))
    expect(clock).to_have_class("clock soon")
    walk.look()
    first, second = (page.locator("[data-page]").nth(number) for number in (0, 1))
    expect(first).to_be_visible()
    expect(second).to_be_hidden()
    for width, height in ((1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        size = page.locator(".find-seat").first.evaluate(
            "one => parseFloat(getComputedStyle(one).fontSize)"
        )
        assert size >= 0.079 * height
        bottom, foot = page.evaluate(
            "[document.querySelector('[data-page]').getBoundingClientRect().bottom,"
            " document.querySelector('.b-foot').offsetHeight]"
        )
        assert bottom + foot <= height
    page.clock.run_for(8_000)
    expect(second).to_be_visible()
    expect(first).to_be_hidden()
    stay = page.get_by_role("link", name="Stay on page")
    expect(stay).to_have_attribute("href", "?page=2")
    stay.focus()
    page.clock.run_for(8_000)
    expect(second).to_be_visible()
    stay.evaluate("link => link.blur()")
    page.emulate_media(reduced_motion="reduce")
    page.clock.run_for(8_000)
    expect(second).to_be_visible()
    page.clock.fast_forward(5 * 60_000)  # each timer fires once, as after a sleep
    expect(clock).to_have_text(re.compile("Time is over"))
    elsewhere(enter_a_hand)
    page.clock.run_for(3_000)
    expect(page.get_by_text("hand 2 of 4")).to_be_visible()
    for width, height in ((1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        bottom, foot = page.evaluate(
            "[document.querySelector('.tiles').getBoundingClientRect().bottom,"
            " document.querySelector('.b-foot:last-child').offsetHeight]"
        )
        assert bottom + foot <= height
    assert walk.wrong == []


@pytest.mark.tier_long
def test_seating_has_links_to_its_pages_without_a_script(db: None, walks: Walks) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"Player {number:02d}" for number in range(20)))
    round_ = make_round(by_tests(timezone.now()), event)
    for number in range(5):
        table(event, people[4 * number : 4 * number + 4], table_number=number + 1)
    move_round(by_tests(timezone.now()), round_, to="posted")
    page = walks.without_script()
    page.goto(f"{EVENT}/screen")
    expect(page.get_by_text("Player 19")).to_be_hidden()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="2").click()
    expect(page.get_by_text("Player 19")).to_be_visible()


EVENT = "/clubs/riverside/events/league"
SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def test_phone_takes_added_minutes_and_drops_the_clock_of_a_closed_round(
    live_server: LiveServer, walks: Walks
) -> None:
    cast, now = enter_the_cast(), timezone.now()
    event = league(cast.riverside, length="hands:4", settings={"round_minutes": 40})
    people = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.")
    link(people[0], cast.users["piet"])
    round_ = make_round(by_tests(now), event)
    table(event, people)
    move_round(by_tests(now), round_, to="posted")
    walk = walks(PHONE, by=cast.client("piet"))
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t1")
    timer = page.get_by_role("timer")
    before = timer.get_attribute("data-ends")
    page.evaluate("window.stays = true")
    elsewhere(lambda: extend_round(by_tests(now), round_, minutes=5))
    page.evaluate(SEEN_AGAIN)
    expect(timer).not_to_have_attribute("data-ends", str(before))
    assert page.evaluate("window.stays")
    expect(timer).to_contain_text("left, until")
    elsewhere(lambda: Round.objects.update(state="closed"))
    page.evaluate(SEEN_AGAIN)
    expect(timer).to_have_count(0)
    assert walk.wrong == []


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
    move_game(by_tests(), games[5], to="abandoned", reason="Somebody fell ill.")
    return {who: cast.client(who) for who in ("dirk", "hanna")}


@pytest.fixture
def opened(db: None, walks: Walks) -> Opened:
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
def test_board_has_no_finding_on_any_screen_and_the_keyboard_reaches_tables(opened: Opened) -> None:
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
def test_board_without_a_script_is_a_page_looked_at_again(opened: Opened, walks: Walks) -> None:
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
