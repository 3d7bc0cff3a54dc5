"""The header on a phone and at a desk: nothing wider than the screen, the search by keyboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK
from tests.support.lengths import only_long
from tests.support.scenarios.evenings import ADDRESS, Evenings, two_evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "The Riverside and Hilltop Hearts, Spades and Whist Society of 1897"


@pytest.fixture
def club(db: None) -> Evenings:
    league = two_evenings()
    league.cast.riverside.name = LONG
    league.cast.riverside.save()
    return league


def test_slash_leads_to_the_search_and_a_name_to_its_page(club: Evenings, walks: Walks) -> None:
    walk = walks(DESK)
    page = walk.page
    page.goto(ADDRESS)
    page.keyboard.press("/")
    expect(page.get_by_role("banner").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("/jor")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("jor")
    page.keyboard.press("Enter")
    walk.look()
    walk.follow("Jörg S.")
    expect(page.get_by_role("heading", name="Jörg S.")).to_be_visible()
    assert walk.wrong == []


@pytest.mark.parametrize("width", [only_long(320), 390])
def test_header_on_a_phone_has_every_place_in_sight(
    club: Evenings, walks: Walks, width: int
) -> None:
    walk = walks((width, "light"), by=club.client("dirk"))
    page = walk.page
    for path in (ADDRESS, "/clubs/riverside/manage", "/clubs/riverside/search?q=s"):
        page.goto(path)
        walk.look()
        places = page.get_by_role("navigation", name="Club").get_by_role("link")
        expect(places).to_have_count(6)
        for place in places.all():
            box = place.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    page.goto(ADDRESS)
    page.keyboard.press("/")
    page.wait_for_url(re.compile("/search$"))
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    assert walk.wrong == []
