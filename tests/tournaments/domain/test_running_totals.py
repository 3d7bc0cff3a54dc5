"""Running totals that follow from more than one hand: no points are made up for them."""

from scoring.rules.catalogue import catalogue
from tournaments.domain.replay_game import hands_of_running_totals, points_since

NASTY = catalogue().rules("dirty-nasty-filthy", {"resets": "50-to-0,100-to-50"})
LINES = [(3, 7, 28, 29), (10, 10, 56, 58), (0, 0, 76, 75)]
"""In the last hand one of two players takes 40 points, which are reset, and the other the jack."""


def test_hand_that_could_have_other_points_has_none() -> None:
    assert hands_of_running_totals(NASTY, LINES) == [(3, 7, 28, 29), (7, 3, 28, 29), ()]
    assert hands_of_running_totals(NASTY, LINES[1:], LINES[0]) == [(7, 3, 28, 29), ()]


def test_points_of_unclear_seats_are_left_open() -> None:
    assert points_since(NASTY, LINES[1], LINES[2]) == ([None, None, 20, 17], [0, 1])
    assert points_since(NASTY, LINES[0], LINES[1]) == ([7, 3, 28, 29], [])


def test_total_that_is_not_written_leaves_those_at_a_reset_open() -> None:
    assert points_since(NASTY, LINES[1], (0, None, 76, 75)) == ([None, None, 20, 17], [0])
