"""The page "Change players" where pairs compete: a side is chosen, and a pair is typed."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import league, pairs, players, table
from tests.support.cast import Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.text import summary, text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Sitting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("event")]

PAGE = "/clubs/riverside/events/league/tables/r1t1/change-players"
NAMES = ("Ada", "Ben", "Cy", "Dee", "Eve", "Fay", "Gil", "Hal", "Ida", "Jan", "Kay", "Lee")


@pytest.fixture
def event(cast: Cast) -> Event:
    """Five pairs, four of which sit at two tables."""
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    people = players(cast.riverside, *NAMES)
    pairs(event, people[:10])
    for number, at in ((1, 0), (2, 4)):
        here = people[at : at + 4]
        table(event, [here[0], here[2], here[1], here[3]], table_number=number)
    return event


def sent(client: Client, **typed: str) -> Answer:
    form = {"act": "swap", "seat": "side-1", "from_hand": "1", "hands": "keep", **typed}
    return client.post(PAGE, {"tag": hidden(client.get(PAGE), "tag"), **form})


def saved(client: Client, shown: Answer) -> Answer:
    names = ("previewed", "act", "seat", "seat-1", "from_hand", "hands", "tag")
    typed = {name: unescape(hidden(shown, name)) for name in names}
    return client.post(PAGE, {**typed, "reason": "Wrong table.", "go": "save"}, follow=True)


def seated(code: str) -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=code, to_hand=None).order_by("seat__number")
    return [row.player.name for row in rows]


def test_page_offers_sides_first_and_pairs_by_name(cast: Cast) -> None:
    page = cast.client("dirk").get(PAGE).content.decode()
    choices = re.findall(r'<option value="([\w-]+)"[^>]*>([^<]+)<', page)
    seats = [words for value, words in choices if value[-1].isdigit()]
    assert seats[:3] == ["North and South: Ada &amp; Ben", "East and West: Cy &amp; Dee",
                         "North: Ada"]  # fmt: skip
    assert '<option value="Ida &amp; Jan (pair-5)">' in page


def test_two_pairs_are_swapped_after_a_preview(cast: Cast) -> None:
    dirk = cast.client("dirk")
    shown = sent(dirk, **{"seat-1": "Eve & Fay"})
    assert "Table 2" in text_of(shown)
    assert seated("r1t1") == ["Ada", "Cy", "Ben", "Dee"]
    assert "Players changed." in text_of(saved(dirk, shown))
    assert (seated("r1t1"), seated("r1t2")) == (
        ["Eve", "Cy", "Fay", "Dee"], ["Ada", "Gil", "Ben", "Hal"],
    )  # fmt: skip


def test_pair_that_has_no_seat_replaces_another(cast: Cast) -> None:
    dirk = cast.client("dirk")
    refused = sent(dirk, **{"seat-1": "pair-5"})
    assert "Ida has no seat in round 1, so a swap is not possible." in summary(refused)
    assert "Replace side" in text_of(refused)
    saved(dirk, sent(dirk, instead="replace", **{"seat-1": "pair-5"}))
    assert seated("r1t1") == ["Ida", "Cy", "Jan", "Dee"]


def test_guests_of_a_new_pair_are_added_one_by_one(cast: Cast) -> None:
    dirk = cast.client("dirk")
    typed = {"act": "replace", "seat-1": "Max & Kay"}
    asked = sent(dirk, **typed)
    assert "Add Max as guest" in text_of(asked)
    asked = sent(dirk, guest="seat-1=Max", **typed)
    assert Player.objects.filter(name__in=["Max", "Max & Kay"]).count() == 1
    assert 'value="Max (P0001) &amp; Kay"' in asked.content.decode()
    assert "Max and Kay are not a pair" in summary(asked)
    assert "new-entrant?kind=pair" in asked.content.decode()
    alone = sent(dirk, seat="1", **typed)
    assert 'name="guest"' not in alone.content.decode(), "nobody is called “Max & Kay”"


def test_link_of_the_seating_page_chooses_the_side_of_the_picked_player(cast: Cast) -> None:
    page = cast.client("dirk").get(f"{PAGE}?act=swap&seat=4&player=Eve+(RL05)").content.decode()
    assert '<option value="side-2" selected>' in page
    assert 'value="Eve &amp; Fay (pair-3)"' in page
