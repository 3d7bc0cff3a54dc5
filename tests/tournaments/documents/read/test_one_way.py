"""What the first rows of a file must be so that nobody is asked how they are read."""

from collections.abc import Sequence

import pytest

from scoring.rules.catalogue import catalogue
from tournaments.documents.read.column_plan import ColumnPlan, labels_of, plan_from
from tournaments.documents.read.one_way import is_read_one_way, unread_columns, unread_numbers

RULES = catalogue().rules("hearts")
NAMES = ("Alma", "Bruno", "Cleo", "Dario")
HEADS = ("Wann", "Spiel", *NAMES)
ROWS = (("13.11.2025", "1", "4", "1", "2", "19"), ("13.11.2025", "2", "0", "13", "13", "0"))
MEANS = {"Wann": "date", "Spiel": "hand", **dict.fromkeys(NAMES, "player")}


def plan(cells: str = "points", **columns: str) -> ColumnPlan:
    document = {
        **{"rows": "hands", "cells": cells, "columns": {**MEANS, **columns}},
        "given": {"table": "1", "round": "dates"},
    }
    return plan_from(document)


def one_way(
    the_plan: ColumnPlan,
    rows: Sequence[Sequence[str]] = ROWS,
    heads: Sequence[str] = HEADS,
    *,
    has_day: bool = False,
) -> bool:
    return is_read_one_way(the_plan, labels_of(heads), rows, RULES, has_day=has_day)


def test_points_that_are_hands_are_read_one_way() -> None:
    assert one_way(plan())


@pytest.mark.parametrize(("last", "expected"), [("19", True), ("18", False), ("20", False)])
def test_points_are_those_of_a_hand(last: str, expected: bool) -> None:
    assert one_way(plan(), [(*ROWS[0][:5], last)]) == expected


def test_file_without_rows_is_not_read_one_way() -> None:
    assert not one_way(plan(), [])
    assert not one_way(plan(), [("13.11.2025", "1", "", "", "", "")])


def test_plan_that_lacks_something_is_not_read_one_way() -> None:
    lacking = plan_from({**plan().as_json(), "columns": {**MEANS, "Wann": "ignore"}})
    assert not one_way(lacking)


def test_evening_is_said_by_a_date_or_by_the_name_of_the_file() -> None:
    document = {**plan(Wann="ignore").as_json(), "given": {"table": "1"}}
    rows = [("", *row[1:]) for row in ROWS]
    assert not one_way(plan_from(document), rows)
    assert one_way(plan_from(document), rows, has_day=True)


@pytest.mark.parametrize(
    ("cell", "unread", "expected"),
    [("", [], True), ("late", ["Omi"], True), ("3", ["Omi"], False), ("-", [], True)],
)
def test_column_that_is_not_read_has_no_numbers(
    cell: str, unread: list[str], expected: bool
) -> None:
    heads = (*HEADS, "Omi")
    rows = [(*ROWS[0], cell)]
    assert unread_columns(plan(Omi="ignore"), labels_of(heads), rows) == unread
    assert one_way(plan(Omi="ignore"), rows, heads) == expected


def test_column_of_sums_is_no_unread_number() -> None:
    rows = [(*ROWS[0], "26")]
    heads = (*HEADS, "Summe")
    assert unread_numbers(plan(Summe="ignore"), labels_of(heads), rows) == []


def test_round_without_a_hand_may_count_the_hands() -> None:
    document = {
        **plan(Spiel="round").as_json(),
        "given": {"table": "1"},
    }
    assert not one_way(plan_from(document))


def test_empty_cells_are_nobody_where_a_0_is_written() -> None:
    heads = (*HEADS, "Egon")
    rows = [(*ROWS[0], ""), (*ROWS[1], "")]
    assert one_way(plan(Egon="player"), rows, heads)
    assert not one_way(plan(Egon="player"), rows[:1], heads)


def test_running_totals_are_read_as_such_alone() -> None:
    rows = [ROWS[0], ("13.11.2025", "2", "4", "14", "15", "19")]
    assert one_way(plan("running"), rows)
    assert not one_way(plan("points"), rows)
    assert not one_way(plan("running"), rows[:1])
    assert not one_way(plan("running"), ROWS)


def test_counts_of_hearts_are_no_points() -> None:
    rows = [("13.11.2025", "1", "4", "1", "2", "6")]
    assert one_way(plan("hearts"), rows)
    assert not one_way(plan("hearts"), ROWS)
