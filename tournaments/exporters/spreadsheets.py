"""Writing rows as an XLSX file: text as text, numbers as numbers, nothing as a formula."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Final

from xlsxwriter import Workbook

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

Cell = str | int

_MADE: Final = datetime(1980, 1, 1, tzinfo=UTC)
"""The date in every file, so that the same rows give the same bytes."""

_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


def spreadsheet(rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return an XLSX file with the rows as its one sheet.

    Rows go to a temporary file one by one, so only the packed file is held in memory.
    """
    file = BytesIO()
    with Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"created": _MADE})
        sheet = book.add_worksheet("Sheets")
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, int):
                    sheet.write_number(number, column, cell)
                elif cell:
                    sheet.write_string(number, column, _NOT_IN_XML.sub("", cell))
    return file.getvalue()
