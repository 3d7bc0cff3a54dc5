"""A host takes attendance on a phone: three of eight are checked in, a guest is added."""

from datetime import time

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import PHONE
from tests.support.builders import TESTS, league, players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks
from tournaments.models.meetings import Attendance
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.", "Flo F.", "Gus G.", "Hal H.")


@pytest.fixture
def hanna(db: None) -> Client:
    """Hanna, whose club has eight players and meets today."""
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    day = timezone.now().date()
    event = league(cast.riverside)
    plan_meeting(Operation(TESTS, timezone.now()), event, day=day, at=time(19, 30))
    return cast.client("hanna")


def test_host_checks_in_three_of_eight_and_a_guest_on_a_phone(hanna: Client, walks: Walks) -> None:
    walk = walks((390, "light"), PHONE, by=hanna)
    page = walk.page
    page.set_viewport_size({"width": 390, "height": 844})
    day = timezone.now().date().isoformat()
    page.goto(f"/clubs/riverside/events/league/meetings/{day}/attendance")
    foot, here = page.locator("#foot"), page.locator("#figures dd").first
    for count, name in enumerate(("Ada A.", "Cy C.", "Gus G."), start=1):
        button = page.get_by_role("button", name=f"Check in {name}")
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        button.dblclick()
        undo = page.get_by_role("button", name=f"Undo check-in of {name}")
        expect(undo).to_be_visible()
        expect(here).to_have_text(str(count))
    expect(foot).to_contain_text("3 here: 1 table, nobody sits out")
    page.get_by_role("button", name="Undo check-in of Cy C.").click()
    expect(page.get_by_role("button", name="Check in Cy C.", exact=True)).to_be_visible()
    expect(foot).to_contain_text("2 here")
    page.get_by_role("button", name="Check in Cy C.", exact=True).click()
    expect(here).to_have_text("3")
    page.get_by_label("Name", exact=True).fill("Tom T.")
    page.get_by_role("button", name="Add guest").click()
    expect(foot).to_contain_text("4 here: 1 table, nobody sits out")
    expect(page.get_by_role("main")).to_contain_text("Tom T. is here.")
    walk.look()
    assert walk.wrong == []
    walks.put_away()
    found = Attendance.objects.filter(state="here").values_list("player__name", flat=True)
    assert sorted(found) == ["Ada A.", "Cy C.", "Gus G.", "Tom T."]
