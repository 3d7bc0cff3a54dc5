"""Two entries of one hand in different forms."""

from collections.abc import Sequence

import pytest

from tests.support.scoring.play import PLAIN, rules
from tournaments.selectors.hands.double_entry import is_same_hand


@pytest.mark.parametrize(("points", "is_same"), [([3, 20, 0, 3], True), ([4, 19, 0, 3], False)])
def test_points_mean_the_counted_hand_worth_the_same(points: Sequence[int], is_same: bool) -> None:
    assert is_same_hand(rules(), 4, PLAIN, {"points": points}) is is_same
