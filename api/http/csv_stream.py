"""Lists as CSV: UTF-8, commas, CRLF, and no cell that a spreadsheet would run as a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tournaments.csv_safety import escape_formula


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the head and then one line a row, for a response that streams."""
    yield csv_line(columns)
    for row in rows:
        yield csv_line([row.get(column) for column in columns])


def csv_line(cells: Sequence[object]) -> str:
    r"""Return one line.

    >>> csv_line(["RL01", "=1+1", -7, None, True, ["r1", "r2"]])
    "RL01,'=1+1,-7,,true,r1 r2\r\n"
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return text.getvalue()


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list | tuple):
        return _cell(" ".join(str(part) for part in cell))
    text = str(cell)
    return escape_formula(text) if isinstance(cell, str) else text
