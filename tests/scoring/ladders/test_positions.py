"""What one result does to the order: the worked examples of docs/algorithms/position-ladder.md."""

import pytest

from scoring.ladders.positions import after_drops, after_table, after_win, tiers_of

TEN = tuple("ABCDEFGHIJ")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("take_place", "ABCDHEFGIJ"),
        ("swap", "ABCDHFGEIJ"),
        ("halfway", "ABCDEHFGIJ"),
        ("one_up", "ABCDEFHGIJ"),
    ],
)
def test_eighth_beats_fifth(rule: str, expected: str) -> None:
    assert "".join(after_win(TEN, "H", "E", rule)) == expected


@pytest.mark.parametrize(
    ("place", "above", "landing"), [(50, 1, 25), (10, 4, 7), (3, 1, 2), (2, 1, 1)]
)
def test_halfway_lands_on_the_better_half(place: int, above: int, landing: int) -> None:
    order = tuple(str(n) for n in range(1, 51))
    after = after_win(order, str(place), str(above), "halfway")
    assert after.index(str(place)) + 1 == landing


@pytest.mark.parametrize("rule", ["take_place", "swap", "halfway", "one_up"])
def test_nothing_moves_where_the_higher_one_wins(rule: str) -> None:
    assert after_win(TEN, "E", "H", rule) == TEN


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        ((("F",), ("C", "E"), ("D",)), "ABFCEDGHIJ"),
        ((("J",), ("D",), ("A",), ("H",)), "JBCDEFGAIH"),
        ((("B", "A", "C"),), "ABCDEFGHIJ"),
        ((("J",), ("C",), ("A",)), "JBCDEFGHIA"),
    ],
    ids=["tie", "far apart", "all level", "three"],
)
def test_places_of_a_table_are_dealt_out_again(
    tiers: tuple[tuple[str, ...], ...], expected: str
) -> None:
    assert "".join(after_table(TEN, tiers)) == expected


def test_who_is_not_on_the_ladder_is_passed_over_at_a_table() -> None:
    assert "".join(after_table(TEN, (("X",), ("B",), ("A",)))) == "BACDEFGHIJ"


def test_drops_go_from_the_bottom_up_so_that_idle_neighbours_keep_their_order() -> None:
    assert "".join(after_drops(tuple("ABCDEF"), ["B", "C"], 1)) == "ADBCEF"
    assert "".join(after_drops(tuple("ABCDEF"), ["B", "C"], 2)) == "ADEBCF"


def test_idle_members_at_the_bottom_do_not_change_places_every_week() -> None:
    assert "".join(after_drops(tuple("ABCDE"), ["D", "E"], 1)) == "ABCDE"
    assert "".join(after_drops(tuple("ABCDE"), ["A", "E"], 9)) == "BCDAE"


def test_equal_scores_share_a_tier() -> None:
    assert tiers_of({"L1": 2, "L2": 1, "L3": 2, "L4": 4}) == (("L2",), ("L1", "L3"), ("L4",))
