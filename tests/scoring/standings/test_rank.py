"""Order of a table: the primary value, then the event's chain, then real ties."""

from fractions import Fraction

import pytest

from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.rank import AdvancingStage, Standing, standings
from scoring.standings.rows import Row, Sums


def pair(code: str, wins: Fraction | int, difference: int, games: int = 6) -> Row:
    sums = Sums(code, games, 60, 0, (0,), 0, Fraction(wins), Fraction(0), 0, 0, difference)
    return Row(sums)


def placed(table: tuple[Standing, ...]) -> list[tuple[int | None, str, str | None]]:
    return [(row.rank, row.sums.code, row.decided_by) for row in table]


ROWS = [pair("T3", 4, -32), pair("T1", 4, -142), pair("T2", 3, -200), pair("T4", 4, -32)]


def test_rows_tied_on_the_primary_value_are_ordered_by_difference() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"])
    assert placed(table) == [
        (1, "T1", None), (2, "T3", "difference"), (2, "T4", None), (4, "T2", "wins"),
    ]  # fmt: skip
    assert [row.tied for row in table] == [False, True, True, False]


def test_row_says_how_many_were_tied_when_its_place_was_decided() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"])
    assert [(row.sums.code, row.among) for row in table] == [
        ("T1", 0), ("T3", 3), ("T4", 0), ("T2", 4),
    ]  # fmt: skip


def test_without_tie_breaks_real_ties_stay() -> None:
    table = standings(ROWS, primary="wins")
    assert [(row.rank, row.sums.code) for row in table] == [
        (1, "T1"), (1, "T3"), (1, "T4"), (4, "T2"),
    ]  # fmt: skip


def test_larger_difference_is_better_where_the_highest_total_wins() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"], low_wins=False)
    assert [row.sums.code for row in table] == ["T3", "T4", "T1", "T2"]


@pytest.mark.parametrize("shift", range(4))
def test_order_of_the_input_never_matters(shift: int) -> None:
    turned = ROWS[shift:] + ROWS[:shift]
    assert standings(turned, primary="wins", tie_breaks=["difference"]) == standings(
        ROWS, primary="wins", tie_breaks=["difference"]
    )


def test_reason_names_the_row_above_and_what_decided() -> None:
    rows = [*ROWS, pair("T5", Fraction(5, 2), 0), pair("T6", 1, 9)]
    table = standings(rows, primary="wins", tie_breaks=["difference"])
    above = [None, *table[:-1]]
    assert [
        reason(reason_facts(row, before)) for row, before in zip(table, above, strict=True)
    ] == [
        "",
        "tied with T1: 4 wins; difference −32 against −142",
        "tied with T3: 4 wins",
        "3 wins, 1 behind T4",
        "2.5000 wins, 0.5000 behind T2",
        "1 win, 1.5000 behind T5",
    ]


def test_row_below_the_least_number_of_games_keeps_the_order_and_has_no_rank() -> None:
    rows = [*ROWS, pair("T7", 5, 0, games=1)]
    table = standings(rows, primary="wins", tie_breaks=["difference"], min_games=2)
    assert (table[-1].sums.code, table[-1].rank, table[-1].tied) == ("T7", None, False)


FINAL = AdvancingStage(frozenset({"T1", "T2"}), "the final of 2")


def test_those_of_a_later_stage_are_before_better_values() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"], stages=[FINAL])
    assert placed(table) == [
        (1, "T1", None), (2, "T2", "wins"), (3, "T3", "stage"), (3, "T4", None),
    ]  # fmt: skip
    assert [row.stage for row in table] == ["the final of 2", "the final of 2", "", ""]
    assert reason(reason_facts(table[2], table[1])) == "T2 went on to the final of 2"
    assert ahead(reason_facts(table[2], table[1])) == "above T3: went on to the final of 2"


def test_those_of_the_last_stage_are_before_those_of_the_one_before() -> None:
    semi = AdvancingStage(frozenset({"T1", "T2", "T4"}), "the semi-final")
    table = standings(ROWS, primary="wins", stages=[semi, FINAL])
    assert placed(table) == [
        (1, "T1", None), (2, "T2", "wins"), (3, "T4", "stage"), (4, "T3", "stage"),
    ]  # fmt: skip
    assert reason(reason_facts(table[3], table[2])) == "T4 went on to the semi-final"


def test_tie_across_a_stage_is_none() -> None:
    final = AdvancingStage(frozenset({"T1"}), "the final")
    table = standings(ROWS, primary="wins", stages=[final])
    assert [(row.rank, row.tied) for row in table] == [(1, False), (2, True), (2, True), (4, False)]


def test_too_few_games_leave_no_rank_in_a_later_stage_either() -> None:
    table = standings(
        [*ROWS, pair("T5", 9, 0, games=2)],
        primary="wins",
        min_games=3,
        stages=[AdvancingStage(frozenset({"T5"}), "the final")],
    )
    assert [(row.rank, row.sums.code) for row in table][-1] == (None, "T5")
    assert ahead(reason_facts(table[4], table[3])) == "above T5: T5 has too few games for a rank"
