"""What the page that offers an export says of its contents."""

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tournaments.selectors.clubs.clubs import count_export_contents
from tournaments.services.hands.record_entry import record_totals

pytestmark = pytest.mark.django_db


def test_totals_of_a_whole_game_are_no_hand(cast: Cast) -> None:
    event, people = league(cast.riverside), players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    hand(table(event, people), 1, [4, 1, 2, 6], queen=3)
    totals = table(event, people, round_number=2)
    entry = {"points": [20, 20, 35, 55]}
    record_totals(by_tests(), totals, entry=entry, source="host", hands=None)
    assert count_export_contents(cast.riverside)["hands"] == 1
