"""A ladder by two-hand Pinochle: a challenge sent and accepted, its game entered on a phone and
corrected, and the place changed."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.support.browser import Screen
from tests.support.builders import publish_all, table
from tests.support.cast import enter_the_cast
from tests.support.scenarios.ladders import ladder
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.tasks import publish_event, publish_ladder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/ladder"
HANDS = f"{EVENT}/tables/r1t1/hands"
ON_A_PHONE: Screen = (390, "light")


@pytest.fixture
def clients(db: None) -> dict[str, Client]:
    """A ladder of six by Pinochle, who is signed in, and a table for E and C."""
    cast = enter_the_cast()
    now = timezone.now()
    event = ladder(
        cast, "ABCDEF", variant="pinochle-two-hand", length="variant", now=now - timedelta(days=1)
    )
    publish_all(event, now=now)
    table(event, people("E", "C"), on=timezone.localdate())
    return {name: cast.client(name) for name in ("C", "E", "hanna")}


def people(*codes: str) -> list[Player]:
    return [Player.objects.get(player_id=code) for code in codes]


def publish() -> None:
    event = Event.objects.get(slug="ladder")
    publish_event(event.pk)
    publish_ladder(event.pk)


def order(page: Page) -> str:
    listed = page.locator("table.rung tbody th > a").all_inner_texts()
    return "".join(one[-1] for one in listed)


def enter(page: Page, tricks: int, **melds: int) -> None:
    """Enter a hand in which all melds are those of seat 1; the other seat gets the rest."""
    page.goto(f"{HANDS}/new")
    page.locator("[name=trick_points-1]").fill(str(tricks))
    for meld, times in melds.items():
        page.locator(f"[name=melds-1-{meld}]").fill(str(times))
    page.locator(".rest").last.click()
    expect(page.locator("[name=trick_points-2]")).to_have_value(str(250 - tricks))


@pytest.mark.tier_long
def test_challenge_by_pinochle_from_sending_to_the_changed_place(
    clients: dict[str, Client], walks: Walks
) -> None:
    low = walks(ON_A_PHONE, by=clients["E"], at=f"{EVENT}/ladder")
    low.press("Challenge Member C, place 3")
    high = walks(ON_A_PHONE, by=clients["C"], at=f"{EVENT}/challenges/1")
    high.press("Accept")

    host = walks(ON_A_PHONE, by=clients["hanna"])
    enter(host.page, 150, double_pinochle=1, flush=2, aces=2)
    host.press("Save hand 1")
    enter(host.page, 200, flush=2)
    host.press("Save hand 2")
    host.page.goto(f"{HANDS}/2/edit")
    host.page.locator("[name=melds-1-flush]").fill("1")
    host.page.locator("[name=reason]").fill("One flush only.")
    host.press("Show changes")
    expect(host.page.get_by_role("main")).to_contain_text("350")
    host.press("Save as revision 2")
    host.page.goto(f"{EVENT}/tables/r1t1")
    assert host.wrong == []
    elsewhere(publish)

    low.page.goto(f"{EVENT}/challenges/1")
    low.follow("Enter result")
    low.page.get_by_label("Table", exact=True).select_option("r1t1")
    low.press("Save result")
    high.page.goto(f"{EVENT}/challenges/1")
    high.press("Confirm result")
    elsewhere(publish)
    low.page.goto(f"{EVENT}/ladder")
    assert order(low.page) == "ABECDF"
    assert low.wrong + high.wrong == []
