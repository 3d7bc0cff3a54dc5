"""The methods of a rating ladder: Elo and Plackett-Luce."""

from math import e, fsum, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ladders.rating import (
    MU,
    SIGMA,
    MemberRating,
    Values,
    elo_after_game,
    plackett_luce_after_game,
)
from scoring.ladders.rules import LadderRules
from tests.support.lengths import short_or_long

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


LUCE_RULES = LadderRules(rating="plackett_luce")
NEW = (MU, SIGMA)


def rated(before: list[Values], places: list[int]) -> list[Values]:
    return [
        side[0]
        for side in plackett_luce_after_game(
            [[MemberRating(values)] for values in before], places, LUCE_RULES
        )
    ]


def mus(count: int, places: list[int] | None = None) -> list[float]:
    return [mu for mu, _ in rated([NEW] * count, places or list(range(1, count + 1)))]


@pytest.mark.parametrize(
    "after",
    [
        [27.795, 26.553, 24.689, 20.962],
        [27.869, 25.717, 21.414],
        [27.667, 26.833, 25.722, 24.056, 20.722],
    ],
    ids=["four", "three", "five"],
)
def test_fresh_table(after: list[float]) -> None:
    assert mus(len(after)) == pytest.approx(after, abs=1e-3)


def test_doubt_falls_most_for_the_last_two() -> None:
    sigmas = [sigma for _, sigma in rated([NEW] * 4, [1, 2, 3, 4])]
    assert sigmas == pytest.approx([8.264, 8.180, 8.084, 8.084], abs=1e-3)


def test_two_against_two() -> None:
    sides = [[MemberRating(NEW), MemberRating(NEW)], [MemberRating(NEW), MemberRating(NEW)]]
    won, lost = plackett_luce_after_game(sides, [1, 2], LUCE_RULES)
    assert [mu for mu, _ in (*won, *lost)] == pytest.approx(
        [26.964, 26.964, 23.036, 23.036], abs=1e-3
    )


def test_table_of_known_and_new_members() -> None:
    before: list[Values] = [(30.0, 2.0), (27.0, 3.0), (25.0, 2.5), NEW]
    found = rated(before, [3, 1, 4, 2])
    assert [value for pair in found for value in pair] == pytest.approx(
        [29.8904, 1.9989, 27.5360, 2.9973, 24.5507, 2.4953, 27.7543, 7.8685], abs=1e-4
    )


def by_hand(before: list[Values]) -> list[Values]:
    """The formulas as written, for the finishing order as given."""
    spread = [sigma**2 + (25 / 300) ** 2 for _, sigma in before]
    c = sqrt(sum(s + (25 / 6) ** 2 for s in spread))
    weight = [e ** (mu / c) for mu, _ in before]
    after: list[Values] = []
    for i, (mu, _) in enumerate(before):
        p = [weight[i] / sum(weight[q:]) for q in range(i + 1)]
        omega, delta = 1 - sum(p), sum(x * (1 - x) for x in p)
        shrink = max(1e-4, 1 - (sqrt(spread[i]) / c) ** 3 * delta)
        after.append((mu + spread[i] / c * omega, sqrt(spread[i] * shrink)))
    return after


SKILL = st.tuples(st.floats(10, 40), st.floats(1, 8))


@settings(max_examples=short_or_long(33, 100), deadline=None)
@given(st.lists(SKILL, min_size=2, max_size=11))
def test_package_does_what_the_formulas_say(before: list[Values]) -> None:
    found = rated(before, list(range(1, len(before) + 1)))
    for own, formula in zip(found, by_hand(before), strict=True):
        assert own == pytest.approx(formula, abs=1e-6)


def test_ties_are_averaged_over_their_orders() -> None:
    found = mus(5, [1, 1, 3, 4, 5])
    assert found == pytest.approx([27.2501, 27.2501, 25.7223, 24.0555, 20.7220], abs=1e-3)


def test_sigma_squared_is_what_is_averaged() -> None:
    first, second = rated([NEW] * 3, [1, 2, 3])[:2]
    tied = rated([NEW] * 3, [1, 1, 3])
    assert tied[0] == tied[1]
    assert tied[0][0] == pytest.approx((first[0] + second[0]) / 2, abs=1e-12)
    assert tied[0][1] == pytest.approx(sqrt((first[1] ** 2 + second[1] ** 2) / 2), abs=1e-12)


@st.composite
def places(draw: st.DrawFn) -> list[int]:
    scores = draw(st.lists(st.integers(0, 5), min_size=3, max_size=11))
    return [1 + sum(other < own for other in scores) for own in scores]


@settings(max_examples=short_or_long(13, 40), deadline=None)
@given(places())
def test_equal_members_never_come_out_of_order_with_ties(drawn: list[int]) -> None:
    found = mus(len(drawn), drawn)
    for own, place in zip(found, drawn, strict=True):
        for other, theirs in zip(found, drawn, strict=True):
            if place < theirs:
                assert own > other
            if place == theirs:
                assert own == pytest.approx(other, abs=1e-9)


@settings(max_examples=short_or_long(20, 60), deadline=None)
@given(st.lists(st.tuples(SKILL, st.integers(0, 3)), min_size=2, max_size=4), st.data())
def test_order_of_the_seats_changes_no_bit_of_plackett_luce(
    table: list[tuple[Values, int]], data: st.DataObject
) -> None:
    turned = data.draw(st.permutations(range(len(table))))
    straight = rated([one for one, _ in table], [place for _, place in table])
    shuffled = rated([table[i][0] for i in turned], [table[i][1] for i in turned])
    assert shuffled == [straight[i] for i in turned]


def test_order_of_the_seats_changes_no_bit_of_plackett_luce_where_the_orders_are_too_many() -> None:
    before: list[Values] = [(20.0 + n, 8.0 - n / 2) for n in range(7)]
    places = [1, 1, 1, 1, 1, 6, 6]
    straight = rated(before, places)
    turned = [4, 6, 0, 5, 3, 1, 2]
    assert rated([before[i] for i in turned], [places[i] for i in turned]) == [
        straight[i] for i in turned
    ]
