"""The rule sheet on a phone and on paper, and guests on their pages."""

from datetime import date

import pytest
from playwright.sync_api import expect

from tests.support.browser import PHONE
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.services.events.entrants import add_entrant
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"


@pytest.mark.tier_long
def test_rules_are_read_printed_and_compared_before_a_change(walks: Walks) -> None:
    cast = enter_the_cast()
    settings = {
        "primary": "placement_points",
        "best_of": {"unit": "meeting", "min": 10, "per": 1},
        "tie_breaks": ["wins", "countback", "h2h"],
        "substitutes": "regular",
        "guests": "evening",
    }
    event = league(cast.riverside, name="Tuesday league", settings=settings)
    people = players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Gale W.")
    add_entrant(by_tests(), event, kind="player", players=people[3:], guest=True)
    hand(table(event, people), 1, [2, 6, 4, 1], queen=1)
    hand(table(event, people, round_number=2, on=date(2025, 11, 6)), 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    walk = walks(PHONE, by=cast.client("dirk"), at=f"{EVENT}/how-it-counts")
    page = walk.page
    expect(page.get_by_role("heading", level=1)).to_have_text("How Tuesday league is counted")
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    walk.look(again=True)
    page.goto(f"{EVENT}/entrants/RL04/direct")
    expect(page.get_by_role("heading", name="Becomes a member")).to_be_visible()
    walk.look(again=True)
    page.goto(f"{EVENT}/settings/change")
    page.locator("#sec-counted > summary").click()
    page.get_by_text("Every result", exact=True).click()
    page.get_by_text("How it is counted, now and then").click()
    expect(page.get_by_text("All your games count.")).to_be_visible()
    walk.look(again=True)
    assert walk.wrong == []
