"""The position of everything on a printed score sheet, in millimetres from the paper's top left.

Pure. The sheet is drawn from these positions, and a reader of photographed sheets finds the boxes
by them, after the corner marks; what they depend on besides the rules is in the sheet's code.
See docs/score-sheets.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
"""Width and height of a mark."""

CODE: Final = 22.0
"""Width and height of the QR code with its quiet zone of `QUIET` modules."""

QUIET: Final = 4
CODE_TOP: Final = 5.0

NUMBER: Final = 7.0
PASS: Final = 15.0
CHECK: Final = 21.0
HAND_WIDTH: Final = 14.0
"""Widths of the columns beside those of the units; the last only where a hand has own fields."""

NAME: Final = 9.5
SEAT: Final = 4.0
LABEL: Final = 3.6
"""Heights of the lines at the head of the table; there may be several of labels."""

TOTAL: Final = 11.0
"""Height of the row of totals."""

MOST_TOTAL: Final = 20.0
"""Largest width of a running total."""

LEAST_BOX_IN_ONE_LINE: Final = 5.2
MOST_BOX_IN_ONE_LINE: Final = 7.5
"""Widths of a box where all boxes of a seat and its running total share one line."""

LEAST_BOX_IN_LINES: Final = 4.6
MOST_BOX_IN_LINES: Final = 6.0
"""Widths of a box where they need several lines."""

BUBBLE_STEP: Final = 4.4
"""From one bubble to the next."""

PADDING: Final = 1.2
"""Above and below the boxes of a hand."""

SIDE: Final = 0.5
"""Left and right of the boxes of a seat."""

MOST_PITCH: Final = 22.0
"""Largest height of a row, unless its lines need more."""

MOST_ROWS: Final = 14

GOOD_WIDTH: Final = 24.0
GOOD_ROWS: Final = 8
"""Width of a unit's column and number of rows from which on more of them make no better page."""

USUAL_ROWS: Final = 12
"""Number of rows where the number of hands is not known."""

TOTAL_PARTS: Final = ("sign", "hundreds", "tens", "units")

MARK_CELL: Final = MARK / MARK_CELLS
"""A cell of a mark; so wide is the white margin that nothing else may touch."""

CLEAR: Final = EDGE + MARK + MARK_CELL + 2.0
"""From an edge of the paper to what lies between the marks."""


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
    """One page.

    `columns` are those of the units, `hand_column` is None where nothing is asked once a hand.
    """

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
    """How a page is divided, before the number of its rows is known.

    `unit` and `hand` are the parts of a unit's column and of the hand's, by line; a row has as many
    `lines` as the longer of the two. `head` is the height of the table's head, `capacity` the
    largest number of rows.
    """

    width: float
    height: float
    unit_width: float
    unit: tuple[tuple[Part, ...], ...]
    hand_width: float
    hand: tuple[tuple[Part, ...], ...]
    lines: int
    head: float
    capacity: int


def white_runs(mark: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield column, row, width and height of runs of white cells, counted from the black border.

    Both those along rows and those down columns: drawn together they leave no seam.

    >>> list(white_runs(1))[:2]
    [(1, 2, 4, 1), (1, 3, 1, 1)]
    """
    rows = MARK_PATTERNS[mark]
    for row, bits in enumerate(rows, start=1):
        for start, length in _runs(bits):
            yield start, row, length, 1
    for column, cells in enumerate(zip(*rows, strict=True), start=1):
        for start, length in _runs("".join(cells)):
            yield column, start, 1, length


def _runs(bits: str) -> Iterator[tuple[int, int]]:
    """Yield the start, counted from 1, and the length of each run of white cells."""
    for run in re.finditer("1+", bits):
        yield run.start() + 1, len(run[0])


def sheet_pages(
    form: SheetForm, *, layout: str, paper: str, hands: int | None = None
) -> tuple[range, ...]:
    """Return the numbers of the hands on each page of a sheet; `hands` is None if unknown."""
    capacity = _plan(form, layout, paper).capacity
    if hands is not None:
        n_hands = hands
    elif capacity * 3 >= USUAL_ROWS * 2:
        # One page that has at least two thirds of the usual rows is enough.
        n_hands = capacity
    else:
        n_hands = ceil(USUAL_ROWS / capacity) * capacity
    n_pages = ceil(n_hands / capacity)
    n_rows = ceil(n_hands / n_pages)
    pages = []
    for first in range(1, n_hands + 1, n_rows):
        pages.append(range(first, min(first + n_rows, n_hands + 1)))
    return tuple(pages)


@lru_cache(maxsize=64)
def sheet_geometry(form: SheetForm, *, layout: str, paper: str, rows: int) -> SheetGeometry:
    """Return the positions on a page with some number of rows, one for each hand."""
    plan = _plan(form, layout, paper)
    width, height = plan.width, plan.height
    top = CLEAR
    left_edge = EDGE
    table_width = width - EDGE - left_edge

    first_row = top + plan.head
    most_pitch = max(MOST_PITCH, _most_line(layout) * plan.lines + 2 * PADDING)
    pitch = min(most_pitch, (height - CLEAR - TOTAL - first_row) / rows)
    row_places = []
    for row in range(rows):
        row_places.append(Rect(left_edge, first_row + row * pitch, table_width, pitch))
    total_row = Rect(left_edge, first_row + rows * pitch, table_width, TOTAL)
    table = Rect(left_edge, top, table_width, total_row.bottom - top)

    first_column = left_edge + NUMBER + PASS
    columns = []
    for unit in range(len(form.units)):
        x = first_column + unit * plan.unit_width
        columns.append(Rect(x, top, plan.unit_width, table.height))
    hand_column = None
    if plan.hand_width:
        hand_column = Rect(columns[-1].right, top, plan.hand_width, table.height)

    line = min(_most_line(layout), (pitch - 2 * PADDING) / plan.lines)
    cells: list[SheetCell] = []
    for row, place in enumerate(row_places):
        for unit, column in enumerate(columns):
            cells += _cells(plan.unit, row, unit, column=column, place=place, line=line)
        if hand_column is not None:
            cells += _cells(plan.hand, row, -1, column=hand_column, place=place, line=line)
    for unit, column in enumerate(columns):
        cells += _total_cells(rows, unit, column, place=total_row)

    top_of_labels = top + NAME + SEAT
    labels: list[SheetCell] = []
    for unit, column in enumerate(columns):
        labels += _labels(plan.unit, unit, column, top=top_of_labels)
    if hand_column is not None:
        labels += _labels(plan.hand, -1, hand_column, top=top_of_labels)

    return SheetGeometry(
        width=width,
        height=height,
        marks=_marks(width, height),
        code=Rect(width - CLEAR - CODE, CODE_TOP, CODE, CODE),
        head=Rect(CLEAR, EDGE, width - 2 * CLEAR - CODE - 3, CLEAR - EDGE - 2),
        foot=Rect(CLEAR, height - CLEAR + 1.5, width - 2 * CLEAR, CLEAR - EDGE - 1.5),
        table=table,
        columns=tuple(columns),
        hand_column=hand_column,
        check_column=Rect(width - EDGE - CHECK, top, CHECK, table.height),
        names=tuple(Rect(column.x, top, column.width, NAME) for column in columns),
        rows=tuple(row_places),
        total_row=total_row,
        cells=tuple(cells),
        labels=tuple(labels),
    )


def _marks(width: float, height: float) -> tuple[Rect, Rect, Rect, Rect]:
    """Return the marks in the corners, clockwise from top left."""
    right = width - EDGE - MARK
    bottom = height - EDGE - MARK
    return (
        Rect(EDGE, EDGE, MARK, MARK),
        Rect(right, EDGE, MARK, MARK),
        Rect(right, bottom, MARK, MARK),
        Rect(EDGE, bottom, MARK, MARK),
    )


@lru_cache(maxsize=64)
def _plan(form: SheetForm, layout: str, paper: str) -> _Plan:
    """Return the better plan of the upright and the turned paper; the upright one if equal."""
    width, height = PAPERS[paper]
    upright = _plan_on(form, layout, width, height)
    turned = _plan_on(form, layout, height, width)
    return min(upright, turned, key=_badness)


def _badness(plan: _Plan) -> tuple[float, int, int]:
    """The sort key of plans: missing width of a column, rows (as far as they help), lines."""
    missing_width = max(0.0, GOOD_WIDTH - plan.unit_width)
    return missing_width, -min(plan.capacity, GOOD_ROWS), plan.lines


def _plan_on(form: SheetForm, layout: str, width: float, height: float) -> _Plan:
    hand: tuple[tuple[Part, ...], ...] = ()
    if form.of_hand:
        hand = flow(parts_of(form.of_hand, layout, 6.5), HAND_WIDTH)
    hand_width = HAND_WIDTH if hand else 0.0
    unit_width = (width - 2 * EDGE - NUMBER - PASS - CHECK - hand_width) / len(form.units)
    unit = _unit_lines(form.of_unit, layout, unit_width - 2 * SIDE)

    n_lines = max(len(unit), len(hand))
    line = 7.4 if layout == "boxes" else 5.0
    head = NAME + SEAT + LABEL * max(_n_labelled(unit), _n_labelled(hand)) + 1.0
    room_below = height - 2 * CLEAR - TOTAL - head
    n_rows = int(room_below // (n_lines * line + 2 * PADDING))
    return _Plan(
        width=width,
        height=height,
        unit_width=unit_width,
        unit=unit,
        hand_width=hand_width,
        hand=hand,
        lines=n_lines,
        head=head,
        capacity=min(MOST_ROWS, max(1, n_rows)),
    )


def _n_labelled(lines: tuple[tuple[Part, ...], ...]) -> int:
    return sum(any(part.label for part in parts) for parts in lines)


def _unit_lines(
    fields: Sequence[SheetField], layout: str, width: float
) -> tuple[tuple[Part, ...], ...]:
    """Return the parts of a column by line, with the running total in the last one if it fits."""
    least_total = running_part(0.0).least
    if layout == "boxes":
        n_parts = len(parts_of(fields, layout, 1.0))
        size_in_one_line = (width - least_total) / max(n_parts, 1)
        if size_in_one_line >= LEAST_BOX_IN_ONE_LINE:
            size = min(MOST_BOX_IN_ONE_LINE, size_in_one_line)
        else:
            size = min(MOST_BOX_IN_LINES, max(LEAST_BOX_IN_LINES, width / n_parts))
    else:
        size = BUBBLE_STEP

    lines = list(flow(parts_of(fields, layout, size), width))
    room = 0.0
    if lines:
        room = width - sum(part.width for part in lines[-1])
    if room >= least_total:
        lines[-1] = (*lines[-1], running_part(min(room, MOST_TOTAL)))
    else:
        lines.append((running_part(min(width, MOST_TOTAL)),))
    return tuple(lines)


def _most_line(layout: str) -> float:
    return 10.0 if layout == "boxes" else 6.0


def _cells(
    lines: tuple[tuple[Part, ...], ...],
    row: int,
    unit: int,
    *,
    column: Rect,
    place: Rect,
    line: float,
) -> Iterator[SheetCell]:
    """Yield the cells of a column in the row at `place`, whose lines are `line` high."""
    top = place.y + (place.height - line * len(lines)) / 2
    for at, parts in enumerate(lines):
        x = column.x + SIDE
        for part in parts:
            box = Rect(x, top + at * line, part.width, line)
            yield SheetCell(
                row=row,
                unit=unit,
                field=part.field,
                part=part.part,
                text=part.text,
                place=_shape(part, box),
            )
            x += part.width


def _shape(part: Part, box: Rect) -> Rect:
    """Return where a part is drawn in its box: a bubble in the middle, else most of the box."""
    if part.is_bubble:
        size = min(3.8, box.width - 0.4, box.height - 0.6)
        return Rect(box.x + (box.width - size) / 2, box.y + (box.height - size) / 2, size, size)
    return Rect(box.x + 0.3, box.y + 0.4, box.width - 0.6, box.height - 0.8)


def _total_cells(row: int, unit: int, column: Rect, *, place: Rect) -> Iterator[SheetCell]:
    """Yield the cells of the total at the foot of a column."""
    size = min(6.5, (column.width - 2 * SIDE) / len(TOTAL_PARTS))
    start = column.x + (column.width - size * len(TOTAL_PARTS)) / 2
    for at, part in enumerate(TOTAL_PARTS):
        box = Rect(start + at * size + 0.3, place.y + 1.3, size - 0.6, place.height - 2.6)
        yield SheetCell(row=row, unit=unit, field="total", part=part, text="", place=box)


def _labels(
    lines: tuple[tuple[Part, ...], ...], unit: int, column: Rect, *, top: float
) -> Iterator[SheetCell]:
    """Yield the labels at the head of a column, each over all parts of its field."""
    labelled = [parts for parts in lines if any(part.label for part in parts)]
    for at, parts in enumerate(labelled):
        labels: dict[str, str] = {}
        starts: dict[str, float] = {}
        ends: dict[str, float] = {}
        x = column.x + SIDE
        for part in parts:
            labels.setdefault(part.field, part.label)
            starts.setdefault(part.field, x)
            x += part.width
            ends[part.field] = x
        for field, label in labels.items():
            if label:
                width = ends[field] - starts[field]
                place = Rect(starts[field], top + at * LABEL, width, LABEL)
                yield SheetCell(
                    row=-1, unit=unit, field=field, part="label", text=label, place=place
                )
