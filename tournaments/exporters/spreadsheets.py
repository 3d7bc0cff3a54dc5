"""Writing rows as an XLSX file, a row at a time: what is held in memory does not grow with them.

Text is stored as text, numbers as numbers; nothing in such a file is a formula.
"""

import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import IO, Final
from xml.sax.saxutils import escape

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

Cell = str | int

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MADE: Final = (1980, 1, 1, 0, 0, 0)
"""The date of each part, so that the same rows give the same bytes."""

_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""

PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_TYPES}">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheets" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_book(file: IO[bytes], rows: Iterable[Sequence[Cell]]) -> None:
    """Write rows as the one sheet of an XLSX file."""
    with zipfile.ZipFile(file, "w") as book:
        for name, text in PARTS.items():
            book.writestr(_part(name), _HEAD + text)
        with book.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for number, row in enumerate(rows, start=1):
                sheet.write(_row(number, row).encode())
            sheet.write(b"</sheetData></worksheet>")


def _part(name: str) -> zipfile.ZipInfo:
    part = zipfile.ZipInfo(name, _MADE)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _row(number: int, row: Sequence[Cell]) -> str:
    cells = "".join(
        _cell(f"{column_name(index)}{number}", cell) for index, cell in enumerate(row) if cell != ""
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, cell: Cell) -> str:
    if isinstance(cell, int):
        return f'<c r="{place}"><v>{cell}</v></c>'
    text = escape(_NOT_IN_XML.sub("", cell))
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def column_name(index: int) -> str:
    """Return what a column is called, counted from 0.

    >>> column_name(0), column_name(25), column_name(26), column_name(701), column_name(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
