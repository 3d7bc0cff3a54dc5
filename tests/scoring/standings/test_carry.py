"""What earlier games count in a later stage: exact weights, whatever the games are."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scoring.standings.counting import (
    CARRIES,
    CarryRule,
    Played,
    carry_lines,
    kept,
    weight,
    weighted,
)
from scoring.standings.rows import Worth

ROUNDS = st.lists(st.integers(1, 9), min_size=1, max_size=9, unique=True)
POINTS = st.integers(0, 104)


def games(points: dict[int, int]) -> list[Played]:
    return [
        (
            (number, 1), None,
            Worth(1, 1, own, 4, Fraction(own), Fraction(1, 2), Fraction(1), None, 0, 0),
        )
        for number, own in points.items()
    ]  # fmt: skip


@given(st.dictionaries(st.integers(1, 9), POINTS, min_size=1), st.permutations(range(1, 10)))
def test_weights_of_one_are_the_sums_themselves(points: dict[int, int], order: list[int]) -> None:
    every = games(points)
    mixed = sorted(every, key=lambda game: order.index(game[0][0]))
    parts = [(Fraction(1), kept("a", [game])) for game in mixed]
    assert weighted(parts) == kept("a", every, byes=0)


@given(ROUNDS, st.integers(1, 9), st.sampled_from(sorted(CARRIES)))
def test_only_games_before_the_first_one_of_the_stage_count_less(
    played: list[int], start: int, carry: str
) -> None:
    rule = CarryRule(frozenset(range(start, 10)), CARRIES[carry])
    lines = carry_lines("a", set(played), [rule])
    inside = [number for number in played if number >= start]
    if not inside:
        assert lines == ()
    for number in played:
        is_earlier = bool(inside) and number < min(inside)
        assert weight(number, lines) == (CARRIES[carry] if is_earlier else 1)


@given(ROUNDS)
def test_halves_of_two_stages_are_a_quarter(played: list[int]) -> None:
    rules = [
        CarryRule(frozenset({4, 5, 6}), Fraction(1, 2)),
        CarryRule(frozenset({7, 8, 9}), Fraction(1, 2)),
    ]
    lines = carry_lines("a", set(played), rules)
    first = [number for number in played if number <= 3]
    in_both = any(4 <= one <= 6 for one in played) and any(one >= 7 for one in played)
    for number in first:
        assert (weight(number, lines) == Fraction(1, 4)) == in_both


def test_rule_is_for_those_of_its_stage() -> None:
    rule = CarryRule(frozenset({2}), Fraction(0), frozenset({"b"}))
    assert carry_lines("a", {1, 2}, [rule]) == ()
    assert carry_lines("b", {1, 2}, [rule]) == ((2, Fraction(0)),)


def test_unknown_index_of_a_game_that_does_not_count_is_no_matter() -> None:
    unknown = kept("a", games({1: 5}))
    known = kept("a", [])
    assert unknown.index is None
    assert weighted([(Fraction(0), unknown), (Fraction(1), known)]).index == 0
