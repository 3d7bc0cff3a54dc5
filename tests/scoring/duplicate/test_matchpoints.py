"""Matchpoints and datum: the worked board, and what always holds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.duplicate.matchpoints import FieldScore, LineScore, field_scores, line_scores

BOARD = [(0, 7, 13, 6), (2, 14, 5, 5), (26, 0, 26, 26), (2, 10, 1, 13)]
"""The scores of N, E, S and W at four tables."""

SCORES = st.lists(st.integers(-26, 104), min_size=2, max_size=20)


@pytest.mark.parametrize(
    ("line", "matchpoints", "percent"),
    [
        (0, ["3", "3/2", "0", "3/2"], ["100", "50", "0", "50"]),
        (1, ["2", "0", "3", "1"], ["200/3", "0", "100", "100/3"]),
        (2, ["1", "2", "0", "3"], ["100/3", "200/3", "0", "100"]),
        (3, ["2", "3", "0", "1"], ["200/3", "100", "0", "100/3"]),
    ],
)
def test_worked_board(line: int, matchpoints: list[str], percent: list[str]) -> None:
    found = line_scores([table[line] for table in BOARD], 4)
    assert [str(one.matchpoints) for one in found] == matchpoints
    assert [str(one.percentage) for one in found] == percent


@pytest.mark.parametrize(
    ("line", "datum"), [(0, ["10", "22/3", "-74/3", "22/3"]), (1, ["1", "-25/3", "31/3", "-3"])]
)
def test_datum_of_the_worked_board(line: int, datum: list[str]) -> None:
    found = line_scores([table[line] for table in BOARD], 4)
    assert [str(one.datum) for one in found] == datum


def test_datum_is_clipped_where_that_is_asked() -> None:
    found = line_scores([0, 104], 2, clip=26)
    assert [one.datum for one in found] == [26, -26]


@given(SCORES)
def test_sums_are_those_of_the_field(scores: list[int]) -> None:
    found, tables = line_scores(scores, len(scores)), len(scores)
    assert sum(one.matchpoints for one in found) == Fraction(tables * (tables - 1), 2)
    assert sum(one.datum for one in found) == 0


@given(SCORES, st.integers(-1000, 1000))
def test_constant_added_to_all_changes_nothing(scores: list[int], constant: int) -> None:
    moved = [score + constant for score in scores]
    assert line_scores(moved, len(scores)) == line_scores(scores, len(scores))


@given(SCORES, st.integers(0, 5), st.booleans())
def test_each_score_is_compared_with_every_other(
    scores: list[int], absent: int, low_wins: bool
) -> None:
    tables = len(scores) + absent
    sign = 1 if low_wins else -1
    for at, (own, found) in enumerate(
        zip(scores, line_scores(scores, tables, low_wins=low_wins), strict=True)
    ):
        others = [sign * (other - own) for also, other in enumerate(scores) if also != at]
        plain = sum((Fraction(1 if gap > 0 else 0 if gap else Fraction(1, 2)) for gap in others),
                    Fraction(0))  # fmt: skip
        factor = Fraction(tables - 1, len(scores) - 1)
        assert found == LineScore(
            plain * factor, 100 * plain / len(others), Fraction(sum(others), len(others))
        )


@given(SCORES, st.integers(1, 5))
def test_line_that_some_tables_did_not_play_keeps_its_percentage(
    scores: list[int], absent: int
) -> None:
    there = line_scores(scores, len(scores))
    more = line_scores(scores, len(scores) + absent)
    assert [one.percentage for one in there] == [one.percentage for one in more]


def test_one_result_alone_is_average() -> None:
    assert line_scores([26], 5) == [LineScore(Fraction(2), Fraction(50), Fraction(0))]
    assert line_scores([26], 1) == [LineScore(Fraction(0), Fraction(50), Fraction(0))]


def test_more_scores_than_tables_are_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="3 scores at 2 tables"):
        line_scores([1, 2, 3], 2)


LINES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 26), min_size=1), max_size=12
)


@given(LINES, st.booleans())
def test_means_are_those_of_the_lines(lines: list[dict[str, int]], low_wins: bool) -> None:
    own: dict[str, list[LineScore]] = {}
    for line in lines:
        found = line_scores(list(line.values()), len(line), low_wins=low_wins)
        for player, score in zip(line, found, strict=True):
            own.setdefault(player, []).append(score)
    expected = {
        player: FieldScore(
            len(scores),
            sum((one.percentage for one in scores), Fraction(0)) / len(scores),
            sum((one.datum for one in scores), Fraction(0)) / len(scores),
        )
        for player, scores in own.items()
    }
    assert field_scores((list(line.items()) for line in lines), low_wins=low_wins) == expected
