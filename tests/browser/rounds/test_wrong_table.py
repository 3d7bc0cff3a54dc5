"""A director mends a wrong table after two hands, and a pair seated wrongly, at phone width."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Walk, launched, session_cookie, walk_in
from tests.support.builders import TESTS, hand, league, players
from tests.support.cast import NOW, enter_the_cast
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.events.entrants import add_entrant
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
TABLE = f"{EVENT}/tables/r1t1"
NAMES = ("Anna", "Bob", "Cleo", "Dora")

Opened = Callable[..., Walk]


@pytest.fixture
def opened(db: None, live_server: LiveServer, chromium: str) -> Iterator[Opened]:
    """Walk in as Dirk, who directs; the pages are looked at on a desk and used on a phone."""
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    cookie = session_cookie(cast.client("dirk"), live_server.url)
    with ExitStack() as stack:

        def walk(variant: str, primary: str) -> Walk:
            event = league(cast.riverside, variant=variant, settings={"primary": primary})
            if variant != "hearts":
                for at, name in ((0, "Aces"), (2, "Kings")):
                    add_entrant(
                        actor=TESTS, event=event, kind="pair", players=people[at : at + 2],
                        name=name, now=NOW,
                    )  # fmt: skip
            browser = stack.enter_context(launched(chromium))
            made = walk_in(browser, live_server.url, DESK, PHONE)
            made.page.context.add_cookies([cookie])
            return made

        yield walk


def in_a_thread(act: Callable[[], object]) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(act).result()


def two_hands() -> None:
    """By seat: 2, 6, 3 and 2 hearts with the queen at West; 5, 3, 4 and 1 with her at East."""
    game = Game.objects.get()
    hand(game, 1, [2, 6, 3, 2], queen=3)
    hand(game, 2, [5, 3, 4, 1], queen=1)


def published() -> None:
    publish(Event.objects.get().pk, now=NOW)


def standings(walk: Walk, key: str) -> dict[str, tuple[str, int, str]]:
    """Place, hands and deciding figure of each row, over REST; the page has the same."""
    in_a_thread(published)
    rows = walk.page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    walk.page.goto(EVENT)
    found = {}
    for row in rows:
        place, value = f"{row['rank']}{'=' if row['tied'] else ''}", Fraction(row["values"][key])
        line = walk.page.locator(f'tr[id="{row["player_id"]}"]')
        expect(line.locator("td.pl")).to_have_text(place)
        shown = f"{float(value):.4f}" if key == "raw_per_hand" else str(value)
        expect(line.get_by_role("link", name=shown, exact=True).first).to_be_attached()
        found[row["player"]] = (place, row["hands"], str(value))
    return found


def seat(walk: Walk, *typed: str, kind: str = "Seat") -> None:
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("New round")
    walk.press("Create round")
    walk.follow("Seat a table")
    for label, text in zip(typed[::2], typed[1::2], strict=True):
        page.get_by_label(label, exact=True).fill(text)
    walk.press("Seat players")


def change(walk: Walk, seat: str, who: str, hands: str) -> None:
    """Fill in the page "Change who played", and look at what it would change."""
    page = walk.page
    page.goto(TABLE)
    walk.follow("Change players")
    page.get_by_label("Seat", exact=True).select_option(label=seat)
    page.get_by_label("New player").fill(who)
    page.get_by_label("Hands that were played").select_option(hands)
    walk.press("Show changes")
    expect(page.get_by_text("Not saved yet")).to_be_visible()


def save(walk: Walk, reason: str, button: str = "Change players") -> None:
    walk.page.get_by_label("Reason").fill(reason)
    walk.press(button)
    expect(walk.page.get_by_text("Players changed.")).to_be_visible()


@pytest.mark.tier_long
def test_wrong_people_at_a_table_are_mended_after_two_hands(opened: Opened) -> None:
    walk = opened("hearts", "raw_per_hand")
    page = walk.page
    seat(
        walk, "Seat 1", "anna", "Seat 2", "bob", "Seat 3", "cleo", "Seat 4", "dora",
    )  # fmt: skip
    walk.press("Post round")
    in_a_thread(two_hands)
    as_entered = {
        "Anna": ("1=", 2, "7/2"), "Cleo": ("1=", 2, "7/2"),
        "Dora": ("3", 2, "8"), "Bob": ("4", 2, "11"),
    }  # fmt: skip
    assert standings(walk, "raw_per_hand") == as_entered
    change(walk, "North: Anna", "Bob", "keep")
    save(walk, "Anna and Bob sat the other way round.")
    assert standings(walk, "raw_per_hand") == {
        "Bob": ("1=", 2, "7/2"), "Cleo": ("1=", 2, "7/2"),
        "Dora": ("3", 2, "8"), "Anna": ("4", 2, "11"),
    }  # fmt: skip
    page.goto(TABLE)
    page.get_by_text("1 change of players").click()
    walk.follow("Undo")
    save(walk, "They did not.", "Undo change")
    assert standings(walk, "raw_per_hand") == as_entered
    change(walk, "North: Anna", "Bob", "remap")
    expect(page.get_by_text("Hands 1, 2 get a new revision")).to_be_visible()
    save(walk, "Entered by name; Bob sits North.")
    assert standings(walk, "raw_per_hand") == as_entered
    page.goto(TABLE)
    totals = page.locator("table.sheet tfoot td .pts")
    assert [totals.nth(at).inner_text() for at in range(4)] == ["22", "7", "7", "16"]
    page.goto(f"{EVENT}/changes")
    expect(page.get_by_text("Table 1, seat 1: Anna → Bob.").first).to_be_visible()
    walk.look()
    assert walk.wrong == []


@pytest.mark.tier_long
def test_pair_seated_wrongly_is_asked_about_and_mended(opened: Opened) -> None:
    walk = opened("partnership-hearts-pooled", "raw_total")
    page = walk.page
    seat(walk, "North and South", "Anna & Cleo", "East and West", "Bob & Dora")
    expect(page.get_by_text("their hands do not count for a pair").first).to_be_visible()
    walk.press("Seat anyway")
    page.goto(f"{EVENT}/rounds/1/direct")
    walk.press("Post round")
    in_a_thread(two_hands)
    assert standings(walk, "raw_total") == {}
    change(walk, "South: Cleo", "Bob", "keep")
    save(walk, "Cleo and Bob sat the other way round.")
    assert standings(walk, "raw_total") == {"Aces": ("1", 2, "14"), "Kings": ("2", 2, "38")}
    assert walk.wrong_but(422) == []
