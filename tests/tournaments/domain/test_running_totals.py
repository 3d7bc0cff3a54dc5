"""Running totals that follow from more than one hand: no points are made up for them."""

from scoring.game.running_totals import booked
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import hands_of_running_totals, points_since

OMNIBUS = catalogue().rules("omnibus-hearts").as_json()
RESET = Rules.from_json({**OMNIBUS, "running": {"resets": [{"at": 26, "set": 0}]}})
HANDS = [
    (3, 7, 6, 0), (7, 3, 6, 0), *[(0, 0, 25, -9), (0, 0, -9, 25)] * 3, (-10, 16, 6, 4),
]  # fmt: skip
"""In the last hand one of two players takes 16 points, which are reset, and the other the jack."""
LINES = booked(RESET, HANDS)


def test_hand_that_could_have_other_points_has_none() -> None:
    assert hands_of_running_totals(RESET, LINES) == [*HANDS[:-1], ()]


def test_points_of_unclear_seats_are_left_open() -> None:
    assert points_since(RESET, LINES[-2], LINES[-1]) == ([None, None, 6, 4], [0, 1])
    assert points_since(RESET, LINES[0], LINES[1]) == ([7, 3, 6, 0], [])


def test_total_that_is_not_written_leaves_those_at_a_reset_open() -> None:
    totals = (0, None, *LINES[-1][2:])
    assert points_since(RESET, LINES[-2], totals) == ([None, None, 6, 4], [0])
