"""Positions on a score sheet: everything has its place, whatever the rules and the seats."""

from itertools import combinations, product

import cv2
import numpy as np
import pytest

from scoring.rules.rules import Rules
from tournaments.domain.sheets.sheet_fields import sheet_form
from tournaments.domain.sheets.sheet_geometry import (
    CODE,
    EDGE,
    MARK,
    MARK_CELL,
    MARK_CELLS,
    MARK_PATTERNS,
    PAPERS,
    Rect,
    SheetGeometry,
    sheet_geometry,
    sheet_pages,
    white_runs,
)
from tournaments.selectors.rules.rule_sets import variants

SLACK = 1e-6
TABLES = [
    (variant, seats)
    for variant in variants().ids
    for seats in sorted(set(variants().rules(variant).keys.players))
]


def geometry(variant: str, seats: int, layout: str, paper: str) -> SheetGeometry:
    form = sheet_form(variants().rules(variant), seats)
    page = sheet_pages(form, layout=layout, paper=paper)[0]
    return sheet_geometry(form, layout=layout, paper=paper, rows=len(page))


def is_within(inner: Rect, outer: Rect) -> bool:
    return (
        inner.x >= outer.x - SLACK
        and inner.y >= outer.y - SLACK
        and inner.right <= outer.right + SLACK
        and inner.bottom <= outer.bottom + SLACK
    )


def are_apart(one: Rect, other: Rect, by: float = 0.0) -> bool:
    return (
        one.right + by <= other.x + SLACK
        or other.right + by <= one.x + SLACK
        or one.bottom + by <= other.y + SLACK
        or other.bottom + by <= one.y + SLACK
    )


@pytest.mark.parametrize(("layout", "paper"), list(product(("boxes", "bubbles"), PAPERS)))
def test_every_box_of_every_game_is_in_its_column_and_row_alone(layout: str, paper: str) -> None:
    for variant, seats in TABLES:
        page = geometry(variant, seats, layout, paper)
        areas = (*page.rows, page.total_row)
        by_column: dict[tuple[int, int], list[Rect]] = {}
        for cell in page.cells:
            column = page.columns[cell.unit] if cell.unit >= 0 else page.hand_column
            assert column is not None
            assert is_within(cell.place, column), (variant, seats, cell)
            assert is_within(cell.place, areas[cell.row]), (variant, seats, cell)
            by_column.setdefault((cell.row, cell.unit), []).append(cell.place)
        first = by_column[0, 0]
        assert all(are_apart(*pair) for pair in combinations(first, 2)), (variant, seats)
        last = page.columns[-1].right + (page.hand_column.width if page.hand_column else 0)
        assert abs(last - page.check_column.x) < SLACK


@pytest.mark.parametrize(("layout", "paper"), list(product(("boxes", "bubbles"), PAPERS)))
def test_nothing_comes_near_the_marks_and_the_code(layout: str, paper: str) -> None:
    for variant, seats in TABLES:
        page = geometry(variant, seats, layout, paper)
        for place in (page.table, page.head, page.foot, page.code):
            assert is_within(place, Rect(0, 0, page.width, page.height))
            assert all(are_apart(place, mark, MARK_CELL) for mark in page.marks), variant
        assert are_apart(page.code, page.head)
        assert are_apart(page.code, page.table)
        assert are_apart(page.foot, page.table)


def test_positions_that_readers_of_sheets_rely_on_stay_what_they_are() -> None:
    page = geometry("hearts", 4, "boxes", "a4")
    assert (page.width, page.height) == (210.0, 297.0)
    assert [(mark.x, mark.y) for mark in page.marks] == [
        (EDGE, EDGE), (187.0, EDGE), (187.0, 274.0), (EDGE, 274.0)
    ]  # fmt: skip
    assert (MARK, MARK_CELL) == (15.0, 2.5)
    assert page.code == Rect(160.5, 5.0, CODE, CODE)
    own = [cell for cell in page.cells if (cell.row, cell.unit) == (0, 0)]
    assert [(cell.field, cell.part) for cell in own] == [
        ("hearts", "tens"), ("hearts", "units"), ("queen_spades", "tick"), ("running", "write")
    ]  # fmt: skip
    place = own[0].place
    assert [round(side, 2) for side in (place.x, place.y, place.width, place.height)] == [
        30.8, 48.6, 6.82, 9.2
    ]  # fmt: skip


def test_pages_cover_all_hands_and_continue_their_numbers() -> None:
    form = sheet_form(variants().rules("cancellation-hearts"), 9)
    pages = sheet_pages(form, layout="bubbles", paper="letter", hands=20)
    assert [hand for page in pages for hand in page] == list(range(1, 21))
    assert len(pages) > 1


def test_pooled_sides_have_one_column_and_a_count_in_each() -> None:
    rules: Rules = variants().rules("partnership-hearts-pooled")
    form = sheet_form(rules, 4)
    assert form.units == ((0, 2), (1, 3))
    assert len(sheet_geometry(form, layout="boxes", paper="a4", rows=8).columns) == 2


def test_two_packs_write_queens_as_a_number_and_one_pack_ticks_her() -> None:
    one = sheet_form(variants().rules("hearts"), 4)
    two = sheet_form(variants().rules("cancellation-hearts"), 7)
    assert [(field.label, field.kind) for field in one.of_unit] == [("♥", "count"), ("Q♠", "tick")]
    assert [(field.label, field.most) for field in two.of_unit] == [("♥", 26), ("Q♠", 2)]


@pytest.mark.parametrize("mark", list(MARK_PATTERNS))
def test_patterns_of_the_marks_are_those_of_the_dictionary(mark: int) -> None:
    kind = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    expected = cv2.aruco.generateImageMarker(kind, mark, MARK_CELLS) // 255
    drawn = np.zeros((MARK_CELLS, MARK_CELLS), np.uint8)
    for column, row, width, height in white_runs(mark):
        drawn[row : row + height, column : column + width] = 1
    assert drawn.tolist() == expected.tolist()
