"""A phone whose account or card no longer counts keeps its hands and says what to do."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import launched
from tests.support.pages.hand_entry import NEW, TABLE
from tests.support.phones import entered, phone, with_a_card
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIRST, FIVE, Phones
from tests.support.walks import elsewhere
from tournaments.services.access.table_links import revoke_links

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_signed_out_phone_keeps_its_hands_and_says_what_to_do(phones: Phones) -> None:
    host = phones.take_out("hanna")
    host.lose_signal()
    host.keep(2, *FIVE[2])
    host.context.clear_cookies()
    host.find_signal()
    expect(host.queue.nth(0)).to_contain_text(
        "This device is signed out. The hand will be sent when you"
    )
    link = host.page.get_by_role("link", name="Sign in")
    assert str(link.get_attribute("href")).startswith("/accounts/login/?next=%2Fclubs%2F")
    host.context.add_cookies([phones.cookies["dirk"]])
    host.page.goto(NEW)
    expect(host.queue.nth(0)).to_contain_text("Another person entered this hand.")
    host.context.clear_cookies()
    host.context.add_cookies([phones.cookies["hanna"]])
    host.page.goto(NEW)
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


@pytest.mark.tier_long
def test_dead_card_keeps_its_hands_until_one_opens_the_table(phones: Phones) -> None:
    host = phones.take_out()
    host.lose_signal()
    host.keep(2, *FIVE[2])
    host.context.add_cookies([{**phones.cookies["Hanne"], "value": "of-another-evening"}])
    host.find_signal()
    expect(host.queue.nth(0)).to_contain_text("Ask the director for a new code.")
    expect(host.page.get_by_role("link", name="Enter code")).to_have_attribute("href", "/t")
    expect(host.badge).to_contain_text("1 hand not sent yet")
    expect(host.page.locator("#outbox-more")).to_contain_text("Do what is asked")
    host.context.add_cookies([phones.cookies["Hanne"]])
    host.page.goto(NEW)
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


def test_signing_out_leaves_no_page_behind(phones: Phones) -> None:
    """Until then they open without a signal, also where the phone's clock is 8 days ahead."""
    host = phones.take_out("hanna")
    page = host.page
    ahead = "() => { const own = Date.now; Date.now = () => own() + 8 * 24 * 3600 * 1000; }"
    host.context.service_workers[0].evaluate(ahead)
    host.open()
    host.lose_signal()
    page.goto(NEW)
    expect(page.locator("#hearts-1")).to_be_visible()
    host.keep(2, *FIVE[2])
    page.goto(f"{TABLE}/hands/1")
    expect(page.get_by_text("The page you asked for is not saved on this device.")).to_be_visible()
    expect(page.get_by_role("link", name="Table 2, round 1")).to_be_visible()
    assert host.lines() == ["Table 2, round 1, hand 2 not sent yet, entered"]
    host.find_signal()
    expect(host.badge).to_contain_text("All sent")
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/")
    host.context.set_offline(True)
    for address in (NEW, TABLE):
        page.goto(address)
        away = page.get_by_text("The page you asked for is not saved on this device.")
        expect(away).to_be_visible()
    expect(page.get_by_role("link", name="Table 2, round 1")).to_have_count(0)
    expect(host.queue).to_have_count(0)


def revoke(evenings: Evenings) -> None:
    revoke_links(evenings.cast.operation("dirk", timezone.now()), evenings.event)


def test_link_revoked_meanwhile_is_said_in_place_of_the_last_hand(
    evenings: Evenings, live_server: LiveServer, chromium: str
) -> None:
    card = with_a_card(evenings, live_server)
    with launched(chromium) as browser:
        host = phone(browser, live_server.url, card)
        host.heading(2)
        host.fill(*FIVE[2])
        host.press("Save hand 2")
        host.heading(3)
        saved = host.page.get_by_text("Hand 2 saved.")
        expect(saved).to_be_visible()
        elsewhere(lambda: revoke(evenings))
        host.fill(*FIVE[3])
        host.page.get_by_role("button", name="Save hand 3").click()
        expect(host.page.get_by_text("This link does not open a table.")).to_be_visible()
        expect(host.page.get_by_role("link", name="Enter code")).to_be_visible()
        expect(saved).to_have_count(0)
        host.page.goto("/t")
        expect(host.page.get_by_text("This link does not open a table.")).to_be_visible()
