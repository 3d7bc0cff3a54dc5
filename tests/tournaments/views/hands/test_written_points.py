"""What a sheet says of a seat whose points were written, with the cards or without them."""

import pytest

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.hands import Game
from tournaments.services.hands.record_entry import record_entry

pytestmark = pytest.mark.django_db
SHEET = "/clubs/riverside/events/league/tables/r1t1"


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


def test_corrected_points_are_beside_those_of_before(cast: Cast, game: Game) -> None:
    for based_on, points in ((None, [17, 9, 0, 0]), (1, [16, 10, 0, 0])):
        record_entry(
            actor=TESTS,
            game=game,
            number=1,
            entry={"points": points},
            now=NOW,
            source="host",
            based_on=based_on,
            reason="misread" if based_on else "",
        )
    page = text_of(cast.client().get(SHEET))
    assert "was points only: 17" in page
    assert "was points only: 9" in page


def test_negative_numbers_of_a_sentence_have_a_minus_sign(cast: Cast, game: Game) -> None:
    hanna, address = cast.client("hanna"), f"{SHEET}/hands/new"
    fields = {"way": "points", "number": "1", "key": "k", "go": "save"}
    points = {f"points-{seat}": str(n) for seat, n in enumerate((-26, 5, 0, 0), start=1)}
    page = text_of(hanna.post(address, {**fields, **points}))
    assert "The points total −21. The total of a hand is 26. A settled moon makes −26" in page
    rest = hanna.post(
        "/api/v1/clubs/riverside/events/league/tables/r1t1/hands",
        {"entry": {"points": [-26, 5, 0, 0]}},
        content_type="application/json",
        headers={"Idempotency-Key": "k2"},
    ).json()
    assert "The points total −21." in rest["errors"][0]["message"]
