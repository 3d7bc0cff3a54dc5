"""A club's people, from the set-up link to an account for each role, by printed cards.

At phone and desk width, with nothing on the console, nothing that axe finds, nothing wider than the
screen.
"""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DIRECTOR, HOSTS = "Dirk V.", ("Hanna H.", "Henk B.")
PLAYERS = (
    *("Cleo S.", "Farid D.", "Jonas K.", "Kira S.", "Lars D.", "Mina K."),
    *("Nico S.", "Pavel D.", "Quinn K.", "Rosa S.", "Zoë D."),
)
NAMES = (DIRECTOR, *HOSTS, *PLAYERS)
PASSWORD = "Nine lives, one queen"
CLUB = "/clubs/riverside"


def sign_up(walk: Walk, mail: str, *, welcome: str = "") -> None:
    walk.page.get_by_label("E-mail address").fill(mail)
    walk.page.get_by_label("Password", exact=True).fill(PASSWORD)
    walk.press("Create account")
    expect(walk.page.get_by_role("main")).to_contain_text(welcome)
    walk.follow("Not now")


def open_card(walk: Walk, name: str, link: str, role: str) -> None:
    walk.page.goto(link)
    walk.look()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(f"Join Riverside as {name}")
    first = name.split(maxsplit=1)[0].lower()
    number = NAMES.index(name) + 1
    welcome = f"You are {name} (P{number:04d}), your role is {role}."
    sign_up(walk, f"{first}@riverside.example", welcome=welcome)


@pytest.mark.tier_long
def test_people_join_by_the_cards_that_their_owner_prints(setup: str, walks: Walks) -> None:
    olga = walks(PHONE, DESK)
    _create_club(olga, setup)
    cards = _invite_everybody(olga)
    assert olga.wrong == []
    for name, role in ((DIRECTOR, "director"), (HOSTS[0], "host"), (PLAYERS[0], "player")):
        phone = walks(DESK, PHONE)
        open_card(phone, name, cards[name], role)
        assert phone.wrong == [], name


def _create_club(olga: Walk, setup: str) -> None:
    olga.page.goto(f"/setup/{setup}")
    olga.look()
    olga.page.get_by_label("User name (optional)").fill("olga")
    sign_up(olga, "olga@riverside.example")
    expect(olga.page.get_by_role("heading", name="Create club")).to_be_visible()
    olga.page.get_by_label("Name of the club").fill("Riverside")
    olga.press("Create club")


def _invite_everybody(olga: Walk) -> Mapping[str, str]:
    """Paste fourteen names, invite them with three roles, print a card each; returns the links."""
    page = olga.page
    olga.follow("Add players", nth=0)
    page.get_by_label("Names").fill("\n".join(NAMES))
    olga.press("Preview")
    olga.press("Add 14 players")
    page.goto(CLUB)
    olga.follow("Members")
    for role, names in (("Director", (DIRECTOR,)), ("Host", HOSTS)):
        olga.follow("Invite others")
        page.get_by_label("Names").fill("\n".join(names))
        page.get_by_role("radio", name=role).check()
        olga.press("Check names")
        n = len(names)
        olga.press(f"Create {n} invitation{'s' if n > 1 else ''}")
        olga.follow("Back to members")
    olga.follow("Invite 11 players")
    olga.press("Create 11 invitations")
    olga.follow("Back to members")
    olga.follow("Print QR cards")
    expect(page.locator(".qrc")).to_have_count(len(NAMES))
    assert len(page.pdf(prefer_css_page_size=True)) > 10_000
    page.goto(f"{CLUB}/invitations")
    olga.look()
    boxes = page.get_by_role("textbox", name=re.compile("^Link for")).all()
    return {
        str(box.get_attribute("aria-label")).removeprefix("Link for "): box.input_value()
        for box in boxes
    }
