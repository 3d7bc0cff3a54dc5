"""The best of each table and wild cards: who goes on, whatever the tables are."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.playoffs.boundaries import above_line, best_of_tables, with_best_of_another

CODES = [f"p{number:02d}" for number in range(16)]
PLACES = st.lists(st.permutations([1, 2, 3, 4]), min_size=4, max_size=4)


def seated(places: list[list[int]]) -> dict[int, dict[str, int]]:
    return {
        number: {CODES[4 * number + seat]: place for seat, place in enumerate(own)}
        for number, own in enumerate(places)
    }


@given(st.permutations(CODES), PLACES, st.integers(1, 4), st.integers(0, 3))
def test_as_many_go_on_as_the_rule_says_and_the_best_of_each_table(
    order: list[str], places: list[list[int]], each: int, wild: int
) -> None:
    wild = min(wild, 4 * (4 - each))
    tables = seated(places)
    tiers, above, tied, _table = best_of_tables(
        [[code] for code in order], tables, each_table=each, wild_cards=wild
    )
    on = above_line(tiers, above)
    assert on is not None
    assert (len(on), tied) == (4 * each + wild, ())
    assert sorted(code for tier in tiers for code in tier) == CODES
    for own in tables.values():
        assert {code for code, place in own.items() if place <= each} <= on
    left = [code for code in order if code not in on]
    through = {code for own in tables.values() for code, place in own.items() if place <= each}
    for card in on - through:
        assert all(order.index(card) < order.index(other) for other in left)


def test_who_is_in_no_tier_is_passed_over() -> None:
    tables = {1: {"a": 1, "b": 2, "c": 3}}
    tiers, above, *_tie = best_of_tables([["b"], ["c"]], tables, each_table=1)
    assert above_line(tiers, above) == frozenset({"b"})


def test_place_that_is_shared_is_broken_by_the_standings() -> None:
    tables = {1: {"a": 1, "b": 2, "c": 2}}
    tiers, above, *_tie = best_of_tables([["c"], ["a"], ["b"]], tables, each_table=2)
    assert above_line(tiers, above) == frozenset({"a", "c"})


def test_tie_in_both_has_no_line() -> None:
    tables = {1: {"a": 1, "b": 2, "c": 2}, 2: {"d": 1, "e": 2}}
    tiers, above, tied, table = best_of_tables(
        [["a"], ["b", "c"], ["d"], ["e"]], tables, each_table=2, wild_cards=1
    )
    assert (tied, table) == (("b", "c"), 1)
    assert above_line(tiers, above) in (None, frozenset("abcde"))


def test_who_plays_in_both_stages_and_goes_on_from_neither_is_in_the_order_once() -> None:
    assert with_best_of_another([["a"], ["b"], ["c"], ["d"]], 2, [["d"], ["c"]], 1) == [
        ["a", "b", "d"], ["c"],
    ]  # fmt: skip
