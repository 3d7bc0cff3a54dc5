"""A director seats, voids and closes in a browser, on a phone and a desk, judged by axe."""

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import hand, league, players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.hands import Game

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"


@pytest.fixture
def dirk(db: None) -> Client:
    """Dirk, who directs a league of four; nobody is seated."""
    cast = enter_the_cast()
    players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C.")
    league(cast.riverside)
    return cast.client("dirk")


def seat_a_round(walk: Walk) -> None:
    page = walk.page
    page.goto(f"{EVENT}/direct")
    walk.follow("New round")
    walk.press("Create round")
    walk.follow("Seat a table")
    for seat, who in enumerate(("anna k.", "RL02", "Belo D.", "Player C."), start=1):
        page.get_by_label(f"Seat {seat}", exact=True).fill(who)
    walk.press("Seat players")
    expect(page.get_by_role("alert")).to_be_focused()
    walk.press("Béla D. (RL03)")
    walk.follow("Change seats of table 1")
    walk.follow("Back to round")
    walk.press("Post round")
    expect(page.get_by_text("Posted: the seating is public.")).to_be_visible()


def close_the_table(walk: Walk) -> None:
    """A hand was entered meanwhile; it is voided, then the table and the round are closed."""
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t1/hands/1")
    walk.follow("Delete hand")
    walk.press("Delete hand")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Reason").fill("The cards were dealt wrongly.")
    walk.press("Delete hand")
    walk.follow("Restore hand")
    page.get_by_label("Reason").fill("They were not.")
    walk.press("Restore as revision 2")
    page.goto(f"{EVENT}/tables/r1t1/close")
    walk.look()
    walk.press("Close table")
    page.goto(f"{EVENT}/rounds/1/direct")
    walk.press("Close round")
    expect(page.get_by_text("Closed: only directors can correct hands.")).to_be_visible()


def enter_a_hand() -> None:
    hand(Game.objects.get(), 1, [4, 1, 2, 6], queen=3)


def test_director_seats_a_round_voids_a_hand_and_closes(dirk: Client, walks: Walks) -> None:
    walk = walks(PHONE, DESK, by=dirk)
    seat_a_round(walk)
    elsewhere(enter_a_hand)
    close_the_table(walk)
    assert walk.wrong_but(422) == []
