"""A three-way tie for first: told on the event's page, played by taps, and another table for two.

At phone and desk width, with nothing on the console, nothing that axe finds, nothing wider than
the screen.
"""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, expect

from tests.support import builders
from tests.support.browser import DESK, PHONE, leave_for
from tests.support.cast import Cast
from tests.support.scenarios.playoffs import close
from tests.support.walks import Walks
from tournaments.models.events import Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"


@pytest.fixture
def event(cast: Cast) -> Event:
    """Anna, Ben and Cleo have 4 each at its end; Dora has the rest."""
    event = builders.league(
        cast.riverside, settings={"boundaries": {"title": 1}, "playoff": "extra_hands"}
    )
    people = builders.players(cast.riverside, "Anna", "Ben", "Cleo", "Dora")
    builders.hand(builders.table(event, people), 1, [4, 4, 4, 1], queen=3)
    close(event)
    return event


def tap_hand(page: Page, number: int, hearts: Mapping[str, int], queen: str) -> None:
    for name, count in hearts.items():
        for _tap in range(count):
            page.get_by_role("button", name=f"One heart more for {name}").click()
    page.get_by_label(f"queen of spades to {queen}").check()
    # The page goes on to the next hand before the phone's outbox has sent this one.
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name=f"Save hand {number}").click()


def test_three_way_tie_goes_on_at_another_table_once_one_is_out(
    cast: Cast, event: Event, walks: Walks
) -> None:
    walk = walks(DESK, PHONE, by=cast.client("dirk"), at=EVENT)
    page = walk.page
    walk.look()
    tied = "3 are tied for first place: play-off 1 at round 2, table 1"
    expect(page.get_by_role("status").filter(has_text=tied)).to_be_visible()
    row = page.locator(".standings tbody tr").first.bounding_box()
    assert row is not None
    assert row["y"] <= 0.34 * 844  # the note is beside the table, on a phone below it
    walk.follow("play-off 1")
    walk.follow("Sheet of round 2, table 1")
    page.goto(f"{EVENT}/tables/r2t1/hands/new")
    tap_hand(page, 1, {"Anna": 3, "Ben": 3, "Cleo": 7}, "Cleo")
    leave_for(page, f"{EVENT}/playoffs/1")
    walk.look(again=True)
    stands = page.get_by_role("table", name="Those tied, best first")
    expect(stands.get_by_role("row", name="Cleo")).to_contain_text("lost")
    expect(stands.get_by_role("row", name="Anna")).to_contain_text("still playing")
    expect(page.get_by_role("link", name="Sheet of round 3, table 1")).to_be_visible()
    assert walk.wrong == []
