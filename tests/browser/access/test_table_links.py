"""A table's card in hands: from the scan to a saved hand on a phone, without an account.

At phone and desk width, with nothing on the console, nothing that axe finds, nothing wider than
the screen; and the token is nowhere but in the first address.
"""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walks, press_tab_until
from tests.support.builders import enter_the_cast
from tests.support.scenarios.table_links import Linked, linked

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def night(db: None) -> Linked:
    return linked(enter_the_cast(), visibility="held")


def test_hand_is_entered_from_the_scan_on(night: Linked, walks: Walks) -> None:
    walk = walks((390, "light"))
    page, token = walk.page, night.secrets.token
    told: list[str] = []
    page.on("request", lambda one: told.append(f"{one.headers.get('referer', '')}"))
    page.goto(f"/t/{token}")
    assert page.url == f"{walks.url}/t"
    walk.look()
    expect(page.get_by_role("heading", name="Table 1, round 1")).to_be_visible()
    page.get_by_label("Your name").fill("Hanne")
    walk.press("Enter hand 2")
    for seat, hearts in enumerate((3, 3, 3, 4), start=1):
        page.locator(f"#hearts-{seat}").fill(str(hearts))
    page.locator("#hearts-3").press("q")
    walk.press("Save hand 2")
    expect(page.get_by_text("Hand 2 saved.")).to_be_visible()
    walk.follow("Sheet so far")
    expect(page.get_by_text("Entered by", exact=False).first).to_contain_text("Hanne")
    walk.follow("Hand 2")
    walk.follow("Back to sheet")
    walk.follow("What this link allows")
    assert page.url == f"{walks.url}/t"
    assert [one for one in told if token in one] == []
    assert token not in page.content()
    assert walk.wrong == []


def test_code_is_typed_with_the_keyboard_alone(night: Linked, walks: Walks) -> None:
    walk = walks((320, "light"), PHONE)
    page = walk.page
    page.goto("/t")
    walk.look()
    page.get_by_label("Short code").focus()
    page.keyboard.type("ABCD EFGH")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("This link does not open a table.")
    expect(page.get_by_label("Short code")).to_have_value("ABCD EFGH")
    walk.look(again=True)
    page.get_by_label("Short code").fill(night.secrets.code_in_print.lower())
    page.get_by_label("Short code").press("Enter")
    expect(page.get_by_role("heading", name="Table 1, round 1")).to_be_visible()
    press_tab_until(page, "Sheet so far")
    assert walk.wrong_but(422) == []
    walk.wrong.clear()
    page.goto(f"{night.event}/tables/r1t2/hands/new")
    walk.look()
    expect(page.get_by_text("This link does not open a table.")).to_be_visible()
    assert walk.wrong_but(404) == []


def test_directors_pages_of_links_are_without_a_finding(night: Linked, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=night.cast.client("dirk"))
    walk.page.goto(f"{night.event}/rounds/1/direct")
    walk.follow("Table links")
    walk.press("Create 1 link")
    expect(walk.page.get_by_role("img", name="QR code that opens table 2")).to_be_visible()
    walk.follow("New link: table 2")
    walk.press("Replace link")
    walk.page.goto(f"{night.event}/links")
    walk.look()
    walk.page.goto("/my-tables")
    walk.look()
    assert walk.wrong == []
    walk.page.goto(f"{night.event}/rounds/1/links")
    walk.page.emulate_media(media="print")
    expect(walk.page.get_by_role("button")).to_have_count(0)
    expect(walk.page.get_by_role("article")).to_have_count(2)
