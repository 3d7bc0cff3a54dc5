"""A hand that something between phone and site answers is not refused: it waits, and is sent."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.lengths import only_long
from tests.support.pages.hand_entry import NEW
from tests.support.phones import entered
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import FIRST, FIVE, Phones

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def phones(evenings: Evenings, live_server: LiveServer, chromium: str) -> Iterator[Phones]:
    made = Phones(evenings, live_server, chromium)
    yield made
    made.put_away()


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
