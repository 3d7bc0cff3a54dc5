"""An owner changes the club's settings and its logo, a director releases held results; on a phone
and a desk, judged by axe."""

from pathlib import Path

import pytest
from django.test import Client
from PIL import Image
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.walks import Walks
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB = "/clubs/riverside"


@pytest.fixture
def olga(db: None) -> Client:
    """Olga, who owns Riverside; its league is held back, with one hand in it."""
    cast = enter_the_cast()
    people = players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Cleo S.")
    event = league(cast.riverside, visibility="held")
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return cast.client("olga")


def open_section(walk: Walk, name: str) -> None:
    walk.page.locator("summary", has=walk.page.get_by_role("heading", name=name)).click()


def change_settings(walk: Walk, logo: Path) -> None:
    page = walk.page
    page.goto(f"{CLUB}/settings")
    for name in ("Name and address", "Visibility", "Names of players", "New events", "Colour"):
        open_section(walk, name)
    walk.look()
    page.get_by_label("Name of the club").fill("Riverside Hearts Club")
    page.get_by_text("Owners only").click()
    page.get_by_text("Own colour").click()
    page.get_by_label("Colour", exact=True).fill("#ffd24d")
    walk.press("Save settings")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Colour", exact=True).fill("#7a1f3d")
    walk.press("Save settings")
    expect(page.get_by_text("Club settings saved.")).to_be_visible()
    open_section(walk, "Logo")
    page.get_by_label("Picture").set_input_files(logo)
    walk.press("Upload logo")
    expect(page.get_by_text("Logo saved.")).to_be_visible()
    assert page.locator(".mast-logo").evaluate("image => image.naturalWidth") == 256
    button = page.get_by_role("button", name="Save settings")
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    colour = "rgb(182, 132, 148)" if dark else "rgb(122, 31, 61)"
    assert button.evaluate("one => getComputedStyle(one).backgroundColor") == colour


def release(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{CLUB}/events/league/direct")
    expect(
        page.get_by_text("Everybody will be able to read 1 publication and 1 score sheet.")
    ).to_be_visible()
    walk.follow("Visibility", exact=False)
    walk.look()
    page.goto(f"{CLUB}/events/league/direct")
    walk.press("Release results")
    expect(page.get_by_text("Saved. Everybody can read it, without signing in.")).to_be_visible()


def test_owner_changes_settings_and_releases_results(
    olga: Client, walks: Walks, tmp_path: Path
) -> None:
    logo = tmp_path / "logo.png"
    Image.new("RGB", (600, 600), "darkred").save(logo)
    walk = walks(PHONE, DESK, by=olga)
    change_settings(walk, logo)
    release(walk)
    assert walk.wrong_but(422) == []
