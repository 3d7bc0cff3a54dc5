"""The marks in the corners of a printed score sheet: ArUco markers, their patterns as data.

Pure. A reader of photographed sheets finds the four corners by them, and which way up the sheet is.
See docs/score-sheets.md.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

MARK_DICTIONARY: Final = "DICT_4X4_50"
MARK_BITS: Final = 4
MARK_CELLS: Final = MARK_BITS + 2
"""Cells of a mark along one side: the pattern, and a black border of one cell around it."""

MARK_PATTERNS: Final[Mapping[int, tuple[str, str, str, str]]] = {
    0: ("1011", "0101", "0011", "0010"),
    1: ("0000", "1111", "1001", "1010"),
    2: ("0011", "0011", "0010", "1101"),
    3: ("1001", "1001", "0100", "0110"),
}
"""Id of a mark → its rows from the top, 1 for a white cell; ids go clockwise from top left."""


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
    """Start and length of each run of ones; the first cell is 1, behind the border."""
    return ((found.start() + 1, len(found[0])) for found in re.finditer("1+", bits))
