"""The same hand twice without a signal: asked on the phone, saved or left out, and sent once."""

import pytest
from playwright.sync_api import expect

from tests.support.scenarios.phones_offline import Phones
from tournaments.models.hands import Entry

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

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
    page.get_by_role("button", name="Leave out").click()
    expect(page.locator("#hearts-1")).to_have_value("")
    host.heading(3)
    host.fill((4, 1, 2, 6), 4)
    host.press("Save hand 3 offline")
    expect(panel).to_contain_text(ASKS)
    page.get_by_role("button", name="Save hand 3", exact=True).click()
    host.heading(4)
    host.fill((4, 1, 2, 6), 3)
    host.press("Save hand 4 offline")
    host.heading(5)
    host.find_signal()
    expect(host.badge).to_contain_text("All sent")
    rows = Entry.objects.filter(hand__game__table__code="r1t2").order_by("hand__number")
    assert list(rows.values_list("hand__number", flat=True)) == [1, 2, 3, 4]


def test_phone_knows_the_hand_that_the_page_came_with(phones: Phones) -> None:
    host = phones.take_out()
    stored = Entry.objects.get(hand__game__table__code="r1t2", hand__number=1).typed
    host.lose_signal()
    queen = next(seat for seat, pile in enumerate(stored["taken"], start=1) if "QS" in pile)
    host.fill(tuple(stored["hearts"]), queen)
    host.press("Save hand 2 offline")
    expect(host.page.locator("#keep-check")).to_contain_text(
        "Hand 2 is the same as hand 1. Dealt twice?"
    )


def test_server_asks_where_there_is_a_signal_and_the_hand_is_left_out(phones: Phones) -> None:
    host = phones.take_out()
    page = host.page
    stored = Entry.objects.get(hand__game__table__code="r1t2", hand__number=1).typed
    queen = next(seat for seat, pile in enumerate(stored["taken"], start=1) if "QS" in pile)
    host.fill(tuple(stored["hearts"]), queen)
    host.press("Save hand 2")
    expect(page.get_by_text("Hand 2 is the same as hand 1. Dealt twice?").first).to_be_visible()
    page.get_by_role("link", name="Leave out").click()
    host.heading(2)
    assert Entry.objects.filter(hand__game__table__code="r1t2").count() == 1
