"""Help in a browser: by keyboard, without a script, judged by axe."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.walks import Walks

IS_LOADED = "document.fonts.ready.then((all) => [...all].some((one) => one.status === 'loaded'))"

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_reader_finds_help_by_keyboard_and_what_is_typed_stays(
    evenings: Evenings, live_server: LiveServer, walks: Walks
) -> None:
    walk = walks(PHONE, DESK)
    page = walk.page
    page.goto(ADDRESS)
    what = page.get_by_role("button", name="What is “average a hand”?")
    what.focus()
    page.keyboard.press("Enter")
    meaning = page.get_by_text("all points of a player divided by the hands played")
    expect(meaning).to_be_visible()
    walk.look(again=True)
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(f"{live_server.url}{ADDRESS}")
    expect(page.get_by_role("img", name="QR code of this link")).to_be_visible()
    walk.look(again=True)
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("Show this list")).to_be_visible()
    walk.look(again=True)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.goto("/help")
    field = page.get_by_label("Search the help")
    field.press_sequentially("what is?")
    expect(field).to_have_value("what is?")
    assert page.get_by_role("dialog").count() == 0
    page.goto("/help/shortcuts")
    page.get_by_label("Use the keys ? and / on this device").uncheck()
    page.goto(ADDRESS)
    page.keyboard.press("?")
    page.keyboard.press("/")
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate("document.activeElement === document.body")
    assert walk.wrong == []


def test_controls_are_lower_with_a_mouse_and_the_typeface_is_ours(walks: Walks) -> None:
    page = walks(DESK).page
    for width, low, high in ((1280, 32, 32), (390, 44, 50)):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("/help")
        box = page.get_by_role("main").get_by_role("button", name="Search").bounding_box()
        assert box is not None
        assert low <= round(box["height"]) <= high, width
        assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 16
        assert page.evaluate(IS_LOADED), width


@pytest.mark.tier_long
def test_help_and_sharing_work_without_a_script(evenings: Evenings, walks: Walks) -> None:
    page = walks.without_script()
    page.goto(ADDRESS)
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    page.get_by_role("button", name="What is “average a hand”?").click()
    expect(page.get_by_text("all points of a player divided")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Text for a chat")).to_contain_text("1. Zoë K.")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Keyboard").click()
    expect(page.get_by_role("heading", name="On every page")).to_be_visible()


def test_link_is_handed_to_another_app_where_the_browser_can(
    evenings: Evenings, live_server: LiveServer, walks: Walks
) -> None:
    page = walks(PHONE).page
    page.goto(ADDRESS)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.get_by_role("button", name="Share with app")).to_be_hidden()
    page.add_init_script("navigator.share = async (data) => { window.shared = data; }")
    page.goto(ADDRESS)
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="Share with app").click()
    assert page.evaluate("window.shared.url") == f"{live_server.url}{ADDRESS}"


@pytest.mark.tier_long
def test_reference_of_the_look_is_fine_in_light_and_dark(evenings: Evenings, walks: Walks) -> None:
    User.objects.filter(username="dirk").update(is_staff=True)
    walk = walks(PHONE, DESK, by=evenings.client("dirk"))
    walk.is_thorough = True  # what stands on one screen is judged on the other one too
    for screen in (PHONE, DESK):
        walk.page.goto("/styleguide/")
        walk.look(again=True, on=(screen,))
    walk.page.goto("/help/for-directors")
    walk.look(on=(PHONE,))
    walk.page.goto("/help?q=tie")
    walk.look(on=(DESK,))
    assert walk.wrong == []
