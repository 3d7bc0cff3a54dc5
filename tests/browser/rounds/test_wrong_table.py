"""A director mends a wrong table after two hands, at phone width."""

from fractions import Fraction

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import hand, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
TABLE = f"{EVENT}/tables/r1t1"
NAMES = ("Anna", "Bob", "Cleo", "Dora")


@pytest.fixture
def walk(db: None, walks: Walks) -> Walk:
    """Dirk, who directs; the pages are looked at on a desk and used on a phone."""
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    league(cast.riverside, settings={"primary": "raw_per_hand"})
    return walks(DESK, PHONE, by=cast.client("dirk"))


def two_hands() -> None:
    """By seat: 2, 6, 3 and 2 hearts with the queen at West; 5, 3, 4 and 1 with her at East."""
    game = Game.objects.get()
    hand(game, 1, [2, 6, 3, 2], queen=3)
    hand(game, 2, [5, 3, 4, 1], queen=1)


def published() -> None:
    publish(Event.objects.get().pk, now=NOW)


def standings(walk: Walk) -> dict[str, tuple[str, int, str]]:
    """Place, hands and deciding figure of each row, over REST; the page has the same."""
    elsewhere(published)
    rows = walk.page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    walk.page.goto(EVENT)
    found = {}
    for row in rows:
        place, value = (
            f"{row['rank']}{'=' if row['tied'] else ''}",
            Fraction(row["values"]["raw_per_hand"]),
        )
        line = walk.page.locator(f'tr[id="{row["player_id"]}"]')
        expect(line.locator("td.pl")).to_have_text(place)
        shown = line.get_by_role("link", name=f"{float(value):.4f}", exact=True)
        expect(shown.first).to_be_attached()
        found[row["player"]] = (place, row["hands"], str(value))
    return found


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
def test_wrong_people_at_a_table_are_mended_after_two_hands(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("New round")
    walk.press("Create round")
    walk.follow("Seat a table")
    for number, name in enumerate(NAMES, start=1):
        page.get_by_label(f"Seat {number}", exact=True).fill(name.lower())
    walk.press("Seat players")
    walk.press("Post round")
    elsewhere(two_hands)
    as_entered = {
        "Anna": ("1=", 2, "7/2"), "Cleo": ("1=", 2, "7/2"),
        "Dora": ("3", 2, "8"), "Bob": ("4", 2, "11"),
    }  # fmt: skip
    assert standings(walk) == as_entered
    change(walk, "North: Anna", "Bob", "keep")
    save(walk, "Anna and Bob sat the other way round.")
    assert standings(walk) == {
        "Bob": ("1=", 2, "7/2"), "Cleo": ("1=", 2, "7/2"),
        "Dora": ("3", 2, "8"), "Anna": ("4", 2, "11"),
    }  # fmt: skip
    page.goto(TABLE)
    page.get_by_text("1 change of players").click()
    walk.follow("Undo")
    save(walk, "They did not.", "Undo change")
    assert standings(walk) == as_entered
    change(walk, "North: Anna", "Bob", "remap")
    expect(page.get_by_text("Hands 1, 2 get a new revision")).to_be_visible()
    save(walk, "Entered by name; Bob sits North.")
    assert standings(walk) == as_entered
    page.goto(TABLE)
    totals = page.locator("table.sheet tfoot td .pts")
    assert [totals.nth(at).inner_text() for at in range(4)] == ["22", "7", "7", "16"]
    page.goto(f"{EVENT}/changes")
    expect(page.get_by_text("Table 1, seat 1: Anna → Bob.").first).to_be_visible()
    walk.look()
    assert walk.wrong == []
