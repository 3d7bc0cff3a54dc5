"""Par and the index against it: the worked examples of docs/algorithms/par.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rules.catalogue import catalogue
from scoring.standings.game_points import nominal_penalty, par_index

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
