"""Running totals under rules that reset a total: read right, or a person is asked."""

import pytest

from scoring.game import running_totals
from scoring.game.running_totals import (
    Line,
    Slip,
    are_running_totals,
    booked,
    find_slips,
    hands_in,
    points_choices,
    readings_between,
    unclear_lines,
)
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules

FIFTY = "50-to-0,100-to-50"
BOTH = (10, 10, 0, 0), (0, 0, 20, 17)
"""Two players go from 10 to 0: one takes the jack, and one 40 points, which are reset."""


def rules(variant: str, resets: str = FIFTY) -> Rules:
    return catalogue().rules(variant, {"resets": resets})


@pytest.mark.parametrize(
    ("before", "after", "points"),
    [
        ((10, 0, 0, 0), (0, 25, 1, 0), (-10, 25, 1, 0)),
        ((25, 0, 0, 0), (0, -9, 0, 0), (25, -9, 0, 0)),
        ((76, 0, 0, 0), (50, -10, 0, 0), (-26, -10, 0, 0)),
        ((76, 0, 0, 0), (50, -8, 0, 0), (24, -8, 0, 0)),
    ],
)
def test_total_that_comes_down_to_the_number_of_a_reset_is_read_by_the_whole_hand(
    before: Line, after: Line, points: Line
) -> None:
    omnibus = rules("omnibus-hearts")
    assert hands_in(omnibus, [after], before) == [points]
    assert unclear_lines(omnibus, [after], before) == ()


def test_total_that_grows_to_the_number_of_a_reset_may_have_been_reset() -> None:
    spot = rules("spot-hearts")
    before, after = (11, 35, 121, 115), (34, 50, 151, 126)
    assert hands_in(spot, [after], before) == [(23, 65, 30, 11)]


def test_total_that_stays_at_the_number_of_a_reset_needs_no_question() -> None:
    assert unclear_lines(rules("omnibus-hearts"), [(0, 0, 0, 16)]) == ()


def test_line_that_two_hands_explain_is_unclear_and_names_both() -> None:
    nasty = rules("dirty-nasty-filthy")
    before, after = BOTH
    (unclear,) = unclear_lines(nasty, [after], before)
    assert unclear.line == 0
    assert unclear.readings == ((-10, 40, 20, 17), (40, -10, 20, 17))


def test_rules_without_resets_have_no_unclear_line() -> None:
    before, after = BOTH
    assert unclear_lines(catalogue().rules("dirty-nasty-filthy"), [after], before) == ()


@pytest.mark.parametrize(
    ("before", "after", "choices"),
    [
        (10, 0, (-10, 40)),
        (0, 0, (0, 50)),
        (50, 50, (0, 50)),
        (44, 50, (6, 56)),
        (49, 1, (-48,)),
        (100, 50, (-50,)),
    ],
)
def test_points_of_one_seat_follow_from_each_reset_that_gives_its_total(
    before: int, after: int, choices: tuple[int, ...]
) -> None:
    assert points_choices(rules("omnibus-hearts"), before, after) == choices


def test_reset_by_an_amount_is_read_like_one_to_a_number() -> None:
    minus = rules("hearts", "50-and-100-minus-50")
    assert points_choices(minus, 46, 0) == (-46, 4)
    assert hands_in(minus, [(0, 22, 0, 0)], (46, 0, 0, 0)) == [(4, 22, 0, 0)]


def test_booked_totals_have_the_resets_of_the_rules() -> None:
    assert booked(rules("hearts"), [(26, 0, 0, 0), (24, 2, 0, 0), (26, 0, 0, 0)]) == [
        (26, 0, 0, 0), (0, 2, 0, 0), (26, 2, 0, 0),
    ]  # fmt: skip


def test_wrong_total_beside_a_reset_is_still_found() -> None:
    lines = [(25, 1, 0, 0), (0, 2, 0, 3), (13, 15, 0, 0)]
    assert [tuple(slip) for slip in find_slips(rules("hearts"), lines)] == [(1, 3, 0)]


def test_many_seats_that_stand_at_a_reset_are_one_question() -> None:
    nine = rules("cancellation-hearts")
    assert unclear_lines(nine, [(0,) * 8 + (52,)], (0,) * 9) == ()


def test_two_lines_tell_that_they_are_running_totals_and_one_does_not() -> None:
    hearts = catalogue().rules("hearts")
    assert are_running_totals(hearts, [(13, 5, 8, 0), (13, 18, 21, 0)])
    assert not are_running_totals(hearts, [(13, 18, 21, 0)])


def test_third_hand_that_cannot_be_is_no_slip_of_the_pen() -> None:
    hearts = catalogue().rules("hearts")
    wrong = [(13, 5, 8, 0), (13, 18, 12, 0), (14, 18, 34, 12)]
    more = [*wrong, (14, 18, 34, 13)]
    assert find_slips(hearts, wrong) == (Slip(1, 2, 21), Slip(1, 3, 9))
    assert find_slips(hearts, more) == ()
    assert (are_running_totals(hearts, wrong), are_running_totals(hearts, more)) == (True, False)


def test_likely_number_may_be_nothing() -> None:
    lines = [(13, 13, 0, 5), (13, 20, 13, 6), (14, 22, 23, 19)]
    assert find_slips(catalogue().rules("hearts"), lines) == (
        Slip(0, 0, 8), Slip(0, 1, 8), Slip(0, 3, 0),
    )  # fmt: skip


def test_seat_that_stays_at_a_reset_is_read_as_nothing_where_no_hand_fits() -> None:
    assert hands_in(rules("hearts"), [(0, 3, 0, 0)]) == [(0, 3, 0, 0)]


@pytest.mark.parametrize(
    ("most", "readings"),
    [(4, ((-37, -45, 3, 2), (13, 5, 3, 2))), (5, ((13, 5, 3, 2),))],
)
def test_line_with_the_most_ways_to_read_it_is_not_read_by_each(
    monkeypatch: pytest.MonkeyPatch, most: int, readings: tuple[Line, ...]
) -> None:
    monkeypatch.setattr(running_totals, "MOST_READINGS", most)
    assert readings_between(rules("hearts"), (37, 45, 0, 0), (0, 0, 3, 2)) == readings


def test_hand_after_which_the_rules_book_another_total_is_no_reading() -> None:
    before, after = (0, 25, 76, 0), (50, 30, 50, 0)
    assert readings_between(rules("spot-hearts"), before, after) == ((100, 5, 24, 0),)
