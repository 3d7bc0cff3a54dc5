"""A director works through the next steps of Manage in a browser, on a phone and a desk."""

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.walks import Walks
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import open_dispute

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
NAMES = (
    "Jörg Maximilian Schneider-Oberhauser", "Marit S.", "Cleo S.", "Carla K.",
    "Mina D.", "Rosa S.", "Dmitri S.", "Gitte S.", "Farid S.", "Zoë K.", "Ilse K.", "Vera D.",
)  # fmt: skip


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, whose round of three tables has a dispute and is complete but for it."""
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    event = league(cast.riverside, name="Autumn league")
    for number in (1, 2, 3):
        seated = people[4 * number - 4 : 4 * number]
        game = table(event, seated, table_number=number, on=timezone.now().date())
        hand(game, 1, [4, 1, 2, 6], 3)
        if number < 3:
            move_game(actor=TESTS, game=game, to="complete", now=NOW)
    open_dispute(actor=TESTS, game=game, number=1, words="I had 4 hearts.", now=NOW)
    return cast.client("dirk")


@pytest.mark.tier_long
def test_director_follows_the_next_steps_until_the_round_is_closed(
    dirk: Client, walks: Walks
) -> None:
    walk = walks((320, "light"), PHONE, DESK, by=dirk)
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.look()
    step = page.locator("#next-step")
    expect(step).to_have_text("Decide the dispute at table 3")
    expect(page.locator(".tiles .st").first).to_have_text("Disputed")
    page.get_by_text("Manage rounds").click()
    page.get_by_text("Background jobs", exact=True).click()
    walk.look(again=True)
    walk.page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".now").get_by_role("link", name="Decide dispute").click()
    page.get_by_label("Reason").fill("The sheet says 2.")
    page.get_by_role("button", name="Reject").click()
    page.goto(f"{EVENT}/tables/r1t3/close")
    walk.press("Close table")
    page.goto(f"{EVENT}/direct")
    expect(step).to_have_text("Close round 1")
    walk.press("Close round 1")
    expect(step).to_have_text("Create round 2")
    expect(page.get_by_role("main")).to_contain_text("Round closed.")
    assert walk.wrong == []
