"""A network that answers in the site's place: pages stay on the phone, hands wait."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import Cookie, launched
from tests.support.lengths import only_long
from tests.support.live.network import Network, network_before
from tests.support.pages.hand_entry import NEW, TABLE
from tests.support.phones import entered, phone, with_a_card
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIRST, FIVE, Phones

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEPT = "async () => (await (await caches.open('blacklady-pages')).keys()).map((one) => one.url)"
ANSWERS = [
    pytest.param(200, id="page of its own"),
    only_long(302, id="redirect to a page of its own"),
    only_long(403, id="forbidden"),
    only_long(413, id="too large for a proxy"),
    pytest.param(502, id="proxy without a site behind it"),
]


@pytest.fixture
def network(live_server: LiveServer) -> Iterator[Network]:
    with network_before(live_server.url) as made:
        yield made


class Hall:
    """A phone behind the network, with the table's card."""

    def __init__(self, network: Network, chromium: str, cookie: Cookie) -> None:
        self.network = network
        self._stack = ExitStack()
        browser = self._stack.enter_context(launched(chromium))
        self.host = phone(browser, network.url, {**cookie, "url": network.url})

    def kept(self) -> list[str]:
        """The addresses of the pages that the phone keeps."""
        found: list[str] = self.host.page.evaluate(KEPT)
        return sorted(one.removeprefix(self.network.url) for one in found)

    def put_away(self) -> None:
        self._stack.close()


@pytest.fixture
def hall(
    evenings: Evenings, live_server: LiveServer, network: Network, chromium: str
) -> Iterator[Hall]:
    made = Hall(network, chromium, with_a_card(evenings, live_server))
    yield made
    made.put_away()


@pytest.mark.parametrize("status", ANSWERS)
def test_kept_pages_open_and_hands_wait_until_the_site_answers(hall: Hall, status: int) -> None:
    host, page = hall.host, hall.host.page
    host.heading(2)
    assert hall.kept() == [TABLE, NEW]
    hall.network.answer(status)
    host.fill(*FIVE[2])
    host.press("Save hand 2")
    host.heading(3)
    expect(host.badge).to_contain_text("1 not sent")
    for address in (NEW, TABLE, NEW):
        page.goto(address)
        expect(page.locator("#outbox[data-shown]")).to_have_count(1)
        expect(host.badge).to_contain_text("1 not sent")
    host.heading(3)
    page.evaluate("sessionStorage.removeItem('tidied')")
    page.reload()
    expect(host.badge).to_contain_text("Offline, 1 not sent")
    expect(page.locator("#outbox")).not_to_contain_text("gave no reason")
    assert hall.kept() == [TABLE, NEW]
    assert hall.network.answered > 5
    hall.network.let_through()
    page.goto(NEW)
    expect(host.badge).to_contain_text("All sent")
    host.heading(3)
    hall.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


def test_page_that_the_site_itself_takes_away_is_kept_no_longer(hall: Hall) -> None:
    """Who signs out elsewhere, or whose link is revoked, has no page without a signal."""
    hall.host.heading(2)
    hall.host.context.clear_cookies()
    hall.host.page.goto(NEW)
    expect(hall.host.page.locator(".desk-form")).to_have_count(0)
    assert NEW not in hall.kept()


@pytest.mark.parametrize(
    ("status", "media_type"),
    [
        pytest.param(200, "text/html", id="page of the network to sign in at"),
        pytest.param(408, "application/problem+json", id="hand that did not arrive in time"),
        only_long(503, "text/html", id="proxy without a site behind it"),
    ],
)
def test_answer_of_something_in_between_leaves_the_hand_waiting(
    phones: Phones, status: int, media_type: str
) -> None:
    host = phones.take_out()
    host.heading(2)

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=status, content_type=media_type, body="<h1>Guest network</h1>")
        else:
            route.fallback()

    host.context.route(f"**{NEW}", answer)
    host.fill(*FIVE[2])
    host.press("Save hand 2")
    host.heading(3)
    expect(host.badge).to_contain_text("1 not sent")
    expect(host.page.locator("#outbox")).not_to_contain_text("gave no reason")
    host.context.unroute(f"**{NEW}")
    host.page.goto(NEW)
    expect(host.badge).to_contain_text("All sent")
    phones.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]
