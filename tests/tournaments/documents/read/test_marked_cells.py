"""Marks beside the numbers of players: a way to read them is proposed where it makes hands."""

from collections.abc import Sequence

import pytest

from scoring.rules.catalogue import catalogue
from tournaments.documents.read.column_plan import ColumnPlan
from tournaments.documents.read.marked_cells import (
    MARKS,
    Marks,
    SeatCell,
    mark_in,
    marks_of,
    read_cells,
)

HEARTS = catalogue().rules("hearts")
NAMES = ("Ann", "Bo", "Cy", "Di")
PLAN = ColumnPlan(
    "hands", (("Hand", "hand"), *((name, "player") for name in NAMES)), cells="points"
)


def marks(*rows: str) -> Marks:
    """The marks of rows of cells with commas between them."""
    sample = [[str(n), *row.split(",")] for n, row in enumerate(rows, start=1)]
    return marks_of(PLAN, ["Hand", *NAMES], sample, HEARTS)


def ways(found: Marks) -> list[tuple[str, str]]:
    return [(plan.cells, plan.given[MARKS]) for plan in found.plans]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("0Q,5,8,0", "0,13,Q,0", "1,0,Q,12"), [("hearts", "queen")]),
        (("13*,5,8,0", "0,13*,13,0"), [("points", "queen")]),
        (("13Q,5,8,0", "0,13,13Q,0"), [("points", "queen")]),
        (("13 (13),5 (5),8 (8),0 (0)", "0 (13),13 (18),13 (21),0 (0)"), [("points", "first")]),
        (("13/13,5/5,8/8,0/0", "13/0,18/13,21/13,0/0"), [("points", "second")]),
        (("13,5,8,x", "x,13,13,x", "26,x,26,26"), [("points", "cross_is_zero")]),
        (("13,5,8,0", "26,moon,26,26"), [("points", "moon")]),
        (("13*,5,8,x", "x,13*,13,x"), [("points", "queen cross_is_zero")]),
    ],
)  # fmt: skip
def test_way_that_makes_the_rows_hands_is_proposed(
    rows: Sequence[str], expected: list[tuple[str, str]]
) -> None:
    assert ways(marks(*rows)) == expected


def test_cross_that_may_be_nobody_or_nothing_is_asked() -> None:
    found = ways(marks("13,5,8,x", "1,x,13,12"))
    assert found == [("points", "cross_is_zero"), ("points", "cross_is_nobody")]


@pytest.mark.parametrize(
    "rows",
    [
        ("0Q,5,8,1", "0,12,Q,0"),
        ("13 (13),5 (5),8 (8),1 (1)", "0 (13),13 (18),14 (22),0 (0)"),
        ("7,5,8,x", "x,12,13,x"),
    ],
)
def test_what_no_rules_allow_is_not_proposed(rows: Sequence[str]) -> None:
    found = marks(*rows)
    assert (len(found.examples), found.plans) == (1, ())


@pytest.mark.parametrize(("last", "n_plans"), [("1,0,Q,12", 1), ("1,0,Q,13", 0)])
def test_half_of_the_rows_at_least_are_hands(last: str, n_plans: int) -> None:
    assert len(marks("0Q,5,8,1", last).plans) == n_plans


def test_numbers_alone_have_no_marks() -> None:
    assert marks("13,5,8,0", "0,13,13,-").examples == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Q♠", "queen"), ("5+Q", "queen"), ("♠", "queen"), ("3 D", "queen"), ("*", None),
     ("Shot the moon!", "moon"), ("Durchmarsch", "moon"), ("×", "cross"), ("7,5", None),
     ("13 / 26", "pair"), ("(13)", None), ("Ann", None), ("", None), ("7,0", "")],
)  # fmt: skip
def test_marks_are_told_by_their_kind(text: str, kind: str | None) -> None:
    found = mark_in(text)
    assert (found.kind if found is not None else None) == kind


def test_moon_has_all_points_unless_the_others_have_them() -> None:
    assert read_cells(["moon", "0", "0", "0"], ["moon"], 26)[0] == SeatCell("26", has_shot=True)
    assert read_cells(["moon", "26", "26", "26"], ["moon"], 26)[0] == SeatCell("0", has_shot=True)
    assert read_cells(["moon", "0", "0", "0"], ["moon"], None)[0] == SeatCell("moon")


def test_marks_stay_as_written_without_their_way() -> None:
    texts = ["5Q", "13 (13)", "x", "moon"]
    assert [cell.text for cell in read_cells(texts, (), 26)] == texts
