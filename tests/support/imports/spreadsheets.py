"""Spreadsheet files as small as they can be: `xlsx(path, rows)`, `ods(path, rows)`."""

import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cells = Sequence[Sequence[object]]

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = """<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
</Types>"""

MANIFEST = """<?xml version="1.0"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>"""


def column(index: int) -> str:
    return chr(ord("A") + index)


def sheet_xml(rows: Cells, merged: Sequence[str] = (), *, hidden_rows: Collection[int] = ()) -> str:
    """The part of one sheet; numbers as numbers, all else as text in its place.

    `merged` are the ranges that are one cell, such as `A2:A5`; `hidden_rows` count from 1.
    """
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for index, cell in enumerate(row):
            place = f"{column(index)}{number}"
            if isinstance(cell, int | float):
                cells.append(f'<c r="{place}"><v>{cell}</v></c>')
            elif cell != "":
                text = escape(str(cell))
                cells.append(
                    f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
                )
        hidden = ' hidden="1"' if number in hidden_rows else ""
        lines.append(f'<row r="{number}"{hidden}>{"".join(cells)}</row>')
    cells_ = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    after = f'<mergeCells count="{len(merged)}">{cells_}</mergeCells>' if merged else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData>{after}</worksheet>'


def book(
    path: Path, sheets: Sequence[str], names: Sequence[str] = (), *, hidden: Collection[str] = ()
) -> Path:
    """A workbook of the parts of its sheets; those whose names are `hidden` are hidden."""
    numbers = range(1, len(sheets) + 1)
    named = zip(numbers, names or [f"S{n}" for n in numbers], strict=True)
    states = {name: ' state="hidden"' for name in hidden}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}"{states.get(name, "")} r:id="r{n}"/>'
        for n, name in named
    )
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}">{targets}'
        "</Relationships>",
        **{f"xl/worksheets/sheet{n}.xml": sheet for n, sheet in zip(numbers, sheets, strict=True)},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return path


def xlsx(path: Path, *sheets: Cells) -> Path:
    return book(path, [sheet_xml(rows) for rows in sheets])


def stuffed(path: Path, cells: str, megabytes: int) -> Path:
    start, end = sheet_xml([["round"]]).split("</sheetData>")
    row = f"<row>{cells}</row>".encode()
    empty = book(path.with_name("empty.xlsx"), [f"{start}</sheetData>{end}"])
    with zipfile.ZipFile(empty) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in parts.namelist():
            if not name.endswith("sheet1.xml"):
                out.writestr(name, parts.read(name))
        with out.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(start.encode())
            for _ in range(megabytes):
                sheet.write(row * (1024 * 1024 // len(row)))
            sheet.write(f"</sheetData>{end}".encode())
    return path


def ods(path: Path, rows: Cells, *, hidden_rows: Collection[int] = ()) -> Path:
    """An ODS file of one sheet, with the many empty rows that spreadsheet programs write below.

    A hidden sheet of the same rows follows if some rows are hidden.
    """
    names = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{key}:1.0"'
        for key in ("office", "table", "text", "style")
    )
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for cell in row:
            if isinstance(cell, int | float):
                kind = f'office:value-type="float" office:value="{cell}"'
            else:
                kind = 'office:value-type="string"'
            words = f"<text:p>{escape(str(cell))}</text:p>"
            cells.append(f"<table:table-cell {kind}>{words}</table:table-cell>")
        hidden = ' table:visibility="collapse"' if number in hidden_rows else ""
        lines.append(f"<table:table-row{hidden}>{''.join(cells)}</table:table-row>")
    empty = (
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>'
    )
    sheet = f"{''.join(lines)}{empty}</table:table>"
    style = (
        '<office:automatic-styles><style:style style:name="away" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
    )
    more = f'<table:table table:name="S2" table:style-name="away">{sheet}' if hidden_rows else ""
    content = (
        f"<office:document-content {names}>{style}<office:body><office:spreadsheet>"
        f'<table:table table:name="S1">{sheet}{more}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("META-INF/manifest.xml", MANIFEST)
        file.writestr("content.xml", content)
    return path
