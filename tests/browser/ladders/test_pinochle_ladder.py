"""A ladder by two-hand Pinochle: a challenge sent and accepted, its game entered on a phone and
corrected, and the place changed."""

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import Cookie, Screen, Walk, launched, session_cookie, walk_in
from tests.support.builders import publish_all, table
from tests.support.cast import enter_the_cast
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.tasks import publish_event, publish_ladder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/ladder"
HANDS = f"{EVENT}/tables/r1t1/hands"
ON_A_PHONE: Screen = (390, "light")
PICTURES = os.environ.get("BLACKLADY_PICTURES", "")


@pytest.fixture
def cookies(db: None, live_server: LiveServer) -> dict[str, Cookie]:
    """A ladder of six by Pinochle, who is signed in, and a table for E and C."""
    cast = enter_the_cast()
    now = timezone.now()
    event = ladder(
        cast, "ABCDEF", variant="pinochle-two-hand", length="variant", now=now - timedelta(days=1)
    )
    publish_all(event, now=now)
    table(event, people("E", "C"), on=timezone.localdate())
    return {
        name: session_cookie(cast.client(name), live_server.url)
        for name in ("C", "E", "hanna", "dirk")
    }


def people(*codes: str) -> list[Player]:
    return [Player.objects.get(player_id=code) for code in codes]


def opened(browser: Browser, url: str, cookie: Cookie) -> Walk:
    walk = walk_in(browser, url, ON_A_PHONE)
    walk.page.context.add_cookies([cookie])
    return walk


def picture(page: Page, name: str) -> None:
    """Keep a picture of a page on two screens where BLACKLADY_PICTURES names a directory."""
    for width in (1280, 390) if PICTURES else ():
        page.set_viewport_size({"width": width, "height": 844})
        page.screenshot(path=str(Path(PICTURES) / f"{name}-{width}.png"), full_page=True)


def publish() -> None:
    event = Event.objects.get(slug="ladder")
    publish_event(event.pk)
    publish_ladder(event.pk)


def order(page: Page) -> str:
    listed = page.locator("table.rung tbody th > a").all_inner_texts()
    return "".join(one[-1] for one in listed)


def enter(page: Page, number: int, tricks: int, **melds: int) -> None:
    """Enter a hand in which all melds are those of seat 1; the other seat gets the rest."""
    page.goto(f"{HANDS}/new")
    page.locator("[name=trick_points-1]").fill(str(tricks))
    for meld, times in melds.items():
        page.locator(f"[name=melds-1-{meld}]").fill(str(times))
    page.locator(".rest").last.click()
    expect(page.locator("[name=trick_points-2]")).to_have_value(str(250 - tricks))
    picture(page, f"entry-{number}")


@pytest.mark.tier_long
def test_challenge_by_pinochle_from_sending_to_the_changed_place(
    cookies: dict[str, Cookie], live_server: LiveServer, chromium: str
) -> None:
    with launched(chromium) as browser, ThreadPoolExecutor(1) as elsewhere:
        low = opened(browser, live_server.url, cookies["E"])
        low.page.goto(f"{EVENT}/ladder")
        low.press("Challenge Member C, place 3")
        high = opened(browser, live_server.url, cookies["C"])
        high.page.goto(f"{EVENT}/challenges/1")
        high.press("Accept")

        host = opened(browser, live_server.url, cookies["hanna"])
        enter(host.page, 1, 150, double_pinochle=1, flush=2, aces=2)
        host.press("Save hand 1")
        enter(host.page, 2, 200, flush=2)
        host.press("Save hand 2")
        host.page.goto(f"{HANDS}/2/edit")
        host.page.locator("[name=melds-1-flush]").fill("1")
        host.page.locator("[name=reason]").fill("One flush only.")
        host.press("Show changes")
        picture(host.page, "preview")
        expect(host.page.get_by_role("main")).to_contain_text("350")
        host.press("Save as revision 2")
        host.page.goto(f"{EVENT}/tables/r1t1")
        picture(host.page, "sheet")
        assert host.wrong == []
        elsewhere.submit(publish).result()

        low.page.goto(f"{EVENT}/challenges/1")
        low.follow("Enter result")
        low.page.get_by_label("Table", exact=True).select_option("r1t1")
        low.press("Save result")
        high.page.goto(f"{EVENT}/challenges/1")
        high.press("Confirm result")
        elsewhere.submit(publish).result()
        low.page.goto(f"{EVENT}/ladder")
        picture(low.page, "ladder")
        assert order(low.page) == "ABECDF"
        assert low.wrong + high.wrong == []
