"""A host asks for one more and copies the text; the first who taps is in, the next reads so."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import by_tests, league, players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks
from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DAY = timezone.now().date() + timedelta(days=1)
PAGE = f"/clubs/riverside/events/league/meetings/{DAY}/attendance"


@pytest.fixture
def hanna(db: None) -> Client:
    """Hanna, whose club meets tomorrow; Ada and Bo are willing to fill in."""
    cast = enter_the_cast()
    players(cast.riverside, "Ada A.", "Bo B.", "Cy C.")
    Player.objects.exclude(name="Cy C.").update(fills_in=True)
    plan_meeting(by_tests(timezone.now()), league(cast.riverside), day=DAY, place="Hall")
    return cast.client("hanna")


def test_first_who_taps_the_link_of_the_chat_is_in(hanna: Client, walks: Walks) -> None:
    host = walks(DESK, by=hanna, at=PAGE)
    host.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.press("Ask for fill-ins")
    host.page.locator("#fill-in").get_by_role(
        "button", name="Copy the request for the chat"
    ).click()
    expect(host.page.get_by_role("button", name="Text copied")).to_be_visible()
    text = host.page.evaluate("navigator.clipboard.readText()")
    assert "We need one more" in text
    path = "/fill-in/" + text.rpartition("/fill-in/")[2].strip()

    phones = [walks(PHONE, at=path) for _person in range(2)]
    for phone, name in zip(phones, ("Ada A.", "Bo B."), strict=True):
        phone.look()
        phone.page.get_by_label(name).check()
    for phone in phones:
        phone.page.get_by_role("button", name="I come", exact=True).click()
        expect(phone.page.get_by_role("heading", name="Found, thank you")).to_be_visible()
        phone.look(again=True)
    host.page.reload()
    expect(host.page.locator("#fill-in")).to_contain_text("Ada A. comes as fill-in")
    host.look(again=True)
    without = walks.without_script(by=hanna)
    without.goto(PAGE)
    without.get_by_text("Text for the chat").click()
    expect(without.get_by_label("Text for the chat")).to_contain_text("Still expected (1): Ada A.")
    assert [line for phone in phones for line in phone.wrong_but(422)] + host.wrong == []
    walks.put_away()
    assert Attendance.objects.get().player.name == "Ada A."
