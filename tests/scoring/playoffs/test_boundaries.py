"""Ties that matter are found at the lines they span, once, whatever the order of the input."""

import pytest

from scoring.playoffs.boundaries import Boundary, boundaries_of, needs

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
