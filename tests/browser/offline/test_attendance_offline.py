"""Attendance taken without a signal: kept on the device, sent once, the newest statement counts."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import launched, session_cookie, walk_in
from tests.support.builders import league, players
from tests.support.cast import Cast, enter_the_cast
from tournaments.models.meetings import Attendance, Meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.")


def states(meeting: Meeting) -> dict[str, str]:
    rows = Attendance.objects.filter(meeting=meeting)
    return dict(rows.values_list("player__player_id", "state"))


ADD_HAND = """() => self.outbox.all().then((rows) => {
  const { id, label, ...rest } = rows[0];
  const hand = { key: "phone-1", number: 1, table: "t", name: "Table 1", took: [] };
  return self.outbox.add({ ...rest, ...hand });
})"""
"""Puts a hand of a table into the queue of the device, as the page of the table does."""
LEAVE_HAND = """() => self.outbox.all().then((rows) => {
  const hand = rows.find((one) => one.key === "phone-1");
  const now = { key: hand.key, states: self.outbox.WAITING };
  return self.outbox.change(hand.id, now, { state: "left", told: Date.now() });
})"""


def store_hand(page: Page) -> None:
    page.evaluate(ADD_HAND)


def remove_hand(page: Page) -> None:
    page.evaluate(LEAVE_HAND)


def test_check_ins_without_a_signal_are_sent_when_it_is_back(
    live_server: LiveServer, chromium: str
) -> None:
    cast: Cast = enter_the_cast()
    event = league(cast.riverside)
    people = players(event.club, *NAMES)
    meeting = Meeting.objects.create(club=event.club, event=event, date=timezone.now().date())
    cookie = session_cookie(cast.client("hanna"), live_server.url)
    others = session_cookie(cast.client("dirk"), live_server.url)
    address = f"/clubs/riverside/events/league/meetings/{meeting.date}/attendance"
    with launched(chromium) as browser:
        walk = walk_in(browser, live_server.url, (390, "light"))
        page = walk.page
        page.context.add_cookies([cookie])
        page.goto(address)
        expect(page.locator("#outbox[data-kept=yes]")).to_have_count(1)
        page.context.set_offline(True)
        for name in NAMES[:4]:
            page.get_by_role("button", name=f"Check in {name}").click()
        row = page.locator("#p-RL01")
        expect(row).to_contain_text("Saved on this device, not sent yet")
        expect(page.locator("#outbox-badge")).to_have_text("Offline, 4 not sent")
        page.locator("#outbox-badge").click()
        head = page.locator("#outbox-title")
        expect(head).to_have_text("No signal, 4 attendance changes not sent yet")
        store_hand(page)
        page.reload()
        expect(head).to_have_text("No signal, 1 hand and 4 attendance changes not sent yet")
        remove_hand(page)
        page.goto(address)
        expect(page.locator("#p-RL02")).to_contain_text("Saved on this device, not sent yet")
        pressed_at = datetime.now(UTC)
        other = walk_in(browser, live_server.url, (1280, "light")).page
        other.context.add_cookies([others])
        other.goto(address)
        expect(other.locator("#present")).to_have_text("0")
        other.locator("#p-RL04 summary").click()
        other.get_by_role("button", name="Mark absent Di D.").click()
        expect(other.locator("#p-RL04")).to_contain_text("Absent")
        other.context.close()
        page.context.set_offline(False)
        expect(page.locator("#present")).to_have_text("3")
        expect(page.locator("#p-RL04")).to_contain_text("Absent")
        expect(page.get_by_text("Saved on this device, not sent yet")).to_have_count(0)
        assert [one for one in walk.wrong if "ERR_INTERNET" not in one] == []
        page.context.close()
    assert states(meeting) == {"RL01": "here", "RL02": "here", "RL03": "here", "RL04": "absent"}
    for number in (1, 2, 3):
        row_ = Attendance.objects.get(player=people[number - 1])
        assert row_.stated_at <= pressed_at
