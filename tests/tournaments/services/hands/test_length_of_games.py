"""The length that an event fixes: what is refused beyond it, and who may add a hand."""

from functools import partial

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import Cast
from tournaments.errors import Forbidden
from tournaments.models.hands import Game, Hand
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.hands.void_hand import void_hand

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

enter = partial(record_entry, entry=counts([4, 1, 2, 6], 3), source="host")
enter_totals = partial(record_totals, by_tests(), source="host")


@pytest.fixture
def game(cast: Cast) -> Game:
    event = league(cast.riverside, length="hands:2")
    return table(event, players(cast.riverside, "A", "B", "C", "D"))


def test_hand_after_the_last_is_refused_by_count_and_by_number(game: Game) -> None:
    with pytest.raises(Refused, match="match_over"):
        hand(game, 7, [4, 1, 2, 6], queen=3)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [4, 1, 2, 6], queen=3)
    with pytest.raises(Refused, match="match_over"):
        hand(game, 3, [4, 1, 2, 6], queen=3)
    assert Hand.objects.filter(game=game).count() == 2
    hand(game, 2, [1, 4, 2, 6], queen=3, based_on=1, reason="Typing error.")


def test_hand_follows_in_place_of_a_deleted_one(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [4, 1, 2, 6], queen=3)
    void_hand(by_tests(), game, number=2, based_on=1, reason="Misdeal.")
    hand(game, 3, [4, 1, 2, 6], queen=3)
    with pytest.raises(Refused, match="match_over"):
        hand(game, 4, [4, 1, 2, 6], queen=3)


def test_director_records_an_additional_hand_and_a_host_does_not(cast: Cast, game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [4, 1, 2, 6], queen=3)
    with pytest.raises(Forbidden):
        enter(cast.operation("hanna"), game, number=3, additional=True)
    enter(cast.operation("dirk"), game, number=3, additional=True)
    assert Hand.objects.filter(game=game, state="accepted").count() == 3


def test_totals_of_more_hands_than_the_length_are_refused(game: Game) -> None:
    with pytest.raises(Refused, match="match_over"):
        enter_totals(game, entry={"points": [61, 43, 70, 86]}, hands=10)
    enter_totals(game, entry={"points": [20, 10, 12, 10]}, hands=2)


def test_totals_of_one_hand_obey_the_checker_of_one_hand(cast: Cast) -> None:
    game = table(league(cast.riverside), players(cast.riverside, "A", "B", "C", "D"))
    with pytest.raises(Refused, match="impossible_points"):
        enter_totals(game, entry={"points": [12, 12, 2, 0]}, hands=1)
    enter_totals(game, entry={"points": [13, 5, 8, 0]}, hands=1)
