"""An evening of a player without an account on a phone: card, answer, check-in, table, result."""

from datetime import time

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.")


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, whose club of five players without accounts meets today."""
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    event = league(cast.riverside)
    plan_meeting(by_tests(timezone.now()), event, day=timezone.now().date(), at=time(19, 30))
    return cast.client("dirk")


def play_a_hand() -> None:
    event = Event.objects.get(slug="league")
    seated = list(Player.objects.filter(name__in=NAMES[:4]).order_by("player_id"))
    hand(table(event, seated, on=timezone.now().date()), 1, [4, 2, 1, 6], queen=3)


def test_player_without_an_account_answers_checks_in_and_reads(dirk: Client, walks: Walks) -> None:
    desk = walks(DESK, by=dirk, at="/clubs/riverside/players").page
    desk.get_by_role("link", name="Personal links").click()
    desk.get_by_role("button", name="Create").click()
    expect(desk.locator(".qrc")).to_have_count(5)
    desk.goto("/clubs/riverside/personal-links/RL01")
    card = desk.get_by_label("Link", exact=True).input_value()

    walk = walks((390, "light"), PHONE, at=card)
    phone = walk.page
    expect(phone.get_by_role("heading", level=1)).to_have_text("Ada A.")
    phone.get_by_label("from round").fill("2")
    phone.get_by_role("button", name="I come later").click()
    expect(phone.get_by_role("main")).to_contain_text("You come late, from round 2.")
    walk.look()
    day = timezone.now().date().isoformat()
    desk.goto(f"/clubs/riverside/events/league/meetings/{day}/attendance")
    expect(desk.locator("#p-RL01")).to_contain_text("plays from round 2")
    phone.get_by_role("button", name="I am here: check in").click()
    expect(phone.get_by_role("main")).to_contain_text("You are checked in.")
    desk.reload()
    expect(desk.locator("#foot")).to_contain_text("1 here")

    elsewhere(play_a_hand)
    phone.reload()
    expect(phone.get_by_role("heading", name="Table 1, North")).to_be_visible()
    expect(phone.get_by_role("table", name="Points of each hand")).to_contain_text("4")
    walk.look()
    assert walk.wrong == []

    desk.goto("/clubs/riverside/personal-links/RL01")
    desk.get_by_text("Revoke link …").click()
    desk.get_by_role("button", name="Confirm").click()
    expect(desk.get_by_role("main")).to_contain_text("The player has no personal link.")
    phone.reload()
    expect(phone.get_by_role("main")).to_contain_text("ask a director for a new link")
