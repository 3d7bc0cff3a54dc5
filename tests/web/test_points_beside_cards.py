"""What a sheet says of a seat whose points were written, with the cards or without them."""

import pytest

from tests.builders import TESTS, hand, league, players, table
from tests.cast import NOW, Cast, enter_the_cast
from tests.web.asking import text_of
from tournaments.models.hands import Game
from tournaments.services.hands.record_entry import record_entry

pytestmark = pytest.mark.django_db
SHEET = "/clubs/riverside/events/league/tables/r1t1"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


@pytest.fixture
def game(cast: Cast) -> Game:
    seated = players(cast.riverside, "Ann", "Ben", "Cleo", "Dan")
    return table(league(cast.riverside), seated)


def test_seat_without_a_card_took_nothing_though_points_were_written_too(
    cast: Cast, game: Game
) -> None:
    hand(game, 1, [4, 9, 0, 0], queen=0, points=[17, 9, 0, 0])
    page = text_of(cast.client().get(SHEET))
    assert "points only" not in page
    assert "nothing" in page


def test_hand_entered_as_points_says_so_at_every_seat(cast: Cast, game: Game) -> None:
    record_entry(
        actor=TESTS, game=game, number=1, entry={"points": [17, 9, 0, 0]}, now=NOW, source="host"
    )
    page = text_of(cast.client().get(SHEET))
    assert page.count("points only") == 4
    assert "nothing" not in page
