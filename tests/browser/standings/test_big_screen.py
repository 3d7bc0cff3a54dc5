"""The big screens: their letters are read from as far away on every picture of one height."""

from typing import Final

import pytest
from playwright.sync_api import Page

from tests.support.browser import DESK
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
NAMES = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.",
    "Farid S.", "Zoë K.", "Ilse K.", "Vera D.", "Ines S.", "Greta D.", "Pavel D.",
    "Maximiliane-Theodora von Hohenstein",
)  # fmt: skip
SCREENS = ((1280, 720), (1920, 600), *short_or_long((), ((1024, 768), (1920, 1080), (3840, 2160))))
AT_1080: Final = {
    "projector": {".standings tbody th a": 46.4, ".standings .key": 54.4, "thead th": 24},
    "rounds/1/board": {".tile li span": 54.4, ".tile .no": 68, ".tile .st": 34.4, ".meta": 28},
}
"""Page → what stands on it and how high its letters are on a screen of 1080."""
SMALLEST: Final = 13
"""No letter that is for the room is smaller, on the lowest of the screens."""


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
    size = page.locator(what).first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    return float(size)


def test_letters_follow_the_height_of_the_screen_at_any_width(page: Page) -> None:
    for path, expected in AT_1080.items():
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"{EVENT}/{path}")
            for what, size in expected.items():
                at = (path, width, height, what)
                assert height_of(page, what) == pytest.approx(size * height / 1080, rel=0.02), at
                assert height_of(page, what) >= SMALLEST, at
            if path == "projector":
                last = page.locator(".standings tbody tr").last.bounding_box()
                assert last is not None
                assert last["y"] + last["height"] <= height, (path, width, height)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (path, width, height, wide)


def test_phone_on_its_side_keeps_the_letters_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(f"{EVENT}/projector")
    assert height_of(page, ".standings tbody th a") >= 15
