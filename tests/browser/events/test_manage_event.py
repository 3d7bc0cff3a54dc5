"""A director seats, voids and closes in a browser, on a phone and a desk, judged by axe."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Cookie, Walk, launched, session_cookie, walk_in
from tests.support.builders import hand, league, players
from tests.support.cast import enter_the_cast
from tournaments.models.hands import Game

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"


@pytest.fixture
def cookie(db: None, live_server: LiveServer) -> Cookie:
    """The session of Dirk, who directs a league of four; nobody is seated."""
    cast = enter_the_cast()
    players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C.")
    league(cast.riverside)
    return session_cookie(cast.client("dirk"), live_server.url)


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


def test_director_seats_a_round_voids_a_hand_and_closes(
    cookie: Cookie, live_server: LiveServer, chromium: str
) -> None:
    with launched(chromium) as browser, ThreadPoolExecutor(1) as elsewhere:
        walk = walk_in(browser, live_server.url, PHONE, DESK)
        walk.page.context.add_cookies([cookie])
        seat_a_round(walk)
        elsewhere.submit(enter_a_hand).result()
        close_the_table(walk)
        assert walk.wrong_but(422) == []
