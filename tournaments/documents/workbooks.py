"""XLSX files, and the hands of an event as one."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from io import BytesIO
from itertools import chain
from typing import Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from tournaments.documents.sheet_files import TEXTS, rows_of_event
from tournaments.models.events import Event

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,8})")

Cell = str | int | Decimal | None

_MADE: Final = datetime(1980, 1, 1, tzinfo=UTC)
"""The date in every file, so that the same rows give the same bytes."""

NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


Sheet = tuple[str, Iterable[Sequence[Cell]], Sequence[int]]
"""A sheet of a file: its name, its rows, whose first one has the heads, and widths in letters.

With widths of its columns the heads are bold and stay on the screen.
"""


def workbook(*sheets: Sheet) -> bytes:
    """Return an XLSX file with these sheets.

    Rows go to a temporary file one by one, so only the packed file is held in memory.
    """
    file = BytesIO()
    with Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"created": _MADE})
        formats = _Formats(book)
        for name, rows, widths in sheets:
            sheet = book.add_worksheet(name)
            for column, width in enumerate(widths):
                sheet.set_column(column, column, width)
            if widths:
                sheet.freeze_panes(1, 0)
            for number, row in enumerate(rows):
                head = formats.bold if widths and number == 0 else None
                for column, cell in enumerate(row):
                    _write(sheet, (number, column), cell, formats, head)
    return file.getvalue()


class _Formats:
    """The formats of a file: bold, and numbers with decimals, each created once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._decimals: dict[int, Format] = {}

    @cached_property
    def bold(self) -> Format:
        return self._book.add_format({"bold": True})

    def of_decimals(self, number: int) -> Format:
        if number not in self._decimals:
            options = {"num_format": f"0.{'0' * number}" if number else "0"}
            self._decimals[number] = self._book.add_format(options)
        return self._decimals[number]


def _write(
    sheet: Worksheet, at: tuple[int, int], cell: Cell, formats: _Formats, head: Format | None
) -> None:
    """Write a cell; an empty text and None are an empty cell."""
    if isinstance(cell, Decimal):
        exponent = cell.as_tuple().exponent
        decimals = max(0, -exponent) if isinstance(exponent, int) else 0
        sheet.write_number(*at, float(cell), formats.of_decimals(decimals))
    elif isinstance(cell, int):
        sheet.write_number(*at, cell)
    elif cell:
        sheet.write_string(*at, NOT_IN_XML.sub("", cell), *([head] if head else ()))


def sheets_book(event: Event) -> bytes:
    """Return the hands of an event as an XLSX file; counts and places are numbers there."""
    rows = rows_of_event(event)
    heads = next(rows)
    numbers = [name not in TEXTS for name in heads]
    converted = (
        [_typed(cell) if is_one else cell for cell, is_one in zip(row, numbers, strict=True)]
        for row in rows
    )
    return workbook(("Sheets", chain([heads], converted), ()))


def _typed(cell: str) -> Cell:
    if not _WHOLE.fullmatch(cell):
        return cell
    return int(cell)
