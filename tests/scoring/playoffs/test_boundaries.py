"""Ties that span a cut-off, who sits where in a play-off, and who goes on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.playoffs.boundaries import (
    Boundary,
    above_line,
    best_of_tables,
    boundaries_of,
    folded,
    needs,
    ranks,
    with_best_of_another,
)
from scoring.playoffs.progress import HandPlayed, LotsDrawn, PlayoffRules, plan, progress
from tests.support.lengths import short_or_long

TITLE = Boundary(1, "title")
HEATS = PlayoffRules(many="heats")
CODES = [f"p{number:02d}" for number in range(16)]
PLACES = st.lists(st.permutations([1, 2, 3, 4]), min_size=4, max_size=4)


def test_worked_league_without_tie_breaks_has_a_three_way_tie_for_the_title() -> None:
    tiers = [["A", "C", "E"], ["B"], ["G"], ["F"], ["D"], ["H"]]
    [need] = needs(tiers, [TITLE], policy="extra_hands")
    assert (need.members, need.ahead, need.cuts) == (("A", "C", "E"), 0, (1,))
    assert need.key == "title:1/1|A,C,E"


@pytest.mark.parametrize("policy", ["share", "criteria"])
def test_policies_that_play_nothing_need_nothing(policy: str) -> None:
    assert needs([["A", "B"]], [TITLE], policy=policy) == ()


def test_tie_across_no_line_stays_shared() -> None:
    tiers = [["A"], ["B", "C"], ["D", "E"]]
    assert needs(tiers, boundaries_of({"title": 1, "cut": 3}), policy="table") == ()


@pytest.mark.parametrize(
    ("written", "cuts", "key"),
    [
        ({"promotion": 2}, (1,), "promotion:2/1|B,C,D"),
        ({"cut": 3}, (2,), "cut:3/2|B,C,D"),
        ({"prize": [1, 2, 3, 4]}, (1, 2), "prize:2/1+prize:3/2|B,C,D"),
        ({"promotion": 2, "prize": [2]}, (1,), "prize:2/1+promotion:2/1|B,C,D"),
    ],
    ids=["promotion", "cut", "each prize place", "two lines at one place"],
)
def test_group_that_spans_lines_is_one_need(
    written: dict[str, int | list[int]], cuts: tuple[int, ...], key: str
) -> None:
    [need] = needs([["A"], ["D", "B", "C"], ["E"]], boundaries_of(written), policy="table")
    assert (need.cuts, need.key) == (cuts, key)


def test_order_of_the_input_makes_no_other_need() -> None:
    one = needs([["A", "B"], ["D", "C"]], boundaries_of({"cut": 3, "title": 1}), policy="table")
    two = needs([["B", "A"], ["C", "D"]], boundaries_of({"title": 1, "cut": 3}), policy="table")
    assert one == two
    assert [need.key for need in one] == ["title:1/1|A,B", "cut:3/1|C,D"]


def test_same_members_for_fewer_seats_are_another_tie() -> None:
    line = [Boundary(3, "promotion")]
    [two] = needs([["X"], ["A", "B", "C"]], line, policy="table")
    [one] = needs([["X"], ["Y"], ["A", "B", "C"]], line, policy="table")
    assert (two.cuts, one.cuts) == ((2,), (1,))
    assert two.key != one.key


def test_primary_tie_at_the_title_goes_straight_to_play_where_the_event_says_so() -> None:
    order = [["A"], ["C"], ["E"], ["B"], ["G"], ["F"]]
    primary = [["A", "C", "E"], ["B"], ["G", "F"]]
    lines = boundaries_of({"title": 1, "cut": 5})
    assert needs(order, lines, policy="table") == ()
    [need] = needs(order, lines, policy="table", by_primary=primary)
    assert need.key == "title:1/1|A,C,E"


RULES = PlayoffRules()


def test_places_within_the_group_are_shared_where_it_stays_tied() -> None:
    now = progress("ABCD", [1], [HandPlayed({"A": 8, "B": 2, "C": 8, "D": 9})], RULES)
    assert ranks(now.order) == {"B": 1, "A": 2, "C": 2, "D": 4}


def test_result_separates_its_group_in_the_table() -> None:
    tiers = [["A", "C", "E"], ["B"], ["F", "G"]]
    won = progress("ACE", [1], [HandPlayed({"A": 5, "C": 0, "E": 21})], RULES)
    assert folded(tiers, ranks(won.order)) == (("C",), ("A",), ("E",), ("B",), ("F", "G"))


def test_playoff_of_another_group_separates_nobody() -> None:
    assert folded([["A", "B", "C"]], {"A": 1, "B": 2}) == (("A", "B", "C"),)


@settings(max_examples=short_or_long(50, 150), deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.sets(st.integers(1, 20)), st.data())
def test_players_outside_the_group_keep_their_order_and_detection_finds_nothing_more(
    sizes: list[int], places: set[int], data: st.DataObject
) -> None:
    codes = iter(f"P{number:02d}" for number in range(99))
    tiers = [[next(codes) for _ in range(size)] for size in sizes]
    lines = boundaries_of({"prize": sorted(places)})
    found = needs(tiers, lines, policy="sudden_death")
    results = [
        progress(
            need.members,
            need.cuts,
            [
                HandPlayed({member: data.draw(st.integers(0, 2)) for member in need.members}),
                LotsDrawn("s"),
            ],
            RULES,
        )
        for need in found
    ]
    places_won = {one: at for result in results for one, at in ranks(result.order).items()}
    after = folded(tiers, places_won)
    played = {member for need in found for member in need.members}
    flat = [one for tier in after for one in tier]
    assert [one for one in flat if one not in played] == [
        one for tier in tiers for one in tier if one not in played
    ]
    for need in found:
        assert sorted(flat[need.ahead : need.ahead + len(need.members)]) == list(need.members)
    assert needs(after, lines, policy="sudden_death") == ()


def members(count: int) -> list[str]:
    return [f"P{number:02d}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "cut", "rules", "kind", "sizes"),
    [
        (2, 1, RULES, "fillers", [2]),
        (2, 1, PlayoffRules(duel="two_hands"), "two_hands", [2]),
        (3, 1, RULES, "table", [3]),
        (4, 3, RULES, "table", [4]),
        (5, 1, HEATS, "table", [5]),
        (6, 1, RULES, "cancellation", [6]),
        (11, 1, RULES, "cancellation", [11]),
        (6, 1, HEATS, "heats", [3, 3]),
        (11, 4, HEATS, "heats", [6, 5]),
        (6, 3, HEATS, "cancellation", [6]),
        (12, 1, RULES, "heats", [4, 4, 4]),
        (13, 2, RULES, "heats", [4, 3, 3, 3]),
        (13, 3, RULES, "lot", []),
    ],
)
def test_tables_of_a_playoff(
    count: int, cut: int, rules: PlayoffRules, kind: str, sizes: list[int]
) -> None:
    of_kind, tables, through = plan(members(count), [cut], rules, seed="7f3c")
    assert (of_kind, [len(table) for table in tables]) == (kind, sizes)
    assert sorted(one for table in tables for one in table) == (members(count) if sizes else [])
    assert through == (cut if kind == "heats" else 0)


def test_seats_are_drawn_by_the_seed_and_the_same_again() -> None:
    one = plan(["101", "102", "103"], [1], RULES, seed="7f3c")
    assert one[1] == (("101", "103", "102"),)
    assert plan(["103", "102", "101"], [1], RULES, seed="7f3c") == one


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
