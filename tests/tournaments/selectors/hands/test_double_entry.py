"""Two entries of one hand in different forms."""

from collections.abc import Sequence

import pytest

from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import Cast
from tests.support.scoring.play import PLAIN, rules
from tournaments.selectors.hands.double_entry import is_same_hand, repeated_sheets


@pytest.mark.parametrize(("points", "is_same"), [([3, 20, 0, 3], True), ([4, 19, 0, 3], False)])
def test_points_mean_the_counted_hand_worth_the_same(points: Sequence[int], is_same: bool) -> None:
    assert is_same_hand(rules(), 4, PLAIN, {"points": points}) is is_same


@pytest.mark.django_db
def test_sheet_of_other_people_is_the_same_where_its_hands_are(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCDEFGH")
    game = table(event, people[:4])
    other = table(event, people[4:], table_number=2)
    entries = {1: counts([4, 1, 2, 6], 3), 2: counts([0, 13, 0, 0], 0)}
    for number in entries:
        hand(other, number, [6, 2, 1, 4], 0)
    assert repeated_sheets(game, entries) == []
    hand(other, 3, [3, 3, 3, 4], 1)
    hand(other, 4, [5, 3, 3, 2], 1)
    same = {3: counts([3, 3, 3, 4], 1), 4: counts([5, 3, 3, 2], 1)}
    (sheet,) = repeated_sheets(game, {**entries, **same})
    assert (sheet["table"], sheet["new"]) == (other.table, [3, 4])
