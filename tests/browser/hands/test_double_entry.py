"""A sheet typed by two people in two browsers: one difference, shown to both, and decided."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Screen, Walk
from tests.support.builders import league, players, table
from tests.support.cast import NOW
from tests.support.scenarios.evenings import Evenings, two_evenings
from tests.support.walks import Walks
from tournaments.services.hands.double_entry import set_double_entry

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/twice"
PILE = f"{EVENT}/rounds/1/pile"
NARROW: Screen = (390, "light")

Opened = Callable[..., Walk]


@pytest.fixture
def evenings(db: None) -> Evenings:
    """A round of one table whose sheet has three hands and needs double entry."""
    made = two_evenings()
    event = league(made.cast.riverside, slug="twice", name="Twice", length="hands:3")
    table(event, players(made.cast.riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    set_double_entry(actor=made.cast.actor("dirk"), event=event, on=True, now=NOW)
    return made


@pytest.fixture
def opened(evenings: Evenings, walks: Walks) -> Opened:
    """Walk in as somebody."""
    clients = {name: evenings.client(name) for name in ("hanna", "dirk")}
    return lambda name, path: walks(PHONE, NARROW, DESK, by=clients[name], at=path)


@pytest.mark.tier_long
def test_one_difference_is_shown_to_both_and_decided(opened: Opened) -> None:
    hanna = opened("hanna", f"{EVENT}/tables/r1t1/grid")
    hanna.page.keyboard.type("63q40")
    hanna.page.keyboard.type("75q1")
    hanna.page.keyboard.press("Enter")
    hanna.page.keyboard.type("0")
    hanna.page.keyboard.type("2236q")
    with hanna.page.expect_navigation():
        hanna.page.keyboard.press("Control+Enter")
    hanna.page.goto(f"{EVENT}/tables/r1t1/grid/second")
    said = "You made the first entry of this sheet. Another person has to make the second entry."
    expect(hanna.page.get_by_text(said)).to_be_visible()
    hanna.look(again=True)

    dirk = opened("dirk", PILE)
    expect(dirk.page.get_by_text("0 of 1 with second entry.")).to_be_visible()
    dirk.look(again=True)
    dirk.follow("Enter again")
    expect(dirk.page.locator("#c-1-1")).to_be_focused()
    assert [one.input_value() for one in dirk.page.locator(".entry td input").all()] == [""] * 12
    dirk.page.keyboard.type("63q40")
    dirk.page.keyboard.type("74q2")
    dirk.page.keyboard.press("Enter")
    dirk.page.keyboard.type("0")
    dirk.page.keyboard.type("2236q")
    with dirk.page.expect_navigation():
        dirk.page.keyboard.press("Control+Enter")
    assert dirk.page.url.endswith("/grid/differences")
    differs = "Ilse K., first 5q, second 4q; Leo K., first 1, second 2."
    assert differs in dirk.page.locator("#hand-2").inner_text()
    dirk.look(again=True)

    hanna.page.goto(PILE)
    expect(hanna.page.get_by_text("1 of 1 with second entry, 1 differs.")).to_be_visible()
    hanna.look(again=True)
    hanna.follow("hand 2 differs")
    assert differs in hanna.page.locator("#hand-2").inner_text()
    hanna.page.get_by_label("Comment (optional)").fill("The 4 is plain on the paper.")
    hanna.press("Use second entry")
    expect(hanna.page.get_by_text("All differences are resolved.")).to_be_visible()
    hanna.page.goto(f"{EVENT}/tables/r1t1")
    expect(hanna.page.get_by_text("Both entries agree: hands 1, 3.")).to_be_visible()
    assert "Double entry: the second entry is right." in hanna.page.locator("main").inner_text()
    hanna.look(again=True)
    dirk.page.goto(f"{EVENT}/direct")
    dirk.look(again=True)
    dirk.page.goto("/clubs/riverside/new-event")
    dirk.look(again=True)
    assert hanna.wrong == []
    assert dirk.wrong == []
