"""Hands saved on a phone for a table that is abandoned meanwhile: refused, readable, left out."""

import pytest
from playwright.sync_api import expect

from tests.support.lengths import only_long
from tests.support.pages.hand_entry import NEW, TABLE
from tests.support.phones import entered
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIRST, FIVE, Phones
from tests.support.walks import elsewhere

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def abandon(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    answer = dirk.post(f"{TABLE}/close", {"to": "abandoned", "reason": "A player fell ill."})
    assert answer.status_code == 302


@pytest.mark.parametrize("name", ["Hanne", only_long("hanna")])
def test_hands_of_a_table_that_was_abandoned_stay_readable_until_they_are_left_out(
    evenings: Evenings, phones: Phones, name: str
) -> None:
    host = phones.take_out(name)
    page = host.page
    host.lose_signal()
    host.keep(2, *FIVE[2])
    host.keep(3, *FIVE[3])
    elsewhere(lambda: abandon(evenings))
    host.find_signal()
    expect(host.badge).to_contain_text("2 ask")
    for address in (None, NEW, "/on-this-phone"):
        if address:
            page.goto(address)
            expect(page.locator("#outbox[data-shown]")).to_have_count(1)
        host.unfold()
        for line, numbers in ((0, "Cleo S. 8♥"), (1, "Marit S. 4♥")):
            said = host.queue.nth(line)
            expect(said).to_contain_text(numbers)
            expect(said).to_contain_text("was abandoned and takes no hands")
    page.goto(NEW)
    expect(page.locator("#outbox[data-shown]")).to_have_count(1)
    host.press("Leave out hand 2")
    expect(host.queue.nth(1)).to_contain_text("left out")
    page.reload()
    expect(page.locator("#outbox[data-shown]")).to_have_count(1)
    host.unfold()
    expect(host.queue.nth(1)).to_contain_text("Marit S. 4♥")
    host.press("Open hand 3")
    expect(page.get_by_role("alert")).to_contain_text("was abandoned and takes no hands")
    expect(page.locator("#hearts-3")).to_have_value("8")
    page.goto(NEW)
    host.press("Leave out hand 3")
    expect(page.locator("#outbox li.is-left")).to_have_count(2)
    assert host.walk.wrong_but(409) == []
    phones.put_away()
    assert entered() == [FIRST]
