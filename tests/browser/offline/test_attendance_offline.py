"""Attendance taken without a signal: kept on the device, sent once, the newest statement counts."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.builders import league, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.walks import Walks
from tournaments.models.rounds import Attendance, Meeting

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


def test_check_ins_without_a_signal_are_sent_when_it_is_back(walks: Walks) -> None:
    cast: Cast = enter_the_cast()
    event = league(cast.riverside)
    people = players(event.club, *NAMES)
    meeting = Meeting.objects.create(club=event.club, event=event, date=timezone.now().date())
    hanna, dirk = cast.client("hanna"), cast.client("dirk")
    address = f"/clubs/riverside/events/league/meetings/{meeting.date}/attendance"
    walk = walks((390, "light"), by=hanna, at=address)
    page = walk.page
    expect(page.locator("#outbox[data-kept=yes]")).to_have_count(1)
    page.context.set_offline(True)
    for name in NAMES[:4]:
        page.get_by_role("button", name=f"Check in {name}").click()
    expect(page.locator("#p-RL01")).to_contain_text("Saved on this device, not sent yet")
    expect(page.locator("#outbox-badge")).to_have_text("Offline, 4 not sent")
    page.locator("#outbox-badge").click()
    head = page.locator("#outbox-title")
    expect(head).to_have_text("No signal, 4 attendance changes not sent yet")
    page.evaluate(ADD_HAND)
    page.reload()
    expect(head).to_have_text("No signal, 1 hand and 4 attendance changes not sent yet")
    page.evaluate(LEAVE_HAND)
    page.goto(address)
    expect(page.locator("#p-RL02")).to_contain_text("Saved on this device, not sent yet")
    pressed_at = datetime.now(UTC)
    other = walks((1280, "light"), by=dirk, at=address).page
    expect(other.locator("#foot")).to_contain_text("0 here, 5 expected")
    other.locator("#p-RL04 .menu").click()
    other.get_by_role("button", name="Mark absent Di D.").click()
    expect(other.locator("#p-RL04")).to_contain_text("Absent")
    other.context.close()
    page.context.set_offline(False)
    expect(page.locator("#foot")).to_contain_text("3 here")
    expect(page.locator("#p-RL04")).to_contain_text("Absent")
    expect(page.get_by_text("Saved on this device, not sent yet")).to_have_count(0)
    assert [one for one in walk.wrong if "ERR_INTERNET" not in one] == []
    walks.put_away()
    assert states(meeting) == {"RL01": "here", "RL02": "here", "RL03": "here", "RL04": "absent"}
    for number in (1, 2, 3):
        assert Attendance.objects.get(player=people[number - 1]).stated_at <= pressed_at
