"""The page of one person without a signal: as last seen, with its time; no answer is promised."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.support.builders import by_tests, league, link, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance
from tournaments.selectors.access.personal_links import printable_token
from tournaments.services.clubs.personal_links import renew_personal_link, revoke_personal_link
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AS_OF = re.compile(r"^As of \d\d:\d\d, no connection\.$")
NOT_SENT = "Not sent: there is no connection. Send it again when there is one."
KEPT = """() => caches.open("blacklady-own").then((own) => own.keys())
  .then((keys) => keys.map((one) => new URL(one.url).pathname))"""


@pytest.fixture
def cast() -> Cast:
    cast = enter_the_cast()
    event = league(cast.riverside)
    plan_meeting(by_tests(), event, day=timezone.now().date() + timedelta(days=3))
    (ada,) = players(cast.riverside, "Ada A.")
    link(ada, cast.users["piet"])
    return cast


def kept(page: Page) -> Page:
    expect(page.locator("#own-page[data-kept=yes]")).to_have_count(1)
    return page


def test_personal_page_opens_as_last_seen_until_the_link_is_revoked(
    walks: Walks, cast: Cast
) -> None:
    ada = Player.objects.get(name="Ada A.")
    path = f"/my/{printable_token(renew_personal_link(by_tests(), ada))}"
    walk = walks((390, "light"), at=path)
    page = kept(walk.page)
    expect(page.get_by_text("no connection")).to_have_count(0)
    page.context.set_offline(True)
    page.goto(path)
    expect(page.locator("#own-as-of")).to_have_text(AS_OF)
    expect(page.get_by_role("heading", name="Ada A.")).to_be_visible()
    page.get_by_role("button", name="I come", exact=True).click()
    expect(page.locator("#own-not-sent")).to_have_text(NOT_SENT)
    expect(page.get_by_text("Your answer: you come.")).to_have_count(0)
    page.context.set_offline(False)
    page.goto(path)
    expect(page.locator("#own-as-of")).to_have_count(0)
    page.get_by_role("button", name="I come", exact=True).click()
    expect(page.get_by_text("Your answer: you come.")).to_be_visible()
    elsewhere(lambda: revoke_personal_link(by_tests(), ada))
    page.goto(path)
    expect(page.get_by_text("This link does not work")).to_be_visible()
    page.context.set_offline(True)
    page.goto(path)
    expect(page.get_by_text("Ada A.")).to_have_count(0)
    walks.put_away()
    assert list(Attendance.objects.values_list("state", flat=True)) == ["expected"]


def test_answer_that_does_not_arrive_is_called_so_where_the_device_takes_itself_to_be_online(
    walks: Walks, cast: Cast
) -> None:
    ada = Player.objects.get(name="Ada A.")
    path = f"/my/{printable_token(renew_personal_link(by_tests(), ada))}"
    page = kept(walks((390, "light"), at=path).page)
    page.context.set_offline(True)
    page.goto(path)
    page.evaluate("Object.defineProperty(navigator, 'onLine', { value: true })")
    page.get_by_role("button", name="I come", exact=True).click()
    expect(page.locator("#own-not-sent")).to_have_text(NOT_SENT)
    expect(page.locator("#own-as-of")).to_have_text(AS_OF)
    expect(page).to_have_url(re.compile(re.escape(path) + "$"))
    walks.put_away()
    assert not Attendance.objects.exists()


def test_me_opens_as_last_seen_until_the_device_has_signed_out(walks: Walks, cast: Cast) -> None:
    page = kept(walks((390, "light"), by=cast.client("piet"), at="/me").page)
    page.context.set_offline(True)
    page.goto("/me")
    expect(page.locator("#own-as-of")).to_have_text(AS_OF)
    expect(page.get_by_role("heading", name="Ada A.")).to_be_visible()
    page.context.set_offline(False)
    page.goto("/accounts/logout/")
    assert page.evaluate(KEPT) == ["/me"]
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/")
    assert page.evaluate(KEPT) == []
    page.context.set_offline(True)
    page.goto("/me")
    expect(page.get_by_text("Ada A.")).to_have_count(0)
