"""Cells of exported files that a spreadsheet would read as formulas."""

import csv
import io
import re

STARTS = "=+-@\t\r\n＝＋－＠"
NUMBER = re.compile(r"-?[0-9]+([/.][0-9]+)?")


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def formulas(content: bytes) -> list[str]:
    """The cells that a spreadsheet would calculate; a negative number is what it looks like."""
    found = [cell for row in cells(content) for cell in row]
    return [cell for cell in found if cell.startswith(tuple(STARTS)) and not NUMBER.fullmatch(cell)]
