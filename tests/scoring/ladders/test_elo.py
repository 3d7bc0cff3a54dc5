"""Multi-player Elo: the worked examples of docs/algorithms/rating-ladder.md, and invariants."""

from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ladders.rating_methods import MemberRating, elo_after_game
from scoring.ladders.rules import LadderRules

RULES = LadderRules()


def ratings(
    before: list[float], places: list[int], games: int = 10, rules: LadderRules = RULES
) -> list[float]:
    sides = [[MemberRating((value,), games)] for value in before]
    return [side[0][0] for side in elo_after_game(sides, places, rules)]


@pytest.mark.parametrize(
    ("before", "places", "after"),
    [
        ([1500] * 4, [1, 2, 3, 4], [1516, 1505.333, 1494.667, 1484]),
        ([1500] * 4, [1, 2, 2, 4], [1516, 1500, 1500, 1484]),
        ([1600, 1500, 1500, 1400], [3, 1, 4, 2], [1588.908, 1516.000, 1484.000, 1411.092]),
    ],
    ids=["fresh four", "second and third level", "upset"],
)
def test_worked_game(before: list[float], places: list[int], after: list[float]) -> None:
    found = ratings(before, places)
    assert found == pytest.approx(after, abs=1e-3)
    assert fsum(found) == pytest.approx(fsum(before), abs=1e-9)


def test_k_is_64_for_the_first_ten_games_of_a_player() -> None:
    assert ratings([1500, 1500], [1, 2], games=9) == [1532, 1468]
    assert ratings([1500, 1500], [1, 2], games=10) == [1516, 1484]


def test_partners_get_the_change_of_their_side_by_the_mean_of_their_k() -> None:
    new, old = MemberRating((1500.0,), 0), MemberRating((1600.0,), 30)
    other = MemberRating((1550.0,), 30)
    won, lost = elo_after_game([[new, old], [other, other]], [1, 2], RULES)
    assert won == ((1524.0,), (1624.0,))
    assert lost == ((1534.0,), (1534.0,))


def test_partners_of_equal_k_take_what_the_others_lose() -> None:
    sides = [
        [MemberRating((1500.0,), 30), MemberRating((1700.0,), 30)],
        [MemberRating((1500.0,), 30)] * 2,
    ]
    (a, b), (c, d) = elo_after_game(sides, [2, 1], RULES)
    change = 1700.0 - b[0]
    assert change == pytest.approx(32 * (1 / (1 + 10**-0.25)), abs=1e-9)
    assert [1500 - a[0], c[0] - 1500, d[0] - 1500] == pytest.approx([change] * 3, abs=1e-9)


RATING = st.floats(500, 2500)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    size = draw(st.integers(2, 11))
    before = draw(st.lists(RATING, min_size=size, max_size=size))
    scores = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    return before, [1 + sum(other < own for other in scores) for own in scores]


@settings(max_examples=150, deadline=None)
@given(tables())
def test_sum_is_constant_where_all_k_are_equal(table: tuple[list[float], list[int]]) -> None:
    before, places = table
    assert fsum(ratings(before, places)) == pytest.approx(fsum(before), abs=1e-8)


@settings(max_examples=150, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_the_seats_changes_no_bit(
    table: tuple[list[float], list[int]], chance: object
) -> None:
    before, places = table
    turned = list(range(len(before)))
    chance.shuffle(turned)  # type: ignore[attr-defined]  # a Random
    straight = ratings(before, places)
    shuffled = ratings([before[i] for i in turned], [places[i] for i in turned])
    assert shuffled == [straight[i] for i in turned]


@settings(max_examples=150, deadline=None)
@given(tables(), RATING)
def test_equal_ratings_get_more_for_a_better_place_and_the_same_for_the_same(
    table: tuple[list[float], list[int]], level: float
) -> None:
    _, places = table
    after = ratings([level] * len(places), places)
    for own, place in zip(after, places, strict=True):
        for other, theirs in zip(after, places, strict=True):
            assert (own > other) == (place < theirs)
            assert (own == other) == (place == theirs)
