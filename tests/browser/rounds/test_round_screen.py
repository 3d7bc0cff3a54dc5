"""The clock of a round and the big screen in a browser: both go on by themselves."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE
from tests.support.builders import TESTS, hand, league, link, players, table
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.services.operations import Operation
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
    made = make_round(Operation(TESTS, now), event)
    for number in range(7):
        four = people[4 * number : 4 * number + 4]
        table(event, four, table_number=number + 1)
    move_round(Operation(TESTS, now - timedelta(minutes=36)), made, to="posted")
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
    made = make_round(Operation(TESTS, timezone.now()), event)
    for number in range(5):
        table(event, people[4 * number : 4 * number + 4], table_number=number + 1)
    move_round(Operation(TESTS, timezone.now()), made, to="posted")
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
    round_ = make_round(Operation(TESTS, now), event)
    table(event, people)
    move_round(Operation(TESTS, now), round_, to="posted")
    walk = walks(PHONE, by=cast.client("piet"))
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t1")
    timer = page.get_by_role("timer")
    before = timer.get_attribute("data-ends")
    page.evaluate("window.stays = true")
    elsewhere(lambda: extend_round(Operation(TESTS, now), round_, minutes=5))
    page.evaluate(SEEN_AGAIN)
    expect(timer).not_to_have_attribute("data-ends", str(before))
    assert page.evaluate("window.stays")
    expect(timer).to_contain_text("left, until")
    elsewhere(lambda: Round.objects.update(state="closed"))
    page.evaluate(SEEN_AGAIN)
    expect(timer).to_have_count(0)
    assert walk.wrong == []
