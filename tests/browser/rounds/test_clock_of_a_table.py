"""The clock on a player's phone takes minutes that were added, without a reload of the page."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import PHONE
from tests.support.builders import TESTS, league, link, players, table
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.meetings import Round
from tournaments.services.rounds.rounds import extend_round, make_round, move_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def test_phone_takes_added_minutes_and_drops_the_clock_of_a_closed_round(
    live_server: LiveServer, walks: Walks
) -> None:
    cast, now = enter_the_cast(), timezone.now()
    event = league(cast.riverside, length="hands:4", settings={"round_minutes": 40})
    people = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.")
    link(people[0], cast.users["piet"])
    round_ = make_round(actor=TESTS, event=event, now=now)
    table(event, people)
    move_round(actor=TESTS, round_=round_, to="posted", now=now)
    walk = walks(PHONE, by=cast.client("piet"))
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t1")
    timer = page.get_by_role("timer")
    before = timer.get_attribute("data-ends")
    page.evaluate("window.stays = true")
    elsewhere(lambda: extend_round(actor=TESTS, round_=round_, minutes=5, now=now))
    page.evaluate(SEEN_AGAIN)
    expect(timer).not_to_have_attribute("data-ends", str(before))
    assert page.evaluate("window.stays")
    expect(timer).to_contain_text("left, until")
    elsewhere(lambda: Round.objects.update(state="closed"))
    page.evaluate(SEEN_AGAIN)
    expect(timer).to_have_count(0)
    assert walk.wrong == []
