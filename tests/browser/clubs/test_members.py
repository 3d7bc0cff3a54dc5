"""A club's first evening of accounts, through the product's own pages only.

The set-up link makes the first account, which creates a club, pastes names, prints cards; phones
open them. At phone and desk width, with nothing on the console and nothing that axe finds.
"""

import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Walk, launched, walk_in
from tournaments.services.access.table_links import make_setup_link

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = (
    *("Cleo S.", "Farid D.", "Jonas K.", "Kira S.", "Lars D.", "Mina K.", "Nico S.", "Pavel D."),
    *("Quinn K.", "Rosa S.", "Soren D.", "Umar K.", "Vera S.", "Zoë D."),
)
PASSWORD = "Nine lives, one queen"


@pytest.fixture
def setup(db: None) -> str:
    cache.clear()
    return make_setup_link(now=timezone.now())


@pytest.fixture
def browser(setup: str, chromium: str) -> Iterator[Browser]:
    """Started after the link is made: while it runs, this thread asks no database."""
    with launched(chromium) as browser:
        yield browser


def sign_up(walk: Walk, mail: str) -> None:
    """Fill in the form of a new account, and go on without a passkey."""
    walk.page.get_by_label("E-mail address").fill(mail)
    walk.page.get_by_label("Password", exact=True).fill(PASSWORD)
    walk.press("Create account")


def links_of(walk: Walk) -> dict[str, str]:
    """The links on the page that hands them out, by whom they are for."""
    boxes = walk.page.get_by_role("textbox", name=re.compile("^Link for")).all()
    return {
        str(box.get_attribute("aria-label")).removeprefix("Link for "): box.input_value()
        for box in boxes
    }


def test_owner_invites_fourteen_players_and_a_host_who_is_removed(
    setup: str, browser: Browser, live_server: LiveServer
) -> None:
    owner = walk_in(browser, live_server.url, PHONE, DESK)
    page = owner.page
    page.goto(f"/setup/{setup}")
    owner.look()
    sign_up(owner, "olga@riverside.example")
    page.goto("/new-club")
    page.get_by_label("Name of the club").fill("Riverside")
    owner.press("Create club")
    owner.follow("Members")
    owner.follow("Invite people")
    page.get_by_label("Names").fill("\n".join(NAMES))
    owner.press("Check names")
    expect(page.get_by_text("14 names to check")).to_be_visible()
    owner.press("Create 14 invitations")
    links = links_of(owner)
    assert sorted(links) == sorted(NAMES)
    owner.follow("Print 14 QR cards")
    expect(page.locator(".qrc")).to_have_count(14)
    assert len(page.pdf(prefer_css_page_size=True)) > 10_000
    owner.follow("Back to members")

    phone = walk_in(browser, live_server.url, PHONE)
    phone.page.goto(links["Cleo S."])
    assert phone.page.url == f"{live_server.url}/invitations/join"
    phone.look()
    expect(phone.page.get_by_role("heading", name="Join Riverside as Cleo S.")).to_be_visible()
    sign_up(phone, "cleo@riverside.example")
    phone.page.goto("/clubs/riverside")
    page.goto("/clubs/riverside/members")
    row = page.get_by_role("row").filter(has_text="cleo@riverside.example")
    expect(row.get_by_role("link", name="Cleo S., P0001")).to_be_visible()

    first, second = (walk_in(browser, live_server.url, PHONE) for _ in range(2))
    for device, mail in ((first, "zoe@riverside.example"), (second, "eve@riverside.example")):
        device.page.goto(links["Zoë D."])
        device.page.get_by_label("E-mail address").fill(mail)
        device.page.get_by_label("Password", exact=True).fill(PASSWORD)
    first.press("Create account")
    second.press("Create account")
    expect(second.page.get_by_text("This invitation does not work.")).to_be_visible()

    page.goto("/clubs/riverside/members/invite")
    page.get_by_label("Names").fill("Hanna H.")
    page.get_by_role("radio", name="Host").check()
    owner.press("Check names")
    page.get_by_label("No player is called “Hanna H.”.").select_option("none")
    owner.press("Create 1 invitation")
    host = walk_in(browser, live_server.url, PHONE)
    host.page.goto(links_of(owner)["Hanna H."])
    sign_up(host, "hanna@riverside.example")
    host.page.goto("/my-tables")
    host.page.goto("/clubs/riverside")
    expect(host.page.get_by_role("link", name="My tables")).to_be_visible()
    page.goto("/clubs/riverside/members")
    with page.expect_navigation():
        page.get_by_role("link", name="Remove hanna-h").click()
    owner.look()
    owner.press("Remove member")
    expect(page.get_by_text("hanna-h was removed.")).to_be_visible()
    host.page.reload()
    expect(host.page.get_by_role("link", name="My tables")).to_have_count(0)
    for walk in (owner, phone, first, host):
        assert walk.wrong == []
    assert second.wrong_but(404) == []
