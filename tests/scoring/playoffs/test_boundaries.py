"""Ties that span a cut-off, and the order that a play-off gives them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.playoffs.boundaries import Boundary, boundaries_of, folded, needs, ranks
from scoring.playoffs.progress import HandPlayed, LotsDrawn, PlayoffRules, progress
from tests.support.lengths import short_or_long

TITLE = Boundary(1, "title")


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
    lines = boundaries_of({"title": 1, "cut": 3})
    assert needs(tiers, lines, policy="table") == ()


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
                HandPlayed({one: data.draw(st.integers(0, 2)) for one in need.members}),
                LotsDrawn("s"),
            ],
            RULES,
        )
        for need in found
    ]
    places_won = {one: at for result in results for one, at in ranks(result.order).items()}
    after = folded(tiers, places_won)
    played = {one for need in found for one in need.members}
    flat = [one for tier in after for one in tier]
    assert [one for one in flat if one not in played] == [
        one for tier in tiers for one in tier if one not in played
    ]
    for need in found:
        assert sorted(flat[need.ahead : need.ahead + len(need.members)]) == list(need.members)
    assert needs(after, lines, policy="sudden_death") == ()
