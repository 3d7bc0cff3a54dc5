"""Pages name what competes, players or pairs, and where each of their nights was played."""

from datetime import date

import pytest

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.services.events.entrants import add_entrant
from tournaments.services.publishing import publications

pytestmark = pytest.mark.django_db
PAIRS = "/clubs/riverside/events/pairs"


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two pairs who play three games on two evenings: rounds 1 and 2, then round 3."""
    event = league(cast.riverside, slug="pairs", variant="partnership-hearts")
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Dan")
    for pair in (people[0::2], people[1::2]):
        add_entrant(actor=TESTS, event=event, kind="pair", players=pair, now=NOW)
    for number, day in ((1, 6), (2, 6), (3, 13)):
        game = table(event, people, round_number=number, on=date(2025, 11, day))
        hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(event.pk, now=NOW)
    make_all(event.pk)
    return event


@pytest.mark.parametrize("path", ["", "/publications/1", "/standings?round=2"])
def test_standings_of_pairs_count_pairs(cast: Cast, night: Event, path: str) -> None:
    page = text_of(cast.client().get(f"{PAIRS}{path}"))
    assert "2 pairs, " in page
    assert "2 players" not in page
    assert ("Pair" in page.split(), "Player" in page.split()) == (True, False)


def test_night_of_several_rounds_names_them_all_and_opens_each(cast: Cast, night: Event) -> None:
    answer = cast.client().get(f"{PAIRS}/players/pair-1")
    page, html = text_of(answer), answer.content.decode()
    assert "Best evening 6 in 1 hand, round 3 Worst evening 12 in 2 hands, rounds 1 , 2 " in page
    assert f'<a href="{PAIRS}/tables/r1t1">1</a>, <a href="{PAIRS}/tables/r2t1">2</a>' in html
