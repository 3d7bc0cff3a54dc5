"""The big screens: their letters are read from as far away on every picture of one height."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESK
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.walks import Walks
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
NAMES = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.",
    "Maximiliane-Theodora von Hohenstein",
)  # fmt: skip
SCREENS = ((1280, 720), (1920, 600), *short_or_long((), ((1024, 768), (1920, 1080), (3840, 2160))))
AT_1080: Final = {".standings tbody th a": 46.4, ".standings .key": 54.4, "thead th": 24}
"""What stands on the standings → how high its letters are on a screen of 1080."""
SMALLEST: Final = 13
"""No letter that is for the room is smaller, on the lowest of the screens."""
SIZE: Final = "what => parseFloat(getComputedStyle(document.querySelector(what)).fontSize)"
HIDDEN_BY_SCROLLING: Final = """() => {
  const all = document.documentElement;
  return [all.scrollWidth - all.clientWidth, all.scrollHeight - all.clientHeight];
}"""
CUT: Final = """() => {
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const lines = (one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  };
  return [...document.querySelectorAll(".tile .name, .tile b, .standings th a")]
    .filter((one) => one.offsetParent)
    .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 || lines(one) > 2
      || bottom(one) > bottom(one.closest("ul, table")) + 1)
    .map((one) => one.textContent.trim());
}"""
"""Names and totals that do not fit their tile or their line."""


@pytest.fixture
def page(db: None, walks: Walks) -> Page:
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    event = league(cast.riverside, name="Autumn league")
    for n in range(4):
        game = table(event, people[4 * n : 4 * n + 4], table_number=n + 1)
        hand(game, 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    return walks(DESK).page


def height_of(page: Page, what: str) -> float:
    page.locator(what).first.wait_for()  # asked in one step: the live part is replaced meanwhile
    size = page.evaluate(SIZE, what)
    return float(size)


def test_letters_follow_the_height_of_the_screen_at_any_width(page: Page) -> None:
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{EVENT}/projector")
        for what, size in AT_1080.items():
            at = (width, height, what)
            assert height_of(page, what) == pytest.approx(size * height / 1080, rel=0.02), at
            assert height_of(page, what) >= SMALLEST, at
        assert page.evaluate(HIDDEN_BY_SCROLLING) == [0, 0], (width, height)


def test_phone_on_its_side_keeps_the_letters_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(f"{EVENT}/projector")
    assert height_of(page, ".standings tbody th a") >= 15


@pytest.mark.parametrize("tables", [1, 8, 20])
def test_tables_fit_the_screen_and_no_name_is_cut(db: None, walks: Walks, tables: int) -> None:
    cast = enter_the_cast()
    names = [f"Maximilian Hohenstein{n}" for n in range(10, 10 + 4 * tables)]
    people = players(cast.riverside, *names)
    event = league(cast.riverside, length="hands:1")
    made = make_round(Operation(TESTS, NOW), event)
    games = [table(event, people[4 * n : 4 * n + 4], table_number=n + 1) for n in range(tables)]
    move_round(Operation(TESTS, NOW), made, to="posted")
    hand(games[0], 1, [4, 1, 2, 6], queen=3)
    page = walks(DESK).page
    for width, height in ((1280, 720), *short_or_long((), ((1920, 1080), (3840, 2160)))):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{EVENT}/screen")
        expect(page.locator(".won")).to_have_text(re.compile(r"first\s*1\s*$"))
        at = (tables, width)
        assert page.evaluate(HIDDEN_BY_SCROLLING) == [0, 0], at
        assert page.evaluate(CUT) == [], at
        assert page.locator(".tile:visible").count() == tables
        assert height_of(page, ".tile .name") >= 12 * height / 720, at
