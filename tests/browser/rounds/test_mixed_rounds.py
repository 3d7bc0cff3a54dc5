"""An evening with two games at two tables, from the new round to the standings, in a browser."""

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import Operation
from tournaments.services.publishing import publications

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
STRICT = "/clubs/riverside/events/one-game"
FIRST = ("Anna K.", "Béla D.", "Cem A.", "Dora S.")
SECOND = ("Edda K.", "Finn O.", "Gitte S.", "Hanno D.")


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, who directs a league that mixes games and one that does not."""
    cast = enter_the_cast()
    people = players(cast.riverside, *FIRST, *SECOND)
    league(cast.riverside)
    strict = create_event(
        Operation(TESTS, NOW), cast.riverside, name="One game", variant="hearts", slug="one-game",
        settings={"length": "open", "primary": "raw_per_hand"},
    )  # fmt: skip
    move_event(Operation(TESTS, NOW), strict, to="open")
    table(strict, people[:4])
    return cast.client("dirk")


def seat(walk: Walk, names: tuple[str, ...]) -> None:
    for number, who in enumerate(names, start=1):
        walk.page.locator(f"#id_seat-{number}").fill(who)


def seat_a_round_of_two_games(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("New round")
    walk.press("Create round")
    walk.follow("Seat a table")
    seat(walk, FIRST)
    walk.press("Seat and continue")
    page.get_by_text("Game: Hearts (American). Choose another?").click()
    page.get_by_label("Game at this table").select_option("omnibus-hearts")
    seat(walk, SECOND)
    walk.press("Show options")
    expect(page.get_by_role("heading", name="Omnibus Hearts")).to_be_visible()
    expect(page.locator("#id_seat-4")).to_have_value("Hanno D.")
    walk.press("Seat players")
    walk.press("Post round")


def enter_a_hand(walk: Walk, code: str, *taken: tuple[str, int]) -> None:
    """Enter 4, 1, 2 and 6 hearts; `taken` says which seat has a card."""
    page = walk.page
    page.goto(f"{EVENT}/tables/{code}/hands/new")
    walk.look()
    for seat_number, hearts in enumerate((4, 1, 2, 6), start=1):
        page.locator(f"[name=hearts-{seat_number}]").fill(str(hearts))
    for card, seat_number in taken:
        page.locator(f"[name=card-{card}][value='{seat_number}']").check(force=True)
    walk.press("Save hand 1")


def publish() -> None:
    publications.publish(Event.objects.get(slug="league").pk, now=NOW)


def look_at(walk: Walk, *paths: str) -> None:
    for path in paths:
        walk.page.goto(path)
        walk.look()


@pytest.mark.tier_long
def test_evening_of_two_games_counts_together_where_the_event_says_so(
    dirk: Client, walks: Walks
) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    seat_a_round_of_two_games(walk)
    look_at(
        walk, f"{EVENT}/new-round", f"{EVENT}/rounds/1/new-table", f"{EVENT}/tables/r1t2/hands/new"
    )
    enter_a_hand(walk, "r1t1", ("QS", 4))
    enter_a_hand(walk, "r1t2", ("QS", 4), ("JD", 1))
    elsewhere(publish)
    look_at(walk, f"{EVENT}/rounds/1/direct", f"{EVENT}/rounds/1", f"{EVENT}/meetings", EVENT)
    expect(page.get_by_text("2 hands of 2 variants.")).to_be_visible()
    rows = page.locator("table.standings tbody tr")
    names = rows.locator("th > a").all_inner_texts()
    averages = rows.locator("td:nth-child(3)").all_inner_texts()
    assert list(zip(names, averages, strict=True)) == [
        ("Edda K.", "−6.0000"),
        ("Béla D.", "1.0000"),
        ("Finn O.", "1.0000"),
        ("Cem A.", "2.0000"),
        ("Gitte S.", "2.0000"),
        ("Anna K.", "4.0000"),
        ("Dora S.", "19.0000"),
        ("Hanno D.", "19.0000"),
    ]
    assert walk.wrong == []


@pytest.mark.tier_long
def test_second_game_is_refused_where_raw_points_of_one_game_rank(
    dirk: Client, walks: Walks
) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    page.goto(f"{STRICT}/rounds/1/new-table")
    page.get_by_text("Game: Hearts (American). Choose another?").click()
    page.get_by_label("Game at this table").select_option("omnibus-hearts")
    seat(walk, SECOND)
    walk.press("Seat players")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text(
        "its tables play Hearts (American). Points of Omnibus Hearts cannot be compared with them."
    )
    expect(page.get_by_label("Game at this table")).to_have_value("omnibus-hearts")
    expect(page.locator("#id_seat-4")).to_have_value("Hanno D.")
    assert walk.wrong_but(422) == []
