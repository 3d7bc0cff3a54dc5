"""The position of everything on a printed score sheet, in millimetres from the paper's top left.

Pure. The sheet is drawn from these positions, and a reader of photographed sheets finds the boxes
by them, after the corner marks; what they depend on besides the rules is in the sheet's code.
See docs/score-sheets.md.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Final, NamedTuple

from tournaments.domain.sheets.sheet_fields import (
    Part,
    SheetField,
    SheetForm,
    flow,
    parts_of,
    running_part,
)

MARK_BITS: Final = 4
MARK_CELLS: Final = MARK_BITS + 2
"""Cells of a mark along one side: the pattern, and a black border of one cell around it."""

MARK_PATTERNS: Final = {
    0: ("1011", "0101", "0011", "0010"),
    1: ("0000", "1111", "1001", "1010"),
    2: ("0011", "0011", "0010", "1101"),
    3: ("1001", "1001", "0100", "0110"),
}
"""Id of a mark of OpenCV's DICT_4X4_50 → its rows from the top, 1 for a white cell; ids go
clockwise from top left."""

PAPERS: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Paper → width and height, upright."""

EDGE: Final = 8.0
"""From each edge of the paper to the black of the marks and to the frame of the table."""

MARK: Final = 15.0

CODE: Final = 22.0
"""The QR code with its quiet zone of `QUIET` modules."""

QUIET: Final = 4
CODE_TOP: Final = 5.0
NUMBER: Final = 7.0
PASS: Final = 15.0
CHECK: Final = 21.0
NAME: Final = 9.5
SEAT: Final = 4.0
LABEL: Final = 3.6
TOTAL: Final = 11.0

PADDING: Final = 1.2
"""Above and below the boxes of a hand."""

SIDE: Final = 0.5
"""Left and right of the boxes of a seat."""

MOST_PITCH: Final = 22.0
MOST_ROWS: Final = 14
GOOD_WIDTH: Final = 24.0
GOOD_ROWS: Final = 8

USUAL_ROWS: Final = 12
"""Number of rows where the number of hands is not known."""

TOTAL_PARTS: Final = ("sign", "hundreds", "tens", "units")


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle: its left and top, from the top left of the paper, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A place where something is written, ticked or filled.

    Attributes:
        row: of the page, from 0; the totals have the row after the last.
        unit: column of a seat or side, from 0; -1 for fields of the whole hand.
        field: the field's key; `running` for the running total, `total` for the total at the foot.
        part: `tens`, `units`, `tick`, `write`, `sign`, `hundreds`; for a bubble, its
            number; `label` is printed and holds nothing.
        text: what is printed in it.
    """

    row: int
    unit: int
    field: str
    part: str
    text: str
    place: Rect


@dataclass(frozen=True, slots=True)
class SheetGeometry:
    """One page. `columns` are those of the units, `hand_column` is None where nothing is asked
    once a hand."""

    width: float
    height: float
    marks: tuple[Rect, Rect, Rect, Rect]
    code: Rect
    head: Rect
    foot: Rect
    table: Rect

    columns: tuple[Rect, ...]
    hand_column: Rect | None
    check_column: Rect
    names: tuple[Rect, ...]
    rows: tuple[Rect, ...]
    total_row: Rect
    cells: tuple[SheetCell, ...]
    labels: tuple[SheetCell, ...]


class _Plan(NamedTuple):
    width: float
    height: float
    unit_width: float
    unit: tuple[tuple[Part, ...], ...]
    hand_width: float
    hand: tuple[tuple[Part, ...], ...]
    lines: int
    line: float
    head: float
    capacity: int


def white_runs(mark: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield column, row, width and height of runs of white cells, counted from the black border.

    Both those along rows and those down columns: drawn together they leave no seam.

    >>> list(white_runs(1))[:2]
    [(1, 2, 4, 1), (1, 3, 1, 1)]
    """
    rows = MARK_PATTERNS[mark]
    for at, bits in enumerate(rows, start=1):
        for start, length in _runs(bits):
            yield start, at, length, 1
    for at, cells in enumerate(zip(*rows, strict=True), start=1):
        for start, length in _runs("".join(cells)):
            yield at, start, 1, length


def _runs(bits: str) -> Iterator[tuple[int, int]]:
    return ((run.start() + 1, len(run[0])) for run in re.finditer("1+", bits))


MARK_CELL: Final = MARK / MARK_CELLS
"""A cell of a mark; so wide is the white margin that nothing else may touch."""
CLEAR: Final = EDGE + MARK + MARK_CELL + 2.0
"""From an edge of the paper to what lies between the marks."""


def sheet_pages(
    form: SheetForm, *, layout: str, paper: str, hands: int | None = None
) -> tuple[range, ...]:
    """Return the numbers of the hands on each page of a sheet; `hands` is None if unknown."""
    capacity = _plan(form, layout, paper).capacity
    if hands is None:
        hands = (
            capacity if capacity * 3 >= USUAL_ROWS * 2 else ceil(USUAL_ROWS / capacity) * capacity
        )
    n_pages = ceil(hands / capacity)
    rows = ceil(hands / n_pages)
    firsts = range(1, hands + 1, rows)
    return tuple(range(first, min(first + rows, hands + 1)) for first in firsts)


@lru_cache(maxsize=64)
def sheet_geometry(form: SheetForm, *, layout: str, paper: str, rows: int) -> SheetGeometry:
    plan = _plan(form, layout, paper)
    width, height = plan.width, plan.height
    top = CLEAR
    left_edge = EDGE
    right_edge = width - EDGE
    first = top + plan.head
    most = max(MOST_PITCH, _most_line(layout) * plan.lines + 2 * PADDING)
    pitch = min(most, (height - CLEAR - TOTAL - first) / rows)
    row_places = tuple(
        Rect(left_edge, first + row * pitch, right_edge - left_edge, pitch) for row in range(rows)
    )
    total_row = Rect(left_edge, first + rows * pitch, right_edge - left_edge, TOTAL)
    table = Rect(left_edge, top, right_edge - left_edge, total_row.bottom - top)
    first_column = left_edge + NUMBER + PASS
    columns = tuple(
        Rect(first_column + at * plan.unit_width, top, plan.unit_width, table.height)
        for at in range(len(form.units))
    )
    hand_column = (
        Rect(columns[-1].right, top, plan.hand_width, table.height) if plan.hand_width else None
    )
    check = Rect(right_edge - CHECK, top, CHECK, table.height)
    line = min(_most_line(layout), (pitch - 2 * PADDING) / plan.lines)
    cells: list[SheetCell] = []
    for at, place in enumerate(row_places):
        for unit, column in enumerate(columns):
            cells += _cells(plan.unit, at, unit, column, place, line)
        if hand_column is not None:
            cells += _cells(plan.hand, at, -1, hand_column, place, line)
    for unit, column in enumerate(columns):
        cells += _total_cells(rows, unit, column, total_row)
    labels = [
        label
        for unit, column in enumerate(columns)
        for label in _labels(plan.unit, unit, column, top + NAME + SEAT)
    ]
    if hand_column is not None:
        labels += _labels(plan.hand, -1, hand_column, top + NAME + SEAT)
    return SheetGeometry(
        width,
        height,
        _marks(width, height),
        Rect(width - CLEAR - CODE, CODE_TOP, CODE, CODE),
        Rect(CLEAR, EDGE, width - 2 * CLEAR - CODE - 3, CLEAR - EDGE - 2),
        Rect(CLEAR, height - CLEAR + 1.5, width - 2 * CLEAR, CLEAR - EDGE - 1.5),
        table,
        columns,
        hand_column,
        check,
        tuple(Rect(column.x, top, column.width, NAME) for column in columns),
        row_places,
        total_row,
        tuple(cells),
        tuple(labels),
    )


def _marks(width: float, height: float) -> tuple[Rect, Rect, Rect, Rect]:
    right, bottom = width - EDGE - MARK, height - EDGE - MARK
    corners = ((EDGE, EDGE), (right, EDGE), (right, bottom), (EDGE, bottom))
    first, second, third, fourth = (Rect(x, y, MARK, MARK) for x, y in corners)
    return first, second, third, fourth


@lru_cache(maxsize=64)
def _plan(form: SheetForm, layout: str, paper: str) -> _Plan:
    width, height = PAPERS[paper]
    turned = [_plan_on(form, layout, width, height), _plan_on(form, layout, height, width)]
    return min(
        turned,
        key=lambda plan: (
            max(0.0, GOOD_WIDTH - plan.unit_width),
            -min(plan.capacity, GOOD_ROWS),
            plan.lines,
        ),
    )


def _plan_on(form: SheetForm, layout: str, width: float, height: float) -> _Plan:
    hand = flow(parts_of(form.of_hand, layout, 6.5), 14.0) if form.of_hand else ()
    hand_width = 14.0 if hand else 0.0
    room = width - 2 * EDGE - NUMBER - PASS - CHECK - hand_width
    unit_width = room / len(form.units)
    unit = _unit_lines(form.of_unit, layout, unit_width - 2 * SIDE)
    lines = max(len(unit), len(hand))
    line = 7.4 if layout == "boxes" else 5.0
    head = NAME + SEAT + LABEL * max(_n_labelled(unit), _n_labelled(hand)) + 1.0
    room_below = height - 2 * CLEAR - TOTAL - head
    capacity = min(MOST_ROWS, max(1, int(room_below // (lines * line + 2 * PADDING))))
    return _Plan(width, height, unit_width, unit, hand_width, hand, lines, line, head, capacity)


def _n_labelled(lines: tuple[tuple[Part, ...], ...]) -> int:
    return sum(any(part.label for part in parts) for parts in lines)


def _unit_lines(
    fields: Iterable[SheetField], layout: str, width: float
) -> tuple[tuple[Part, ...], ...]:
    fields = tuple(fields)
    n_parts = len(parts_of(fields, layout, 1.0))
    one_line = (width - running_part(0.0).least) / max(n_parts, 1)
    if layout == "boxes":
        if one_line >= 5.2:
            size = min(7.5, one_line)
        else:
            size = min(6.0, max(4.6, width / n_parts))
    else:
        size = 4.4
    lines = list(flow(parts_of(fields, layout, size), width))
    filled = sum(part.width for part in lines[-1]) if lines else width
    if width - filled >= running_part(0.0).least:
        lines[-1] = (*lines[-1], running_part(min(width - filled, 20.0)))
    else:
        lines.append((running_part(min(width, 20.0)),))
    return tuple(lines)


def _most_line(layout: str) -> float:
    return 10.0 if layout == "boxes" else 6.0


def _cells(
    lines: tuple[tuple[Part, ...], ...], row: int, unit: int, column: Rect, place: Rect, line: float
) -> Iterator[SheetCell]:
    top = place.y + (place.height - line * len(lines)) / 2
    for at, parts in enumerate(lines):
        x = column.x + SIDE
        for part in parts:
            box = Rect(x, top + at * line, part.width, line)
            yield SheetCell(row, unit, part.field, part.part, part.text, _shape(part, box))
            x += part.width


def _shape(part: Part, box: Rect) -> Rect:
    if part.is_bubble:
        size = min(3.8, box.width - 0.4, box.height - 0.6)
        return Rect(box.x + (box.width - size) / 2, box.y + (box.height - size) / 2, size, size)
    return Rect(box.x + 0.3, box.y + 0.4, box.width - 0.6, box.height - 0.8)


def _total_cells(row: int, unit: int, column: Rect, place: Rect) -> Iterator[SheetCell]:
    size = min(6.5, (column.width - 2 * SIDE) / len(TOTAL_PARTS))
    start = column.x + (column.width - size * len(TOTAL_PARTS)) / 2
    for at, part in enumerate(TOTAL_PARTS):
        box = Rect(start + at * size + 0.3, place.y + 1.3, size - 0.6, place.height - 2.6)
        yield SheetCell(row, unit, "total", part, "", box)


def _labels(
    lines: tuple[tuple[Part, ...], ...], unit: int, column: Rect, top: float
) -> Iterator[SheetCell]:
    labelled = (parts for parts in lines if any(part.label for part in parts))
    for at, parts in enumerate(labelled):
        x = column.x + SIDE
        edges = [x]
        for part in parts:
            edges.append(edges[-1] + part.width)
        spans = list(zip(parts, pairwise(edges), strict=True))
        for field in dict.fromkeys(part.field for part in parts):
            field_spans = [(part, span) for part, span in spans if part.field == field]
            start = field_spans[0][1][0]
            end = field_spans[-1][1][1]
            label = field_spans[0][0].label
            if label:
                place = Rect(start, top + at * LABEL, end - start, LABEL)
                yield SheetCell(-1, unit, field, "label", label, place)
