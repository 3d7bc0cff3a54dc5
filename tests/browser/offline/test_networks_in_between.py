"""Networks that answer in the site's place, and tables abandoned meanwhile: hands wait."""

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
from tests.support.walks import elsewhere

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
    def __init__(self, network: Network, chromium: str, cookie: Cookie) -> None:
        self.network = network
        self._stack = ExitStack()
        browser = self._stack.enter_context(launched(chromium))
        self.host = phone(browser, network.url, {**cookie, "url": network.url})

    def kept(self) -> list[str]:
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


WITHOUT_SYNC = "SyncManager.prototype.register = () => Promise.reject(new Error('none'))"
"""As on phones whose browser sends nothing in the background."""
WITHOUT_PAUSES = """
const wait = window.setTimeout;
window.setTimeout = (act, ms, ...more) => (ms >= 5000 ? 0 : wait(act, ms, ...more));
"""
"""Nothing is tried again after a pause: what is sent is sent because of something else."""


def keep_hand(hall: Hall, *scripts: str) -> None:
    host = hall.host
    for script in (WITHOUT_SYNC, *scripts):
        host.page.add_init_script(script)
    host.page.reload()
    host.heading(2)
    hall.network.answer(503)
    host.fill(*FIVE[2])
    host.press("Save hand 2")
    host.heading(3)
    expect(host.badge).to_contain_text("1 not sent")


def is_sent_once(hall: Hall) -> None:
    expect(hall.host.badge).to_contain_text("All sent")
    hall.put_away()
    assert entered() == [FIRST, (2, 1, [4, 1, 2, 6])]


def test_hand_is_tried_again_while_the_page_is_open(hall: Hall) -> None:
    keep_hand(hall)
    with hall.host.page.expect_request(lambda asked: asked.method == "POST"):
        pass  # the second attempt, which is refused too
    hall.network.let_through()
    is_sent_once(hall)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param("document.dispatchEvent(new Event('visibilitychange'))", id="shown again"),
        pytest.param("window.dispatchEvent(new Event('online'))", id="signal is back"),
    ],
)
def test_hand_is_tried_again_at_once_when(hall: Hall, event: str) -> None:
    keep_hand(hall, WITHOUT_PAUSES)
    hall.network.let_through()
    hall.host.page.evaluate(event)
    is_sent_once(hall)


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
