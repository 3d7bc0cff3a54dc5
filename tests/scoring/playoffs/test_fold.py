"""A play-off's result orders its group and moves nobody else."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.playoffs.boundaries import boundaries_of, folded, needs, ranks
from scoring.playoffs.progress import HandPlayed, LotsDrawn, progress
from scoring.playoffs.rules import PlayoffRules
from tests.support.lengths import short_or_long

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
