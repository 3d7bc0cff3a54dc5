"""Place points: the worked examples of docs/algorithms/place-points.md."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.standings.game_points import place_points, share_of
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

FOUR = DEFAULT_SCHEMES[4]


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ([20, 33, 33, 44], ["5", "5/2", "5/2", "1"]),
        ([20, 20, 20, 70], ["10/3", "10/3", "10/3", "1"]),
        ([30, 30, 30, 30], ["11/4"] * 4),
        ([44, 33, 20, 33], ["1", "5/2", "5", "5/2"]),
    ],
)
def test_who_ties_shares_what_the_places_are_worth(totals: list[int], expected: list[str]) -> None:
    assert [str(points) for points in place_points(totals, FOUR)] == expected


def test_highest_total_is_first_where_the_rules_say_so() -> None:
    found = place_points([20, 33, 33, 44], FOUR, low_wins=False)
    assert [str(points) for points in found] == ["1", "5/2", "5/2", "5"]


def test_usual_lists() -> None:
    assert DEFAULT_SCHEMES == {2: (2, 0), 3: (5, 3, 1), 4: (5, 3, 2, 1), 5: (5, 3, 2, 1, 0)}


def test_level_sides_get_one_each() -> None:
    assert list(map(str, place_points([60, 60], DEFAULT_SCHEMES[2]))) == ["1", "1"]


def test_game_that_names_only_a_loser_has_two_tiers() -> None:
    assert [share_of(1, 3, FOUR)] * 3 + [share_of(4, 1, FOUR)] == [Fraction(10, 3)] * 3 + [1]


def test_list_of_another_length_is_a_callers_bug() -> None:
    with pytest.raises(ValueError, match="3 totals for 4 places"):
        place_points([1, 2, 3], FOUR)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=13), st.data(), st.booleans())
def test_table_always_gives_the_sum_of_its_list(
    totals: list[int], data: st.DataObject, low_wins: bool
) -> None:
    size = len(totals)
    drawn = data.draw(st.lists(st.integers(0, 20), min_size=size, max_size=size))
    scheme = sorted(drawn, reverse=True)
    points = place_points(totals, scheme, low_wins=low_wins)
    assert sum(points) == sum(scheme)
    assert points == place_points([total + 7 for total in totals], scheme, low_wins=low_wins)
