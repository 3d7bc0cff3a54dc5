"""The same hand twice without a signal: asked on the phone, saved or left out, and sent once."""

import pytest
from playwright.sync_api import expect

from tests.support.phones import entered
from tests.support.scenarios.phones_offline import Phones

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AS_HAND_1 = ((3, 3, 3, 4), 2)
"""Hearts and the queen of hand 1, which the table begins with."""

ASKS = "Hand 3 is the same as hand 2. Dealt twice?"


def test_phone_asks_without_a_signal_and_sends_what_was_confirmed(phones: Phones) -> None:
    host = phones.take_out()
    page = host.page
    host.lose_signal()
    host.fill((4, 1, 2, 6), 4)
    host.press("Save hand 2 offline")
    host.heading(3)
    host.fill((4, 1, 2, 6), 4)
    host.press("Save hand 3 offline")
    panel = page.locator("#keep-check")
    expect(panel).to_contain_text(ASKS)
    saves = page.get_by_role("button", name="Save hand 3")
    expect(saves).to_have_count(1)
    expect(saves).to_have_text("Save hand 3 offline")
    page.get_by_role("button", name="Leave out").click()
    expect(page.locator("#hearts-1")).to_have_value("")
    host.heading(3)
    host.fill((4, 1, 2, 6), 4)
    host.press("Save hand 3 offline")
    expect(panel).to_contain_text(ASKS)
    saves.click()
    host.heading(4)
    host.fill((4, 1, 2, 6), 3)
    host.press("Save hand 4 offline")
    host.heading(5)
    host.find_signal()
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert [number for number, _, _ in entered()] == [1, 2, 3, 4]


def test_phone_knows_the_hand_that_the_page_came_with(phones: Phones) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.fill(*AS_HAND_1)
    host.press("Save hand 2 offline")
    expect(host.page.locator("#keep-check")).to_contain_text(
        "Hand 2 is the same as hand 1. Dealt twice?"
    )


def test_server_asks_where_there_is_a_signal_and_the_hand_is_left_out(phones: Phones) -> None:
    host = phones.take_out()
    page = host.page
    host.fill(*AS_HAND_1)
    host.press("Save hand 2")
    expect(page.get_by_text("Hand 2 is the same as hand 1. Dealt twice?").first).to_be_visible()
    page.get_by_role("link", name="Leave out").click()
    host.heading(2)
    phones.put_away()
    assert [number for number, _, _ in entered()] == [1]
