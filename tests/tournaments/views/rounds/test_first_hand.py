"""What players read on their phones before the first hand: seat, who gets their cards, partner."""

from datetime import date

import pytest

from tests.support.builders import hand, league, link, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event

pytestmark = pytest.mark.usefixtures("clock")

TONIGHT = date(2025, 11, 6)
SHEET = "/clubs/riverside/events/league/tables/r1t1"


def night(cast: Cast, variant: str) -> Event:
    """A round with a clock in which Piet sits in the West."""
    event = league(cast.riverside, variant=variant, settings={"round_minutes": 40})
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Piet")
    link(people[3], cast.users["piet"])
    table(event, people, on=TONIGHT)
    return event


def test_player_reads_seat_receiver_and_clock_on_the_own_page(cast: Cast) -> None:
    night(cast, "hearts")
    page = text_of(cast.client("piet").get("/me"))
    assert "Table 1, seat W" in page
    assert "Hand 1: you pass to Ann (N)." in page
    assert "40 min left, until 21:40" in page
    assert "partner" not in page


def test_table_page_names_the_receiver_of_each_seat_until_the_first_hand(cast: Cast) -> None:
    event = night(cast, "hearts")
    page = text_of(cast.client().get(SHEET))
    assert "North: Ann, passes to Ben (E)" in page
    assert "West: Piet, passes to Ann (N)" in page
    assert "40 min left, until 21:40" in page
    hand(event.tables.get().game, 1, [4, 1, 2, 6], 3)
    assert "passes to" not in text_of(cast.client().get(SHEET))
    assert "you pass" not in text_of(cast.client("piet").get("/me"))


def test_partners_are_named(cast: Cast) -> None:
    night(cast, "partnership-hearts-individual")
    assert "Your partner: Ben (E)." in text_of(cast.client("piet").get("/me"))
    assert "partner of Piet (W)" in text_of(cast.client().get(SHEET))
