"""Place points, par and index: the examples of docs/algorithms/place-points.md and par.md."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rules.catalogue import catalogue
from scoring.standings.rows import nominal_penalty, place_points, share_of
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES
from tests.support.scoring.worked_league import par_index

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


VARIANTS = sorted(catalogue().ids)


@pytest.mark.parametrize(
    ("variant", "seats", "penalty"),
    [
        ("hearts", 4, 26),
        ("omnibus-hearts", 4, 26),
        ("spot-hearts", 4, 129),
        ("cancellation-hearts", 7, 52),
        ("cancellation-hearts-3", 12, 78),
        ("hearts-multipack", 7, 52),
        ("hearts-multipack", 11, 78),
        ("gong-zhu", 4, 300),
        ("black-lady-low-hand", 4, 26),
        ("black-lady-sweepstakes", 4, 26),
        ("complex-hearts", 4, None),
    ],
)
def test_penalty_points_of_a_deal_leave_bonus_cards_out(
    variant: str, seats: int, penalty: int | None
) -> None:
    assert nominal_penalty(catalogue().rules(variant), seats) == penalty


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_but_those_without_an_order_has_a_par(variant: str) -> None:
    rules = catalogue().rules(variant)
    least, most = rules.keys.players
    found = [nominal_penalty(rules, seats) for seats in range(least, most + 1)]
    assert all((penalty is None) == (rules.keys.number == "complex") for penalty in found)


@pytest.mark.parametrize(
    ("totals", "hands", "penalty", "expected"),
    [
        ([20, 30, 35, 45], 5, 26, "+9.615 +1.923 -1.923 -9.615"),
        ([100, 150, 180, 215], 5, 129, "+9.496 +1.744 -2.907 -8.333"),
        ([10, 20, 25, 30, 33, 40, 50], 4, 52,
         "+9.478 +4.670 +2.266 -0.137 -1.580 -4.945 -9.753"),
        ([-26, 0, 0, 0], 1, 26, "+75.000 -25.000 -25.000 -25.000"),
        ([0, 26, 26, 26], 1, 26, "+75.000 -25.000 -25.000 -25.000"),
    ],
)  # fmt: skip
def test_index_of_a_table(totals: list[int], hands: int, penalty: int, expected: str) -> None:
    found = par_index(totals, hands, penalty)
    assert [f"{float(value or 0):+.3f}" for value in found] == expected.split()


@pytest.mark.parametrize(("hands", "penalty"), [(None, 26), (0, 26), (5, None)])
def test_index_is_not_defined_without_hands_or_penalty(
    hands: int | None, penalty: int | None
) -> None:
    assert par_index([20, 30, 35, 45], hands, penalty) == (None,) * 4


@given(
    st.lists(st.integers(-100, 300), min_size=2, max_size=13), st.integers(1, 20),
    st.integers(1, 300), st.booleans(), st.integers(-50, 50),
)  # fmt: skip
def test_table_sums_to_nothing_and_a_constant_changes_nothing(
    totals: list[int], hands: int, penalty: int, low_wins: bool, more: int
) -> None:
    found = par_index(totals, hands, penalty, low_wins=low_wins)
    assert sum(value for value in found if value is not None) == 0
    shifted = [total + more for total in totals]
    assert par_index(shifted, hands, penalty, low_wins=low_wins) == found
    negated = [-total for total in totals]
    assert par_index(negated, hands, penalty, low_wins=not low_wins) == found
