"""A league of pairs, made on its pages: one pair is seated wrongly, two hands in it is mended.

Dina directs and Hedi keeps the sheets on a phone; both have accounts of the site's own pages. What
the standings show is compared with REST each time.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import DESK, PHONE, Screen, Walk
from tests.support.cast import NOW, enter_the_cast
from tests.support.pages.accounts import account, sign_in
from tests.support.pages.html_tree import is_close
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB = "/clubs/riverside"
EVENT = f"{CLUB}/events/pairs"
PEOPLE = ("Anna", "Bob", "Cleo", "Dora", "Elsa", "Finn", "Gus", "Hal", "Ida")
PAIRS = {"Aces": "Anna Bob", "Kings": "Cleo Dora", "Queens": "Elsa Finn", "Jacks": "Gus Hal"}
HANDS = (((5, 8), 1), ((9, 4), 2))
"""Hearts of each side at table 2, and which side took the queen: 18 to 8, then 9 to 17."""
Rows = dict[str, tuple[str, int, str]]


@pytest.fixture
def staff(db: None) -> None:
    """Dina directs the club and Hedi is a host of it."""
    cast = enter_the_cast()
    account(cast, "dina", "director")
    account(cast, "hedi", "host")


@contextmanager
def signed_in(walks: Walks, name: str, *screens: Screen) -> Iterator[Walk]:
    """Somebody at their own browser; nothing is found wrong on any page they come to."""
    walk = walks(*screens)
    sign_in(walk.page, name)
    yield walk
    assert walk.wrong_but(422) == []


def published() -> None:
    publish(Event.objects.get().pk, now=NOW)


def main(walk: Walk) -> Locator:
    return walk.page.get_by_role("main")


def make_the_league(walk: Walk) -> None:
    """Add the people of the club, make the event, and add its pairs."""
    page = walk.page
    page.goto(f"{CLUB}/add-players")
    page.get_by_label("Names").fill("\n".join(PEOPLE))
    walk.press("Preview")
    walk.press(f"Add {len(PEOPLE)} players")
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Pairs")
    page.get_by_label("Game", exact=True).select_option("Partnership Hearts, tricks pooled")
    walk.press("Create event")
    walk.press("Open event")
    page.goto(f"{EVENT}/entrants")
    walk.follow("Add pair")
    for name, both in PAIRS.items():
        page.get_by_label("Name", exact=True).fill(name)
        for at, one in enumerate(both.split(), start=1):
            page.get_by_label(f"Player {at}", exact=True).fill(one)
        walk.press("Add and continue")
    walk.follow("All entrants")


def seat(walk: Walk, first: str, second: str) -> None:
    walk.page.get_by_label("North and South", exact=True).fill(first)
    walk.page.get_by_label("East and West", exact=True).fill(second)
    walk.press("Seat and continue")


def seat_the_round(walk: Walk) -> None:
    """Table 1 is mended when it is asked about; table 2 is seated as it was written."""
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("New round", nth=0)
    walk.press("Create round")
    walk.follow("Seat a table")
    seat(walk, "Anna & Cleo", "Bob & Dora")
    expect(main(walk)).to_contain_text(
        "Anna and Cleo are not a pair. If you seat them anyway, their hands do not count "
        "for a pair."
    )
    seat(walk, "Aces", "Kings")
    expect(main(walk)).to_contain_text("Table 1 is seated.")
    seat(walk, "Elsa & Ida", "Jacks")
    expect(main(walk)).to_contain_text(
        "Elsa and Ida are not a pair. If you seat them anyway, their hands count for Queens and "
        "for Ida alone."
    )
    walk.press("Seat anyway")
    page.goto(f"{EVENT}/rounds/1/direct")
    walk.press("Post round")


def enter_the_hands(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t2/hands/new")
    for number, (hearts, queen) in enumerate(HANDS, start=1):
        expect(page.locator(".desk-top h1 .hand")).to_have_text(f"hand {number}")
        for at, count in enumerate(hearts, start=1):
            page.locator(f"#hearts-{at}").fill(str(count))
        page.locator(f"#card-QS-{queen}-0").check()
        page.get_by_role("button", name=f"Save hand {number}", exact=True).click()
        expect(page.get_by_text(f"Hand {number} saved.")).to_be_visible()
        walk.look(again=True)


def standings(walk: Walk) -> Rows:
    """Place, hands and deciding figure by entrant: of REST, and the same on the page."""
    elsewhere(published)
    page = walk.page
    rows = page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    page.goto(EVENT)
    walk.look(again=True)
    lines = page.locator("table.standings tr[id]")
    expect(lines).to_have_count(len(rows))
    found: Rows = {}
    for at, row in enumerate(rows):
        line, place = lines.nth(at), f"{row['rank']}{'=' if row['tied'] else ''}"
        value = row["values"]["raw_per_hand"]
        assert line.get_attribute("id") == row["player_id"]
        assert line.locator("td.pl").inner_text() == place
        assert is_close(line.locator("td.key").inner_text(), value)
        found[row["player"]] = (place, row["hands"], value)
    return found


def mend(walk: Walk) -> None:
    """Put Finn where Ida was seated, after two hands; the preview names both."""
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t2")
    walk.follow("Change players")
    page.get_by_label("What to do").select_option("replace")
    page.get_by_label("Side or seat").select_option(label="South: Ida")
    page.get_by_label("New pair or player").fill("Finn")
    page.get_by_label("Hands that were played").select_option("keep")
    walk.press("Show changes")
    expect(main(walk)).to_contain_text("This is a preview.")
    page.get_by_label("Reason").fill("Finn sat there.")
    walk.press("Change players")
    expect(main(walk)).to_contain_text("Players changed.")


@pytest.mark.tier_long
def test_pair_seated_wrongly_is_mended_after_two_hands(staff: None, walks: Walks) -> None:
    with signed_in(walks, "dina", DESK, PHONE) as dina:
        make_the_league(dina)
        seat_the_round(dina)
    with signed_in(walks, "hedi", PHONE) as hedi:
        enter_the_hands(hedi)
        assert standings(hedi) == {
            "Jacks": ("1", 2, "25/2"), "Queens": ("2=", 2, "27/2"), "Ida": ("2=", 2, "27/2"),
        }  # fmt: skip
    with signed_in(walks, "dina", DESK, PHONE) as dina:
        mend(dina)
        assert standings(dina) == {"Jacks": ("1", 2, "25/2"), "Queens": ("2", 2, "27/2")}
        dina.page.goto(f"{EVENT}/changes")
        expect(main(dina)).to_contain_text("Table 2, seat 3: Ida → Finn.")
        expect(main(dina)).to_contain_text("“Finn sat there.”")
        dina.look()
